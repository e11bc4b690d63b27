#include "model/schedule.h"

#include <math.h>

#include "model/named.h"

typedef struct snug__schedule_kind {
  snug__named named;
  float (*rate)(const snug__schedule_options *o, float step);
} snug__schedule_kind;

#define PI 3.14159265358979323846f

static float progress(const snug__schedule_options *o, float step) {
  float p = step / (float)o->decay_steps;
  return o->staircase ? floorf(p) : p;
}

static float exponential(const snug__schedule_options *o, float step) {
  return (float)o->initial_learning_rate * powf((float)o->decay_rate, progress(o, step));
}

static float inverse_time(const snug__schedule_options *o, float step) {
  return (float)o->initial_learning_rate / (1.0f + (float)o->decay_rate * progress(o, step));
}

static float polynomial(const snug__schedule_options *o, float step) {
  float steps = (float)o->decay_steps;
  float end = (float)o->end_learning_rate;
  if (o->cycle) {
    steps *= step == 0.0f ? 1.0f : ceilf(step / steps);
  } else {
    step = fminf(step, steps);
  }
  return ((float)o->initial_learning_rate - end) * powf(1.0f - step / steps, (float)o->power) + end;
}

static float piecewise(const snug__schedule_options *o, float step) {
  int32_t i = 0;
  while (i < o->boundaries.n && (double)step > o->boundaries.v[i]) {
    i++;
  }
  return (float)o->values.v[i];
}

static float cosine_from(const snug__schedule_options *o, float rate, float done) {
  float cosine = 0.5f * (1.0f + cosf(PI * done));
  return rate * ((1.0f - (float)o->alpha) * cosine + (float)o->alpha);
}

static float cosine(const snug__schedule_options *o, float step) {
  float steps = (float)o->decay_steps;
  float warm = (float)o->warmup_steps;
  float initial = (float)o->initial_learning_rate;
  float target = (float)o->warmup_target;
  if (o->warmup_target < 0.0) { /* none */
    return cosine_from(o, initial, fminf(step, steps) / steps);
  }
  step = fminf(step, steps + warm);
  return step < warm ? (target - initial) * (step / warm) + initial
                     : cosine_from(o, target, (step - warm) / steps);
}

static float cosine_restarts(const snug__schedule_options *o, float step) {
  float done = step / (float)o->first_decay_steps;
  float t_mul = (float)o->t_mul;
  float restart = 0.0f;
  if (t_mul == 1.0f) {
    restart = floorf(done);
    done -= restart;
  } else {
    restart = floorf(logf(1.0f - done * (1.0f - t_mul)) / logf(t_mul));
    float passed = (1.0f - powf(t_mul, restart)) / (1.0f - t_mul);
    done = (done - passed) / powf(t_mul, restart);
  }
  float cosine = 0.5f * powf((float)o->m_mul, restart) * (1.0f + cosf(PI * done));
  return (float)o->initial_learning_rate * ((1.0f - (float)o->alpha) * cosine + (float)o->alpha);
}

#define OPTION(member, kind, initial) SNUG_FIELD(snug__schedule_options, member, kind, initial)
#define RATE OPTION(initial_learning_rate, FLOAT, NULL)

static const snug__field exponential_fields[] = {RATE,
                                                 OPTION(decay_steps, FLOAT, NULL),
                                                 OPTION(decay_rate, FLOAT, NULL),
                                                 OPTION(staircase, BOOL, "false"),
                                                 OPTION(name, TEXT, "ExponentialDecay"),
                                                 {0}};
static const snug__field inverse_fields[] = {RATE,
                                             OPTION(decay_steps, FLOAT, NULL),
                                             OPTION(decay_rate, FLOAT, NULL),
                                             OPTION(staircase, BOOL, "false"),
                                             OPTION(name, TEXT, "InverseTimeDecay"),
                                             {0}};
static const snug__field polynomial_fields[] = {RATE,
                                                OPTION(decay_steps, FLOAT, NULL),
                                                OPTION(end_learning_rate, FLOAT, "0.0001"),
                                                OPTION(power, FLOAT, "1"),
                                                OPTION(cycle, BOOL, "false"),
                                                OPTION(name, TEXT, "PolynomialDecay"),
                                                {0}};
static const snug__field piecewise_fields[] = {OPTION(boundaries, FLOATS, NULL),
                                               OPTION(values, FLOATS, NULL),
                                               OPTION(name, TEXT, "PiecewiseConstant"),
                                               {0}};
static const snug__field cosine_fields[] = {RATE,
                                            OPTION(decay_steps, FLOAT, NULL),
                                            OPTION(alpha, FLOAT, "0"),
                                            OPTION(name, TEXT, "CosineDecay"),
                                            OPTION(warmup_target, FLOAT, "-1"), /* none */
                                            OPTION(warmup_steps, FLOAT, "0"),
                                            {0}};
static const snug__field restarts_fields[] = {RATE,
                                              OPTION(first_decay_steps, FLOAT, NULL),
                                              OPTION(t_mul, FLOAT, "2"),
                                              OPTION(m_mul, FLOAT, "1"),
                                              OPTION(alpha, FLOAT, "0"),
                                              OPTION(name, TEXT, "SGDRDecay"),
                                              {0}};

static const snug__schedule_kind kinds[] = {
    {{"ExponentialDecay", exponential_fields}, exponential},
    {{"InverseTimeDecay", inverse_fields}, inverse_time},
    {{"PolynomialDecay", polynomial_fields}, polynomial},
    {{"PiecewiseConstantDecay", piecewise_fields}, piecewise},
    {{"CosineDecay", cosine_fields}, cosine},
    {{"CosineDecayRestarts", restarts_fields}, cosine_restarts}};
static const snug__named_set set = SNUG_NAMED_SET("schedule", NULL, kinds);

const snug__named_set *snug__schedule_set(void) { return &set; }

static snug_status check(snug_ctx *ctx, const char *text, const snug__schedule *s) {
  const snug__schedule_options *o = &s->o;
  bool restarts = s->kind->rate == cosine_restarts;
  if (s->kind->rate == piecewise) {
    return o->values.n == o->boundaries.n + 1 && o->boundaries.n > 0
               ? SNUG_OK
               : snug__fail(ctx, SNUG_E_ARGUMENT,
                            "schedule '%.100s': %d values for %d boundaries; there must be one "
                            "more value than boundaries",
                            text, o->values.n, o->boundaries.n);
  }
  if (!((restarts ? o->first_decay_steps : o->decay_steps) > 0.0) || o->warmup_steps < 0.0 ||
      (restarts && !(o->t_mul > 0.0))) {
    return snug__fail(ctx, SNUG_E_ARGUMENT,
                      "schedule '%.100s': decay_steps, first_decay_steps and t_mul must be above "
                      "0, warmup_steps not below",
                      text);
  }
  return SNUG_OK;
}

snug_status snug__schedule_parse(snug_ctx *ctx, const char *text, snug__schedule *out) {
  size_t i = 0;
  out->kind = NULL;
  SNUG_TRY(snug__named_parse(ctx, &set, NULL, text, &out->o, sizeof out->o, &i));
  out->kind = &kinds[i];
  return check(ctx, text, out);
}

double snug__schedule_rate(const snug__schedule *s, int64_t step) {
  return (double)s->kind->rate(&s->o, (float)step);
}

snug_status snug__schedule_print(const snug__schedule *s, snug__text *out) {
  return snug__named_print(&s->kind->named, &s->o, out);
}
