#include "exec/program.h"

#include <string.h>

#include "base/store.h"
#include "base/thread.h"
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

static snug_status make(snug__program *p, const snug__plan_options *options) {
  snug__needs *needs = NULL;
  SNUG_TRY(SNUG_NEW_ARRAY(p->ctx, SNUG__MEM_SCRATCH, p->room, &needs));
  snug_status s = prepare_items(p, needs);
  s = s ? s : snug__plan_create(p->graph, needs, options, &p->plan);
  SNUG_GIVE_ARRAY(p->ctx, SNUG__MEM_SCRATCH, needs, p->room);
  return s ? s : order_items(p);
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

void *snug__program_data(const snug__program *p, snug__id value) {
  int64_t offset = snug__plan_offset(p->plan, p->graph, value);
  return offset < 0 || !p->block ? NULL : p->block + offset;
}

static snug_status address(const snug__program *p, snug__id id, snug__locate *locate, void *arg,
                           void **out) {
  const snug__value *v = snug__value_at(p->graph, id);
  const snug__value *base = snug__value_at(p->graph, snug__value_base(p->graph, id));
  if (base->kind == SNUG__CONSTANT) {
    *out = (char *)(uintptr_t)base->data +
           v->view_offset; /* no kernel writes a constant: see verify */
  } else if (base->kind == SNUG__WEIGHT || base->kind == SNUG__STATE) {
    char *start = locate(arg, base->variable);
    if (!start) {
      return snug__fail(p->ctx, SNUG_E_INTERNAL, "the variable %s has no memory", base->name);
    }
    *out = start + v->view_offset;
  } else {
    *out = snug__program_data(p, id);
  }
  return SNUG_OK;
}

static snug_status bind_item(snug__program *p, snug__item *item, snug__locate *locate, void *arg) {
  const snug__node *node = snug__node_at(p->graph, item->node);
  snug__id scratch = p->plan->scratch_of[item->node];
  if (node->op->flags & SNUG__OP_STORE && !p->store) {
    return snug__fail(p->ctx, SNUG_E_INTERNAL, "%s without a store", node->op->name);
  }
  for (int32_t i = 0; i < node->n_in; i++) {
    void *at = NULL;
    SNUG_TRY(node->in[i] == SNUG_NONE ? SNUG_OK : address(p, node->in[i], locate, arg, &at));
    item->in[i] = at;
  }
  for (int32_t k = 0; k < node->n_out; k++) {
    item->out[k] = NULL;
    SNUG_TRY(node->out[k] == SNUG_NONE ? SNUG_OK
                                       : address(p, node->out[k], locate, arg, &item->out[k]));
  }
  item->call = (snug__call){
      .sig = &item->sig, .in = item->in, .out = item->out, .fault = &p->fault, .store = p->store};
  item->call.scratch = scratch == SNUG_NONE ? NULL : p->block + p->plan->buffers[scratch].offset;
  return SNUG_OK;
}

snug_status snug__program_bind(snug__program *p, void *block, snug__locate *locate, void *arg) {
  p->block = block;
  for (size_t i = 0; i < p->n_items; i++) {
    SNUG_TRY(bind_item(p, &p->items[i], locate, arg));
  }
  return SNUG_OK;
}

/* ---- running ---- */

static snug_status report_fault(const snug__program *p, const snug__item *item, snug_status s) {
  const snug__node *node = snug__node_at(p->graph, item->node);
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
      memset(p->block + b->offset, POISON, (size_t)b->bytes);
    }
  }
}

static snug_status visited(const snug__program *p, size_t item, snug_status s) {
  const snug__node *node = snug__node_at(p->graph, p->items[item].node);
  return s ? snug__store_fail(p->home, snug__layer_name(p->graph, node->layer)) : SNUG_OK;
}

static snug_status run_items(snug__program *p) {
  int64_t done = 0;
  size_t visits = 0;
  snug__visits_begin(p);
  for (size_t i = 0; i < p->n_items; i++) {
    const snug__item *item = &p->items[i];
    poison_dead(p, done, item->position); /* what died at views: this item may lie there */
    SNUG_TRY(visited(p, i, snug__visit_enter(p, i, visits)));
    snug_status s = item->kernel->run(item->state, &item->call);
    if (s) {
      return report_fault(p, item, s);
    }
    SNUG_TRY(visited(p, i, snug__visit_leave(p, i, &visits)));
    done = item->position + 1;
    poison_dead(p, item->position, done);
  }
  return p->n_visits ? visited(p, p->visits[p->n_visits - 1].item, snug__visits_end(p)) : SNUG_OK;
}

snug_status snug__program_run(snug__program *p) {
  uint32_t mode = snug__flush_denormals();
  snug_status s = run_items(p);
  snug__float_mode_set(mode);
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
