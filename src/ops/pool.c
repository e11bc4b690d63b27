/* What the pooling ops have in common: checks, shapes, cost. */
#include "ops/pool.h"

#include "ops/support.h"
#include "ops/unblock.h"

const snug__field snug__pool2d_fields[] = {SNUG__POOL_FIELDS, {0}};
const snug__field snug__pool2d_bwd_fields[] = {
    SNUG__POOL_FIELDS, SNUG_FIELD(snug__pool2d_bwd_params, input_shape, INTS, NULL), {0}};

snug__pool snug__pool_of(const snug__type *x, const snug__pool2d_params *p) {
  const snug_ints *strides = p->strides.n ? &p->strides : &p->pool_size;
  return (snug__pool){
      .batch = x->dim[0],
      .channels = x->dim[3],
      .h = snug__window_of(x->dim[1], p->pool_size.v[0], strides->v[0], 1, p->padding),
      .w = snug__window_of(x->dim[2], p->pool_size.v[1], strides->v[1], 1, p->padding)};
}

snug_status snug__need_pool(const snug__infer *q, const snug__type *x, const snug__pool2d_params *p,
                            snug__pool *out) {
  const snug_ints *strides = p->strides.n ? &p->strides : &p->pool_size;
  SNUG_TRY(snug__need_pair(q, "pool_size", &p->pool_size));
  SNUG_TRY(snug__need_pair(q, "strides", strides));
  snug__window h = {x->dim[1], 0, p->pool_size.v[0], strides->v[0], 1, 0};
  snug__window w = {x->dim[2], 0, p->pool_size.v[1], strides->v[1], 1, 0};
  *out = (snug__pool){.batch = x->dim[0], .channels = x->dim[3]};
  SNUG_TRY(snug__need_window(q, "height", h, p->padding, &out->h));
  SNUG_TRY(snug__need_window(q, "width", w, p->padding, &out->w));
  return h.kernel * w.kernel <= INT32_MAX
             ? SNUG_OK
             : snug__fail(q->ctx, SNUG_E_ARGUMENT, "%s: a window of %lld x %lld is too large",
                          q->where, (long long)h.kernel, (long long)w.kernel);
}

snug_status snug__infer_pool(snug__infer *q, snug__pool *out) {
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_rank(q, 0, 4));
  SNUG_TRY(snug__need_pool(q, &q->in[0], q->params, out));
  const int64_t dim[] = {out->batch, out->h.out, out->w.out, out->channels};
  q->out[0] = snug__type_of(q->in[0].dtype, 4, dim);
  return SNUG_OK;
}

snug_status snug__infer_pool_bwd(snug__infer *q, snug__pool *out) {
  const snug__pool2d_bwd_params *p = q->params;
  SNUG_TRY(snug__need_real(q, 0));
  SNUG_TRY(snug__need_rank(q, 0, 4));
  SNUG_TRY(snug__need_shape4(q, "input_shape", &p->input_shape, q->in[0].dtype, &q->out[0]));
  SNUG_TRY(snug__need_pool(q, &q->out[0], &p->pool, out));
  return snug__need_output(q, 0, out->batch, out->h.out, out->w.out, out->channels);
}

snug__pool2d_bwd_params snug__pool_bwd_params(const snug__grad *g) {
  snug__pool2d_bwd_params p;
  memset(&p, 0, sizeof p);
  memcpy(&p.pool, g->params, sizeof p.pool);
  p.input_shape = snug__shape_param(snug__type_at(g->g, g->in[0]));
  return p;
}

/* In the padding of a block all places are zero, so the first of a window wins: it has the number
 * zero, as it must, unless the window reaches over the edge. */
bool snug__pool_unblock(const snug__signature *sig, snug__plain_call *plain) {
  const snug__pool2d_params *p = sig->params;
  snug__type x = snug__type_in(sig->in[0], snug__image_layout(sig));
  bool has_index = sig->n_out > 1 && sig->out[1].dtype;
  return !(has_index && p->padding == SNUG__PADDING_SAME && snug__is_padded(&x)) &&
         snug__unblock_planes(sig, plain);
}

bool snug__pool_bwd_unblock(const snug__signature *sig, snug__plain_call *plain) {
  bool ok = snug__unblock_planes(sig, plain);
  ((snug__pool2d_bwd_params *)plain->params)->input_shape = snug__shape_param(&plain->out[0]);
  return ok;
}

static snug__cost cost_of(const snug__signature *sig, const snug__type *y) {
  const snug__pool2d_params *p = sig->params;
  double window = (double)(p->pool_size.v[0] * p->pool_size.v[1]);
  return (snug__cost){window * (double)snug__type_count(y), snug__bytes_moved(sig)};
}

snug__cost snug__pool_cost(const snug__signature *sig) { return cost_of(sig, &sig->out[0]); }
snug__cost snug__pool_bwd_cost(const snug__signature *sig) { return cost_of(sig, &sig->in[0]); }
