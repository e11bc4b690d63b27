/* Sums of equal values, running averages, conversions: loops that wait for memory. */
#include "device/cpu/each.h"
#include "device/cpu/loops/isa.h"
#include "ops/norm.h"
#include "ops/optimizer.h"
#include "ops/regularize.h"
#include "ops/support.h"

/* ---- add_n: in the order given; within (n - 1) / 2 units of the last place of the largest sum
 * ---- */

#define BLOCK 512

static void add_block(const snug__call *call, int64_t at, int64_t n) {
  float sum[BLOCK];
  float *out = (float *)call->out[0] + at;
  memcpy(sum, (const float *)call->in[0] + at, (size_t)n * sizeof *sum);
  for (int32_t k = 1; k < call->sig->n_in; k++) {
    const float *x = (const float *)call->in[k] + at;
    for (int64_t i = 0; i < n; i++) {
      sum[i] += x[i];
    }
  }
  memcpy(out, sum, (size_t)n * sizeof *sum);
}

static void add_n_range(const snug__each *e, const snug__call *call, int64_t begin, int64_t end) {
  (void)e;
  for (int64_t at = begin; at < end; at += BLOCK) {
    add_block(call, at, snug__min_i64(BLOCK, end - at));
  }
}

SNUG__EACH_KERNEL(add_n, snug__is_float32, add_n_range, SNUG__EACH_COPIES);

/* ---- running averages ---- */

static bool states_are_float32(const snug__signature *sig, snug__layouts *want) {
  (void)want;
  return sig->in[0].dtype == SNUG_FLOAT32 && sig->in[1].dtype == SNUG_FLOAT32;
}

/* state = a state + b x. */
static void blend(const snug__call *call, double a, double b, int64_t begin, int64_t end) {
  float *state = call->out[0];
  const float *x = call->in[1];
  const float keep = (float)a;
  const float take = (float)b;
  SNUG_SIMD for (int64_t i = begin; i < end; i++) { state[i] = keep * state[i] + take * x[i]; }
}

static void accumulate_range(const snug__each *e, const snug__call *call, int64_t begin,
                             int64_t end) {
  (void)e;
  if (snug__is_disabled(call, 2)) { /* what is not kept may be no number */
    memcpy((float *)call->out[0] + begin, (const float *)call->in[1] + begin,
           (size_t)(end - begin) * sizeof(float));
  } else {
    blend(call, 1.0, 1.0, begin, end);
  }
}

static void average_range(const snug__each *e, const snug__call *call, int64_t begin, int64_t end) {
  const snug__moving_average_params *p = call->sig->params;
  (void)e;
  if (!snug__is_disabled(call, 2)) {
    blend(call, p->momentum, 1.0 - p->momentum, begin, end);
  }
}

SNUG__EACH_KERNEL(accumulate, snug__is_float32, accumulate_range, SNUG__EACH_COPIES);
SNUG__EACH_KERNEL(moving_average, states_are_float32, average_range, SNUG__EACH_COPIES);

/* ---- gradients of penalties and norms: (d, x), d a scalar ---- */

#define SCALED(name, expression)                                                       \
  static void name##_range(const snug__each *e, const snug__call *call, int64_t begin, \
                           int64_t end) {                                              \
    const float d = *(const float *)call->in[0], l1 = e->p[0], l2 = e->p[1];           \
    const float *in = call->in[1];                                                     \
    float *out = call->out[0];                                                         \
    SNUG_SIMD for (int64_t i = begin; i < end; i++) {                                  \
      float x = in[i];                                                                 \
      out[i] = d * (expression);                                                       \
    }                                                                                  \
    (void)l1, (void)l2;                                                                \
  }                                                                                    \
  SNUG__EACH_KERNEL(name, snug__is_float32, name##_range, SNUG__EACH_COPIES)

SCALED(sum_squares_grad, 2.0f * x);
SCALED(sum_abs_grad, x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x);
SCALED(regularize_grad, l1 *(x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : 0.0f) + 2.0f * l2 * x);

/* ---- cast: to float32 from what data come in, and between float32 and float64.  Exact where the
 * reference is ---- */

#define CAST(name, from_dtype, from, to_dtype, to)                                     \
  static bool name##_fits(const snug__signature *sig, snug__layouts *want) {           \
    (void)want;                                                                        \
    return sig->in[0].dtype == (from_dtype) && sig->out[0].dtype == (to_dtype);        \
  }                                                                                    \
  static void name##_range(const snug__each *e, const snug__call *call, int64_t begin, \
                           int64_t end) {                                              \
    const from *x = call->in[0];                                                       \
    to *y = call->out[0];                                                              \
    (void)e;                                                                           \
    for (int64_t i = begin; i < end; i++) {                                            \
      y[i] = (to)x[i];                                                                 \
    }                                                                                  \
  }                                                                                    \
  SNUG__EACH_KERNEL(name, name##_fits, name##_range, SNUG__EACH_COPIES)

CAST(cast_from_uint8, SNUG_UINT8, uint8_t, SNUG_FLOAT32, float);
CAST(cast_from_int32, SNUG_INT32, int32_t, SNUG_FLOAT32, float);
CAST(cast_from_int64, SNUG_INT64, int64_t, SNUG_FLOAT32, float);
CAST(cast_from_float64, SNUG_FLOAT64, double, SNUG_FLOAT32, float);
CAST(cast_to_float64, SNUG_FLOAT32, float, SNUG_FLOAT64, double);
