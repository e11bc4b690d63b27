#include "train/smaller.h"

#include "base/ctx.h"
#include "ops/ops.h"
#include "pass/fuse.h"
#include "pass/passes.h"

static snug_status fuse(const snug_model *m, snug__graph **graph) {
  snug__rewrite r;
  if (m->pass && m->pass->no_fuse) {
    return SNUG_OK;
  }
  SNUG_TRY(snug__pass_fuse(*graph, &r));
  snug__graph *old = *graph;
  *graph = r.to;
  r.to = NULL;
  snug__rewrite_release(&r);
  snug__graph_destroy(old);
  return SNUG_OK;
}

/* The types of values that two graphs have in common. */
static bool take_types(snug__smaller *s, const snug__graph *lowered, const snug__id *ids,
                       const snug__id *own, int32_t n) {
  for (int32_t i = 0; i < n; i++) {
    if ((ids[i] == SNUG_NONE) != (own[i] == SNUG_NONE)) {
      return false;
    }
    if (ids[i] != SNUG_NONE) {
      s->types[ids[i]] =
          snug__type_in(*snug__type_at(s->fused, own[i]), snug__type_at(lowered, ids[i])->layout);
    }
  }
  return true;
}

static bool match_node(snug__smaller *s, const snug__graph *lowered, snug__id id, snug__id *next) {
  const snug__node *node = snug__node_at(lowered, id);
  const snug__node *own = *next < s->fused->nodes.n ? snug__node_at(s->fused, *next) : NULL;
  s->node_of[id] = SNUG_NONE;
  if (own && own->op == node->op && own->n_in == node->n_in && own->n_out == node->n_out) {
    s->node_of[id] = (*next)++;
    return take_types(s, lowered, node->in, own->in, node->n_in) &&
           take_types(s, lowered, node->out, own->out, node->n_out);
  }
  if (node->op != &snug__op_reorder) {
    return false;
  }
  s->types[node->out[0]] =
      snug__type_in(s->types[node->in[0]], snug__type_at(lowered, node->out[0])->layout);
  return true;
}

/* Layout adds reorders and nothing else.  What a reorder reads is known already, unless nobody
 * else read it before: a variable, whose type is that of any batch. */
static bool match(snug__smaller *s, const snug__graph *lowered) {
  snug__id next = 0;
  for (snug__id v = 0; v < lowered->values.n; v++) {
    s->types[v] = *snug__type_at(lowered, v);
  }
  for (snug__id id = 0; id < lowered->nodes.n; id++) {
    if (!match_node(s, lowered, id, &next)) {
      return false;
    }
  }
  return next == s->fused->nodes.n;
}

static snug_status make(snug__smaller *s, snug_model *m, snug__step_kind kind,
                        const snug__step *step, const snug__graph *lowered) {
  snug__step own;
  SNUG_TRY(snug__step_build(m, kind, s->batch, step->weight != SNUG_NONE, &s->fused, &own));
  SNUG_TRY(fuse(m, &s->fused));
  SNUG_TRY(SNUG_NEW_ARRAY(m->ctx, SNUG__MEM_SCRATCH, s->n_types, &s->types));
  SNUG_TRY(SNUG_NEW_ARRAY(m->ctx, SNUG__MEM_SCRATCH, s->n_nodes, &s->node_of));
  if (!match(s, lowered)) {
    snug__smaller_release(s);
  }
  return SNUG_OK;
}

snug_status snug__smaller_init(snug__smaller *s, snug_model *m, snug__step_kind kind,
                               const snug__step *step, const snug__graph *lowered, int64_t batch) {
  *s = (snug__smaller){.batch = batch, .n_types = lowered->values.n, .n_nodes = lowered->nodes.n};
  snug_status status = make(s, m, kind, step, lowered);
  if (status) {
    snug__smaller_release(s);
  }
  return status;
}

void snug__smaller_release(snug__smaller *s) {
  if (s->fused) {
    SNUG_GIVE_ARRAY(s->fused->ctx, SNUG__MEM_SCRATCH, s->types, s->n_types);
    SNUG_GIVE_ARRAY(s->fused->ctx, SNUG__MEM_SCRATCH, s->node_of, s->n_nodes);
    snug__graph_destroy(s->fused);
  }
  *s = (snug__smaller){.batch = s->batch};
}
