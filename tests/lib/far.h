/* A device that finds every mistake: "far".
 *
 * The addresses of its memory are never accessible to the host: they are reserved and nothing is
 * mapped there.  What lies there is kept elsewhere, where kernels alone find it.  Its queue is a
 * thread that runs what it is given later, in order: some of it after a while, most of it only when
 * somebody waits.  Copies are copies, and read and write the memory of the host at that time.  It
 * runs the kernels of the processor, so results have the same bits.
 *
 * Who forgets to copy is stopped by the system (SIGSEGV); who forgets to wait sees what was there
 * before.  A call with an argument that is not in its memory, or no longer, ends the process with a
 * message. */
#ifndef SNUG_TESTS_FAR_H
#define SNUG_TESTS_FAR_H

#include "device/device.h"

extern const snug__device test_far;

#endif
