/* A trial of a kernel on one call: against the op's reference, in the layouts that the kernel
 * wants, on every instruction set that the machine has and with several numbers of threads. */
#ifndef SNUG_TESTS_DEVICE_TRIAL_H
#define SNUG_TESTS_DEVICE_TRIAL_H

#include "device/device.h"

#define TRIAL_VALUES 4

/* The caller fills the first part. */
typedef struct trial {
  const char *name;    /* of the kernel */
  snug__signature sig; /* op, params, n_in, n_out */
  snug__type plain_in[TRIAL_VALUES], plain_out;
  const void *linear; /* NULL, or the parameters without the activation */
  double terms;       /* of the sum that an element is */
  bool not_on_avx2;   /* it must not fit there */
  bool on_base;       /* it runs without any of the larger instruction sets */

  const snug__kernel *kernel;
  snug__type in[TRIAL_VALUES], out;             /* as the kernel has them */
  float *data[TRIAL_VALUES], *expected, *sizes; /* plain; sizes: sums of absolute values */
} trial;

/* The kernel of a name for the op of a signature. */
const snug__kernel *trial_kernel(const snug__signature *sig, const char *name);

/* Fails the test unless the kernel fits (one of oneDNN where it is in the build), wants the same
 * layouts when they come, gives what the reference gives (all sums of products of the inputs),
 * twice the same bits, zeros where a layout adds something, and keeps to its memory. */
void trial_run(trial *t);

#endif
