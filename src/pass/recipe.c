#include "pass/recipe.h"

#include <string.h>

#include "base/ctx.h"

void snug__recipes_release(snug__recipes *r) {
  if (r->g) {
    SNUG_GIVE_ARRAY(r->g->ctx, SNUG__MEM_SCRATCH, r->of, r->g->values.n);
    SNUG_GIVE_ARRAY(r->g->ctx, SNUG__MEM_SCRATCH, r->is_old, r->g->values.n);
    snug__arena_release(&r->arena);
  }
  *r = (snug__recipes){0};
}

/* ---- what the forward overwrites ---- */

static bool writes_any(const snug__op *op) {
  for (int32_t k = 0; k < SNUG__MAX_OUT; k++) {
    if (op->writes[k]) {
      return true;
    }
  }
  return false;
}

static void mark_writes(snug__recipes *r, const snug__node *node) {
  for (int32_t k = 0; k < node->n_out; k++) {
    int32_t i = node->op->writes[k] - 1;
    if (i >= 0 && i < node->n_in && node->in[i] != SNUG_NONE) {
      r->is_old[snug__value_base(r->g, node->in[i])] = true;
    }
  }
}

static void mark_old(snug__recipes *r) {
  snug__id end = 0;
  for (snug__id id = 0; id < r->g->nodes.n; id++) {
    end = snug__node_at(r->g, id)->backward ? id : end;
  }
  for (snug__id id = 0; id < end; id++) {
    mark_writes(r, snug__node_at(r->g, id));
  }
}

static bool reads_old(const snug__recipes *r, const snug__id *in, int32_t n) {
  for (int32_t i = 0; i < n; i++) {
    if (in[i] != SNUG_NONE && r->is_old[snug__value_base(r->g, in[i])]) {
      return true;
    }
  }
  return false;
}

/* ---- recipes ---- */

/* Whether a device runs the call on values as they lie. */
static bool runs(const snug__recipes *r, const snug__device *device, const snug__recompute *m,
                 snug__id made) {
  snug__type in[SNUG__RECOMPUTE_INPUTS];
  snug__choice choice;
  snug__type out = *snug__type_at(r->g, made);
  snug__signature sig = {.op = m->op,
                         .params = m->params,
                         .n_in = m->n_in,
                         .n_out = 1,
                         .in = in,
                         .out = &out,
                         .target = r->g->ctx->target};
  snug__graph_types(r->g, m->in, m->n_in, in);
  snug__choose(device, &sig, &choice);
  bool fits = choice.kernel && choice.plain.want.out[0] == out.layout;
  for (int32_t i = 0; fits && i < m->n_in; i++) {
    fits = !in[i].dtype || in[i].layout == choice.plain.want.in[i];
  }
  return fits;
}

/* The shorter way of an op to its output 0. */
static snug_status add_shorter(snug__recipes *r, const snug__device *device,
                               const snug__node *node) {
  snug__recompute *m = NULL;
  SNUG_TRY(snug__arena_take(&r->arena, sizeof *m, (void **)&m));
  memset(m, 0, sizeof *m);
  node->op->recompute(node, m);
  if (!reads_old(r, m->in, m->n_in) && runs(r, device, m, node->out[0])) {
    r->of[node->out[0]] = (snug__recipe){
        m->op, m->op->params_bytes ? m->params : NULL, m->in, m->n_in, SNUG_NONE, true};
  }
  return SNUG_OK;
}

static snug_status add(snug__recipes *r, const snug__device *device, snug__id id) {
  const snug__node *node = snug__node_at(r->g, id);
  bool cheap = (node->op->flags & (SNUG__OP_CHEAP | SNUG__OP_VIEW)) != 0;
  if (node->backward) {
    return SNUG_OK;
  }
  if (node->op->recompute) {
    return add_shorter(r, device, node);
  }
  if (node->op->flags & SNUG__OP_NO_RECOMPUTE || writes_any(node->op) ||
      reads_old(r, node->in, node->n_in)) {
    return SNUG_OK;
  }
  for (int32_t k = 0; k < node->n_out; k++) {
    if (node->out[k] != SNUG_NONE) {
      r->of[node->out[k]] = (snug__recipe){node->op, node->params, node->in, node->n_in, id, cheap};
    }
  }
  return SNUG_OK;
}

static snug_status fill(snug__recipes *r, const snug__device *device) {
  SNUG_TRY(SNUG_NEW_ARRAY(r->g->ctx, SNUG__MEM_SCRATCH, r->g->values.n, &r->of));
  SNUG_TRY(SNUG_NEW_ARRAY(r->g->ctx, SNUG__MEM_SCRATCH, r->g->values.n, &r->is_old));
  mark_old(r);
  for (snug__id id = 0; id < r->g->nodes.n; id++) {
    SNUG_TRY(add(r, device, id));
  }
  for (size_t i = 0; i < r->g->outputs.n; i++) { /* they are there anyway */
    r->of[SNUG_VEC(&r->g->outputs, snug__id, i)].op = NULL;
  }
  return SNUG_OK;
}

snug_status snug__recipes_init(snug__recipes *r, const snug__graph *g, const snug__device *device) {
  *r = (snug__recipes){.g = g};
  snug__arena_init(&r->arena, g->ctx, SNUG__MEM_SCRATCH);
  return fill(r, device);
}

void snug__recipes_close(const snug__recipes *r, bool *remade) {
  for (snug__id v = 0; v < r->g->values.n; v++) {
    remade[v] = remade[v] && r->of[v].op; /* not what no node makes, either */
  }
  for (snug__id id = 0; id < r->g->nodes.n; id++) {
    const snug__node *node = snug__node_at(r->g, id);
    for (int32_t k = 0; k < node->n_out; k++) {
      snug__id v = node->out[k];
      if (v != SNUG_NONE) {
        bool wanted = node->op->flags & SNUG__OP_VIEW ? remade[node->in[0]] : remade[v];
        remade[v] = wanted && r->of[v].op;
      }
    }
  }
}
