/* What stands around the update of a weight: counters, clipping scales, accumulation, averages.
 *
 * A batch that is run in micro-batches: `accumulate` adds every micro-batch's gradient, keep being
 * 0 in the first micro-batch, so that the sum needs no clearing.
 *
 * Gradient accumulation over n steps: `accumulate` adds every step's gradient; every(iteration) is
 * 1 on each n-th step, which enables the update (with gradient_factor 1/n) and `clear`. */
#include "device/host.h"
#include "ops/optimizer.h"
#include "ops/unblock.h"

static int64_t counter(const snug__call *call, int32_t i) { return *(const int64_t *)call->in[i]; }

static snug_status need_counter(const snug__infer *q, int32_t i) {
  char text[SNUG__TYPE_TEXT_BYTES];
  if (q->in[i].dtype == SNUG_INT64 && q->in[i].rank == 0) {
    return SNUG_OK;
  }
  return snug__fail(q->ctx, SNUG_E_DTYPE, "%s: input %d is %s and must be an int64 scalar",
                    q->where, i, snug__type_text(&q->in[i], text));
}

static snug_status need_positive(const snug__infer *q, const char *name, int64_t value) {
  return value > 0 ? SNUG_OK
                   : snug__fail(q->ctx, SNUG_E_ARGUMENT, "%s: %s=%lld must be above 0", q->where,
                                name, (long long)value);
}

/* ---- counters ---- */

static const snug__field increment_fields[] = {SNUG_FIELD(snug__increment_params, by, INT, "1"),
                                               {0}};

static snug_status increment_infer(snug__infer *q) {
  SNUG_TRY(need_counter(q, 0));
  q->out[0] = q->in[0];
  return snug__need_enabled(q, 1);
}

static snug_status increment(const snug__call *call) {
  const snug__increment_params *p = call->sig->params;
  if (!snug__is_disabled(call, 1)) {
    *(int64_t *)call->out[0] = counter(call, 0) + p->by;
  }
  return SNUG_OK;
}

const snug__op snug__op_increment = {.name = "increment",
                                     .doc = "(counter, enabled): counter += by",
                                     .params_bytes = sizeof(snug__increment_params),
                                     .fields = increment_fields,
                                     .min_in = 1,
                                     .max_in = 2,
                                     .min_out = 1,
                                     .max_out = 1,
                                     .flags = SNUG__OP_NO_RECOMPUTE,
                                     .writes = {1},
                                     .infer = increment_infer,
                                     .reference = increment};

static const snug__field every_fields[] = {SNUG_FIELD(snug__every_params, n, INT, NULL), {0}};

static snug_status every_infer(snug__infer *q) {
  const snug__every_params *p = q->params;
  SNUG_TRY(need_positive(q, "n", p->n));
  q->out[0] = snug__scalar(SNUG_FLOAT32);
  return need_counter(q, 0);
}

static snug_status every(const snug__call *call) {
  const snug__every_params *p = call->sig->params;
  *(float *)call->out[0] = (counter(call, 0) + 1) % p->n == 0 ? 1.0f : 0.0f;
  return SNUG_OK;
}

const snug__op snug__op_every = {.name = "every",
                                 .doc = "1 if counter + 1 is a multiple of n, else 0",
                                 .params_bytes = sizeof(snug__every_params),
                                 .fields = every_fields,
                                 .min_in = 1,
                                 .max_in = 1,
                                 .min_out = 1,
                                 .max_out = 1,
                                 .infer = every_infer,
                                 .reference = every};

/* ---- clipping ---- */

static const snug__field clip_fields[] = {
    SNUG_FIELD(snug__clip_scale_params, clipnorm, FLOAT, NULL),
    SNUG_FIELD(snug__clip_scale_params, factor, FLOAT, "1"),
    SNUG_FIELD(snug__clip_scale_params, is_global, BOOL, "false"),
    {0}};

static snug_status clip_infer(snug__infer *q) {
  const snug__clip_scale_params *p = q->params;
  if (!(p->clipnorm > 0.0)) {
    return snug__fail(q->ctx, SNUG_E_ARGUMENT, "%s: clipnorm=%g must be above 0", q->where,
                      p->clipnorm);
  }
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_scalar(q, 0));
  q->out[0] = snug__scalar(snug__wide_dtype(q->in[0].dtype));
  return SNUG_OK;
}

/* A norm that is not finite makes every gradient NaN when it is global, as in TensorFlow. */
static snug_status clip_scale(const snug__call *call) {
  const snug__clip_scale_params *p = call->sig->params;
  double norm = sqrt(snug__scalar_input(call, 0, 0.0)) * fabs(p->factor);
  double scale = norm <= p->clipnorm ? 1.0 : p->clipnorm / norm;
  snug__element_set(call->sig->out[0].dtype, call->out[0], 0,
                    p->is_global && !isfinite(norm) ? NAN : scale);
  return SNUG_OK;
}

const snug__op snug__op_clip_scale = {.name = "clip_scale",
                                      .doc =
                                          "the factor that brings gradients with this sum of "
                                          "squares to a norm of at most clipnorm",
                                      .params_bytes = sizeof(snug__clip_scale_params),
                                      .fields = clip_fields,
                                      .min_in = 1,
                                      .max_in = 1,
                                      .min_out = 1,
                                      .max_out = 1,
                                      .in_place = {1},
                                      .infer = clip_infer,
                                      .reference = clip_scale};

/* ---- accumulation and averages ---- */

/* state = a * state + b * x, element by element. */
typedef struct blend_job {
  void *state;
  const void *x;
  snug_dtype dtype;
  double a, b;
} blend_job;

#define SNUG_REAL_FILE "ops/step_ref.inc"
#include "ops/real.h"

static void blend_range(void *arg, int64_t begin, int64_t end) {
  const blend_job *j = arg;
  SNUG_REAL_CALL(j->dtype, blend, (j, begin, end));
}

static snug_status run_blend(const snug__call *call, const void *x, double a, double b) {
  const snug__type *t = &call->sig->out[0];
  blend_job j = {call->out[0], x, t->dtype, a, b};
  snug__parallel_ranges(snug__threads(call->sig), snug__type_count(t), 16384, blend_range, &j);
  return SNUG_OK;
}

static snug_status accumulate_infer(snug__infer *q) {
  SNUG_TRY(snug__infer_same_pair(q));
  return snug__need_enabled(q, 2);
}

static snug_status accumulate(const snug__call *call) {
  return run_blend(call, call->in[1], snug__is_disabled(call, 2) ? 0.0 : 1.0, 1.0);
}

const snug__op snug__op_accumulate = {.name = "accumulate",
                                      .doc = "(sum, x, keep): sum += x; sum = x where keep is 0",
                                      .min_in = 2,
                                      .max_in = 3,
                                      .min_out = 1,
                                      .max_out = 1,
                                      .flags = SNUG__OP_NO_RECOMPUTE,
                                      .writes = {1},
                                      .infer = accumulate_infer,
                                      .reference = accumulate,
                                      .unblock = snug__unblock_flat};

static snug_status clear_infer(snug__infer *q) {
  q->out[0] = q->in[0];
  return snug__need_enabled(q, 1);
}

static snug_status clear(const snug__call *call) {
  if (!snug__is_disabled(call, 1)) {
    memset(call->out[0], 0, (size_t)snug__type_bytes(&call->sig->out[0]));
  }
  return SNUG_OK;
}

const snug__op snug__op_clear = {.name = "clear",
                                 .doc = "(state, enabled): state = 0",
                                 .min_in = 1,
                                 .max_in = 2,
                                 .min_out = 1,
                                 .max_out = 1,
                                 .flags = SNUG__OP_NO_RECOMPUTE,
                                 .writes = {1},
                                 .infer = clear_infer,
                                 .reference = clear,
                                 .unblock = snug__unblock_flat};

static const snug__field ema_fields[] = {SNUG_FIELD(snug__ema_params, momentum, FLOAT, "0.99"),
                                         SNUG_FIELD(snug__ema_params, accumulation_steps, INT, "1"),
                                         SNUG_FIELD(snug__ema_params, frequency, INT, "1"),
                                         {0}};

static snug_status ema_infer(snug__infer *q) {
  const snug__ema_params *p = q->params;
  SNUG_TRY(need_positive(q, "accumulation_steps", p->accumulation_steps));
  SNUG_TRY(need_positive(q, "frequency", p->frequency));
  SNUG_TRY(snug__infer_same_pair(q));
  return need_counter(q, 2);
}

/* The first average is the weight itself. */
static snug_status ema_update(const snug__call *call) {
  const snug__ema_params *p = call->sig->params;
  double m = counter(call, 2) / p->accumulation_steps == 0 ? 0.0 : p->momentum;
  return run_blend(call, call->in[1], m, 1.0 - m);
}

static snug_status ema_overwrite(const snug__call *call) {
  const snug__ema_params *p = call->sig->params;
  bool now = (counter(call, 2) / p->accumulation_steps + 1) % p->frequency == 0;
  return now ? run_blend(call, call->in[1], 0.0, 1.0) : SNUG_OK;
}

#define EMA_RECORD                                                                               \
  .params_bytes = sizeof(snug__ema_params), .fields = ema_fields, .min_in = 3, .max_in = 3,      \
  .min_out = 1, .max_out = 1, .flags = SNUG__OP_NO_RECOMPUTE, .writes = {1}, .infer = ema_infer, \
  .unblock = snug__unblock_flat

const snug__op snug__op_ema_update = {
    .name = "ema_update",
    .doc = "(average, w, iteration): average = momentum average + (1 - momentum) w",
    EMA_RECORD,
    .reference = ema_update};

const snug__op snug__op_ema_overwrite = {
    .name = "ema_overwrite",
    .doc = "(w, average, iteration): w = average on every frequency-th step",
    EMA_RECORD,
    .reference = ema_overwrite};

/* ---- Nadam's product of momentums: one scalar for all weights, moved on after all updates ---- */

static const snug__field product_fields[] = {
    SNUG_FIELD(snug__nadam_product_params, beta_1, FLOAT, "0.9"),
    SNUG_FIELD(snug__nadam_product_params, accumulation_steps, INT, "1"),
    {0}};

static snug_status product_infer(snug__infer *q) {
  const snug__nadam_product_params *p = q->params;
  SNUG_TRY(need_positive(q, "accumulation_steps", p->accumulation_steps));
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_scalar(q, 0));
  q->out[0] = q->in[0];
  SNUG_TRY(need_counter(q, 1));
  return snug__need_enabled(q, 2);
}

static snug_status product(const snug__call *call) {
  const snug__nadam_product_params *p = call->sig->params;
  int64_t t = counter(call, 1) / p->accumulation_steps + 1;
  if (!snug__is_disabled(call, 2)) {
    snug__element_set(
        call->sig->out[0].dtype, call->out[0], 0,
        snug__scalar_input(call, 0, 0.0) * p->beta_1 * (1.0 - 0.5 * pow(0.96, (double)t)));
  }
  return SNUG_OK;
}

const snug__op snug__op_nadam_product = {
    .name = "nadam_product",
    .doc = "(product, iteration, enabled): product *= beta_1 (1 - 0.96^t / 2)",
    .params_bytes = sizeof(snug__nadam_product_params),
    .fields = product_fields,
    .min_in = 2,
    .max_in = 3,
    .min_out = 1,
    .max_out = 1,
    .flags = SNUG__OP_NO_RECOMPUTE,
    .writes = {1},
    .infer = product_infer,
    .reference = product};
