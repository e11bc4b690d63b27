/* Updates of weights: the formulas of the references in float, one pass over a weight and its
 * slots. What does not depend on the element is computed in double first; a result is within a few
 * units of the last place of the larger of weight and step. */
#include "device/cpu/each.h"
#include "device/cpu/loops/isa.h"
#include "device/cpu/loops/math.h"
#include "ops/optimizer.h"

/* What does not depend on the element.  A rate of moving is 1 minus what is kept. */
typedef struct step {
  float rate, decay, scale, clip;
  float alpha; /* Adam and Adamax: the rate times the correction of the moments */
  float momentum, rho, beta_1, beta_2, epsilon;
  float rho_move, beta_1_move, beta_2_move;
  bool nesterov;
} step;

/* A weight and its slots. */
typedef struct cell {
  float w, s0, s1, s2;
} cell;

static step step_of(const snug__call *call, int32_t tail, double alpha) {
  const snug__update_params *p = call->sig->params;
  double rate = snug__scalar_input(call, tail + SNUG__UPDATE_RATE, 0.0);
  double scale = snug__scalar_input(call, tail + SNUG__UPDATE_SCALE, 1.0);
  return (step){.rate = (float)rate,
                .decay = (float)(p->weight_decay * rate),
                .scale = (float)(p->gradient_factor * scale),
                .clip = p->clipvalue > 0.0 ? (float)p->clipvalue : INFINITY,
                .alpha = (float)(rate * alpha),
                .momentum = (float)p->momentum,
                .rho = (float)p->rho,
                .beta_1 = (float)p->beta_1,
                .beta_2 = (float)p->beta_2,
                .epsilon = (float)p->epsilon,
                .rho_move = (float)(1.0 - p->rho),
                .beta_1_move = (float)(1.0 - p->beta_1),
                .beta_2_move = (float)(1.0 - p->beta_2),
                .nesterov = p->nesterov};
}

/* ---- the factor of the rate ---- */

static double steps_made(const snug__call *call, int32_t tail) {
  const snug__update_params *p = call->sig->params;
  int64_t iteration = *(const int64_t *)call->in[tail + SNUG__UPDATE_ITERATION];
  return (double)(iteration / p->accumulation_steps + 1);
}

static double no_factor(const snug__call *call, int32_t tail) {
  (void)call;
  (void)tail;
  return 1.0;
}

static double first_moment(const snug__call *call, int32_t tail) {
  const snug__update_params *p = call->sig->params;
  return 1.0 / (1.0 - pow(p->beta_1, steps_made(call, tail)));
}

static double both_moments(const snug__call *call, int32_t tail) {
  const snug__update_params *p = call->sig->params;
  return sqrt(1.0 - pow(p->beta_2, steps_made(call, tail))) * first_moment(call, tail);
}

/* ---- the rules: of a decayed weight, its slots and a clipped gradient ---- */

SNUG_MATH cell sgd(const step *c, cell x, float d) {
  x.w -= c->rate * d;
  return x;
}

SNUG_MATH cell sgd_momentum(const step *c, cell x, float d) {
  x.s0 = c->momentum * x.s0 - c->rate * d;
  x.w += c->nesterov ? c->momentum * x.s0 - c->rate * d : x.s0;
  return x;
}

SNUG_MATH cell adam(const step *c, cell x, float d) {
  x.s0 += (d - x.s0) * c->beta_1_move;
  x.s1 += (d * d - x.s1) * c->beta_2_move;
  x.w -= x.s0 * c->alpha / (sqrtf(x.s1) + c->epsilon);
  return x;
}

SNUG_MATH cell adam_amsgrad(const step *c, cell x, float d) {
  x.s0 += (d - x.s0) * c->beta_1_move;
  x.s1 += (d * d - x.s1) * c->beta_2_move;
  x.s2 = x.s2 >= x.s1 ? x.s2 : x.s1; /* a NaN stays */
  x.w -= x.s0 * c->alpha / (sqrtf(x.s2) + c->epsilon);
  return x;
}

SNUG_MATH cell adamax(const step *c, cell x, float d) {
  float kept = c->beta_2 * x.s1;
  x.s0 += (d - x.s0) * c->beta_1_move;
  x.s1 = kept > fabsf(d) ? kept : fabsf(d);
  x.w -= c->alpha * x.s0 / (x.s1 + c->epsilon);
  return x;
}

SNUG_MATH cell lion(const step *c, cell x, float d) {
  float m = c->beta_1 * x.s0 + c->beta_1_move * d;
  x.s0 = c->beta_2 * x.s0 + c->beta_2_move * d;
  x.w -= m > 0.0f ? c->rate : m < 0.0f ? -c->rate : 0.0f;
  return x;
}

SNUG_MATH cell rmsprop(const step *c, cell x, float d) {
  x.s0 = c->rho * x.s0 + c->rho_move * d * d;
  x.w -= c->rate * d / sqrtf(x.s0 + c->epsilon);
  return x;
}

SNUG_MATH cell rmsprop_momentum(const step *c, cell x, float d) {
  x.s0 = c->rho * x.s0 + c->rho_move * d * d;
  x.s1 = c->momentum * x.s1 + c->rate * d / sqrtf(x.s0 + c->epsilon);
  x.w -= x.s1;
  return x;
}

SNUG_MATH cell adagrad(const step *c, cell x, float d) {
  x.s0 += d * d;
  x.w -= c->rate * d / sqrtf(x.s0 + c->epsilon);
  return x;
}

SNUG_MATH cell adadelta(const step *c, cell x, float d) {
  x.s0 = c->rho * x.s0 + c->rho_move * d * d;
  float delta = -sqrtf(x.s1 + c->epsilon) * d / sqrtf(x.s0 + c->epsilon);
  x.s1 = c->rho * x.s1 + c->rho_move * delta * delta;
  x.w += c->rate * delta;
  return x;
}

/* ---- kernels ---- */

SNUG_MATH float clipped(const step *c, float g) {
  float d = g * c->scale;
  return d > c->clip ? c->clip : d < -c->clip ? -c->clip : d;
}

/* Which of a rule's slots are there; an epsilon that float does not know is left to the reference.
 */
static bool fits_slots(const snug__signature *sig, int32_t slots, int32_t used) {
  const snug__update_params *p = sig->params;
  bool ok = sig->in[0].dtype == SNUG_FLOAT32 && (p->epsilon == 0.0 || p->epsilon >= FLT_MIN);
  for (int32_t k = 0; k < slots; k++) {
    ok = ok && sig->in[2 + k].dtype == (k < used ? SNUG_FLOAT32 : SNUG_NO_DTYPE);
  }
  return ok;
}

/* UPDATE(rule, slots that it can have, slots that are there, factor of the rate) */
#define UPDATE(rule, slots, used, factor)                                                    \
  static bool rule##_fits(const snug__signature *sig, snug__layouts *want) {                 \
    (void)want;                                                                              \
    return fits_slots(sig, slots, used);                                                     \
  }                                                                                          \
  static void rule##_range(const snug__each *e, const snug__call *call, int64_t begin,       \
                           int64_t end) {                                                    \
    const int32_t tail = 2 + (slots);                                                        \
    float *w = call->out[0], *s0 = (used) > 0 ? call->out[1] : NULL,                         \
          *s1 = (used) > 1 ? call->out[2] : NULL, *s2 = (used) > 2 ? call->out[3] : NULL;    \
    const float *g = call->in[1];                                                            \
    (void)e;                                                                                 \
    if (snug__is_disabled(call, tail + SNUG__UPDATE_ENABLED)) {                              \
      return;                                                                                \
    }                                                                                        \
    const step c = step_of(call, tail, factor(call, tail));                                  \
    SNUG_SIMD for (int64_t i = begin; i < end; i++) {                                        \
      cell x = {w[i] - w[i] * c.decay, (used) > 0 ? s0[i] : 0.0f, (used) > 1 ? s1[i] : 0.0f, \
                (used) > 2 ? s2[i] : 0.0f};                                                  \
      x = rule(&c, x, clipped(&c, g[i]));                                                    \
      w[i] = x.w;                                                                            \
      if ((used) > 0) {                                                                      \
        s0[i] = x.s0;                                                                        \
      }                                                                                      \
      if ((used) > 1) {                                                                      \
        s1[i] = x.s1;                                                                        \
      }                                                                                      \
      if ((used) > 2) {                                                                      \
        s2[i] = x.s2;                                                                        \
      }                                                                                      \
    }                                                                                        \
  }                                                                                          \
  SNUG__EACH_KERNEL(rule, rule##_fits, rule##_range, SNUG__EACH_COMPUTES)

UPDATE(sgd, 0, 0, no_factor);
UPDATE(sgd_momentum, 1, 1, no_factor);
UPDATE(adam, 3, 2, both_moments);
UPDATE(adam_amsgrad, 3, 3, both_moments);
UPDATE(adamax, 2, 2, first_moment);
UPDATE(lion, 1, 1, no_factor);
UPDATE(rmsprop, 2, 1, no_factor);
UPDATE(rmsprop_momentum, 2, 2, no_factor);
UPDATE(adagrad, 1, 1, no_factor);
UPDATE(adadelta, 2, 2, no_factor);
