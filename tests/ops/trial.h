/* A kernel on trial: one call of it, on the inputs of a bench in the layouts that it wants, with
 * scratch of exactly the bytes that it asked for, everything between fences. */
#ifndef SNUG_TESTS_OPS_TRIAL_H
#define SNUG_TESTS_OPS_TRIAL_H

#include "device/device.h"
#include "ops/bench.h"

typedef struct trial {
  op_bench *b;                                     /* of float32: the inputs */
  snug__choice choice;                             /* how it is run */
  snug__type in[SNUG__MAX_IN], out[SNUG__MAX_OUT]; /* of the values, as they are laid out */
  snug__signature sig;                             /* as the kernel sees it */
  snug__needs needs;
  void *state;
  void *in_data[SNUG__MAX_IN], *out_data[SNUG__MAX_OUT], *scratch;
  void *result[SNUG__MAX_OUT]; /* of the last run, row-major */
  snug__fault fault;
  char what[512]; /* op, case, kernel, layouts, threads: for messages */
} trial;

/* What a call is tried with. */
typedef struct trial_setting {
  snug__isa isa;
  int32_t threads;
  snug__layout images;   /* what inputs with 4 axes come in, */
  int32_t only;          /* of them this one alone, or -1 for all */
  const snug__kernel *k; /* to be run by this kernel */
  bool is_reference;     /* which is the op's reference */
} trial_setting;

/* Choose how the kernel runs the call; false if it cannot. */
bool trial_choose(trial *t, op_bench *b, const trial_setting *s);

/* The same, and prepare.  A refusal by prepare fails the test. */
bool trial_open(trial *t, op_bench *b, const trial_setting *s);
void trial_close(trial *t);

/* Run on fresh copies of the inputs.  Outputs and scratch hold `poison` first.  share[k] >= 0:
 * output k lies where that input does.  Checks: fences, inputs unchanged, no memory taken, padding
 * zero. */
snug_status trial_run(trial *t, int poison, const int32_t share[SNUG__MAX_OUT]);

/* Outputs that are the new content of an input share its memory; the others are apart. */
void trial_apart(const trial *t, int32_t share[SNUG__MAX_OUT]);

/* Whether output k may share the memory of input i. */
bool trial_may_share(const trial *t, int32_t k, int32_t i);

/* Whether two trials are the same call: kernel, layouts and how it is seen. */
bool trial_same(const snug__choice *a, const snug__choice *b);

#endif
