/* Normalizations: parameters, and what their files share.
 *
 * x may be in half precision; mean, variance and 1/deviation are then kept in float32, and gamma
 * and beta (which have one dtype) are usually float32 too.  All sums run in double. */
#ifndef SNUG_OPS_NORM_H
#define SNUG_OPS_NORM_H

#include "ops/ops.h"

/* batch_norm_train (x, gamma?, beta?) -> y, mean, variance
 * batch_norm_infer (x, gamma?, beta?, mean, variance) -> y */
typedef struct snug__batch_norm_params {
  double epsilon;
} snug__batch_norm_params;

/* layer_norm (x, gamma?, beta?) -> y, mean?, rstd?;  rms_norm (x, scale?) -> y, rstd? */
typedef struct snug__layer_norm_params {
  snug_ints axis; /* the last axes, all that are normalized over */
  double epsilon;
} snug__layer_norm_params;

/* group_norm (x, gamma?, beta?) -> y, mean?, rstd? */
typedef struct snug__group_norm_params {
  int64_t groups; /* -1: one per channel */
  double epsilon;
} snug__group_norm_params;

typedef struct snug__unit_norm_params {
  int64_t axis;
  double epsilon;
} snug__unit_norm_params;

/* Of the backward ops (dy, x, gamma?, ...) -> dx?, dgamma?, dbeta? */
typedef struct snug__norm_grad_params {
  double epsilon;
  int32_t dtype; /* snug_dtype of dgamma and dbeta */
} snug__norm_grad_params;

typedef struct snug__moving_average_params {
  double momentum;
} snug__moving_average_params;

extern const snug__field snug__norm_grad_fields[];

/* Check that input i, if it is there, is a float vector over the last n axes of x (input `x`). */
snug_status snug__norm_need_vector(const snug__infer *q, int32_t i, int32_t x,
                                   int32_t n) SNUG_NODISCARD;
/* Inputs 1 and 2 as gamma and beta over the last n axes of input 0. */
snug_status snug__norm_need_gamma_beta(const snug__infer *q, int32_t n) SNUG_NODISCARD;
snug_status snug__norm_need_epsilon(const snug__infer *q, double epsilon) SNUG_NODISCARD;

/* Types of dx, dgamma and dbeta: x is input 1, gamma and beta lie over its last n axes. */
void snug__norm_grad_types(snug__infer *q, int32_t n);

/* A vector as doubles; `absent` everywhere if there is none. */
void snug__norm_read(const snug__call *call, int32_t i, int64_t n, double absent, double *out);
/* Doubles into output k, if it is wanted. */
void snug__norm_write(const snug__call *call, int32_t k, int64_t n, const double *v);
void *snug__norm_out(const snug__call *call, int32_t k); /* NULL if not wanted */

/* Emit a backward op of a node whose inputs 0, 1 and 2 are x, gamma and beta. */
snug_status snug__norm_emit_grad(snug__grad *g, const snug__op *op, double epsilon,
                                 const snug__id *in, int32_t n_in) SNUG_NODISCARD;

/* The same where its inputs are (dy, x, gamma?, statistics...): outputs 1 to `kept` of the node. */
snug_status snug__norm_emit_kept_grad(snug__grad *g, const snug__op *op, double epsilon,
                                      int32_t kept) SNUG_NODISCARD;

/* Fusion rules: of the normalizations, and of the gradient of any activation. */
snug_status snug__fuse_batch_norm_train(struct snug__rewrite *r, snug__id id,
                                        bool *replaced) SNUG_NODISCARD;
snug_status snug__fuse_batch_norm_infer(struct snug__rewrite *r, snug__id id,
                                        bool *replaced) SNUG_NODISCARD;

#endif
