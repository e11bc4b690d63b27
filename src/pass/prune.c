#include "pass/prune.h"

#include "base/ctx.h"
#include "graph/rewrite.h"

static void need_inputs(const snug__graph *g, const snug__node *node, bool *needed) {
  for (int32_t i = 0; i < node->n_in; i++) {
    if (node->in[i] != SNUG_NONE) {
      needed[node->in[i]] = true;
      needed[snug__value_base(g, node->in[i])] = true;
    }
  }
}

static bool makes_needed(const snug__node *node, const bool *needed) {
  for (int32_t k = 0; k < node->n_out; k++) {
    if (node->out[k] != SNUG_NONE && needed[node->out[k]]) {
      return true;
    }
  }
  return false;
}

/* needed[v]: an output depends on the value. */
static void mark(const snug__graph *g, bool *needed) {
  for (size_t i = 0; i < g->outputs.n; i++) {
    needed[SNUG_VEC(&g->outputs, snug__id, i)] = true;
  }
  for (size_t id = g->nodes.n; id-- > 0;) {
    const snug__node *node = snug__node_at(g, (snug__id)id);
    if (makes_needed(node, needed)) {
      need_inputs(g, node, needed);
    }
  }
}

static snug_status leave_out(snug__rewrite *r, snug__id node, bool *replaced) {
  *replaced = !makes_needed(snug__node_at(r->from, node), r->arg);
  return SNUG_OK;
}

static void follow(const snug__rewrite *r, const bool *needed, snug__id *ids, size_t n) {
  for (size_t i = 0; i < n; i++) {
    ids[i] = ids[i] == SNUG_NONE || !needed[ids[i]] ? SNUG_NONE : r->map[ids[i]];
  }
}

static snug_status prune(snug__graph **graph, bool *needed, snug__id *ids, size_t n) {
  snug__graph *old = *graph;
  snug__rewrite r;
  mark(old, needed);
  SNUG_TRY(snug__rewrite_open(old, leave_out, needed, &r));
  snug_status s = snug__rewrite_run(&r);
  if (!s) {
    follow(&r, needed, ids, n);
    *graph = r.to;
    r.to = NULL;
  }
  snug__rewrite_release(&r);
  if (!s) {
    snug__graph_destroy(old);
  }
  return s;
}

snug_status snug__pass_prune(snug__graph **graph, snug__id *ids, size_t n) {
  snug_ctx *ctx = (*graph)->ctx;
  size_t values = (*graph)->values.n;
  bool *needed = NULL;
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, values, &needed));
  snug_status s = prune(graph, needed, ids, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, needed, values);
  return s;
}
