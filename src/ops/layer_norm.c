/* layer_norm and rms_norm: normalized over the last axes, with gamma (and beta) of their shape. */
#include "ops/group_norm.h"
#include "ops/support.h"

static const snug__field layer_fields[] = {
    SNUG_FIELD(snug__layer_norm_params, axis, INTS, "[-1]"),
    SNUG_FIELD(snug__layer_norm_params, epsilon, FLOAT, "1e-3"),
    {0}};

static const snug__field rms_fields[] = {
    SNUG_FIELD(snug__layer_norm_params, axis, INTS, "[-1]"),
    SNUG_FIELD(snug__layer_norm_params, epsilon, FLOAT, "1e-6"),
    {0}};

/* x seen as [n, 1, 1, k], the first `lead` axes being n. */
static snug__group_view view_of(const snug__type *x, int32_t lead, bool centered) {
  snug__group_view v = {1, 1, 1, 1, centered};
  for (int32_t k = 0; k < x->rank; k++) {
    *(k < lead ? &v.n : &v.k) *= x->dim[k];
  }
  return v;
}

static snug__group_view forward_view(const snug__signature *sig, bool centered) {
  const snug__layer_norm_params *p = sig->params;
  return view_of(&sig->in[0], sig->in[0].rank - p->axis.n, centered);
}

/* The axes must be the last ones, each once, in any order. */
static snug_status need_last_axes(const snug__infer *q, const snug_ints *axis) {
  int32_t rank = q->in[0].rank;
  uint32_t seen = 0;
  for (int32_t i = 0; i < axis->n; i++) {
    int32_t k = 0;
    SNUG_TRY(snug__need_axis(q, "axis", axis->v[i], rank, &k));
    seen |= 1u << k;
  }
  if (axis->n >= 1 && axis->n <= rank && seen == (1u << rank) - (1u << (rank - axis->n))) {
    return SNUG_OK;
  }
  return snug__fail(q->ctx, SNUG_E_UNSUPPORTED,
                    "%s: axis must name the last axes, each once; permute the input before and "
                    "after to normalize over others",
                    q->where);
}

static snug_status infer(snug__infer *q, int32_t kept) {
  const snug__layer_norm_params *p = q->params;
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(need_last_axes(q, &p->axis));
  SNUG_TRY(snug__norm_need_gamma_beta(q, p->axis.n));
  q->out[0] = q->in[0];
  q->out[1] =
      snug__type_of(snug__wide_dtype(q->in[0].dtype), q->in[0].rank - p->axis.n, q->in[0].dim);
  q->out[kept] = q->out[1];
  return snug__norm_need_epsilon(q, p->epsilon);
}

static snug_status layer_infer(snug__infer *q) { return infer(q, 2); }
static snug_status rms_infer(snug__infer *q) { return infer(q, 1); }

static snug_status layer_reference(const snug__call *call) {
  const snug__layer_norm_params *p = call->sig->params;
  snug__group_norm_run(call, forward_view(call->sig, true), p->epsilon);
  return SNUG_OK;
}

static snug_status rms_reference(const snug__call *call) {
  const snug__layer_norm_params *p = call->sig->params;
  snug__group_norm_run(call, forward_view(call->sig, false), p->epsilon);
  return SNUG_OK;
}

static size_t scratch(const snug__signature *sig) {
  return snug__group_norm_scratch(forward_view(sig, true));
}

static snug_status layer_grad(snug__grad *g) {
  const snug__layer_norm_params *p = g->params;
  return snug__norm_emit_kept_grad(g, &snug__op_layer_norm_grad, p->epsilon, 2);
}

static snug_status rms_grad(snug__grad *g) {
  const snug__layer_norm_params *p = g->params;
  return snug__norm_emit_kept_grad(g, &snug__op_rms_norm_grad, p->epsilon, 1);
}

const snug__op snug__op_layer_norm = {
    .name = "layer_norm",
    .doc = "(x, gamma?, beta?) -> y, mean?, rstd?: normalized over the last axes",
    .params_bytes = sizeof(snug__layer_norm_params),
    .fields = layer_fields,
    .min_in = 1,
    .max_in = 3,
    .min_out = 1,
    .max_out = 3,
    .in_place = {1},
    .infer = layer_infer,
    .grad = layer_grad,
    .reference = layer_reference,
    .scratch = scratch,
    .cost = snug__group_norm_cost};

const snug__op snug__op_rms_norm = {
    .name = "rms_norm",
    .doc = "(x, scale?) -> y, rstd?: x over the root of its mean square over the last axes",
    .params_bytes = sizeof(snug__layer_norm_params),
    .fields = rms_fields,
    .min_in = 1,
    .max_in = 2,
    .min_out = 1,
    .max_out = 2,
    .in_place = {1},
    .infer = rms_infer,
    .grad = rms_grad,
    .reference = rms_reference,
    .scratch = scratch,
    .cost = snug__group_norm_cost};

/* ---- backward: the statistics tell how many axes were normalized over ---- */

static snug_status grad_infer(snug__infer *q, int32_t rstd) {
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_rank_from(q, 0, 1));
  SNUG_TRY(snug__need_type_of(q, 1, 0));
  SNUG_TRY(snug__need_real(q, rstd));
  const snug__type *x = &q->in[0];
  const snug__type *r = &q->in[rstd];
  int32_t axes = x->rank - r->rank;
  if (axes < 1 || memcmp(r->dim, x->dim, (size_t)r->rank * sizeof *r->dim) != 0) {
    return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: the statistics are not those of x", q->where);
  }
  SNUG_TRY(snug__norm_need_vector(q, 2, 0, axes));
  snug__norm_grad_types(q, axes);
  return SNUG_OK;
}

static snug_status layer_grad_infer(snug__infer *q) {
  SNUG_TRY(snug__need_type_of(q, 3, 4));
  return grad_infer(q, 4);
}

static snug_status rms_grad_infer(snug__infer *q) { return grad_infer(q, 3); }

static snug_status layer_grad_reference(const snug__call *call) {
  const snug__signature *sig = call->sig;
  snug__group_norm_run_grad(call, view_of(&sig->in[0], sig->in[4].rank, true));
  return SNUG_OK;
}

static snug_status rms_grad_reference(const snug__call *call) {
  const snug__signature *sig = call->sig;
  snug__group_norm_run_grad(call, view_of(&sig->in[0], sig->in[3].rank, false));
  return SNUG_OK;
}

static size_t grad_scratch(const snug__signature *sig) {
  return snug__group_norm_grad_scratch(view_of(&sig->in[0], sig->in[3].rank, true));
}

const snug__op snug__op_layer_norm_grad = {
    .name = "layer_norm_grad",
    .doc = "(dy, x, gamma?, mean, rstd) -> dx?, dgamma?, dbeta? of layer_norm",
    .params_bytes = sizeof(snug__norm_grad_params),
    .fields = snug__norm_grad_fields,
    .min_in = 5,
    .max_in = 5,
    .min_out = 0,
    .max_out = 3,
    .in_place = {3},
    .infer = layer_grad_infer,
    .reference = layer_grad_reference,
    .scratch = grad_scratch,
    .cost = snug__group_norm_cost};

const snug__op snug__op_rms_norm_grad = {.name = "rms_norm_grad",
                                         .doc = "(dy, x, scale?, rstd) -> dx?, dscale? of rms_norm",
                                         .params_bytes = sizeof(snug__norm_grad_params),
                                         .fields = snug__norm_grad_fields,
                                         .min_in = 4,
                                         .max_in = 4,
                                         .min_out = 0,
                                         .max_out = 2,
                                         .in_place = {3},
                                         .infer = rms_grad_infer,
                                         .reference = rms_grad_reference,
                                         .scratch = grad_scratch,
                                         .cost = snug__group_norm_cost};
