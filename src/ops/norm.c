/* What the normalizations share. */
#include "ops/norm.h"

#include "ops/support.h"

#define MAX_KEPT 2 /* statistics that a forward op keeps */

const snug__field snug__norm_grad_fields[] = {
    SNUG_FIELD(snug__norm_grad_params, epsilon, FLOAT, "1e-3"),
    SNUG_CHOICE(snug__norm_grad_params, dtype, snug__dtype_choices, "float32"),
    {0}};

static bool has(const snug__infer *q, int32_t i) { return i < q->n_in && q->in[i].dtype; }

static snug__type last_axes(const snug__type *x, int32_t n, snug_dtype dtype) {
  return snug__type_of(dtype, n, x->dim + x->rank - n);
}

snug_status snug__norm_need_vector(const snug__infer *q, int32_t i, int32_t x, int32_t n) {
  char text[SNUG__TYPE_TEXT_BYTES];
  char want_text[SNUG__TYPE_TEXT_BYTES];
  if (!has(q, i)) {
    return SNUG_OK;
  }
  SNUG_TRY(snug__need_real(q, i));
  snug__type want = last_axes(&q->in[x], n, q->in[i].dtype);
  if (!snug__shape_equal(&want, &q->in[i])) {
    return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: input %d is %s and must be %s", q->where, i,
                      snug__type_text(&q->in[i], text), snug__type_text(&want, want_text));
  }
  return SNUG_OK;
}

snug_status snug__norm_need_gamma_beta(const snug__infer *q, int32_t n) {
  SNUG_TRY(snug__norm_need_vector(q, 1, 0, n));
  SNUG_TRY(snug__norm_need_vector(q, 2, 0, n));
  return has(q, 1) && has(q, 2) ? snug__need_dtype_of(q, 2, 1) : SNUG_OK;
}

snug_status snug__norm_need_epsilon(const snug__infer *q, double epsilon) {
  if (epsilon >= 0.0 && isfinite(epsilon)) {
    return SNUG_OK;
  }
  return snug__fail(q->ctx, SNUG_E_ARGUMENT, "%s: epsilon=%g must be 0 or more", q->where, epsilon);
}

void snug__norm_grad_types(snug__infer *q, int32_t n) {
  const snug__norm_grad_params *p = q->params;
  q->out[0] = q->in[0];
  q->out[1] = q->out[2] = last_axes(&q->in[0], n, (snug_dtype)p->dtype);
}

void snug__norm_read(const snug__call *call, int32_t i, int64_t n, double absent, double *out) {
  const void *data = i < call->sig->n_in ? call->in[i] : NULL;
  for (int64_t k = 0; k < n; k++) {
    out[k] = data ? snug__element_get(call->sig->in[i].dtype, data, k) : absent;
  }
}

void *snug__norm_out(const snug__call *call, int32_t k) {
  return k < call->sig->n_out ? call->out[k] : NULL;
}

void snug__norm_write(const snug__call *call, int32_t k, int64_t n, const double *v) {
  void *data = snug__norm_out(call, k);
  for (int64_t i = 0; data && i < n; i++) {
    snug__element_set(call->sig->out[k].dtype, data, i, v[i]);
  }
}

static snug_dtype vector_dtype(const snug__grad *g) {
  for (int32_t i = 1; i < 3 && i < g->n_in; i++) {
    if (g->in[i] != SNUG_NONE) {
      return snug__type_at(g->g, g->in[i])->dtype;
    }
  }
  return snug__wide_dtype(snug__type_at(g->g, g->in[0])->dtype);
}

snug_status snug__norm_emit_grad(snug__grad *g, const snug__op *op, double epsilon,
                                 const snug__id *in, int32_t n_in) {
  snug__norm_grad_params p;
  snug__id node = (snug__id)g->g->nodes.n;
  memset(&p, 0, sizeof p);
  p.epsilon = epsilon;
  p.dtype = (int32_t)vector_dtype(g);
  SNUG_TRY(snug__graph_add(g->g, op, &p, in, n_in, NULL, 0));
  for (int32_t i = 0; i < g->n_in && i < op->max_out; i++) {
    if (g->wants[i]) {
      SNUG_TRY(snug__graph_want_output(g->g, node, i, &g->din[i]));
    }
  }
  return SNUG_OK;
}

snug_status snug__norm_emit_kept_grad(snug__grad *g, const snug__op *op, double epsilon,
                                      int32_t kept) {
  snug__id in[3 + MAX_KEPT] = {g->dout[0], g->in[0], g->n_in > 1 ? g->in[1] : SNUG_NONE};
  if (g->dout[0] == SNUG_NONE) {
    return SNUG_OK;
  }
  for (int32_t k = 0; k < kept; k++) {
    SNUG_TRY(snug__graph_want_output(g->g, g->node, 1 + k, &in[3 + k]));
  }
  return snug__norm_emit_grad(g, op, epsilon, in, 3 + kept);
}
