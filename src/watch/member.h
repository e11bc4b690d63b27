/* One process that is watched: its files under /proc, and what they said last. */
#ifndef SNUG_WATCH_MEMBER_H
#define SNUG_WATCH_MEMBER_H

#include "watch/figures.h"

#define SNUG__TREE_ROOT 512 /* bytes of a path */
#define SNUG__PROC_TEXT 8192

typedef struct snug__member {
  int32_t process, parent;
  int status, statm; /* open files; -1: there was none left */
  char name[SNUG_WATCH_NAME];
  uint64_t program; /* the number of the file that it runs; 0: not reported.  A name is no sign of
                       it: workers give themselves names */
  uint64_t resident, peak; /* as the kernel tells them */
  uint64_t counted; /* in the sum: `resident`, or `peak` if that rose since it was read before */
  uint64_t overlap; /* of that, in pages that others of the tree have too, as far as is known */
  uint64_t copied;  /* of the overlap, what a write would take apart: anonymous pages after fork */
  double came, changed; /* when it was found; when one of its figures last moved */
  double began;         /* when it was first seen with the program that it runs */
  int notes;            /* how often its control group was looked at since it began its program */
  bool was_here;        /* before the watch began: its peak may be older */
  bool borrows;         /* it has the memory of its parent (vfork), and none of its own */
  bool unsplit;         /* its pages may not be read */
} snug__member;

/* Open a file of a process, under `root`; -1 with errno. */
int snug__proc_open(const char *root, int32_t process, const char *name);

/* The first 8 KiB of an open file, or of one by its name; false with errno. */
bool snug__proc_read(int fd, char text[SNUG__PROC_TEXT]);
bool snug__proc_text(const char *root, int32_t process, const char *name,
                     char text[SNUG__PROC_TEXT]);

/* Whether two run the same program. */
bool snug__member_is_alike(const snug__member *a, const snug__member *b);

/* Take figures that were read, under `root`.  parent: its parent, if that is watched too. */
void snug__member_update(snug__member *m, const char *root, const snug__member *parent,
                         const snug__figures *f, double now);

/* Read what is resident, or with `mark` all figures.  false: it is gone. */
bool snug__member_read(snug__member *m, const char *root, const snug__member *parent, double now,
                       bool mark);

/* Whether it has ended, waited for or not. */
bool snug__member_has_ended(const snug__member *m);

/* Whether its figures are those of a program that runs.  While one begins it has next to nothing.
 */
bool snug__member_is_settled(const snug__member *m, double now);

/* Whether it is in its first second, in which it may be gone soon. */
bool snug__member_is_young(const snug__member *m, double now);

void snug__member_close(snug__member *m);

#endif
