/* dropout, alpha_dropout, gaussian_dropout, gaussian_noise.  Nothing is kept for the backward: the
 * gradient makes the same decisions again (and the gradient of dropout is dropout). */
#include "ops/dropout.h"

#include "base/noise.h"
#include "device/host.h"
#include "ops/support.h"
#include "ops/unary.h"
#include "ops/zip.h"

enum { X, SEED, STEP, OFFSET };

#define SELU_SCALE 1.0507009873554804934193349852946
#define SELU_ALPHA 1.6732632423543772848170429916717

/* ---- infer ---- */

static snug_status infer_inputs(snug__infer *q) {
  static const char *const names[] = {"x", "seed", "step", "sample_offset"};
  char text[SNUG__TYPE_TEXT_BYTES];
  SNUG_TRY(snug__need_rank_from(q, X, 1));
  for (int32_t i = SEED; i < q->n_in; i++) {
    bool left_out = i == OFFSET && !q->in[i].dtype;
    if (!left_out && (q->in[i].dtype != SNUG_INT64 || q->in[i].rank != 0)) {
      return snug__fail(q->ctx, SNUG_E_DTYPE, "%s: %s is %s and must be int64[]", q->where,
                        names[i], snug__type_text(&q->in[i], text));
    }
  }
  return snug__infer_same(q);
}

static snug_status need_rate(const snug__infer *q, double rate) {
  if (!(rate >= 0.0 && rate < 1.0)) {
    return snug__fail(q->ctx, SNUG_E_ARGUMENT, "%s: rate=%g must be from 0 to below 1", q->where,
                      rate);
  }
  return SNUG_OK;
}

static snug_status dropout_infer(snug__infer *q) {
  const snug__dropout_params *p = q->params;
  const snug__type *x = &q->in[X];
  char text[SNUG__TYPE_TEXT_BYTES];
  SNUG_TRY(need_rate(q, p->rate));
  SNUG_TRY(infer_inputs(q));
  bool fits = p->noise_shape.n == 0 || p->noise_shape.n == x->rank;
  for (int32_t k = 0; fits && k < p->noise_shape.n; k++) {
    int64_t d = p->noise_shape.v[k];
    fits = d == 1 || d == -1 || d == x->dim[k];
  }
  return fits
             ? SNUG_OK
             : snug__fail(q->ctx, SNUG_E_SHAPE,
                          "%s: noise_shape must have 1, -1 or the size itself for every axis of %s",
                          q->where, snug__type_text(x, text));
}

static snug_status gaussian_dropout_infer(snug__infer *q) {
  SNUG_TRY(need_rate(q, ((const snug__gaussian_dropout_params *)q->params)->rate));
  return infer_inputs(q);
}

static snug_status gaussian_noise_infer(snug__infer *q) {
  double stddev = ((const snug__gaussian_noise_params *)q->params)->stddev;
  if (!(stddev >= 0.0) || isinf(stddev)) {
    return snug__fail(q->ctx, SNUG_E_ARGUMENT, "%s: stddev=%g must be a number from 0 on", q->where,
                      stddev);
  }
  return infer_inputs(q);
}

/* ---- references ---- */

typedef struct random_job random_job;
struct random_job {
  const void *x;
  void *y;
  snug_dtype dtype;
  double rate, scale, shift;
  /* The result of one element; NULL: dropout. */
  double (*f)(const random_job *j, snug__noise *noise, int64_t decision, double x);
  uint64_t key;
  int64_t offset;    /* of the first sample in the effective batch */
  int64_t inside;    /* elements of a sample */
  bool batch_is_one; /* all samples share their decisions */
  snug__zip zip;     /* the decisions of a sample, broadcast to its elements */
};

typedef struct random_state {
  const random_job *job;
  int64_t base; /* first element of the sample */
  snug__noise noise;
} random_state;

#define SNUG_REAL_FILE "ops/dropout_ref.inc"
#include "ops/real.h"

static void run_row(const void *arg, const snug__zip_row *row) {
  random_state *s = *(random_state *const *)arg;
  if (s->job->f) {
    SNUG_REAL_CALL(s->job->dtype, random_row, (s, row));
  } else {
    SNUG_REAL_CALL(s->job->dtype, dropout_row, (s, row));
  }
}

static void run_range(void *arg, int64_t begin, int64_t end) {
  const random_job *j = arg;
  while (begin < end) {
    int64_t sample = begin / j->inside;
    int64_t first = begin - sample * j->inside;
    int64_t last = snug__min_i64(j->inside, first + end - begin);
    uint64_t index = j->batch_is_one ? 0 : (uint64_t)(j->offset + sample);
    random_state state = {j, sample * j->inside, {.key = j->key, .sample = index, .block = -1}};
    random_state *at = &state;
    snug__zip_walk(&j->zip, first, last, run_row, &at);
    begin += last - first;
  }
}

static int64_t scalar_of(const snug__call *call, int32_t i) {
  int64_t v = 0;
  if (i < call->sig->n_in && call->in[i]) {
    memcpy(&v, call->in[i], sizeof v);
  }
  return v;
}

/* The shape of the decisions of one sample, and whether the samples share them. */
static snug__type decisions_of(const snug_ints *noise_shape, const snug__type *inside) {
  snug__type t = *inside;
  for (int32_t k = 0; noise_shape && k < noise_shape->n - 1; k++) {
    t.dim[k] = noise_shape->v[k + 1] == 1 ? 1 : t.dim[k];
  }
  return t;
}

static snug_status run(const snug__call *call, random_job job, int64_t layer,
                       const snug_ints *noise_shape) {
  const snug__type *x = &call->sig->in[X];
  snug__type inside = snug__type_of(x->dtype, x->rank - 1, x->dim + 1);
  snug__type decisions = decisions_of(noise_shape, &inside);
  job.x = call->in[X];
  job.y = call->out[0];
  job.dtype = x->dtype;
  job.key = snug__noise_key(scalar_of(call, SEED), layer, scalar_of(call, STEP));
  job.offset = scalar_of(call, OFFSET);
  job.inside = snug__type_count(&inside);
  job.batch_is_one = noise_shape && noise_shape->n && noise_shape->v[0] == 1;
  job.zip = snug__zip_of(&inside, &decisions, 1);
  snug__parallel_ranges(snug__threads(call->sig), snug__type_count(x), 4096, run_range, &job);
  return SNUG_OK;
}

static snug_status dropout_reference(const snug__call *call) {
  const snug__dropout_params *p = call->sig->params;
  random_job job = {.rate = p->rate, .scale = 1.0 / (1.0 - p->rate)};
  return run(call, job, p->layer, &p->noise_shape);
}

/* a (x or alpha' ) + b with the a and b that keep mean 0 and variance 1. */
static double alpha_scale(double rate) {
  double saturated = SELU_SCALE * SELU_ALPHA;
  return 1.0 / sqrt((1.0 - rate) * (1.0 + rate * saturated * saturated));
}

static double alpha_at(const random_job *j, snug__noise *noise, int64_t decision, double x) {
  bool keep = snug__noise_unit(noise, decision) >= j->rate;
  return j->scale * (keep ? x : -SELU_SCALE * SELU_ALPHA) + j->shift;
}

static snug_status alpha_dropout_reference(const snug__call *call) {
  const snug__dropout_params *p = call->sig->params;
  double a = alpha_scale(p->rate);
  random_job job = {
      .rate = p->rate, .scale = a, .shift = a * SELU_SCALE * SELU_ALPHA * p->rate, .f = alpha_at};
  return run(call, job, p->layer, &p->noise_shape);
}

static double factor_at(const random_job *j, snug__noise *noise, int64_t decision, double x) {
  return x * (1.0 + j->scale * snug__noise_normal(noise, decision));
}

static snug_status gaussian_dropout_reference(const snug__call *call) {
  const snug__gaussian_dropout_params *p = call->sig->params;
  random_job job = {.scale = sqrt(p->rate / (1.0 - p->rate)), .f = factor_at};
  return run(call, job, p->layer, NULL);
}

static double addend_at(const random_job *j, snug__noise *noise, int64_t decision, double x) {
  return x + j->scale * snug__noise_normal(noise, decision);
}

static snug_status gaussian_noise_reference(const snug__call *call) {
  const snug__gaussian_noise_params *p = call->sig->params;
  random_job job = {.scale = p->stddev, .f = addend_at};
  return run(call, job, p->layer, NULL);
}

/* ---- gradients ---- */

/* y is linear in x with factors that the op recomputes: the op itself, on dy. */
static snug_status same_op(snug__grad *g, const snug__op *op, snug__id *out) {
  snug__id in[] = {g->dout[0], g->in[SEED], g->in[STEP],
                   g->n_in > OFFSET ? g->in[OFFSET] : SNUG_NONE};
  return snug__graph_add(g->g, op, g->params, in, g->n_in, out, 1);
}

static snug_status dropout_rule(snug__grad *g) { return same_op(g, &snug__op_dropout, &g->din[X]); }

static snug_status gaussian_dropout_rule(snug__grad *g) {
  return same_op(g, &snug__op_gaussian_dropout, &g->din[X]);
}

static snug_status gaussian_noise_rule(snug__grad *g) {
  g->din[X] = g->dout[0];
  return SNUG_OK;
}

static snug_status alpha_dropout_rule(snug__grad *g) {
  const snug__dropout_params *p = g->params;
  snug__scale_shift_params s = {alpha_scale(p->rate) * (1.0 - p->rate), 0.0};
  snug__id d;
  SNUG_TRY(same_op(g, &snug__op_dropout, &d));
  return SNUG_EMIT(g->g, scale_shift, &s, &g->din[X], d);
}

/* ---- records ---- */

static const snug__field dropout_fields[] = {
    SNUG_FIELD(snug__dropout_params, rate, FLOAT, NULL),
    SNUG_FIELD(snug__dropout_params, noise_shape, INTS, "[]"),
    SNUG_FIELD(snug__dropout_params, layer, INT, "0"),
    {0}};

static const snug__field gaussian_dropout_fields[] = {
    SNUG_FIELD(snug__gaussian_dropout_params, rate, FLOAT, NULL),
    SNUG_FIELD(snug__gaussian_dropout_params, layer, INT, "0"),
    {0}};

static const snug__field gaussian_noise_fields[] = {
    SNUG_FIELD(snug__gaussian_noise_params, stddev, FLOAT, NULL),
    SNUG_FIELD(snug__gaussian_noise_params, layer, INT, "0"),
    {0}};

#define RANDOM_RECORD(op, text, type, table, check)             \
  const snug__op snug__op_##op = {.name = #op,                  \
                                  .doc = (text),                \
                                  .params_bytes = sizeof(type), \
                                  .fields = (table),            \
                                  .min_in = 3,                  \
                                  .max_in = 4,                  \
                                  .min_out = 1,                 \
                                  .max_out = 1,                 \
                                  .flags = SNUG__OP_CHEAP,      \
                                  .in_place = {1},              \
                                  .infer = (check),             \
                                  .grad = op##_rule,            \
                                  .reference = op##_reference,  \
                                  .cost = snug__unary_cost}

RANDOM_RECORD(dropout, "x / (1 - rate), a part `rate` of it 0", snug__dropout_params,
              dropout_fields, dropout_infer);
RANDOM_RECORD(alpha_dropout, "dropout to the lower end of selu, mean and variance kept",
              snug__dropout_params, dropout_fields, dropout_infer);
RANDOM_RECORD(gaussian_dropout, "x times normal factors of mean 1", snug__gaussian_dropout_params,
              gaussian_dropout_fields, gaussian_dropout_infer);
RANDOM_RECORD(gaussian_noise, "x plus normal noise", snug__gaussian_noise_params,
              gaussian_noise_fields, gaussian_noise_infer);
