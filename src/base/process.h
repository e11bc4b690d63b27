/* What this process holds, as the kernel counts it.  Reading takes no memory. */
#ifndef SNUG_BASE_PROCESS_H
#define SNUG_BASE_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes, but for threads. */
typedef struct snug__process {
  uint64_t peak;      /* VmHWM: the most that was resident */
  uint64_t resident;  /* VmRSS: the sum of the next three */
  uint64_t anonymous; /* heap, stacks, blocks, code that was made at run time */
  uint64_t file;      /* pages of files: the program and its libraries */
  uint64_t shared;    /* shared memory */
  uint64_t tables;    /* VmPTE: page tables, which are not resident memory of the process */
  uint64_t mapped;    /* VmSize: addresses in use, touched or not */
  uint64_t data;      /* VmData: the private writable ones among them */
  uint64_t kernel; /* by snug__process_ask_groups: what the kernel keeps for it beside page tables
                      (stacks of its threads, tasks, lists of mappings and files): 0 where no
                      control group has it alone, as only groups are told that */
  uint64_t threads;
} snug__process;

/* Read the figures, under `root` ("": of this machine).  false: there is no such file, and all are
 * 0. */
bool snug__process_read(const char *root, snug__process *out);

/* Fill in `kernel` of figures that were read. */
void snug__process_ask_groups(const char *root, snug__process *p);

/* What the kernel keeps for a process beside page tables: `kernel`, or where nobody told it what
 * its threads come to: of each its stack (16 KiB), its task and its share of what the process has
 * once. In a group of its own a process with two threads had 56 to 64 KiB. */
#define SNUG__KERNEL_BYTES_PER_THREAD (UINT64_C(32) << 10)
static inline uint64_t snug__process_kernel(const snug__process *p) {
  return p->kernel ? p->kernel : p->threads * SNUG__KERNEL_BYTES_PER_THREAD;
}

/* Set the peak back to what is resident now.  false: the system does not let us. */
bool snug__process_reset_peak(void);

#endif
