/* softmax along the last axis, and the crossentropies that contain it.  Sums are in double; a
 * result is within 4 units of the last place of the largest element of its row. */
#include <math.h>

#include "device/cpu/each.h"
#include "device/cpu/loops/isa.h"
#include "device/cpu/loops/math.h"
#include "device/cpu/loops/vectors.h"
#include "device/host.h"
#include "ops/loss.h"
#include "ops/softmax.h"
#include "ops/support.h"

/* ---- rows ---- */

#define LANES 16

/* A NaN may be passed over: the sum will be NaN. */
static float row_max(const float *x, int64_t n) {
  float lane[LANES];
  float max = -INFINITY;
  int64_t i = 0;
  for (int64_t k = 0; k < LANES; k++) {
    lane[k] = max;
  }
  for (; i + LANES <= n; i += LANES) {
    for (int64_t k = 0; k < LANES; k++) {
      lane[k] = x[i + k] > lane[k] ? x[i + k] : lane[k];
    }
  }
  for (; i < n; i++) {
    max = x[i] > max ? x[i] : max;
  }
  for (int64_t k = 0; k < LANES; k++) {
    max = lane[k] > max ? lane[k] : max;
  }
  return max;
}

static double row_sum(const float *x, int64_t n) {
  snug_double8 sum = {0}, v;
  double rest = 0.0;
  int64_t i = 0;
  for (; i + SNUG_WIDE <= n; i += SNUG_WIDE) {
    SNUG_WIDEN(x + i, v);
    sum += v;
  }
  for (; i < n; i++) {
    rest += (double)x[i];
  }
  return snug_add_up(&sum) + rest;
}

static double row_product(const float *x, const float *y, int64_t n) {
  snug_double8 sum = {0}, v, w;
  double rest = 0.0;
  int64_t i = 0;
  for (; i + SNUG_WIDE <= n; i += SNUG_WIDE) {
    SNUG_WIDEN(x + i, v);
    SNUG_WIDEN(y + i, w);
    sum += v * w;
  }
  for (; i < n; i++) {
    rest += (double)x[i] * (double)y[i];
  }
  return snug_add_up(&sum) + rest;
}

/* y = e^(x - max); y may be x. */
static void row_exp(const float *x, float max, float *y, int64_t n) {
  SNUG_SIMD for (int64_t i = 0; i < n; i++) { y[i] = snug_exp(x[i] - max); }
}

#define PART 256 /* elements of a row whose exponentials nobody keeps */

static double row_exp_sum(const float *x, float max, int64_t n) {
  float e[PART];
  double sum = 0.0;
  for (int64_t i = 0; i < n; i += PART) {
    int64_t part = snug__min_i64(PART, n - i);
    row_exp(x + i, max, e, part);
    sum += row_sum(e, part);
  }
  return sum;
}

/* ---- softmax ---- */

static bool is_last_axis(const snug__signature *sig, snug__layouts *want) {
  const snug__softmax_params *p = sig->params;
  return snug__is_float32(sig, want) && (p->axis == -1 || p->axis == sig->in[0].rank - 1);
}

static snug_status prepare(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs,
                           void **state) {
  (void)ctx;
  *state = NULL;
  snug__needs_in_place_as_op(needs, sig->op);
  return SNUG_OK;
}

typedef struct lines {
  const float *in[2];
  float *out;
  int64_t n;
} lines;

static void softmax_lines(void *arg, int64_t begin, int64_t end) {
  const lines *j = arg;
  for (int64_t line = begin; line < end; line++) {
    const float *x = j->in[0] + line * j->n;
    float *y = j->out + line * j->n;
    row_exp(x, row_max(x, j->n), y, j->n);
    const float scale = (float)(1.0 / row_sum(y, j->n));
    for (int64_t i = 0; i < j->n; i++) {
      y[i] *= scale;
    }
  }
}

static void softmax_grad_lines(void *arg, int64_t begin, int64_t end) {
  const lines *j = arg;
  for (int64_t line = begin; line < end; line++) {
    const float *dy = j->in[0] + line * j->n, *y = j->in[1] + line * j->n;
    float *dx = j->out + line * j->n;
    const float dot = (float)row_product(dy, y, j->n);
    SNUG_SIMD for (int64_t i = 0; i < j->n; i++) { dx[i] = (dy[i] - dot) * y[i]; }
  }
}

static snug_status run_softmax(const snug__call *call, void (*body)(void *, int64_t, int64_t)) {
  const snug__type *t = &call->sig->out[0];
  lines j = {
      {call->in[0], call->sig->n_in > 1 ? call->in[1] : NULL}, call->out[0], t->dim[t->rank - 1]};
  int64_t n = j.n ? snug__type_count(t) / j.n : 0;
  snug__parallel_ranges(snug__threads(call->sig), n, 1 + SNUG__EACH_COMPUTES / (1 + j.n), body, &j);
  return SNUG_OK;
}

static snug_status run_forward(const void *state, const snug__call *call) {
  (void)state;
  return run_softmax(call, softmax_lines);
}

static snug_status run_backward(const void *state, const snug__call *call) {
  (void)state;
  return run_softmax(call, softmax_grad_lines);
}

const snug__kernel SNUG_LOOP(softmax) = {"softmax", is_last_axis, prepare, run_forward, NULL};
const snug__kernel SNUG_LOOP(softmax_grad) = {"softmax_grad", is_last_axis, prepare, run_backward,
                                              NULL};

/* ---- crossentropy of logits and a class per row ---- */

static bool sparse_fits(const snug__signature *sig, snug__layouts *want) {
  const snug__sparse_crossentropy_params *p = sig->params;
  const snug__type *y = &sig->in[sig->n_in - 1];
  (void)want;
  return p->from_logits && y->dtype == SNUG_FLOAT32 && y->dim[y->rank - 1] > 0 &&
         (sig->n_in == 2 || sig->in[0].dtype == SNUG_FLOAT32);
}

static void sparse_rows(void *arg, int64_t begin, int64_t end) {
  const snug__loss_rows *j = arg;
  float *out = j->out, *valid = j->valid;
  for (int64_t row = begin; row < end; row++) {
    const float *y = (const float *)j->y + row * j->width;
    bool counts = !snug__is_ignored(j, row);
    int64_t label = counts ? (int64_t)snug__row_label(j, row) : 0;
    float max = row_max(y, j->width);
    double value = log(row_exp_sum(y, max, j->width)) - ((double)y[label] - (double)max);
    out[row] = counts ? (float)value : 0.0f;
    if (valid) {
      valid[row] = counts ? 1.0f : 0.0f;
    }
  }
}

/* dv (softmax(y) - 1 at the label) */
static void sparse_grad_rows(void *arg, int64_t begin, int64_t end) {
  const snug__loss_rows *j = arg;
  for (int64_t row = begin; row < end; row++) {
    const float *y = (const float *)j->y + row * j->width;
    float *dy = (float *)j->out + row * j->width;
    float dv = ((const float *)j->dv)[row];
    if (snug__is_ignored(j, row)) {
      memset(dy, 0, (size_t)j->width * sizeof *dy);
      continue;
    }
    row_exp(y, row_max(y, j->width), dy, j->width);
    double sum = row_sum(dy, j->width);
    float *at_label = &dy[(int64_t)snug__row_label(j, row)];
    *at_label = (float)((double)*at_label - sum); /* a small difference stays exact */
    const float scale = (float)(1.0 / sum);
    for (int64_t i = 0; i < j->width; i++) {
      dy[i] = dv * (dy[i] * scale);
    }
  }
}

static snug_status run_sparse(const void *state, const snug__call *call) {
  snug__loss_rows j = snug__loss_rows_of(call);
  (void)state;
  SNUG_TRY(snug__check_labels(call, &j));
  snug__loss_run(&j, sparse_rows);
  return SNUG_OK;
}

static snug_status run_sparse_grad(const void *state, const snug__call *call) {
  snug__loss_rows j = snug__loss_grad_rows_of(call);
  (void)state;
  SNUG_TRY(snug__check_labels(call, &j));
  snug__loss_run(&j, sparse_grad_rows);
  return SNUG_OK;
}

const snug__kernel SNUG_LOOP(sparse_crossentropy) = {"sparse_crossentropy", sparse_fits, prepare,
                                                     run_sparse, NULL};
const snug__kernel SNUG_LOOP(sparse_crossentropy_grad) = {"sparse_crossentropy_grad", sparse_fits,
                                                          prepare, run_sparse_grad, NULL};

/* ---- crossentropy of logits and a distribution per row ---- */

static bool dense_fits(const snug__signature *sig, snug__layouts *want) {
  const snug__categorical_crossentropy_params *p = sig->params;
  const snug__type *y = &sig->in[sig->n_in - 1];
  return p->from_logits && snug__is_float32(sig, want) && y->dim[y->rank - 1] > 0;
}

/* A label t counts as t keep + add. */
typedef struct smoothing {
  float keep, add;
} smoothing;

static smoothing smoothing_of(const snug__loss_rows *j) {
  double s = ((const snug__categorical_crossentropy_params *)j->params)->label_smoothing;
  return (smoothing){(float)(1.0 - s), (float)(s / (double)j->width)};
}

/* log Σe^y Σt - Σ t y, with y relative to its maximum: Σ t y of smoothed t from those of t. */
static void dense_rows(void *arg, int64_t begin, int64_t end) {
  const snug__loss_rows *j = arg;
  const smoothing s = smoothing_of(j);
  float *out = j->out;
  double n = (double)j->width;
  for (int64_t row = begin; row < end; row++) {
    const float *y = (const float *)j->y + row * j->width,
                *t = (const float *)j->t + row * j->width;
    float max = row_max(y, j->width);
    double labels = row_sum(t, j->width);
    double log_sum = log(row_exp_sum(y, max, j->width));
    double product = row_product(t, y, j->width) - (double)max * labels;
    double value = (double)s.keep * (log_sum * labels - product);
    if (s.add != 0.0f) {
      value += (double)s.add * (n * log_sum - (row_sum(y, j->width) - (double)max * n));
    }
    out[row] = (float)value;
  }
}

/* dv (softmax(y) Σt - t).  The last loop alone writes: the gradient may lie over y or t. */
static void dense_grad_row(const snug__loss_rows *j, int64_t row, smoothing s) {
  const float *y = (const float *)j->y + row * j->width, *t = (const float *)j->t + row * j->width;
  float *dy = (float *)j->out + row * j->width;
  float max = row_max(y, j->width);
  float dv = ((const float *)j->dv)[row];
  double labels = (double)s.keep * row_sum(t, j->width) + (double)s.add * (double)j->width;
  const float scale = (float)(labels / row_exp_sum(y, max, j->width));
  SNUG_SIMD for (int64_t i = 0; i < j->width; i++) {
    dy[i] = dv * (snug_exp(y[i] - max) * scale - (t[i] * s.keep + s.add));
  }
}

static void dense_grad_rows(void *arg, int64_t begin, int64_t end) {
  const snug__loss_rows *j = arg;
  for (int64_t row = begin; row < end; row++) {
    dense_grad_row(j, row, smoothing_of(j));
  }
}

static snug_status run_dense(const void *state, const snug__call *call) {
  snug__loss_rows j = snug__loss_rows_of(call);
  (void)state;
  snug__loss_run(&j, dense_rows);
  return SNUG_OK;
}

static snug_status run_dense_grad(const void *state, const snug__call *call) {
  snug__loss_rows j = snug__loss_grad_rows_of(call);
  (void)state;
  snug__loss_run(&j, dense_grad_rows);
  return SNUG_OK;
}

const snug__kernel SNUG_LOOP(dense_crossentropy) = {"dense_crossentropy", dense_fits, prepare,
                                                    run_dense, NULL};
const snug__kernel SNUG_LOOP(dense_crossentropy_grad) = {"dense_crossentropy_grad", dense_fits,
                                                         prepare, run_dense_grad, NULL};
