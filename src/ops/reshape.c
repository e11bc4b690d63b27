/* reshape: the same elements in the same order under another shape; a view, so nothing runs. */
#include "ops/shape.h"
#include "ops/support.h"

static const snug__field fields[] = {SNUG_FIELD(snug__reshape_params, shape, INTS, "[]"), {0}};

static snug_status infer(snug__infer *q) {
  const snug__reshape_params *p = q->params;
  char text[SNUG__TYPE_TEXT_BYTES];
  char to[SNUG__TYPE_TEXT_BYTES];
  if (p->shape.n > SNUG_MAX_RANK) {
    return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: %d axes; there may be at most %d", q->where,
                      p->shape.n, SNUG_MAX_RANK);
  }
  q->out[0] = snug__type_of(q->in[0].dtype, p->shape.n, p->shape.v);
  if (!snug__type_is_valid(&q->out[0]) ||
      snug__type_count(&q->out[0]) != snug__type_count(&q->in[0])) {
    return snug__fail(q->ctx, SNUG_E_SHAPE,
                      "%s: %s cannot become %s: the numbers of elements differ", q->where,
                      snug__type_text(&q->in[0], text), snug__type_text(&q->out[0], to));
  }
  return SNUG_OK;
}

snug_status snug__emit_reshape(snug__graph *g, snug__id v, const snug__type *to, snug__id *out) {
  snug__reshape_params p;
  if (snug__shape_equal(snug__type_at(g, v), to)) {
    *out = v;
    return SNUG_OK;
  }
  memset(&p, 0, sizeof p);
  p.shape.n = to->rank;
  memcpy(p.shape.v, to->dim, sizeof to->dim);
  return SNUG_EMIT(g, reshape, &p, out, v);
}

static snug_status grad(snug__grad *g) {
  snug__type to = *snug__type_at(g->g, g->in[0]);
  return snug__emit_reshape(g->g, g->dout[0], &to, &g->din[0]);
}

static snug_status reference(const snug__call *call) {
  (void)call; /* a view */
  return SNUG_OK;
}

static snug__cost cost(const snug__signature *sig) {
  (void)sig;
  return (snug__cost){0, 0};
}

const snug__op snug__op_reshape = {.name = "reshape",
                                   .doc = "the same elements under another shape (a view)",
                                   .params_bytes = sizeof(snug__reshape_params),
                                   .fields = fields,
                                   .min_in = 1,
                                   .max_in = 1,
                                   .min_out = 1,
                                   .max_out = 1,
                                   .flags = SNUG__OP_VIEW,
                                   .infer = infer,
                                   .grad = grad,
                                   .reference = reference,
                                   .cost = cost};
