/* The peak's moment, whose bytes are alive there, and the text of a plan. */
#include <string.h>

#include "graph/op.h"
#include "plan/plan.h"

/* The first position with the largest sum; change has room for a position more than there are. */
static int64_t highest_position(const snug__plan *p, int64_t *change) {
  int64_t alive = 0;
  int64_t most = -1;
  int64_t best = 0;
  for (size_t i = 0; i < p->n_buffers; i++) {
    change[p->buffers[i].first] += p->buffers[i].bytes;
    change[p->buffers[i].end] -= p->buffers[i].bytes;
  }
  for (size_t i = 0; i <= p->n_nodes; i++) {
    alive += change[i];
    if (alive > most) {
      most = alive;
      best = (int64_t)i;
    }
  }
  return best;
}

void snug__plan_holders(const snug__plan *p, int64_t position, snug__id *holders) {
  memset(holders, 0xFF, p->n_buffers * sizeof *holders);
  for (snug__id v = 0; v < p->n_values; v++) {
    snug__id b = p->buffer_of[v];
    if (b != SNUG_NONE && p->first[v] <= position &&
        (holders[b] == SNUG_NONE || p->first[v] > p->first[holders[b]])) {
      holders[b] = v;
    }
  }
}

static void attribute(const snug__plan *p, const snug__graph *g, const snug__id *holders,
                      snug__peak *peak, int64_t *by_layer) {
  for (snug__id i = 0; i < p->n_buffers; i++) {
    const snug__buffer *b = &p->buffers[i];
    if (!snug__buffer_is_alive(b, peak->position)) {
      continue;
    }
    bool scratch = b->value == SNUG_NONE;
    snug__id layer =
        scratch ? snug__node_at(g, b->node)->layer : snug__value_at(g, holders[i])->layer;
    peak->by_class[scratch ? SNUG__CLASS_SCRATCH : snug__value_at(g, holders[i])->class_] +=
        b->bytes;
    peak->bytes += b->bytes;
    if (by_layer && layer != SNUG_NONE) {
      by_layer[layer] += b->bytes;
    }
  }
}

snug_status snug__plan_peak(const snug__plan *p, const snug__graph *g, snug__peak *peak,
                            int64_t *by_layer) {
  int64_t *change = NULL;
  snug__id *holders = NULL;
  memset(peak, 0, sizeof *peak);
  if (by_layer) {
    memset(by_layer, 0, g->layers.n * sizeof *by_layer);
  }
  snug_status s = SNUG_NEW_ARRAY(p->ctx, SNUG__MEM_SCRATCH, p->n_nodes + 2, &change);
  s = s ? s : SNUG_NEW_ARRAY(p->ctx, SNUG__MEM_SCRATCH, p->n_buffers, &holders);
  if (!s) {
    peak->position = highest_position(p, change);
    snug__plan_holders(p, peak->position, holders);
    attribute(p, g, holders, peak, by_layer);
  }
  SNUG_GIVE_ARRAY(p->ctx, SNUG__MEM_SCRATCH, holders, p->n_buffers);
  SNUG_GIVE_ARRAY(p->ctx, SNUG__MEM_SCRATCH, change, p->n_nodes + 2);
  return s;
}

static snug_status print_buffer(const snug__buffer *b, const snug__graph *g, snug__text *out) {
  snug__id layer =
      b->value == SNUG_NONE ? snug__node_at(g, b->node)->layer : snug__value_at(g, b->value)->layer;
  SNUG_TRY(snug__text_add(out, "buffer %lld+%lld alive [%lld,%lld) ", (long long)b->offset,
                          (long long)b->bytes, (long long)b->first, (long long)b->end));
  return b->value == SNUG_NONE
             ? snug__text_add(out, "scratch of node %u @%s\n", b->node, snug__layer_name(g, layer))
             : snug__text_add(out, "%%%u %s @%s\n", b->value,
                              snug__class_text(snug__value_at(g, b->value)->class_),
                              snug__layer_name(g, layer));
}

snug_status snug__plan_print(const snug__plan *p, const snug__graph *g, snug__text *out) {
  SNUG_TRY(snug__text_add(out, "snug-plan 1\nload %lld\nheight %lld%s\n", (long long)p->load,
                          (long long)p->height, p->proven ? " proven" : ""));
  for (size_t i = 0; i < p->n_nodes; i++) {
    const snug__node *node = snug__node_at(g, p->order[i]);
    SNUG_TRY(snug__text_add(out, "run %zu node %u %s @%s\n", i, p->order[i], node->op->name,
                            snug__layer_name(g, node->layer)));
  }
  for (size_t i = 0; i < p->n_buffers; i++) {
    SNUG_TRY(print_buffer(&p->buffers[i], g, out));
  }
  return SNUG_OK;
}
