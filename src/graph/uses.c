#include "graph/uses.h"

void snug__uses_release(snug__uses *u) {
  if (u->g) {
    size_t n = u->g->values.n;
    SNUG_GIVE_ARRAY(u->g->ctx, SNUG__MEM_SCRATCH, u->readers, u->start ? u->start[n] : 0);
    SNUG_GIVE_ARRAY(u->g->ctx, SNUG__MEM_SCRATCH, u->start, n + 1);
    SNUG_GIVE_ARRAY(u->g->ctx, SNUG__MEM_SCRATCH, u->is_output, n);
  }
  *u = (snug__uses){0};
}

/* start[v] becomes the end of v's readers; filling moves it back to their beginning. */
static void count(snug__uses *u) {
  for (snug__id id = 0; id < u->g->nodes.n; id++) {
    const snug__node *node = snug__node_at(u->g, id);
    for (int32_t i = 0; i < node->n_in; i++) {
      if (node->in[i] != SNUG_NONE) {
        u->start[node->in[i]]++;
      }
    }
  }
  for (size_t v = 1; v <= u->g->values.n; v++) {
    u->start[v] += u->start[v - 1];
  }
}

static void fill(snug__uses *u) {
  for (snug__id id = (snug__id)u->g->nodes.n; id-- > 0;) {
    const snug__node *node = snug__node_at(u->g, id);
    for (int32_t i = 0; i < node->n_in; i++) {
      if (node->in[i] != SNUG_NONE) {
        u->readers[--u->start[node->in[i]]] = id;
      }
    }
  }
  for (size_t i = 0; i < u->g->outputs.n; i++) {
    u->is_output[SNUG_VEC(&u->g->outputs, snug__id, i)] = true;
  }
}

snug_status snug__uses_init(snug__uses *u, const snug__graph *g) {
  size_t n = g->values.n;
  *u = (snug__uses){.g = g};
  snug_status s = SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, n + 1, &u->start);
  s = s ? s : SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, n, &u->is_output);
  if (!s) {
    count(u);
    s = SNUG_NEW_ARRAY(g->ctx, SNUG__MEM_SCRATCH, u->start[n], &u->readers);
  }
  if (s) {
    snug__uses_release(u);
    return s;
  }
  fill(u);
  return SNUG_OK;
}

const snug__id *snug__readers(const snug__uses *u, snug__id value, size_t *n) {
  *n = u->start[value + 1] - u->start[value];
  return u->readers + u->start[value];
}

snug__id snug__sole_reader(const snug__uses *u, snug__id value) {
  size_t n = 0;
  const snug__id *readers = snug__readers(u, value, &n);
  return n == 1 && !u->is_output[value] ? readers[0] : SNUG_NONE;
}
