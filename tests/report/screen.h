/* A sink that keeps what it is given, as text. */
#ifndef SNUG_TESTS_REPORT_SCREEN_H
#define SNUG_TESTS_REPORT_SCREEN_H

#include <stddef.h>

typedef struct screen {
  char text[32768];
  size_t n;
} screen;

/* A snug_sink; user is a screen.  More than there is room for fails the test. */
void show(void *user, const char *text, size_t n);

#endif
