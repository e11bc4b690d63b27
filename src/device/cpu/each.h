/* What kernels share that treat each element of their values alone. */
#ifndef SNUG_DEVICE_CPU_EACH_H
#define SNUG_DEVICE_CPU_EACH_H

#include "device/device.h"

typedef struct snug__each snug__each;

/* Elements [begin, end) of a call. */
typedef void snug__each_body(const snug__each *e, const snug__call *call, int64_t begin,
                             int64_t end);

#define SNUG__EACH_PARAMS 4

struct snug__each {
  snug__each_body *body;
  int64_t n;
  int64_t least;              /* elements worth a thread */
  float p[SNUG__EACH_PARAMS]; /* the op's parameters, where all of them are doubles */
};

/* How many elements are worth a thread, of a loop that waits for memory and of one that computes a
 * function of each. */
enum { SNUG__EACH_COPIES = 8192, SNUG__EACH_COMPUTES = 2048 };

/* Halves of a kernel; as many elements as output 0 has.  Outputs may lie over inputs as those of
 * the op may. */
snug_status snug__each_prepare(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs,
                               snug__each_body *body, int64_t least, void **state) SNUG_NODISCARD;
snug_status snug__each_run(const void *state, const snug__call *call);
void snug__each_release(snug_ctx *ctx, void *state);

/* fits: every value that is there is a plain one of float32. */
bool snug__is_float32(const snug__signature *sig, snug__layouts *want);

/* A kernel: SNUG__EACH_KERNEL(relu, plain_relu_fits, relu_range, SNUG__EACH_COPIES); */
#define SNUG__EACH_KERNEL(name, fits, range, least)                                                \
  static snug_status prepare_##name(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs, \
                                    void **state) {                                                \
    return snug__each_prepare(ctx, sig, needs, range, least, state);                               \
  }                                                                                                \
  const snug__kernel SNUG_LOOP(name) = {#name, fits, prepare_##name, snug__each_run,               \
                                        snug__each_release}

#endif
