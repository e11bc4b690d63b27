/* Losses: (y_true, y_pred) -> one value per position, the last axis gone; then one scalar.
 *
 * Values are float32 for narrower predictions, as Keras computes losses; labels may have any dtype.
 * A gradient flows to y_pred alone, through <loss>_grad(dvalues, y_true, y_pred). */
#ifndef SNUG_OPS_LOSS_H
#define SNUG_OPS_LOSS_H

#include "ops/support.h"

/* The losses that treat each element alone; names are Keras's. */
#define SNUG__POINTWISE_LIST(X)     \
  X(mean_squared_error)             \
  X(mean_absolute_error)            \
  X(mean_absolute_percentage_error) \
  X(mean_squared_logarithmic_error) \
  X(huber)                          \
  X(log_cosh)                       \
  X(kl_divergence)                  \
  X(poisson)                        \
  X(hinge)                          \
  X(squared_hinge)                  \
  X(binary_crossentropy)            \
  X(binary_focal_crossentropy)

typedef enum snug__pointwise_kind {
#define SNUG__POINTWISE_ENUM(name) SNUG__POINTWISE_##name,
  SNUG__POINTWISE_LIST(SNUG__POINTWISE_ENUM)
#undef SNUG__POINTWISE_ENUM
      SNUG__POINTWISE_COUNT
} snug__pointwise_kind;

typedef struct snug__pointwise_loss_params {
  int32_t kind;           /* snug__pointwise_kind */
  bool from_logits;       /* the crossentropies */
  bool class_balancing;   /* focal */
  double label_smoothing; /* the crossentropies */
  double delta;           /* huber */
  double alpha, gamma;    /* focal */
} snug__pointwise_loss_params;

typedef struct snug__categorical_crossentropy_params {
  bool from_logits;
  double label_smoothing;
} snug__categorical_crossentropy_params;

#define SNUG__NO_CLASS INT64_MIN

typedef struct snug__sparse_crossentropy_params {
  bool from_logits;
  int64_t ignore_class; /* SNUG__NO_CLASS: none; else positions with this label have value 0 */
} snug__sparse_crossentropy_params;

typedef struct snug__cosine_similarity_params {
  int64_t axis;
} snug__cosine_similarity_params;

typedef struct snug__categorical_focal_params {
  bool from_logits;
  double label_smoothing, alpha, gamma;
} snug__categorical_focal_params;

/* 1 - I / (I + alpha Σ t (1 - y) + beta Σ y (1 - t) + epsilon), I = Σ t y, over all axes. */
typedef struct snug__overlap_loss_params {
  double alpha, beta, epsilon;
} snug__overlap_loss_params;

typedef enum snug__reduction {
  SNUG__SUM_OVER_BATCH_SIZE,
  SNUG__SUM,
  SNUG__MEAN_WITH_SAMPLE_WEIGHT
} snug__reduction;

extern const char *const snug__reduction_texts[]; /* NULL-terminated */

typedef struct snug__loss_reduce_params {
  int32_t reduction;
} snug__loss_reduce_params;

typedef struct snug__loss_reduce_grad_params {
  int32_t reduction;
  snug_ints shape; /* of the values */
} snug__loss_reduce_grad_params;

/* ---- shared by the files of the family ---- */

#define SNUG__KERAS_EPSILON 1e-7

/* The bounds to which probabilities are clipped, rounded to the dtype of the loss: in float32 the
 * upper one is 1 - 2^-23, which is what the largest possible loss depends on. */
typedef struct snug__clip_bounds {
  double low, high;
} snug__clip_bounds;
snug__clip_bounds snug__probability_bounds(snug_dtype y_pred);

static inline double snug__clip(snug__clip_bounds b, double x) {
  return x < b.low ? b.low : x > b.high ? b.high : x;
}
static inline bool snug__is_inside(snug__clip_bounds b, double x) {
  return x >= b.low && x <= b.high;
}

/* infer of a loss with y_true of y_pred's shape, and of its gradient op. */
snug_status snug__infer_dense_loss(snug__infer *q) SNUG_NODISCARD;
snug_status snug__infer_dense_loss_grad(snug__infer *q) SNUG_NODISCARD;

/* infer of the gradient op of such a loss whose values have another shape (`values`, any dtype). */
snug_status snug__infer_loss_grad(snug__infer *q, const snug__type *values) SNUG_NODISCARD;

/* infer of a loss whose y_true is a class per position: y_pred's shape without its last axis; and
 * of its gradient op. */
snug_status snug__infer_sparse_loss(snug__infer *q) SNUG_NODISCARD;
snug_status snug__infer_sparse_loss_grad(snug__infer *q) SNUG_NODISCARD;

/* grad of a loss: emit `op` with the node's own parameters for y_pred. */
snug_status snug__emit_loss_grad(snug__grad *g, const snug__op *op) SNUG_NODISCARD;

/* A call of a loss or of its gradient, seen as rows along the last axis of y_pred. */
typedef struct snug__loss_rows {
  const void *t, *y, *dv; /* y_true, y_pred, dvalues (gradient ops) */
  void *out;              /* values or dy_pred */
  void *valid;            /* see sparse_categorical_crossentropy; may be NULL */
  snug_dtype t_dtype, y_dtype, v_dtype;
  int64_t rows, width;
  int32_t threads;
  const void *params;
  snug__clip_bounds clip;
  bool hinge_labels; /* labels are 0 and 1 and count as -1 and 1 */
} snug__loss_rows;

snug__loss_rows snug__loss_rows_of(const snug__call *call);
snug__loss_rows snug__loss_grad_rows_of(const snug__call *call);

static inline double snug__row_label(const snug__loss_rows *j, int64_t i) {
  return snug__element_get(j->t_dtype, j->t, i);
}
static inline double snug__row_dv(const snug__loss_rows *j, int64_t row) {
  return snug__element_get(j->v_dtype, j->dv, row);
}

/* sparse_categorical_crossentropy: whether the class of a row is the one to ignore, and whether all
 * others are classes.  Fails: E_DATA with call->fault filled. */
bool snug__is_ignored(const snug__loss_rows *j, int64_t row);
snug_status snug__check_labels(const snug__call *call, const snug__loss_rows *j) SNUG_NODISCARD;

/* Run body over the rows with threads. */
void snug__loss_run(const snug__loss_rows *j, void (*body)(void *arg, int64_t begin, int64_t end));

snug__cost snug__loss_cost(const snug__signature *sig);

/* What the records of a loss and of its gradient op have in common. */
#define SNUG__LOSS_RECORD .min_in = 2, .max_in = 2, .min_out = 1, .cost = snug__loss_cost
/* A gradient takes over y_pred or y_true: row by row, element by element. */
#define SNUG__LOSS_GRAD_RECORD                                                           \
  .min_in = 3, .max_in = 3, .min_out = 1, .max_out = 1, .in_place = {1u << 1 | 1u << 2}, \
  .cost = snug__loss_cost

#endif
