/* The processes of a tree: found when they come, read when they are due, forgotten when they end.
 *
 * Invariants:
 * 1. Whoever is in the list descends from the one that is watched, also when its parent has died.
 * 2. A process is read through a file that was opened when it was found: a later process of the
 *    same number is never taken for it.  (Where files run out it is opened anew each time.)
 * 3. Looking takes no memory; the list has room for SNUG__TREE_MOST.
 *
 * New processes are found by number.  /proc/loadavg tells the last number that was given, to a
 * process or a thread: if it has not moved, nobody came, and otherwise those in between are all
 * there is to look at.  That is dear only where very many come; now and then all of /proc is
 * listed, in case one slipped through. */
#ifndef SNUG_WATCH_TREE_H
#define SNUG_WATCH_TREE_H

#include "base/ctx.h"
#include "watch/member.h"

#define SNUG__TREE_MOST 1024
#define SNUG__TREE_ABSENT 64

typedef struct snug__tree {
  snug_ctx *ctx;
  char root[SNUG__TREE_ROOT]; /* "": this machine */
  int32_t self;               /* whose children belong to it; 0: nobody's */
  int32_t top;                /* the process that is watched; 0: none in particular */
  snug__member *list;
  size_t n;
  int loadavg;                       /* open file */
  int64_t cursor;                    /* the last number that was given; 0: not known */
  int32_t absent[SNUG__TREE_ABSENT]; /* given, but not there yet when they were looked for */
  size_t n_absent;
  uint32_t turn;   /* of looks: marks of many processes are read in turns */
  double listed;   /* when all of /proc was last listed */
  uint64_t n_seen; /* ever */
  uint32_t n_most; /* at one time */
  uint64_t untold; /* that there was no room for, or that could not be read */
} snug__tree;

/* Begin with those that are there.  Fails: E_MEMORY, E_LIMIT, E_UNSUPPORTED (no /proc). */
snug_status snug__tree_init(snug__tree *t, snug_ctx *ctx, const char *root, int32_t self,
                            int32_t top, double now) SNUG_NODISCARD;
void snug__tree_release(snug__tree *t);

/* Find who came since the last time, and read them. */
void snug__tree_find(snug__tree *t, double now);

/* Read those who came less than a second ago; at a `sample` all.  What is resident is cheap to know
 * and read each time, of those who have not moved for a second every other time.  Marks are dear:
 * of at most about a dozen of the young and a dozen of the others they are read each time, of more
 * in turns, and of those who have not moved once a second.  Who has ended is forgotten. */
void snug__tree_read(snug__tree *t, double now, bool sample);

/* Forget a process that has ended, and who else has. */
void snug__tree_forget(snug__tree *t, int32_t process);

#endif
