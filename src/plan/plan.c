#include "plan/plan.h"

#include <string.h>

#include "base/size.h"
#include "graph/op.h"
#include "snug/tools/pack.h"

static snug_status allocate(snug__plan *p, const snug__graph *g) {
  snug_ctx *ctx = p->ctx;
  p->n_nodes = g->nodes.n;
  p->n_values = g->values.n;
  p->room = p->n_nodes + p->n_values;
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_PLAN, p->n_nodes, &p->order));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_PLAN, p->n_values, &p->first));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_PLAN, p->n_values, &p->end));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_PLAN, p->n_values, &p->buffer_of));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_PLAN, p->n_nodes, &p->scratch_of));
  return SNUG_NEW_ARRAY(ctx, SNUG__MEM_PLAN, p->room, &p->buffers);
}

void snug__plan_destroy(snug__plan *p) {
  if (p) {
    SNUG_GIVE_ARRAY(p->ctx, SNUG__MEM_PLAN, p->buffers, p->room);
    SNUG_GIVE_ARRAY(p->ctx, SNUG__MEM_PLAN, p->scratch_of, p->n_nodes);
    SNUG_GIVE_ARRAY(p->ctx, SNUG__MEM_PLAN, p->buffer_of, p->n_values);
    SNUG_GIVE_ARRAY(p->ctx, SNUG__MEM_PLAN, p->end, p->n_values);
    SNUG_GIVE_ARRAY(p->ctx, SNUG__MEM_PLAN, p->first, p->n_values);
    SNUG_GIVE_ARRAY(p->ctx, SNUG__MEM_PLAN, p->order, p->n_nodes);
    snug__give(p->ctx, SNUG__MEM_PLAN, p, sizeof *p);
  }
}

/* Every buffer on lines of its own, one after the other. */
static snug_status place_apart(snug__plan *p) {
  int64_t at = 0;
  for (size_t i = 0; i < p->n_buffers; i++) {
    p->buffers[i].offset = at;
    p->height = snug__max_i64(p->height, at + p->buffers[i].bytes);
    at += snug__round_up(p->buffers[i].bytes, SNUG__BLOCK_ALIGN);
  }
  p->load = p->height;
  return SNUG_OK;
}

/* A fraction of a second: a fit plans several programs, and the search reaches the load of most
 * training steps at once. */
#define SEARCH_WORK (INT64_C(1) << 28)

static snug_status pack(snug__plan *p, int64_t work, snug_pack_item *items, int64_t *offsets) {
  snug_pack_options options = {.struct_size = sizeof options, .work = work ? work : SEARCH_WORK};
  snug_pack_result result = SNUG_INIT(snug_pack_result);
  for (size_t i = 0; i < p->n_buffers; i++) {
    const snug__buffer *b = &p->buffers[i];
    items[i] = (snug_pack_item){b->first, b->end, b->bytes, SNUG__BLOCK_ALIGN, -1};
  }
  SNUG_TRY(snug_pack(p->ctx, items, p->n_buffers, &options, offsets, &result));
  for (size_t i = 0; i < p->n_buffers; i++) {
    p->buffers[i].offset = offsets[i];
  }
  p->load = result.load;
  p->height = result.height;
  p->proven = result.proven;
  return SNUG_OK;
}

static snug_status place(snug__plan *p, int64_t work) {
  snug_pack_item *items = NULL;
  int64_t *offsets = NULL;
  snug_status s = SNUG_NEW_ARRAY(p->ctx, SNUG__MEM_SCRATCH, p->n_buffers, &items);
  s = s ? s : SNUG_NEW_ARRAY(p->ctx, SNUG__MEM_SCRATCH, p->n_buffers, &offsets);
  s = s ? s : pack(p, work, items, offsets);
  SNUG_GIVE_ARRAY(p->ctx, SNUG__MEM_SCRATCH, offsets, p->n_buffers);
  SNUG_GIVE_ARRAY(p->ctx, SNUG__MEM_SCRATCH, items, p->n_buffers);
  return s;
}

static snug_status make(snug__plan *p, const snug__graph *g, const snug__needs *needs,
                        const snug__plan_options *o) {
  SNUG_TRY(allocate(p, g));
  SNUG_TRY(snug__plan_order(g, o->order, p->order));
  snug__plan_lifetimes(g, p->order, p->first, p->end);
  snug__plan_buffers(p, g, needs, !o->no_in_place);
  return o->apart ? place_apart(p) : place(p, o->work);
}

snug_status snug__plan_create(const snug__graph *g, const snug__needs *needs,
                              const snug__plan_options *options, snug__plan **out) {
  static const snug__plan_options defaults = {SNUG__ORDER_PEAK, false, false, 0};
  snug__plan *p = NULL;
  *out = NULL;
  SNUG_TRY(SNUG_NEW(g->ctx, SNUG__MEM_PLAN, &p));
  p->ctx = g->ctx;
  snug_status s = make(p, g, needs, options ? options : &defaults);
  if (s) {
    snug__plan_destroy(p);
    return s;
  }
  *out = p;
  return SNUG_OK;
}

int64_t snug__plan_offset(const snug__plan *p, const snug__graph *g, snug__id value) {
  snug__id buffer = p->buffer_of[snug__value_base(g, value)];
  return buffer == SNUG_NONE ? -1
                             : p->buffers[buffer].offset + snug__value_at(g, value)->view_offset;
}
