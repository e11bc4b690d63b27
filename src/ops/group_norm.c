/* group_norm: every sample normalized over its space and each group of channels (the last axis);
 * one channel per group is instance normalization. */
#include "ops/group_norm.h"

#include "ops/support.h"

static const snug__field fields[] = {SNUG_FIELD(snug__group_norm_params, groups, INT, "32"),
                                     SNUG_FIELD(snug__group_norm_params, epsilon, FLOAT, "1e-3"),
                                     {0}};

static int64_t channels_of(const snug__type *x) { return x->dim[x->rank - 1]; }

static int64_t groups_of(const snug__group_norm_params *p, const snug__type *x) {
  return p->groups == -1 ? channels_of(x) : p->groups;
}

static snug__group_view view_of(const snug__type *x, int64_t groups) {
  snug__group_view v = {x->dim[0], 1, groups, groups ? channels_of(x) / groups : 0, true};
  for (int32_t k = 1; k < x->rank - 1; k++) {
    v.s *= x->dim[k];
  }
  return v;
}

static snug_status infer(snug__infer *q) {
  const snug__group_norm_params *p = q->params;
  const snug__type *x = &q->in[0];
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_rank_from(q, 0, 2));
  SNUG_TRY(snug__norm_need_gamma_beta(q, 1));
  if (p->groups != -1 && (p->groups < 1 || channels_of(x) % p->groups != 0)) {
    return snug__fail(q->ctx, SNUG_E_ARGUMENT,
                      "%s: groups=%lld must divide the %lld channels, or be -1 for one per channel",
                      q->where, (long long)p->groups, (long long)channels_of(x));
  }
  q->out[0] = *x;
  q->out[1] = q->out[2] =
      snug__type_of(snug__wide_dtype(x->dtype), 2, (int64_t[]){x->dim[0], groups_of(p, x)});
  return snug__norm_need_epsilon(q, p->epsilon);
}

static snug_status reference(const snug__call *call) {
  const snug__group_norm_params *p = call->sig->params;
  const snug__type *x = &call->sig->in[0];
  snug__group_norm_run(call, view_of(x, groups_of(p, x)), p->epsilon);
  return SNUG_OK;
}

static size_t scratch(const snug__signature *sig) {
  return snug__group_norm_scratch(view_of(&sig->in[0], groups_of(sig->params, &sig->in[0])));
}

static snug_status grad(snug__grad *g) {
  const snug__group_norm_params *p = g->params;
  return snug__norm_emit_kept_grad(g, &snug__op_group_norm_grad, p->epsilon, 2);
}

const snug__op snug__op_group_norm = {
    .name = "group_norm",
    .doc = "(x, gamma?, beta?) -> y, mean?, rstd?: normalized per sample and group of channels",
    .params_bytes = sizeof(snug__group_norm_params),
    .fields = fields,
    .min_in = 1,
    .max_in = 3,
    .min_out = 1,
    .max_out = 3,
    .in_place = {1},
    .infer = infer,
    .grad = grad,
    .reference = reference,
    .scratch = scratch,
    .cost = snug__group_norm_cost};

/* ---- backward ---- */

static snug_status grad_infer(snug__infer *q) {
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_rank_from(q, 0, 2));
  SNUG_TRY(snug__need_type_of(q, 1, 0));
  SNUG_TRY(snug__norm_need_vector(q, 2, 0, 1));
  SNUG_TRY(snug__need_rank(q, 3, 2));
  SNUG_TRY(snug__need_real(q, 3));
  SNUG_TRY(snug__need_type_of(q, 4, 3));
  if (q->in[3].dim[0] != q->in[0].dim[0] ||
      (q->in[3].dim[1] && channels_of(&q->in[0]) % q->in[3].dim[1] != 0)) {
    return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: the statistics are not those of x", q->where);
  }
  snug__norm_grad_types(q, 1);
  return SNUG_OK;
}

static snug__group_view grad_view(const snug__signature *sig) {
  return view_of(&sig->in[0], sig->in[3].dim[1]);
}

static snug_status grad_reference(const snug__call *call) {
  snug__group_norm_run_grad(call, grad_view(call->sig));
  return SNUG_OK;
}

static size_t grad_scratch(const snug__signature *sig) {
  return snug__group_norm_grad_scratch(grad_view(sig));
}

const snug__op snug__op_group_norm_grad = {
    .name = "group_norm_grad",
    .doc = "(dy, x, gamma?, mean, rstd) -> dx?, dgamma?, dbeta? of group_norm",
    .params_bytes = sizeof(snug__norm_grad_params),
    .fields = snug__norm_grad_fields,
    .min_in = 5,
    .max_in = 5,
    .min_out = 0,
    .max_out = 3,
    .in_place = {3},
    .infer = grad_infer,
    .reference = grad_reference,
    .scratch = grad_scratch,
    .cost = snug__group_norm_cost};
