/* The walk visits nodes depth first, in the order of outputs and of the inputs of each call; a
 * stack of our own keeps it from going as deep as the model. */
#include "keras/call_order.h"

#include <stdlib.h>

#include "base/arena.h"

/* A node whose parents before `next` were visited. */
typedef struct visit {
  uint32_t node, next;
} visit;

typedef struct sorting {
  snug_ctx *ctx;
  const snug__call_graph *g;
  uint32_t *seen;     /* of an op: which one the walk met it as, from 1 on; 0: never */
  bool *entered;      /* node */
  uint32_t *finished; /* nodes in the order the walk left them */
  uint32_t *depth;    /* of nodes, then of ops */
  snug__vec stack;    /* visit */
  uint32_t n_seen;
  size_t n_finished;
} sorting;

typedef struct sorted {
  uint32_t depth, seen, op;
} sorted;

/* ---- the walk ---- */

static snug_status enter(sorting *s, uint32_t node) {
  visit v = {node, 0};
  uint32_t op = s->g->nodes[node].op;
  if (s->entered[node]) {
    return SNUG_OK;
  }
  s->entered[node] = true;
  if (!s->seen[op]) {
    s->seen[op] = ++s->n_seen;
  }
  return snug__vec_push(&s->stack, &v, 1);
}

static snug_status walk_from(sorting *s, uint32_t output) {
  SNUG_TRY(enter(s, output));
  while (s->stack.n) {
    visit *top = &SNUG_VEC(&s->stack, visit, s->stack.n - 1);
    const snug__call_node *node = &s->g->nodes[top->node];
    if (top->next < node->n) {
      SNUG_TRY(enter(s, s->g->parents[node->first + top->next++]));
    } else {
      s->finished[s->n_finished++] = top->node;
      s->stack.n--;
    }
  }
  return SNUG_OK;
}

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

static void find_depths(sorting *s) {
  uint32_t *op_depth = s->depth + s->g->n_nodes;
  for (size_t k = s->n_finished; k-- > 0;) {
    const snug__call_node *node = &s->g->nodes[s->finished[k]];
    uint32_t depth = larger(s->depth[s->finished[k]], op_depth[node->op]);
    s->depth[s->finished[k]] = op_depth[node->op] = depth;
    for (uint32_t i = 0; i < node->n; i++) {
      uint32_t parent = s->g->parents[node->first + i];
      s->depth[parent] = larger(s->depth[parent], depth + 1);
    }
  }
}

/* ---- the list ---- */

static int compare(const void *a, const void *b) {
  const sorted *x = a;
  const sorted *y = b;
  if (x->depth != y->depth) {
    return x->depth > y->depth ? -1 : 1;
  }
  return x->seen < y->seen ? -1 : x->seen > y->seen;
}

/* An input that no output needs stands before all others of the last distance. */
static size_t list_ops(const sorting *s, const uint32_t *inputs, size_t n_inputs, sorted *all) {
  size_t n = 0;
  for (uint32_t op = 0; op < s->g->n_ops; op++) {
    if (s->seen[op]) {
      all[n++] = (sorted){s->depth[s->g->n_nodes + op], s->seen[op], op};
    }
  }
  for (size_t i = 0; i < n_inputs; i++) {
    uint32_t op = s->g->nodes[inputs[i]].op;
    if (!s->seen[op]) {
      all[n++] = (sorted){0, 0, op};
    }
  }
  return n;
}

static snug_status list(const sorting *s, const uint32_t *inputs, size_t n_inputs, snug__vec *out) {
  sorted *all = NULL;
  size_t room = s->g->n_ops + n_inputs + 1;
  snug_status status = SNUG_OK;
  SNUG_TRY(SNUG_NEW_ARRAY(s->ctx, SNUG__MEM_SCRATCH, room, &all));
  size_t n = list_ops(s, inputs, n_inputs, all);
  qsort(all, n, sizeof *all, compare);
  for (size_t i = 0; i < n && !status; i++) {
    status = snug__vec_push(out, &all[i].op, 1);
  }
  SNUG_GIVE_ARRAY(s->ctx, SNUG__MEM_SCRATCH, all, room);
  return status;
}

static snug_status take_room(sorting *s, snug__arena *arena) {
  size_t n_nodes = s->g->n_nodes;
  size_t n_ops = s->g->n_ops;
  SNUG_TRY(snug__arena_take(arena, n_ops * sizeof *s->seen, (void **)&s->seen));
  SNUG_TRY(snug__arena_take(arena, n_nodes * sizeof *s->entered, (void **)&s->entered));
  SNUG_TRY(snug__arena_take(arena, n_nodes * sizeof *s->finished, (void **)&s->finished));
  return snug__arena_take(arena, (n_nodes + n_ops) * sizeof *s->depth, (void **)&s->depth);
}

snug_status snug__call_order(snug_ctx *ctx, const snug__call_graph *g, const uint32_t *outputs,
                             size_t n_outputs, const uint32_t *inputs, size_t n_inputs,
                             snug__vec *out) {
  snug__arena arena;
  sorting s = {.ctx = ctx, .g = g};
  snug__arena_init(&arena, ctx, SNUG__MEM_SCRATCH);
  snug__vec_init(&s.stack, ctx, SNUG__MEM_SCRATCH, sizeof(visit), g->n_nodes + 1);
  snug_status status = take_room(&s, &arena);
  for (size_t i = 0; i < n_outputs && !status; i++) {
    status = walk_from(&s, outputs[i]);
  }
  if (!status) {
    find_depths(&s);
    status = list(&s, inputs, n_inputs, out);
  }
  snug__vec_release(&s.stack);
  snug__arena_release(&arena);
  return status;
}
