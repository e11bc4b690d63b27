/* The losses of single elements that most models use.  An element is within 4 units of the last
 * place of the larger of its terms; means over rows are summed in double. */
#include <math.h>

#include "device/cpu/each.h"
#include "device/cpu/loops/isa.h"
#include "device/cpu/loops/math.h"
#include "ops/loss.h"
#include "ops/support.h"

#define PART 256 /* elements of a row at once */

/* Of one loss: the values of n elements, and the slopes times d; a label t counts as t keep + add.
 */
typedef struct element_loss {
  float keep, add, low, high; /* low, high: bounds of probabilities */
} element_loss;

typedef void values_body(const element_loss *e, const float *t, const float *y, float *v,
                         int64_t n);
typedef void slopes_body(const element_loss *e, const float *t, const float *y, float d, float *dy,
                         int64_t n);

SNUG_MATH float clipped(float y, float low, float high) {
  return y < low ? low : y > high ? high : y;
}

/* VALUE and SLOPE of a label t and a prediction y. */
#define LOSS(name, VALUE, SLOPE)                                                                  \
  static void name##_values(const element_loss *e, const float *labels, const float *predictions, \
                            float *v, int64_t n) {                                                \
    const float keep = e->keep, add = e->add, low = e->low, high = e->high;                       \
    SNUG_SIMD for (int64_t i = 0; i < n; i++) {                                                   \
      float t = labels[i] * keep + add, y = predictions[i];                                       \
      v[i] = (VALUE);                                                                             \
    }                                                                                             \
    (void)low, (void)high;                                                                        \
  }                                                                                               \
  static void name##_slopes(const element_loss *e, const float *labels, const float *predictions, \
                            float d, float *dy, int64_t n) {                                      \
    const float keep = e->keep, add = e->add, low = e->low, high = e->high;                       \
    SNUG_SIMD for (int64_t i = 0; i < n; i++) {                                                   \
      float t = labels[i] * keep + add, y = predictions[i];                                       \
      dy[i] = d * (SLOPE);                                                                        \
    }                                                                                             \
    (void)low, (void)high;                                                                        \
  }

SNUG_MATH float crossentropy(float t, float p) {
  return -(t * snug_log(p) + (1.0f - t) * snug_log(1.0f - p));
}

SNUG_MATH float crossentropy_slope(float t, float p, float low, float high) {
  float slope = (1.0f - t) / (1.0f - p) - t / p;
  return p >= low && p <= high ? slope : 0.0f;
}

LOSS(squares, (t - y) * (t - y), 2.0f * (y - t))
LOSS(sizes, fabsf(t - y), y > t ? 1.0f : y < t ? -1.0f : 0.0f)
LOSS(logits, (y > 0.0f ? y : 0.0f) - y * t + snug_log1p(snug_exp(-fabsf(y))), snug_sigmoid(y) - t)
LOSS(probabilities, crossentropy(t, clipped(y, low, high)), crossentropy_slope(t, y, low, high))

/* ---- which of them a call is ---- */

typedef struct pair {
  values_body *values;
  slopes_body *slopes;
} pair;

static pair pair_of(const snug__pointwise_loss_params *p) {
  switch (p->kind) {
    case SNUG__POINTWISE_mean_squared_error:
      return (pair){squares_values, squares_slopes};
    case SNUG__POINTWISE_mean_absolute_error:
      return (pair){sizes_values, sizes_slopes};
    case SNUG__POINTWISE_binary_crossentropy:
      return p->from_logits ? (pair){logits_values, logits_slopes}
                            : (pair){probabilities_values, probabilities_slopes};
    default:
      return (pair){NULL, NULL};
  }
}

static bool fits(const snug__signature *sig, snug__layouts *want) {
  return pair_of(sig->params).values && snug__is_float32(sig, want);
}

static element_loss element_loss_of(const snug__loss_rows *j) {
  double s = ((const snug__pointwise_loss_params *)j->params)->label_smoothing;
  return (element_loss){(float)(1.0 - s), (float)(0.5 * s), (float)j->clip.low,
                        (float)j->clip.high};
}

/* ---- rows ---- */

static void value_rows(void *arg, int64_t begin, int64_t end) {
  const snug__loss_rows *j = arg;
  const element_loss e = element_loss_of(j);
  const pair p = pair_of(j->params);
  float v[PART];
  for (int64_t row = begin; row < end; row++) {
    double sum = 0.0;
    for (int64_t i = 0; i < j->width; i += PART) {
      int64_t n = snug__min_i64(PART, j->width - i), at = row * j->width + i;
      p.values(&e, (const float *)j->t + at, (const float *)j->y + at, v, n);
      for (int64_t k = 0; k < n; k++) {
        sum += (double)v[k];
      }
    }
    ((float *)j->out)[row] = (float)(sum * (1.0 / (double)j->width));
  }
}

static void slope_rows(void *arg, int64_t begin, int64_t end) {
  const snug__loss_rows *j = arg;
  const element_loss e = element_loss_of(j);
  const pair p = pair_of(j->params);
  for (int64_t row = begin; row < end; row++) {
    int64_t at = row * j->width;
    double d = (double)((const float *)j->dv)[row] / (double)j->width;
    p.slopes(&e, (const float *)j->t + at, (const float *)j->y + at, (float)d, (float *)j->out + at,
             j->width);
  }
}

static snug_status prepare(snug_ctx *ctx, const snug__signature *sig, snug__needs *needs,
                           void **state) {
  (void)ctx;
  *state = NULL;
  snug__needs_in_place_as_op(needs, sig->op);
  return SNUG_OK;
}

static snug_status run_values(const void *state, const snug__call *call) {
  snug__loss_rows j = snug__loss_rows_of(call);
  (void)state;
  snug__loss_run(&j, value_rows);
  return SNUG_OK;
}

static snug_status run_slopes(const void *state, const snug__call *call) {
  snug__loss_rows j = snug__loss_grad_rows_of(call);
  (void)state;
  snug__loss_run(&j, slope_rows);
  return SNUG_OK;
}

const snug__kernel SNUG_LOOP(pointwise_loss) = {"pointwise_loss", fits, prepare, run_values, NULL};
const snug__kernel SNUG_LOOP(pointwise_loss_grad) = {"pointwise_loss_grad", fits, prepare,
                                                     run_slopes, NULL};
