/* Convolutions of oneDNN, described in our own words.
 *
 * What depends on the library is in dnn.c and dnn_versions.c.  A description goes in: direction,
 * geometry, a layout per argument, what follows on the result, threads, instruction set.  What
 * comes out is whether the library has a kernel for it that is fit for us, and a primitive.
 *
 * Rules that always hold:
 * 1. A kernel that takes memory while it runs ("gemm:jit") or is there for completeness ("ref") is
 *    refused, and so is one of a larger instruction set than was asked for.
 * 2. The number of threads is fixed when a primitive is made; it decides the bits of the result.
 *    Where OpenMP could give fewer later, it is 1: weight gradients wait for all of them forever.
 * 3. Scratch is the caller's, SNUG__DNN_ALIGN aligned. */
#ifndef SNUG_DEVICE_CPU_DNN_H
#define SNUG_DEVICE_CPU_DNN_H

#include "device/device.h"
#include "ops/conv.h"
#include "ops/epilogue.h"

#define SNUG__DNN_ALIGN 64

typedef enum snug__dnn_direction {
  SNUG__DNN_FORWARD,
  SNUG__DNN_BWD_DATA,
  SNUG__DNN_BWD_WEIGHTS
} snug__dnn_direction;

typedef enum snug__dnn_kind {
  SNUG__DNN_CONV,
  SNUG__DNN_DEPTHWISE, /* c.groups == c.cin */
  SNUG__DNN_MATRIX     /* rows of x and y are the pixels of one plain image, the kernel is 1x1 */
} snug__dnn_kind;

/* In the gradients x, kernel and y stand for their gradients where these are the result. */
typedef struct snug__dnn_conv {
  snug__dnn_direction direction;
  snug__dnn_kind kind;
  snug__conv c;
  snug__layout x, kernel, y; /* no kernel is PLAIN */
  bool bias;                 /* FORWARD alone: y + bias, and then */
  snug__epilogue epilogue;   /* an activation */
  int32_t threads;
  snug__isa isa;
} snug__dnn_conv;

typedef struct snug__dnn snug__dnn;

/* Whether there is a kernel for it. */
bool snug__dnn_has(const snug__dnn_conv *conv);

/* Choose the layouts, from those in which the images come.  False: there is no kernel in any. */
bool snug__dnn_choose(snug__dnn_conv *conv);

/* Make the primitive.  Fails: E_MEMORY, E_LIMIT, E_UNSUPPORTED. */
snug_status snug__dnn_create(snug_ctx *ctx, const snug__dnn_conv *conv,
                             snug__dnn **out) SNUG_NODISCARD;
void snug__dnn_destroy(snug_ctx *ctx, snug__dnn *dnn);

/* Give back what the library keeps of primitives that are gone, in case they are recomputed. */
void snug__dnn_forget(void);

int64_t snug__dnn_scratch_bytes(const snug__dnn *dnn);

/* The same without making it; 0 if there is no kernel. */
int64_t snug__dnn_scratch_for(const snug__dnn_conv *conv);

/* The library's name of the kernel. */
const char *snug__dnn_name(const snug__dnn *dnn);

typedef struct snug__dnn_args {
  const void *x, *kernel, *bias, *y; /* the result is written, all others are read */
  void *scratch;
} snug__dnn_args;

/* Run on one set of pointers; one call at a time, never inside of a parallel region.  Fails: E_DATA
 * with call->fault filled, if the library finds no memory for its small list of arguments. */
snug_status snug__dnn_run(const snug__dnn *dnn, const snug__call *call,
                          const snug__dnn_args *args) SNUG_NODISCARD;

#endif
