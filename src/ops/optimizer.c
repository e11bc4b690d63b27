/* The update rules.  A rule is a function of one element: from the decayed weight, the clipped
 * gradient and the slots to the new weight and slots.  The formulas are those of Keras 3. */
#include "ops/optimizer.h"

#include "device/host.h"
#include "ops/unblock.h"

/* What does not depend on the element. */
typedef struct step {
  const snug__update_params *p;
  double rate, t;
  double alpha;            /* the rule's own: see its prepare */
  double u, u_next, u_sum; /* nadam */
  double bias[2];          /* lamb: what the moments are divided by */
  bool slot_used[SNUG__MAX_SLOTS];
} step;

typedef double rule_function(const step *c, double w, double g, double *s);

typedef struct update_job {
  void *w;
  const void *g;
  void *slot[SNUG__MAX_SLOTS];
  snug_dtype dtype;
  double decay, scale, clip;
  int64_t n;       /* lamb: elements */
  double *squares; /* lamb: per piece of the weight, of the weight and of its direction */
  void *direction; /* muon */
  step step;
} update_job;

static double clamp(double g, double limit) {
  return limit <= 0.0 ? g : g > limit ? limit : g < -limit ? -limit : g;
}

static double sgd(const step *c, double w, double g, double *s) {
  (void)s;
  return w - c->rate * g;
}

static double sgd_momentum(const step *c, double w, double g, double *s) {
  s[0] = c->p->momentum * s[0] - c->rate * g;
  return c->p->nesterov ? w + c->p->momentum * s[0] - c->rate * g : w + s[0];
}

static void prepare_adam(step *c) {
  c->alpha = c->rate * sqrt(1.0 - pow(c->p->beta_2, c->t)) / (1.0 - pow(c->p->beta_1, c->t));
}

static void move_moments(const step *c, double g, double *s) {
  s[0] += (g - s[0]) * (1.0 - c->p->beta_1);
  s[1] += (g * g - s[1]) * (1.0 - c->p->beta_2);
}

static double adam(const step *c, double w, double g, double *s) {
  move_moments(c, g, s);
  if (c->slot_used[2]) {               /* amsgrad */
    s[2] = s[2] >= s[1] ? s[2] : s[1]; /* a NaN stays */
  }
  return w - s[0] * c->alpha / (sqrt(c->slot_used[2] ? s[2] : s[1]) + c->p->epsilon);
}

static double rms_step(const step *c, double w, double increment, double *momentum) {
  if (momentum) {
    *momentum = c->p->momentum * *momentum + increment;
    return w - *momentum;
  }
  return w - increment;
}

static double rmsprop(const step *c, double w, double g, double *s) {
  s[0] = c->p->rho * s[0] + (1.0 - c->p->rho) * g * g;
  double increment = c->rate * g / sqrt(s[0] + c->p->epsilon);
  return rms_step(c, w, increment, c->slot_used[1] ? &s[1] : NULL);
}

static double rmsprop_centered(const step *c, double w, double g, double *s) {
  s[0] = c->p->rho * s[0] + (1.0 - c->p->rho) * g * g;
  s[1] = c->p->rho * s[1] + (1.0 - c->p->rho) * g;
  double increment = c->rate * g / sqrt(s[0] - s[1] * s[1] + c->p->epsilon);
  return rms_step(c, w, increment, c->slot_used[2] ? &s[2] : NULL);
}

static double adagrad(const step *c, double w, double g, double *s) {
  s[0] += g * g;
  return w - c->rate * g / sqrt(s[0] + c->p->epsilon);
}

static double adadelta(const step *c, double w, double g, double *s) {
  double rho = c->p->rho;
  s[0] = rho * s[0] + (1.0 - rho) * g * g;
  double delta = -sqrt(s[1] + c->p->epsilon) * g / sqrt(s[0] + c->p->epsilon);
  s[1] = rho * s[1] + (1.0 - rho) * delta * delta;
  return w + c->rate * delta;
}

static void prepare_adamax(step *c) { c->alpha = c->rate / (1.0 - pow(c->p->beta_1, c->t)); }

static double adamax(const step *c, double w, double g, double *s) {
  s[0] += (g - s[0]) * (1.0 - c->p->beta_1);
  s[1] = c->p->beta_2 * s[1] > fabs(g) ? c->p->beta_2 * s[1] : fabs(g);
  return w - c->alpha * s[0] / (s[1] + c->p->epsilon);
}

static double nadam_momentum(double beta_1, double t) {
  return beta_1 * (1.0 - 0.5 * pow(0.96, t));
}

/* u_sum comes in as the product of the steps before this one. */
static void prepare_nadam(step *c) {
  c->u = nadam_momentum(c->p->beta_1, c->t);
  c->u_next = nadam_momentum(c->p->beta_1, c->t + 1.0);
  c->u_sum *= c->u;
  c->alpha = 1.0 - pow(c->p->beta_2, c->t);
}

static double nadam(const step *c, double w, double g, double *s) {
  move_moments(c, g, s);
  double m = c->u_next * s[0] / (1.0 - c->u_sum * c->u_next) + (1.0 - c->u) * g / (1.0 - c->u_sum);
  return w - c->rate * m / (sqrt(s[1] / c->alpha) + c->p->epsilon);
}

static double lion(const step *c, double w, double g, double *s) {
  double d = c->p->beta_1 * s[0] + (1.0 - c->p->beta_1) * g;
  s[0] = c->p->beta_2 * s[0] + (1.0 - c->p->beta_2) * g;
  return w - c->rate * (double)((d > 0.0) - (d < 0.0));
}

static double ftrl(const step *c, double w, double g, double *s) {
  const snug__update_params *p = c->p;
  double before = pow(s[0], -p->learning_rate_power);
  s[0] += g * g;
  double after = pow(s[0], -p->learning_rate_power);
  s[1] += g + 2.0 * p->l2_shrinkage * w - (after - before) / c->rate * w;
  double quadratic = after / c->rate + 2.0 * (p->l2 + p->beta / (2.0 * c->rate));
  double clipped = s[1] > p->l1 ? p->l1 : s[1] < -p->l1 ? -p->l1 : s[1];
  return (clipped - s[1]) / quadratic;
}

/* Sums over a whole weight are made of those of pieces of so many elements, whatever the threads.
 */
#define PIECE ((int64_t)8192)

static double lamb_direction(const step *c, double m, double v) {
  return m / c->bias[0] / (sqrt(v / c->bias[1]) + c->p->epsilon);
}

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define SNUG_REAL_FILE "ops/optimizer_ref.inc"
#include "ops/real.h"

/* ---- the ops ---- */

static step first_step(const snug__call *call, int32_t tail) {
  const snug__update_params *p = call->sig->params;
  int64_t iteration = *(const int64_t *)call->in[tail + SNUG__UPDATE_ITERATION];
  int64_t t = iteration / p->accumulation_steps + 1;
  return (step){
      .p = p, .rate = snug__scalar_input(call, tail + SNUG__UPDATE_RATE, 0.0), .t = (double)t};
}

/* slots: of w's type; tail: position of the learning rate. */
static update_job job_of(const snug__call *call, int32_t slots, int32_t tail) {
  const snug__update_params *p = call->sig->params;
  update_job j = {.w = call->out[0],
                  .g = call->in[1],
                  .dtype = call->sig->in[0].dtype,
                  .clip = p->clipvalue,
                  .step = first_step(call, tail)};
  for (int32_t k = 0; k < slots; k++) {
    j.slot[k] = call->in[2 + k] ? call->out[1 + k] : NULL;
    j.step.slot_used[k] = j.slot[k] != NULL;
  }
  j.decay = p->weight_decay * j.step.rate;
  j.scale = p->gradient_factor * snug__scalar_input(call, tail + SNUG__UPDATE_SCALE, 1.0);
  return j;
}

static snug_status run(const snug__call *call, void (*range)(void *, int64_t, int64_t),
                       void (*prepare)(step *), int32_t slots, int32_t tail) {
  update_job j = job_of(call, slots, tail);
  if (snug__is_disabled(call, tail + SNUG__UPDATE_ENABLED)) {
    return SNUG_OK;
  }
  if (tail > 2 + slots) { /* nadam's product */
    j.step.u_sum = snug__scalar_input(call, 2 + slots, 1.0);
  }
  if (prepare) {
    prepare(&j.step);
  }
  snug__parallel_ranges(snug__threads(call->sig), snug__type_count(&call->sig->in[0]), 8192, range,
                        &j);
  return SNUG_OK;
}

static snug_status check_options(const snug__infer *q) {
  const snug__update_params *p = q->params;
  if (p->accumulation_steps < 1 || p->weight_decay < 0.0 || p->clipvalue < 0.0) {
    return snug__fail(q->ctx, SNUG_E_ARGUMENT,
                      "%s: accumulation_steps=%lld must be 1 or more, weight_decay=%g and "
                      "clipvalue=%g must not be negative",
                      q->where, (long long)p->accumulation_steps, p->weight_decay, p->clipvalue);
  }
  return SNUG_OK;
}

static snug_status need_scalars(const snug__infer *q, int32_t from) {
  for (int32_t i = from; i < q->n_in; i++) {
    if (q->in[i].dtype) {
      SNUG_TRY(snug__need_scalar(q, i));
    }
  }
  return SNUG_OK;
}

static snug_status infer(snug__infer *q, int32_t slots, int32_t tail) {
  char text[SNUG__TYPE_TEXT_BYTES];
  int32_t iteration = tail + SNUG__UPDATE_ITERATION;
  SNUG_TRY(check_options(q));
  SNUG_TRY(snug__need_real(q, 0));
  q->out[0] = q->in[0];
  SNUG_TRY(snug__need_type_of(q, 1, 0));
  for (int32_t k = 0; k < slots; k++) {
    if (q->in[2 + k].dtype) {
      SNUG_TRY(snug__need_type_of(q, 2 + k, 0));
    }
    q->out[1 + k] = q->in[2 + k];
  }
  SNUG_TRY(snug__need_real(q, tail + SNUG__UPDATE_RATE));
  SNUG_TRY(need_scalars(q, 2 + slots));
  if (q->in[iteration].dtype != SNUG_INT64) {
    return snug__fail(q->ctx, SNUG_E_DTYPE, "%s: the iteration is %s and must be an int64 scalar",
                      q->where, snug__type_text(&q->in[iteration], text));
  }
  return SNUG_OK;
}

static snug__cost cost(const snug__signature *sig) {
  return (snug__cost){16.0 * (double)snug__type_count(&sig->in[0]), snug__bytes_moved(sig)};
}

#define OPTION(member, kind, initial) SNUG_FIELD(snug__update_params, member, kind, initial)
#define COMMON                                                                     \
  OPTION(weight_decay, FLOAT, "0"), OPTION(clipvalue, FLOAT, "0"),                 \
      OPTION(gradient_factor, FLOAT, "1"), OPTION(accumulation_steps, INT, "1"), { \
    0                                                                              \
  }

static const snug__field sgd_fields[] = {COMMON};
static const snug__field sgd_momentum_fields[] = {OPTION(momentum, FLOAT, "0.9"),
                                                  OPTION(nesterov, BOOL, "false"), COMMON};
static const snug__field adam_fields[] = {OPTION(beta_1, FLOAT, "0.9"),
                                          OPTION(beta_2, FLOAT, "0.999"),
                                          OPTION(epsilon, FLOAT, "1e-7"), COMMON};
#define adamax_fields adam_fields
#define nadam_fields adam_fields
#define rmsprop_centered_fields rmsprop_fields
static const snug__field rmsprop_fields[] = {OPTION(rho, FLOAT, "0.9"),
                                             OPTION(momentum, FLOAT, "0"),
                                             OPTION(epsilon, FLOAT, "1e-7"), COMMON};
static const snug__field adagrad_fields[] = {OPTION(epsilon, FLOAT, "1e-7"), COMMON};
static const snug__field adadelta_fields[] = {OPTION(rho, FLOAT, "0.95"),
                                              OPTION(epsilon, FLOAT, "1e-7"), COMMON};
static const snug__field lion_fields[] = {OPTION(beta_1, FLOAT, "0.9"),
                                          OPTION(beta_2, FLOAT, "0.99"), COMMON};
static const snug__field ftrl_fields[] = {
    OPTION(learning_rate_power, FLOAT, "-0.5"), OPTION(l1, FLOAT, "0"),   OPTION(l2, FLOAT, "0"),
    OPTION(l2_shrinkage, FLOAT, "0"),           OPTION(beta, FLOAT, "0"), COMMON};

/* RULE(name, prepare, slots, slots that must be there, scalars between slots and tail, doc) */
#define RULE(rule, prepare, slots, least, extra, text)                              \
  static void range_##rule(void *arg, int64_t begin, int64_t end) {                 \
    const update_job *j = arg;                                                      \
    SNUG_REAL_CALL(j->dtype, update_##rule, (j, begin, end));                       \
  }                                                                                 \
  static snug_status infer_##rule(snug__infer *q) {                                 \
    return infer(q, slots, 2 + (slots) + (extra));                                  \
  }                                                                                 \
  static snug_status run_##rule(const snug__call *call) {                           \
    return run(call, range_##rule, prepare, slots, 2 + (slots) + (extra));          \
  }                                                                                 \
  const snug__op snug__op_##rule = {                                                \
      .name = #rule,                                                                \
      .doc = text,                                                                  \
      .params_bytes = sizeof(snug__update_params),                                  \
      .fields = rule##_fields,                                                      \
      .min_in = 4 + (slots) + (extra),                                              \
      .max_in = 6 + (slots) + (extra),                                              \
      .min_out = 1 + (least),                                                       \
      .max_out = 1 + (slots),                                                       \
      .flags = SNUG__OP_NO_RECOMPUTE,                                               \
      .writes = {1, (slots) > 0 ? 3 : 0, (slots) > 1 ? 4 : 0, (slots) > 2 ? 5 : 0}, \
      .infer = infer_##rule,                                                        \
      .reference = run_##rule,                                                      \
      .unblock = snug__unblock_flat,                                                \
      .cost = cost};

RULE(sgd, NULL, 0, 0, 0, "w -= rate g")
RULE(sgd_momentum, NULL, 1, 1, 0, "w += m = momentum m - rate g, or Nesterov's form")
RULE(adam, prepare_adam, 3, 2, 0, "Adam; slots m, v, and the largest v for amsgrad")
RULE(rmsprop, NULL, 2, 1, 0, "RMSprop; slots velocity, and momentum if there is one")
RULE(rmsprop_centered, NULL, 3, 2, 0, "RMSprop with slots velocity, average gradient, momentum")
RULE(adagrad, NULL, 1, 1, 0, "Adagrad; slot accumulator")
RULE(adadelta, NULL, 2, 2, 0, "Adadelta; slots of squared gradients and of squared steps")
RULE(adamax, prepare_adamax, 2, 2, 0, "Adamax; slots m, u")
RULE(nadam, prepare_nadam, 2, 2, 1, "Nadam; slots m, v, and the scalar product of momentums")
RULE(lion, NULL, 1, 1, 0, "Lion; slot m")
RULE(ftrl, NULL, 2, 2, 0, "Ftrl; slots accumulator, linear")

/* ---- LAMB: a step as long as the weight is, so its direction is computed twice ---- */

#define LAMB_SLOTS 2
#define LAMB_TAIL (2 + LAMB_SLOTS)

static int64_t pieces_of(const snug__type *t) { return (snug__type_count(t) + PIECE - 1) / PIECE; }

static size_t lamb_scratch(const snug__signature *sig) {
  return (size_t)(2 * pieces_of(&sig->in[0])) * sizeof(double);
}

static void lamb_first(void *arg, int64_t begin, int64_t end) {
  const update_job *j = arg;
  SNUG_REAL_CALL(j->dtype, lamb_moments, (j, begin, end));
}

static void lamb_second(void *arg, int64_t begin, int64_t end) {
  const update_job *j = arg;
  SNUG_REAL_CALL(j->dtype, lamb_step, (j, begin, end));
}

static snug_status infer_lamb(snug__infer *q) { return infer(q, LAMB_SLOTS, LAMB_TAIL); }

static snug_status run_lamb(const snug__call *call) {
  update_job j = job_of(call, LAMB_SLOTS, LAMB_TAIL);
  double w = 0.0;
  double u = 0.0;
  if (snug__is_disabled(call, LAMB_TAIL + SNUG__UPDATE_ENABLED)) {
    return SNUG_OK;
  }
  j.n = snug__type_count(&call->sig->in[0]);
  j.squares = call->scratch;
  j.step.bias[0] = 1.0 - pow(j.step.p->beta_1, j.step.t);
  j.step.bias[1] = 1.0 - pow(j.step.p->beta_2, j.step.t);
  int64_t pieces = pieces_of(&call->sig->in[0]);
  snug__parallel_ranges(snug__threads(call->sig), pieces, 1, lamb_first, &j);
  for (int64_t k = 0; k < pieces; k++) {
    w += j.squares[2 * k];
    u += j.squares[2 * k + 1];
  }
  j.step.alpha = j.step.rate * (w > 0.0 && u > 0.0 ? sqrt(w) / sqrt(u) : 1.0);
  snug__parallel_ranges(snug__threads(call->sig), j.n, PIECE, lamb_second, &j);
  return SNUG_OK;
}

const snug__op snug__op_lamb = {.name = "lamb",
                                .doc = "LAMB; slots m, v",
                                .params_bytes = sizeof(snug__update_params),
                                .fields = adam_fields,
                                .min_in = 4 + LAMB_SLOTS,
                                .max_in = 6 + LAMB_SLOTS,
                                .min_out = 1 + LAMB_SLOTS,
                                .max_out = 1 + LAMB_SLOTS,
                                .flags = SNUG__OP_NO_RECOMPUTE,
                                .writes = {1, 3, 4},
                                .infer = infer_lamb,
                                .reference = run_lamb,
                                .scratch = lamb_scratch,
                                .unblock = snug__unblock_flat,
                                .cost = cost};

/* ---- Muon: what is made orthogonal, before it is (model/optimizer_muon.c) ---- */

enum { MUON_M, MUON_G, MUON_SCALE, MUON_ENABLED };

static const snug__field muon_momentum_fields[] = {OPTION(momentum, FLOAT, "0.95"),
                                                   OPTION(nesterov, BOOL, "true"),
                                                   OPTION(clipvalue, FLOAT, "0"),
                                                   OPTION(gradient_factor, FLOAT, "1"),
                                                   {0}};

static void muon_range(void *arg, int64_t begin, int64_t end) {
  const update_job *j = arg;
  SNUG_REAL_CALL(j->dtype, muon_momentum, (j, begin, end));
}

static snug_status infer_muon(snug__infer *q) {
  SNUG_TRY(snug__infer_same_pair(q));
  q->out[1] = q->in[MUON_G];
  return need_scalars(q, MUON_SCALE);
}

static snug_status run_muon(const snug__call *call) {
  const snug__update_params *p = call->sig->params;
  update_job j = {.g = call->in[MUON_G],
                  .slot = {call->out[0]},
                  .direction = call->out[1],
                  .dtype = call->sig->in[0].dtype,
                  .scale = p->gradient_factor * snug__scalar_input(call, MUON_SCALE, 1.0),
                  .clip = p->clipvalue,
                  .step = {.p = p}};
  if (snug__is_disabled(call, MUON_ENABLED)) {
    memset(call->out[1], 0, (size_t)snug__type_bytes(&call->sig->out[1]));
    return SNUG_OK;
  }
  snug__parallel_ranges(snug__threads(call->sig), snug__type_count(&call->sig->in[0]), PIECE,
                        muon_range, &j);
  return SNUG_OK;
}

const snug__op snug__op_muon_momentum = {
    .name = "muon_momentum",
    .doc = "(m, g, scale, enabled): m = momentum m + g; and g + momentum m (Nesterov's) or m",
    .params_bytes = sizeof(snug__update_params),
    .fields = muon_momentum_fields,
    .min_in = 2,
    .max_in = 4,
    .min_out = 2,
    .max_out = 2,
    .flags = SNUG__OP_NO_RECOMPUTE,
    .in_place = {0, 1u << MUON_G},
    .writes = {1},
    .infer = infer_muon,
    .reference = run_muon,
    .unblock = snug__unblock_flat};
