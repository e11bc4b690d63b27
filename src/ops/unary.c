/* Functions of one value that are no activations. */
#include "ops/unary.h"

#include "device/host.h"
#include "ops/shape.h"
#include "ops/support.h"

typedef struct unary_job {
  const void *in[2];
  void *out;
  snug_dtype dtype;
  snug__unary *f;
  snug__unary_gradient *slope;
  const void *p;
} unary_job;

#define SNUG_REAL_FILE "ops/unary_ref.inc"
#include "ops/real.h"

static void run_unary(void *arg, int64_t begin, int64_t end) {
  const unary_job *j = arg;
  SNUG_REAL_CALL(j->dtype, unary_range, (j, begin, end));
}

static void run_gradient(void *arg, int64_t begin, int64_t end) {
  const unary_job *j = arg;
  SNUG_REAL_CALL(j->dtype, gradient_range, (j, begin, end));
}

snug_status snug__unary_run(const snug__call *call, snug__unary *f, const void *p) {
  const snug__type *t = &call->sig->out[0];
  unary_job job = {{call->in[0], NULL}, call->out[0], t->dtype, f, NULL, p};
  snug__parallel_ranges(snug__threads(call->sig), snug__type_count(t), 4096, run_unary, &job);
  return SNUG_OK;
}

snug_status snug__unary_gradient_run(const snug__call *call, snug__unary_gradient *f,
                                     const void *p) {
  const snug__type *t = &call->sig->out[0];
  unary_job job = {{call->in[0], call->in[1]}, call->out[0], t->dtype, NULL, f, p};
  snug__parallel_ranges(snug__threads(call->sig), snug__type_count(t), 4096, run_gradient, &job);
  return SNUG_OK;
}

double snug__as_element(snug_dtype dtype, double value) {
  double room = 0.0;
  snug__element_set(dtype, &room, 0, value);
  return snug__element_get(dtype, &room, 0);
}

snug_status snug__emit_unary_gradient(snug__grad *g, const snug__op *op, snug__id v) {
  return snug__graph_add(g->g, op, g->params, (const snug__id[]){g->dout[0], v}, 2, &g->din[0], 1);
}

snug__cost snug__unary_cost(const snug__signature *sig) {
  return (snug__cost){SNUG__FUNCTION_FLOPS * (double)snug__type_count(&sig->out[0]),
                      snug__bytes_moved(sig)};
}

/* ---- linear ---- */

UNARY_AT(negative, -x)
UNARY_REFERENCE(negative)
static snug_status negative_rule(snug__grad *g) {
  return SNUG_EMIT(g->g, negative, NULL, &g->din[0], g->dout[0]);
}
UNARY_RECORD(negative, "-x", 1, .infer = snug__infer_same, .grad = negative_rule);

static double scale_shift_at(double x, const void *p) {
  const snug__scale_shift_params *s = p;
  return x * s->scale + s->shift;
}
UNARY_REFERENCE(scale_shift)
static snug_status scale_shift_rule(snug__grad *g) {
  snug__scale_shift_params p = *(const snug__scale_shift_params *)g->params;
  p.shift = 0.0;
  return SNUG_EMIT(g->g, scale_shift, &p, &g->din[0], g->dout[0]);
}
static const snug__field scale_shift_fields[] = {
    SNUG_FIELD(snug__scale_shift_params, scale, FLOAT, "1"),
    SNUG_FIELD(snug__scale_shift_params, shift, FLOAT, "0"),
    {0}};
UNARY_RECORD(scale_shift, "x scale + shift", 1, .params_bytes = sizeof(snug__scale_shift_params),
             .fields = scale_shift_fields, .infer = snug__infer_same, .grad = scale_shift_rule);

/* ---- smooth ---- */

UNARY_AT(square, (x * x))
UNARY_SLOPE(square, 2.0 * v * dy)
UNARY_PAIR(square, "x^2", in, NULL);

UNARY_AT(sqrt, sqrt(x))
UNARY_SLOPE(sqrt, 0.5 * dy / v)
UNARY_PAIR(sqrt, "square root of x", out, NULL);

UNARY_AT(rsqrt, 1.0 / sqrt(x))
UNARY_SLOPE(rsqrt, -0.5 * v * v * v * dy)
UNARY_PAIR(rsqrt, "1 / square root of x", out, NULL);

UNARY_AT(reciprocal, 1.0 / x)
UNARY_SLOPE(reciprocal, (-v * v * dy))
UNARY_PAIR(reciprocal, "1 / x", out, NULL);

UNARY_AT(exp, exp(x))
UNARY_SLOPE(exp, (dy * v))
UNARY_PAIR(exp, "e^x", out, snug__unary_cost);

UNARY_AT(log, log(x))
UNARY_SLOPE(log, dy / v)
UNARY_PAIR(log, "natural logarithm of x", in, snug__unary_cost);

/* ---- with kinks ---- */

UNARY_AT(abs, fabs(x))
UNARY_SLOPE(abs, v > 0.0 ? dy : v < 0.0 ? -dy : 0.0)
UNARY_PAIR(abs, "|x|", in, NULL);

/* The slope is 0 everywhere. */
static snug_status sign_rule(snug__grad *g) {
  const snug__type *x = snug__type_at(g->g, g->in[0]);
  snug__fill_params p;
  memset(&p, 0, sizeof p);
  p.shape.n = x->rank;
  memcpy(p.shape.v, x->dim, sizeof x->dim);
  p.dtype = (int32_t)x->dtype;
  return snug__graph_add(g->g, &snug__op_fill, &p, NULL, 0, &g->din[0], 1);
}

UNARY_AT(sign, x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x)
UNARY_REFERENCE(sign)
UNARY_RECORD(sign, "-1, 0 or 1", 1, .infer = snug__infer_same, .grad = sign_rule);

static const snug__field clip_fields[] = {SNUG_FIELD(snug__clip_params, min, FLOAT, "-inf"),
                                          SNUG_FIELD(snug__clip_params, max, FLOAT, "inf"),
                                          {0}};

static snug_status clip_infer(snug__infer *q) {
  const snug__clip_params *p = q->params;
  if (!(p->min <= p->max)) {
    return snug__fail(q->ctx, SNUG_E_ARGUMENT, "%s: min=%g is not below max=%g", q->where, p->min,
                      p->max);
  }
  return snug__infer_same(q);
}

static double clip_at(double x, const void *p) {
  const snug__clip_params *c = p;
  return x < c->min ? c->min : x > c->max ? c->max : x;
}
UNARY_REFERENCE(clip)

/* From y: at a bound it cannot be told whether x was there too, and no gradient flows. */
static double clip_slope(double dy, double v, const void *p) {
  const snug__clip_params *c = p;
  return v > c->min && v < c->max ? dy : 0.0;
}
static snug_status clip_grad_reference(const snug__call *call) {
  const snug__clip_params *p = call->sig->params;
  snug_dtype d = call->sig->in[0].dtype;
  snug__clip_params rounded = {snug__as_element(d, p->min), snug__as_element(d, p->max)};
  return snug__unary_gradient_run(call, clip_slope, &rounded);
}
UNARY_PAIR_RECORDS(clip, "x held between min and max", out, NULL, snug__clip_params, clip_fields,
                   clip_infer);
