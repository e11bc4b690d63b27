/* Parameters of the pooling ops. */
#ifndef SNUG_OPS_POOL_H
#define SNUG_OPS_POOL_H

#include "ops/window.h"

/* max_pool2d (x) -> y [, index]; avg_pool2d (x) -> y. */
typedef struct snug__pool2d_params {
  snug_ints pool_size, strides; /* height, width; strides empty: as pool_size */
  int32_t padding;              /* snug__padding */
} snug__pool2d_params;

/* max_pool2d_bwd (dy, index) -> dx; avg_pool2d_bwd (dy) -> dx. */
typedef struct snug__pool2d_bwd_params {
  snug__pool2d_params pool;
  snug_ints input_shape;
} snug__pool2d_bwd_params;

typedef struct snug__pool {
  int64_t batch, channels;
  snug__window h, w;
} snug__pool;

#define SNUG__POOL_FIELDS                                    \
  SNUG_FIELD(snug__pool2d_params, pool_size, INTS, "[2,2]"), \
      SNUG_FIELD(snug__pool2d_params, strides, INTS, "[]"),  \
      SNUG_CHOICE(snug__pool2d_params, padding, snug__padding_choices, "valid")
extern const snug__field snug__pool2d_fields[];
extern const snug__field snug__pool2d_bwd_fields[];

/* The windows over x, of rank 4, with all checks; and without, for references. */
snug_status snug__need_pool(const snug__infer *q, const snug__type *x, const snug__pool2d_params *p,
                            snug__pool *out) SNUG_NODISCARD;
snug__pool snug__pool_of(const snug__type *x, const snug__pool2d_params *p);

/* infer of a pooling op's output 0 and of a gradient's (dy, ...) -> dx. */
snug_status snug__infer_pool(snug__infer *q, snug__pool *out) SNUG_NODISCARD;
snug_status snug__infer_pool_bwd(snug__infer *q, snug__pool *out) SNUG_NODISCARD;

/* Parameters of the gradient op of the node that g is about. */
snug__pool2d_bwd_params snug__pool_bwd_params(const snug__grad *g);

/* Images in blocks; a gradient's parameters have a shape in them. */
bool snug__pool_unblock(const snug__signature *sig, snug__plain_call *plain);
bool snug__pool_bwd_unblock(const snug__signature *sig, snug__plain_call *plain);

/* One flop per element of a window. */
snug__cost snug__pool_cost(const snug__signature *sig);
snug__cost snug__pool_bwd_cost(const snug__signature *sig);

#endif
