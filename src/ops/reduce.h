/* Reductions over axes: parameters, and the view of a tensor that their loops share. */
#ifndef SNUG_OPS_REDUCE_H
#define SNUG_OPS_REDUCE_H

#include "ops/ops.h"

typedef struct snug__reduce_params {
  snug_ints axes; /* empty: all */
  bool keepdims;
} snug__reduce_params;

typedef struct snug__argmax_params {
  int64_t axis;
  bool keepdims;
} snug__argmax_params;

extern const snug__field snug__reduce_fields[];

/* infer of a reduction of a real input over axes. */
snug_status snug__reduce_infer(snug__infer *q) SNUG_NODISCARD;

/* unblock of sum, mean, max and min: images in blocks, with h and w of one fate. */
bool snug__reduce_unblock(const snug__signature *sig, snug__plain_call *plain);

/* Bit k set: axis k of a tensor of this rank is reduced. */
uint32_t snug__reduce_mask(const snug__reduce_params *p, int32_t rank);

/* The output's type with the reduced axes kept as 1, whatever keepdims says. */
snug__type snug__reduce_kept(const snug__type *in, uint32_t mask);

/* A tensor seen for a reduction.  Neighbouring axes of one fate are one axis; the last axis gives
 * `lanes` outputs that lie side by side if it is kept, or a `run` of elements side by side that
 * go into one output if it is reduced (the other of the two is 1).  The axes before it are listed
 * per fate. */
typedef struct snug__reduce_view {
  int64_t lanes, run;
  int32_t n_kept, n_reduced;
  int64_t kept_dim[SNUG_MAX_RANK], kept_stride[SNUG_MAX_RANK];
  int64_t reduced_dim[SNUG_MAX_RANK], reduced_stride[SNUG_MAX_RANK];
  int64_t n_out; /* outputs */
  int64_t steps; /* positions along the listed reduced axes */
} snug__reduce_view;

#define SNUG__REDUCE_BLOCK 64   /* outputs side by side that are computed at once */
#define SNUG__REDUCE_LEAST 8192 /* elements worth a thread */

void snug__reduce_view_of(const snug__type *in, uint32_t mask, snug__reduce_view *v);

/* Where the first element of the row of lanes lies, and the offset of a reduced position. */
int64_t snug__reduce_base(const snug__reduce_view *v, int64_t row);
int64_t snug__reduce_step(const snug__reduce_view *v, int64_t step);

/* Call block(arg, out, base, n) for the outputs [begin, end), in pieces that lie side by side:
 * outputs out .. out + n, of which the first starts at the element `base` of the input. */
void snug__reduce_blocks(const snug__reduce_view *v, int64_t begin, int64_t end,
                         void (*block)(const void *arg, int64_t out, int64_t base, int64_t n),
                         const void *arg);

/* Outputs worth a thread: enough elements, and whole cache lines of lanes. */
int64_t snug__reduce_least(const snug__reduce_view *v);

#endif
