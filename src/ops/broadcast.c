/* broadcast_to: repeat a value along its axes of size 1 and along new leading axes. */
#include "device/host.h"
#include "graph/rewrite.h"
#include "ops/copy.h"
#include "ops/shape.h"
#include "ops/support.h"
#include "ops/unary.h"
#include "ops/unblock.h"

static const snug__field fields[] = {SNUG_FIELD(snug__broadcast_to_params, shape, INTS, "[]"),
                                     SNUG_FIELD(snug__broadcast_to_params, scale, FLOAT, "1"),
                                     {0}};

static bool can_broadcast(const snug__type *from, const snug__type *to) {
  for (int32_t k = 1; k <= from->rank; k++) {
    int64_t d = from->dim[from->rank - k];
    if (k > to->rank || (d != 1 && d != to->dim[to->rank - k])) {
      return false;
    }
  }
  return true;
}

static snug_status infer(snug__infer *q) {
  const snug__broadcast_to_params *p = q->params;
  char from[SNUG__TYPE_TEXT_BYTES];
  char to[SNUG__TYPE_TEXT_BYTES];
  SNUG_TRY(p->scale == 1.0 ? SNUG_OK : snug__need_real(q, 0));
  q->out[0] =
      snug__type_of(q->in[0].dtype, p->shape.n > SNUG_MAX_RANK ? 0 : p->shape.n, p->shape.v);
  if (p->shape.n > SNUG_MAX_RANK || !snug__type_is_valid(&q->out[0]) ||
      !can_broadcast(&q->in[0], &q->out[0])) {
    return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: %s cannot be broadcast to %s", q->where,
                      snug__type_text(&q->in[0], from), snug__type_text(&q->out[0], to));
  }
  return SNUG_OK;
}

snug_status snug__emit_broadcast(snug__graph *g, snug__id v, const snug__type *to, double scale,
                                 snug__id *out) {
  snug__broadcast_to_params p;
  memset(&p, 0, sizeof p);
  p.shape.n = to->rank;
  memcpy(p.shape.v, to->dim, sizeof to->dim);
  p.scale = scale;
  return SNUG_EMIT(g, broadcast_to, &p, out, v);
}

static snug_status grad(snug__grad *g) {
  const snug__broadcast_to_params *p = g->params;
  snug__type to = *snug__type_at(g->g, g->in[0]);
  SNUG_TRY(snug__emit_sum_to(g->g, g->dout[0], &to, &g->din[0]));
  return p->scale == 1.0 ? SNUG_OK
                         : snug__emit_broadcast(g->g, g->din[0], &to, p->scale, &g->din[0]);
}

#define SNUG_REAL_FILE "ops/broadcast_ref.inc"
#include "ops/real.h"

static void scale_range(void *arg, int64_t begin, int64_t end) {
  const snug__call *c = arg;
  const snug__broadcast_to_params *p = c->sig->params;
  SNUG_REAL_CALL(c->sig->out[0].dtype, scale, (c->out[0], p->scale, begin, end));
}

static snug_status reference(const snug__call *call) {
  const snug__broadcast_to_params *p = call->sig->params;
  const snug__type *to = &call->sig->out[0];
  snug__call shared = *call;
  snug__copy copy = {.dst = call->out[0], .src = call->in[0], .bytes = snug_dtype_bytes(to->dtype)};
  int64_t strides[SNUG_MAX_RANK];
  int64_t from[SNUG_MAX_RANK];
  snug__row_major(to, strides);
  snug__broadcast_strides(&call->sig->in[0], to, from);
  for (int32_t k = 0; k < to->rank; k++) {
    snug__copy_axis(&copy, to->dim[k], strides[k], from[k]);
  }
  snug__copy_run(copy, snug__threads(call->sig));
  if (p->scale != 1.0) {
    snug__parallel_ranges(snug__threads(call->sig), snug__type_count(to), 16384, scale_range,
                          &shared);
  }
  return SNUG_OK;
}

static bool unblock(const snug__signature *sig, snug__plain_call *plain) {
  snug__broadcast_to_params *p = (snug__broadcast_to_params *)plain->params;
  snug__type image = snug__type_in(sig->out[0], snug__image_layout(sig));
  if (image.layout == SNUG__LAYOUT_PLAIN || image.rank != 4 ||
      !snug__unblocked_operand(&sig->in[0], &image, &plain->in[0], &plain->want.in[0])) {
    return false;
  }
  plain->out[0] = snug__unblocked_image(&image);
  plain->want.out[0] = image.layout;
  p->shape.n = plain->out[0].rank;
  memcpy(p->shape.v, plain->out[0].dim, sizeof plain->out[0].dim);
  return true;
}

/* The only reader of the result, if that repeats its inputs itself and has another one of the whole
 * shape; else NULL. */
static const snug__node *repeating_reader(const snug__rewrite *r, snug__id out) {
  static const snug__op *const repeating[] = {&snug__op_add, &snug__op_subtract, &snug__op_multiply,
                                              &snug__op_divide};
  snug__id id = snug__sole_reader(&r->uses, out);
  const snug__node *node = id == SNUG_NONE ? NULL : snug__node_at(r->from, id);
  for (size_t i = 0; node && i < SNUG_COUNT(repeating); i++) {
    snug__id other = node->in[node->in[0] == out ? 1 : 0];
    if (node->op == repeating[i] &&
        snug__shape_equal(snug__type_at(r->from, other), snug__type_at(r->from, out))) {
      return node;
    }
  }
  return NULL;
}

/* Where the reader can do it, nothing is repeated in memory: it reads the small value. */
static snug_status leave_to_reader(snug__rewrite *r, snug__id id, bool *replaced) {
  const snug__node *node = snug__node_at(r->from, id);
  const snug__broadcast_to_params *p = node->params;
  snug__id small = snug__rewritten(r, node->in[0]);
  snug__scale_shift_params scale = {p->scale, 0.0};
  if (!repeating_reader(r, node->out[0])) {
    return SNUG_OK;
  }
  snug__rewrite_as(r, id);
  SNUG_TRY(p->scale == 1.0 ? SNUG_OK : SNUG_EMIT(r->to, scale_shift, &scale, &small, small));
  r->map[node->out[0]] = small;
  *replaced = true;
  return SNUG_OK;
}

const snug__op snug__op_broadcast_to = {
    .name = "broadcast_to",
    .doc = "repeat along axes of size 1 and new leading axes, times scale",
    .params_bytes = sizeof(snug__broadcast_to_params),
    .fields = fields,
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .infer = infer,
    .grad = grad,
    .reference = reference,
    .rewrite = leave_to_reader,
    .unblock = unblock,
    .cost = snug__move_cost};
