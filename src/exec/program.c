#include "exec/program.h"

#include <string.h>

#include "base/size.h"
#include "base/store.h"
#include "exec/visit.h"
#include "graph/signature.h"
#include "ops/spill.h"

#define POISON 0xCB

/* ---- making ---- */

static snug_status copy(snug__program *p, const void *from, size_t bytes, const void **out) {
  void *to = NULL;
  *out = NULL;
  SNUG_TRY(snug__arena_take(&p->arena, bytes, &to));
  if (bytes) {
    memcpy(to, from, bytes);
  }
  *out = to;
  return SNUG_OK;
}

/* Whether the values have the layouts that the chosen kernel works on. */
static bool is_laid_out(const snug__signature *sig, const snug__layouts *want) {
  for (int32_t i = 0; i < sig->n_in; i++) {
    if (sig->in[i].dtype && sig->in[i].layout != want->in[i]) {
      return false;
    }
  }
  for (int32_t k = 0; k < sig->n_out; k++) {
    if (sig->out[k].dtype && sig->out[k].layout != want->out[k]) {
      return false;
    }
  }
  return true;
}

static snug_status choose(const snug__program *p, const snug__node *node,
                          const snug__signature *sig, snug__choice *choice) {
  const char *layer = snug__layer_name(p->graph, node->layer);
  snug__choose(p->device, sig, choice);
  if (!choice->kernel) {
    return snug__fail(p->ctx, SNUG_E_UNSUPPORTED, "%s: the device '%s' has no kernel for the op %s",
                      layer, p->device->name, node->op->name);
  }
  return is_laid_out(sig, &choice->plain.want)
             ? SNUG_OK
             : snug__fail(p->ctx, SNUG_E_INTERNAL, "%s: no kernel of %s works on these layouts",
                          layer, node->op->name);
}

/* Keep the signature that the kernel will see. */
static snug_status keep(snug__program *p, const snug__choice *choice, snug__signature sig,
                        snug__item *item) {
  const snug__type *in = choice->unblocked ? choice->plain.in : sig.in;
  const snug__type *out = choice->unblocked ? choice->plain.out : sig.out;
  const void *params = NULL;
  item->kernel = choice->kernel;
  item->sig = sig;
  SNUG_TRY(copy(p, in, (size_t)sig.n_in * sizeof *in, (const void **)&item->sig.in));
  SNUG_TRY(copy(p, out, (size_t)sig.n_out * sizeof *out, (const void **)&item->sig.out));
  if (choice->unblocked && sig.params) {
    SNUG_TRY(copy(p, choice->plain.params, sig.op->params_bytes, &params));
    item->sig.params = params;
  }
  return SNUG_OK;
}

static snug_status describe(snug__program *p, snug__id id, snug__item *item) {
  const snug__node *node = snug__node_at(p->graph, id);
  snug__type in[SNUG__MAX_IN];
  snug__type out[SNUG__MAX_OUT];
  snug__choice choice;
  snug__signature sig = snug__signature_of(p->graph, node, in, out);
  item->node = id;
  SNUG_TRY(choose(p, node, &sig, &choice));
  SNUG_TRY(keep(p, &choice, sig, item));
  SNUG_TRY(snug__arena_take(&p->arena, (size_t)node->n_in * sizeof(void *), (void **)&item->in));
  return snug__arena_take(&p->arena, (size_t)node->n_out * sizeof(void *), (void **)&item->out);
}

static bool is_view(const snug__graph *g, snug__id id) {
  return (snug__node_at(g, id)->op->flags & SNUG__OP_VIEW) != 0;
}

/* One item per node that does something, still in the graph's order. */
static snug_status prepare_items(snug__program *p, snug__needs *needs) {
  SNUG_TRY(SNUG_NEW_ARRAY(p->ctx, SNUG__MEM_PROGRAM, p->room, &p->items));
  for (snug__id id = 0; id < p->graph->nodes.n; id++) {
    if (!is_view(p->graph, id)) {
      snug__item *item = &p->items[p->n_items++];
      SNUG_TRY(describe(p, id, item));
      SNUG_TRY(item->kernel->prepare(p->ctx, &item->sig, &needs[id], &item->state));
      p->n_prepared = p->n_items;
    }
  }
  return SNUG_OK;
}

/* Bring the items into the plan's order; place has room for one entry per node. */
static void sort_items(snug__program *p, snug__item *sorted, size_t *place) {
  for (size_t i = 0; i < p->n_items; i++) {
    place[p->items[i].node] = i;
  }
  size_t n = 0;
  for (size_t position = 0; position < p->plan->n_nodes; position++) {
    snug__id id = p->plan->order[position];
    if (!is_view(p->graph, id)) {
      sorted[n] = p->items[place[id]];
      sorted[n++].position = (int64_t)position;
    }
  }
  memcpy(p->items, sorted, n * sizeof *sorted);
}

static snug_status order_items(snug__program *p) {
  snug__item *sorted = NULL;
  size_t *place = NULL;
  snug_status s = SNUG_NEW_ARRAY(p->ctx, SNUG__MEM_SCRATCH, p->n_items, &sorted);
  s = s ? s : SNUG_NEW_ARRAY(p->ctx, SNUG__MEM_SCRATCH, p->room, &place);
  if (!s) {
    sort_items(p, sorted, place);
  }
  SNUG_GIVE_ARRAY(p->ctx, SNUG__MEM_SCRATCH, place, p->room);
  SNUG_GIVE_ARRAY(p->ctx, SNUG__MEM_SCRATCH, sorted, p->n_items);
  return s;
}

static void stage(snug__program *p, snug__id value, bool is_input, int64_t *end) {
  const int64_t bytes = snug__type_bytes(snug__type_at(p->graph, value));
  p->staged[p->n_staged++] = (snug__staged){value, is_input, *end, bytes};
  *end += snug__round_up(bytes, SNUG__BLOCK_ALIGN);
}

/* Inputs, and those outputs that are no variables. */
static snug_status stage_values(snug__program *p) {
  const snug__graph *g = p->graph;
  const size_t most = g->values.n + g->outputs.n;
  int64_t end = 0;
  SNUG_TRY(snug__arena_take(&p->arena, most * sizeof *p->staged, (void **)&p->staged));
  for (snug__id v = 0; v < g->values.n; v++) {
    if (snug__value_at(g, v)->kind == SNUG__INPUT) {
      stage(p, v, true, &end);
    }
  }
  for (size_t i = 0; i < g->outputs.n; i++) {
    const snug__id v = SNUG_VEC(&g->outputs, snug__id, i);
    if (snug__plan_offset(p->plan, g, v) >= 0 && snug__value_at(g, v)->kind != SNUG__INPUT) {
      stage(p, v, false, &end);
    }
  }
  return SNUG_OK;
}

static snug_status make(snug__program *p, const snug__plan_options *options) {
  snug__needs *needs = NULL;
  SNUG_TRY(SNUG_NEW_ARRAY(p->ctx, SNUG__MEM_SCRATCH, p->room, &needs));
  snug_status s = prepare_items(p, needs);
  s = s ? s : snug__plan_create(p->graph, needs, options, &p->plan);
  SNUG_GIVE_ARRAY(p->ctx, SNUG__MEM_SCRATCH, needs, p->room);
  SNUG_TRY(s);
  SNUG_TRY(order_items(p));
  return p->ctx->queue.device->is_host ? SNUG_OK : stage_values(p);
}

snug_status snug__program_create(snug__graph *graph, const snug__device *device,
                                 const snug__plan_options *options, snug__program **out) {
  snug__program *p = NULL;
  *out = NULL;
  snug_status s = SNUG_NEW(graph->ctx, SNUG__MEM_PROGRAM, &p);
  if (s) {
    snug__graph_destroy(graph);
    return s;
  }
  *p = (snug__program){.ctx = graph->ctx, .device = device, .graph = graph, .room = graph->nodes.n};
  snug__arena_init(&p->arena, p->ctx, SNUG__MEM_PROGRAM);
  s = make(p, options);
  if (s) {
    snug__program_destroy(p);
    return s;
  }
  *out = p;
  return SNUG_OK;
}

void snug__program_destroy(snug__program *p) {
  if (!p) {
    return;
  }
  for (size_t i = 0; i < p->n_prepared; i++) {
    if (p->items[i].kernel->release) {
      p->items[i].kernel->release(p->ctx, p->items[i].state);
    }
  }
  SNUG_GIVE_ARRAY(p->ctx, SNUG__MEM_PROGRAM, p->items, p->room);
  snug__arena_release(&p->arena);
  snug__plan_destroy(p->plan);
  snug__graph_destroy(p->graph);
  snug__give(p->ctx, SNUG__MEM_PROGRAM, p, sizeof *p);
}

/* ---- binding ---- */

int64_t snug__program_file(const snug__program *p) { return snug__spill_bytes(p->graph); }

/* Where a value of the plan lies; nowhere for what is not in the block. */
static snug__place place_of(const snug__program *p, snug__id value) {
  const int64_t offset = snug__plan_offset(p->plan, p->graph, value);
  return offset < 0 || !snug__place_is_set(p->block) ? SNUG__NOWHERE
                                                     : snug__place_after(p->block, offset);
}

void *snug__program_data(const snug__program *p, snug__id value) {
  if (p->ctx->queue.device->is_host) {
    return snug__place_pointer(place_of(p, value));
  }
  for (size_t i = 0; p->staging && i < p->n_staged; i++) {
    if (p->staged[i].value == value) {
      return p->staging + p->staged[i].at;
    }
  }
  return NULL;
}

int64_t snug__program_staging(const snug__program *p) {
  const snug__staged *last = p->n_staged ? &p->staged[p->n_staged - 1] : NULL;
  return last ? last->at + snug__round_up(last->bytes, SNUG__BLOCK_ALIGN) : 0;
}

static bool is_own_constant(const snug__value *v) {
  return v->kind == SNUG__CONSTANT && v->view_of == SNUG_NONE;
}

int64_t snug__program_constants(const snug__program *p) {
  int64_t bytes = 0;
  for (snug__id v = 0; !p->ctx->queue.device->is_host && v < p->graph->values.n; v++) {
    const snug__value *x = snug__value_at(p->graph, v);
    bytes += is_own_constant(x) ? snug__round_up(snug__type_bytes(&x->type), SNUG__BLOCK_ALIGN) : 0;
  }
  return bytes;
}

/* Where a constant lies: in the graph, or one behind the other on the device. */
static snug__place constant_at(const snug__program *p, snug__place constants, snug__id id) {
  const snug__value *v = snug__value_at(p->graph, id);
  if (p->ctx->queue.device->is_host) {
    return snug__place_of_pointer(v->data); /* no kernel writes a constant: see verify */
  }
  int64_t at = 0;
  for (snug__id i = 0; i < id; i++) {
    const snug__value *x = snug__value_at(p->graph, i);
    at += is_own_constant(x) ? snug__round_up(snug__type_bytes(&x->type), SNUG__BLOCK_ALIGN) : 0;
  }
  return snug__place_after(constants, at);
}

static void copy_constants(const snug__program *p, snug__place constants) {
  for (snug__id id = 0; !p->ctx->queue.device->is_host && id < p->graph->values.n; id++) {
    const snug__value *v = snug__value_at(p->graph, id);
    if (is_own_constant(v)) {
      snug__device_write(&p->ctx->queue, constant_at(p, constants, id), v->data,
                         snug__type_bytes(&v->type));
    }
  }
}

/* What binding goes by. */
typedef struct binding {
  const snug__bound *memory;
  snug__locate *locate;
  void *arg;
} binding;

static snug_status address(const snug__program *p, snug__id id, const binding *b, void **out) {
  const snug__value *v = snug__value_at(p->graph, id);
  const snug__id base_id = snug__value_base(p->graph, id);
  const snug__value *base = snug__value_at(p->graph, base_id);
  snug__place at = place_of(p, id);
  if (base->kind == SNUG__CONSTANT) {
    at = snug__place_after(constant_at(p, b->memory->constants, base_id), v->view_offset);
  } else if (base->kind == SNUG__WEIGHT || base->kind == SNUG__STATE) {
    at = b->locate(b->arg, base->variable);
    if (!snug__place_is_set(at)) {
      return snug__fail(p->ctx, SNUG_E_INTERNAL, "the variable %s has no memory", base->name);
    }
    at = snug__place_after(at, v->view_offset);
  }
  *out = snug__place_pointer(at);
  return SNUG_OK;
}

static snug_status bind_item(snug__program *p, snug__item *item, const binding *b) {
  const snug__node *node = snug__node_at(p->graph, item->node);
  snug__id scratch = p->plan->scratch_of[item->node];
  if (node->op->flags & SNUG__OP_STORE && !p->store) {
    return snug__fail(p->ctx, SNUG_E_INTERNAL, "%s without a store", node->op->name);
  }
  for (int32_t i = 0; i < node->n_in; i++) {
    void *at = NULL;
    SNUG_TRY(node->in[i] == SNUG_NONE ? SNUG_OK : address(p, node->in[i], b, &at));
    item->in[i] = at;
  }
  for (int32_t k = 0; k < node->n_out; k++) {
    item->out[k] = NULL;
    SNUG_TRY(node->out[k] == SNUG_NONE ? SNUG_OK : address(p, node->out[k], b, &item->out[k]));
  }
  item->call = (snug__call){.sig = &item->sig,
                            .in = item->in,
                            .out = item->out,
                            .fault = &p->fault,
                            .store = p->store,
                            .queue = &p->ctx->queue};
  item->call.scratch =
      scratch == SNUG_NONE
          ? NULL
          : snug__place_pointer(snug__place_after(p->block, p->plan->buffers[scratch].offset));
  return SNUG_OK;
}

snug_status snug__program_bind(snug__program *p, const snug__bound *memory, snug__locate *locate,
                               void *arg) {
  const binding b = {memory, locate, arg};
  p->block = memory->block;
  p->staging = memory->staging;
  for (size_t i = 0; i < p->n_items; i++) {
    SNUG_TRY(bind_item(p, &p->items[i], &b));
  }
  copy_constants(p, memory->constants);
  return SNUG_OK;
}

/* ---- running ---- */

static snug_status report_fault(const snug__program *p, const snug__call *call, snug_status s) {
  size_t i = 0;
  while (&p->items[i].call != call) {
    i++;
  }
  const snug__node *node = snug__node_at(p->graph, p->items[i].node);
  if (s == SNUG_E_IO) {
    return snug__store_fail(p->store, snug__layer_name(p->graph, node->layer));
  }
  return snug__fail(p->ctx, s, "%s (%s): %s: element %lld is %g, which must be below %g",
                    snug__layer_name(p->graph, node->layer), node->op->name,
                    p->fault.what ? p->fault.what : "bad data", (long long)p->fault.index,
                    p->fault.value, p->fault.limit);
}

/* Overwrite what dies at positions [from, to): nothing may depend on it. */
static void poison_dead(const snug__program *p, int64_t from, int64_t to) {
  if (!p->poison) {
    return;
  }
  for (size_t i = 0; i < p->plan->n_buffers; i++) {
    const snug__buffer *b = &p->plan->buffers[i];
    if (b->end > from && b->end <= to) {
      snug__queue *q = &p->ctx->queue;
      q->device->fill(q, snug__place_after(p->block, b->offset), POISON, b->bytes);
    }
  }
}

static snug_status visited(const snug__program *p, size_t item, snug_status s) {
  const snug__node *node = snug__node_at(p->graph, p->items[item].node);
  return s ? snug__store_fail(p->home, snug__layer_name(p->graph, node->layer)) : SNUG_OK;
}

static void copy_staged(const snug__program *p, bool inputs) {
  snug__queue *q = &p->ctx->queue;
  for (size_t i = 0; i < p->n_staged; i++) {
    const snug__staged *x = &p->staged[i];
    if (inputs && x->is_input) {
      q->device->copy_in(q, place_of(p, x->value), p->staging + x->at, x->bytes);
    } else if (!inputs && !x->is_input) {
      q->device->copy_out(q, p->staging + x->at, place_of(p, x->value), x->bytes);
    }
  }
}

/* A call that fails at once is told by the queue. */
static snug_status run_items(snug__program *p) {
  snug__queue *q = &p->ctx->queue;
  int64_t done = 0;
  size_t visits = 0;
  snug__visits_begin(p);
  for (size_t i = 0; i < p->n_items; i++) {
    const snug__item *item = &p->items[i];
    poison_dead(p, done, item->position); /* what died at views: this item may lie there */
    SNUG_TRY(visited(p, i, snug__visit_enter(p, i, visits)));
    if (snug__launch(q, item->kernel, item->state, &item->call)) {
      return SNUG_OK;
    }
    SNUG_TRY(visited(p, i, snug__visit_leave(p, i, &visits)));
    done = item->position + 1;
    poison_dead(p, item->position, done);
  }
  return p->n_visits ? visited(p, p->visits[p->n_visits - 1].item, snug__visits_end(p)) : SNUG_OK;
}

snug_status snug__program_run(snug__program *p) {
  snug__queue *q = &p->ctx->queue;
  const snug__call *call = NULL;
  uint32_t begun = q->device->begin(q);
  copy_staged(p, true);
  snug_status s = run_items(p);
  copy_staged(p, false);
  snug_status failed = snug__queue_wait(q, &call);
  q->device->end(q, begun);
  s = failed ? report_fault(p, call, failed) : s;
  if (s && p->store) {
    snug__store_settle(p->store); /* from here on the block is the caller's again */
  }
  if (s && p->home) {
    snug__store_settle(p->home);
  }
  return s;
}

void snug__program_touch(const snug__program *p) {
  for (size_t i = 0; i < p->n_items; i++) {
    /* A function's address says where its bytes are, on every system that this runs on. */
    const volatile char *code = (const volatile char *)(uintptr_t)p->items[i].kernel->run;
    (void)*code;
  }
}
