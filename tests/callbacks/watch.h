/* What callbacks say and leave, for tests to look at. */
#ifndef SNUG_TESTS_CALLBACKS_WATCH_H
#define SNUG_TESTS_CALLBACKS_WATCH_H

#include "lib/test.h"

/* A sink: the text so far, with the folder of the test written as "@". */
typedef struct watch {
  const char *folder; /* may be NULL */
  char text[16384];
  size_t n;
} watch;

void watch_text(void *user, const char *text, size_t n);

/* The folder of the running test, in memory if that can be. */
const char *watch_root(void);

/* A new empty folder in it; static storage, until the next call. */
const char *watch_folder(const char *name);

/* Whole files; what is read is the caller's, ended by NUL. */
void watch_write(const char *path, const char *content);
char *watch_read(const char *path);
bool watch_exists(const char *path);

#endif
