/* Every node has an anchor: the position before which it is to run.  A node that stays has its own;
 * one that sinks takes the earliest anchor of those that must come after it, and of the last
 * readers of what it reads, which always stay.  Nodes are then sorted by anchor; those that share
 * one keep their order, so the one that stands there comes last. */
#include "plan/sink.h"

#include <string.h>

#include "graph/op.h"
#include "plan/plan.h"

typedef struct sinker {
  const snug__graph *g;
  const snug__depend *depend;
  uint32_t *anchor;    /* per node */
  uint32_t *last_read; /* per base value: position of its last reader; outputs: behind the end */
  uint32_t *start;     /* per position, and one more: where the nodes anchored there begin */
  snug__id *sorted;
} sinker;

static void release(sinker *s) {
  size_t n = s->g->nodes.n;
  SNUG_GIVE_ARRAY(s->g->ctx, SNUG__MEM_SCRATCH, s->anchor, n);
  SNUG_GIVE_ARRAY(s->g->ctx, SNUG__MEM_SCRATCH, s->last_read, s->g->values.n);
  SNUG_GIVE_ARRAY(s->g->ctx, SNUG__MEM_SCRATCH, s->start, n + 1);
  SNUG_GIVE_ARRAY(s->g->ctx, SNUG__MEM_SCRATCH, s->sorted, n);
}

static snug_status init(sinker *s) {
  snug_ctx *ctx = s->g->ctx;
  size_t n = s->g->nodes.n;
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &s->anchor));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, s->g->values.n, &s->last_read));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n + 1, &s->start));
  return SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &s->sorted);
}

static void find_last_reads(sinker *s, const snug__id *order) {
  for (uint32_t p = 0; p < s->g->nodes.n; p++) {
    const snug__node *node = snug__node_at(s->g, order[p]);
    for (int32_t i = 0; i < node->n_in; i++) {
      if (node->in[i] != SNUG_NONE) {
        s->last_read[snug__value_base(s->g, node->in[i])] = p;
      }
    }
  }
  for (size_t i = 0; i < s->g->outputs.n; i++) {
    snug__id base = snug__value_base(s->g, SNUG_VEC(&s->g->outputs, snug__id, i));
    s->last_read[base] = (uint32_t)s->g->nodes.n;
  }
}

/* The node at position p may sink to here; p if it may not. */
static uint32_t anchor_of(const sinker *s, snug__id id, uint32_t p) {
  const snug__node *node = snug__node_at(s->g, id);
  uint32_t anchor = node->op->flags & SNUG__OP_AT_ONCE ? p : UINT32_MAX;
  for (size_t e = s->depend->first[id]; e < s->depend->first[id + 1]; e++) {
    uint32_t next = s->anchor[s->depend->after[e]];
    anchor = next < anchor ? next : anchor;
  }
  bool waits = node->op->flags & SNUG__OP_PASSES; /* frees a ticket, which is as good as nothing */
  for (int32_t i = 0; i < node->n_in && !waits; i++) {
    snug__id base = node->in[i] == SNUG_NONE ? SNUG_NONE : snug__value_base(s->g, node->in[i]);
    if (base != SNUG_NONE && snug__plan_is_placed(s->g, base)) {
      anchor = s->last_read[base] < anchor ? s->last_read[base] : anchor;
    }
  }
  return anchor < s->g->nodes.n ? anchor : p;
}

/* A stable counting sort by anchor. */
static void sort(sinker *s, snug__id *order) {
  size_t n = s->g->nodes.n;
  for (size_t p = 0; p < n; p++) {
    s->start[s->anchor[order[p]] + 1]++;
  }
  for (size_t p = 0; p < n; p++) {
    s->start[p + 1] += s->start[p];
  }
  for (size_t p = 0; p < n; p++) {
    s->sorted[s->start[s->anchor[order[p]]]++] = order[p];
  }
  memcpy(order, s->sorted, n * sizeof *order);
}

snug_status snug__order_sink(const snug__graph *g, const snug__depend *depend, snug__id *order) {
  sinker s = {.g = g, .depend = depend};
  snug_status status = init(&s);
  if (!status) {
    find_last_reads(&s, order);
    for (uint32_t p = (uint32_t)g->nodes.n; p-- > 0;) {
      s.anchor[order[p]] = anchor_of(&s, order[p], p);
    }
    sort(&s, order);
  }
  release(&s);
  return status;
}
