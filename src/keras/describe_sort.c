/* Keras lists the layers of a Functional model by their distance to the outputs, the farthest
 * first; layers of one distance as a walk back from the outputs meets them.  The paths of weights
 * depend on it, and Keras works it out anew when it loads a file.
 *
 * A node is a call of a layer, or an input.  The walk visits nodes depth first, in the order of
 * outputs and of the inputs of each call; a stack of our own keeps it from going as deep as the
 * model. */
#include <stdlib.h>
#include <string.h>

#include "keras/describe_parts.h"

#define UNSEEN UINT32_MAX

/* A node whose inputs before `next` were visited. */
typedef struct visit {
  uint32_t node;
  int32_t next;
} visit;

typedef struct sorting {
  const snug_model *m;
  size_t n_inputs, n_calls, n_nodes, n_ops;
  uint32_t *producer; /* of a tensor: its node */
  uint32_t *seen;     /* of an input or layer: which one the walk met it as */
  bool *entered;      /* node */
  uint32_t *finished; /* nodes in the order the walk left them */
  uint32_t *depth;    /* of nodes, then of inputs and layers */
  snug__vec stack;    /* visit */
  size_t n_seen, n_finished;
} sorting;

typedef struct sorted {
  uint32_t depth, seen, op;
} sorted;

/* ---- nodes ---- */

static const snug__model_call *call_of(const sorting *s, uint32_t node) {
  return &SNUG_VEC(&s->m->calls, snug__model_call, node - s->n_inputs);
}

static uint32_t op_of(const sorting *s, uint32_t node) {
  return node < s->n_inputs ? node : (uint32_t)s->n_inputs + call_of(s, node)->layer;
}

static int32_t n_parents(const sorting *s, uint32_t node) {
  return node < s->n_inputs ? 0 : call_of(s, node)->n_in;
}

static uint32_t parent(const sorting *s, uint32_t node, int32_t i) {
  return s->producer[call_of(s, node)->in[i]];
}

static void find_producers(sorting *s) {
  for (size_t i = 0; i < s->n_inputs; i++) {
    s->producer[SNUG_VEC(&s->m->inputs, snug__model_input, i).tensor] = (uint32_t)i;
  }
  for (size_t c = 0; c < s->n_calls; c++) {
    uint32_t node = (uint32_t)(s->n_inputs + c);
    s->producer[call_of(s, node)->out] = node;
  }
}

/* ---- the walk ---- */

static snug_status enter(sorting *s, uint32_t node) {
  visit v = {node, 0};
  uint32_t op = op_of(s, node);
  if (s->entered[node]) {
    return SNUG_OK;
  }
  s->entered[node] = true;
  if (s->seen[op] == UNSEEN) {
    s->seen[op] = (uint32_t)s->n_seen++;
  }
  return snug__vec_push(&s->stack, &v, 1);
}

static snug_status walk_from(sorting *s, uint32_t node) {
  SNUG_TRY(enter(s, node));
  while (s->stack.n) {
    visit *top = &SNUG_VEC(&s->stack, visit, s->stack.n - 1);
    if (top->next < n_parents(s, top->node)) {
      SNUG_TRY(enter(s, parent(s, top->node, top->next++)));
    } else {
      s->finished[s->n_finished++] = top->node;
      s->stack.n--;
    }
  }
  return SNUG_OK;
}

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

static void find_depths(sorting *s) {
  uint32_t *op_depth = s->depth + s->n_nodes;
  for (size_t k = s->n_finished; k-- > 0;) {
    uint32_t node = s->finished[k];
    uint32_t op = op_of(s, node);
    uint32_t depth = larger(s->depth[node], op_depth[op]);
    s->depth[node] = op_depth[op] = depth;
    for (int32_t i = 0; i < n_parents(s, node); i++) {
      uint32_t up = parent(s, node, i);
      s->depth[up] = larger(s->depth[up], depth + 1);
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

static snug_status list(const sorting *s, snug__vec *out) {
  sorted *all = NULL;
  size_t n = 0;
  snug_status status = SNUG_OK;
  SNUG_TRY(SNUG_NEW_ARRAY(s->m->ctx, SNUG__MEM_SCRATCH, s->n_ops + 1, &all));
  for (uint32_t op = 0; op < s->n_ops; op++) {
    if (s->seen[op] != UNSEEN) {
      all[n++] = (sorted){s->depth[s->n_nodes + op], s->seen[op], op};
    }
  }
  qsort(all, n, sizeof *all, compare);
  for (size_t i = 0; i < n && !status; i++) {
    bool is_input = all[i].op < s->n_inputs;
    snug__keras_item item = {is_input, all[i].op - (is_input ? 0 : (uint32_t)s->n_inputs)};
    status = snug__vec_push(out, &item, 1);
  }
  SNUG_GIVE_ARRAY(s->m->ctx, SNUG__MEM_SCRATCH, all, s->n_ops + 1);
  return status;
}

static snug_status sort(sorting *s, snug__arena *arena, snug__vec *out) {
  size_t n_tensors = s->m->tensors.n;
  SNUG_TRY(snug__arena_take(arena, n_tensors * sizeof *s->producer, (void **)&s->producer));
  SNUG_TRY(snug__arena_take(arena, s->n_ops * sizeof *s->seen, (void **)&s->seen));
  SNUG_TRY(snug__arena_take(arena, s->n_nodes * sizeof *s->entered, (void **)&s->entered));
  SNUG_TRY(snug__arena_take(arena, s->n_nodes * sizeof *s->finished, (void **)&s->finished));
  SNUG_TRY(snug__arena_take(arena, (s->n_nodes + s->n_ops) * sizeof *s->depth, (void **)&s->depth));
  memset(s->seen, 0xff, s->n_ops * sizeof *s->seen);
  find_producers(s);
  for (size_t i = 0; i < s->m->outputs.n; i++) {
    SNUG_TRY(walk_from(s, s->producer[SNUG_VEC(&s->m->outputs, snug_tensor, i)]));
  }
  find_depths(s);
  return list(s, out);
}

snug_status snug__keras_sort(const snug_model *m, snug__vec *out) {
  snug__arena arena;
  sorting s = {.m = m, .n_inputs = m->inputs.n, .n_calls = m->calls.n};
  s.n_nodes = s.n_inputs + s.n_calls;
  s.n_ops = s.n_inputs + m->layers.n;
  snug__arena_init(&arena, m->ctx, SNUG__MEM_SCRATCH);
  snug__vec_init(&s.stack, m->ctx, SNUG__MEM_SCRATCH, sizeof(visit), s.n_nodes + 1);
  snug_status status = sort(&s, &arena, out);
  snug__vec_release(&s.stack);
  snug__arena_release(&arena);
  return status;
}
