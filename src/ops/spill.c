/* A value that waits in a file: four ops, since the disk works beside the processor.
 *
 *   ticket       = spill_start(x)                   begin to write x
 *   written      = spill_wait(x, ticket, [after])   until then x is alive; its content is in the
 *                                                   file from here on
 *   y', ticket'  = fetch_start(written, [after])    begin to read it into new memory
 *   y            = fetch_wait(y', ticket')          that memory, when all of it is there
 *
 * A ticket is a number of the store's.  `written` has no bytes: it stands for what the file holds.
 * `after` is any value: its node runs before.  So a pass says when a transfer begins and ends. */
#include "ops/spill.h"

#include "base/store.h"
#include "ops/support.h"

static snug_status need_offset(const snug__infer *q, int64_t offset) {
  return offset >= 0 && offset % SNUG__STORE_ALIGN == 0
             ? SNUG_OK
             : snug__fail(q->ctx, SNUG_E_ARGUMENT, "%s: offset=%lld must be a multiple of %d",
                          q->where, (long long)offset, SNUG__STORE_ALIGN);
}

static snug_status need_ticket(const snug__infer *q, int32_t i) {
  char text[SNUG__TYPE_TEXT_BYTES];
  return q->in[i].dtype == SNUG_INT64 && q->in[i].rank == 0
             ? SNUG_OK
             : snug__fail(q->ctx, SNUG_E_DTYPE, "%s: input %d is %s and must be a ticket, int64[]",
                          q->where, i, snug__type_text(&q->in[i], text));
}

static snug__type written_type(void) { return snug__type_of(SNUG_UINT8, 1, (int64_t[]){0}); }

static snug_status wait_for(const snug__call *call) {
  return snug__store_wait(call->store, *(const int64_t *)call->in[1]);
}

/* Nothing is computed, and the disk moves the bytes. */
static snug__cost no_cost(const snug__signature *sig) {
  (void)sig;
  return (snug__cost){0.0, 0.0};
}

/* ---- spill ---- */

static const snug__field spill_fields[] = {SNUG_FIELD(snug__spill_params, offset, INT, NULL), {0}};

static snug_status spill_start_infer(snug__infer *q) {
  const snug__spill_params *p = q->params;
  q->out[0] = snug__scalar(SNUG_INT64);
  return need_offset(q, p->offset);
}

static snug_status spill_start(const snug__call *call) {
  const snug__spill_params *p = call->sig->params;
  *(int64_t *)call->out[0] =
      snug__store_write(call->store, call->in[0], p->offset, snug__type_bytes(&call->sig->in[0]));
  return SNUG_OK;
}

const snug__op snug__op_spill_start = {
    .name = "spill_start",
    .doc = "begin to write x to the file: a ticket",
    .params_bytes = sizeof(snug__spill_params),
    .fields = spill_fields,
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .flags = SNUG__OP_NO_RECOMPUTE | SNUG__OP_ANY_LAYOUT | SNUG__OP_AT_ONCE | SNUG__OP_STORE,
    .infer = spill_start_infer,
    .reference = spill_start,
    .cost = no_cost};

static snug_status spill_wait_infer(snug__infer *q) {
  q->out[0] = written_type();
  return need_ticket(q, 1);
}

const snug__op snug__op_spill_wait = {
    .name = "spill_wait",
    .doc = "(x, ticket, after): x is in the file",
    .min_in = 2,
    .max_in = 3,
    .min_out = 1,
    .max_out = 1,
    .flags = SNUG__OP_NO_RECOMPUTE | SNUG__OP_ANY_LAYOUT | SNUG__OP_AT_ONCE | SNUG__OP_STORE,
    .infer = spill_wait_infer,
    .reference = wait_for,
    .cost = no_cost};

int64_t snug__spill_bytes(const snug__graph *g) {
  int64_t end = 0;
  for (snug__id id = 0; id < g->nodes.n; id++) {
    const snug__node *node = snug__node_at(g, id);
    if (node->op == &snug__op_spill_start) {
      const snug__spill_params *p = node->params;
      end = snug__max_i64(end, p->offset + snug__type_bytes(snug__type_at(g, node->in[0])));
    }
  }
  return end;
}

/* ---- fetch ---- */

static const snug__field fetch_fields[] = {
    SNUG_FIELD(snug__fetch_params, offset, INT, NULL),
    SNUG_FIELD(snug__fetch_params, shape, INTS, NULL),
    SNUG_CHOICE(snug__fetch_params, dtype, snug__dtype_choices, NULL),
    {0}};

static snug_status fetch_start_infer(snug__infer *q) {
  const snug__fetch_params *p = q->params;
  char text[SNUG__TYPE_TEXT_BYTES];
  snug__type written = written_type();
  if (!snug__type_equal(&q->in[0], &written)) {
    return snug__fail(q->ctx, SNUG_E_DTYPE, "%s: input 0 is %s and must be what spill_wait gives",
                      q->where, snug__type_text(&q->in[0], text));
  }
  if (p->shape.n > SNUG_MAX_RANK || p->dtype <= SNUG_NO_DTYPE || p->dtype >= SNUG_DTYPE_COUNT) {
    return snug__fail(q->ctx, SNUG_E_SHAPE, "%s: %d axes or dtype %d are not possible", q->where,
                      p->shape.n, p->dtype);
  }
  q->out[0] = snug__type_of((snug_dtype)p->dtype, p->shape.n, p->shape.v);
  q->out[1] = snug__scalar(SNUG_INT64);
  return need_offset(q, p->offset);
}

static snug_status fetch_start(const snug__call *call) {
  const snug__fetch_params *p = call->sig->params;
  *(int64_t *)call->out[1] =
      snug__store_read(call->store, call->out[0], p->offset, snug__type_bytes(&call->sig->out[0]));
  return SNUG_OK;
}

const snug__op snug__op_fetch_start = {
    .name = "fetch_start",
    .doc = "(written, after): begin to read a value that waits",
    .params_bytes = sizeof(snug__fetch_params),
    .fields = fetch_fields,
    .min_in = 1,
    .max_in = 2,
    .min_out = 2,
    .max_out = 2,
    .flags = SNUG__OP_NO_RECOMPUTE | SNUG__OP_ANY_LAYOUT | SNUG__OP_AT_ONCE | SNUG__OP_STORE,
    .infer = fetch_start_infer,
    .reference = fetch_start,
    .cost = no_cost};

static snug_status fetch_wait_infer(snug__infer *q) {
  q->out[0] = q->in[0];
  return need_ticket(q, 1);
}

const snug__op snug__op_fetch_wait = {
    .name = "fetch_wait",
    .doc = "(x, ticket): x, when all of it has been read",
    .min_in = 2,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .flags = SNUG__OP_NO_RECOMPUTE | SNUG__OP_ANY_LAYOUT | SNUG__OP_PASSES | SNUG__OP_STORE,
    .infer = fetch_wait_infer,
    .reference = wait_for,
    .cost = no_cost};
