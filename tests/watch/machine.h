/* Processes of a made-up machine: their files under /proc. */
#ifndef SNUG_TESTS_WATCH_MACHINE_H
#define SNUG_TESTS_WATCH_MACHINE_H

#include "lib/machine.h"
#include "lib/test.h"
#include "watch/watch.h"

#define MIB (UINT64_C(1) << 20)

/* Begin one, with nobody in it; its root. */
const char *machine_begin(void);

/* A process as it is now: what is resident and was at the most, in MiB.  The last number that was
 * given becomes its own if that is larger. */
void machine_put(int process, int parent, const char *name, int resident, int peak);

/* What its pages are, in MiB. */
void machine_split(int process, int resident, int pss, int anonymous, int file, int shared);

/* It ends. */
void machine_end(int process);

/* The last number that was given. */
void machine_last(int number);

/* A watch on process 100 that begins at second 0. */
snug_watch *machine_watch(snug_ctx *ctx, const snug_watch_options *options);

#endif
