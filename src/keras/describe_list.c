/* The order in which a config lists layers.  Keras up to 3.6 makes all calls of a layer when it
 * meets it, so a layer stands behind all that it is ever called on.  Where that cannot be, since it
 * is called on something that it made itself, only later versions load the file. */
#include "keras/describe_parts.h"

/* A layer whose inputs are being listed: up to which call, and which input of it. */
typedef struct visit {
  uint32_t layer, call;
  int32_t next;
} visit;

typedef struct listing {
  const snug_model *m;
  snug__keras_calls by_layer;
  uint32_t *maker; /* of a tensor: its layer; SNUG__NO_LAYER of an input */
  bool *is_seen;
  snug__vec stack; /* visit */
  snug__vec *out;
} listing;

static const snug__model_call *call_at(const snug_model *m, size_t c) {
  return &SNUG_VEC(&m->calls, snug__model_call, c);
}

snug_status snug__keras_sort_calls(const snug_model *m, snug__arena *arena,
                                   snug__keras_calls *out) {
  size_t n = m->layers.n + 1;
  SNUG_TRY(snug__arena_take(arena, n * sizeof *out->first, (void **)&out->first));
  SNUG_TRY(snug__arena_take(arena, m->calls.n * sizeof *out->calls, (void **)&out->calls));
  for (size_t c = 0; c < m->calls.n; c++) {
    out->first[call_at(m, c)->layer]++;
  }
  for (size_t i = 1; i < n; i++) { /* where each ends */
    out->first[i] += out->first[i - 1];
  }
  for (size_t c = m->calls.n; c-- > 0;) { /* from the last on; leaves where each begins */
    out->calls[--out->first[call_at(m, c)->layer]] = (uint32_t)c;
  }
  return SNUG_OK;
}

static snug_status enter(listing *l, uint32_t layer) {
  const visit v = {layer, l->by_layer.first[layer], 0};
  if (l->is_seen[layer]) {
    return SNUG_OK;
  }
  l->is_seen[layer] = true;
  return snug__vec_push(&l->stack, &v, 1);
}

/* The next layer that one is called on, or SNUG__NO_LAYER when there is no more. */
static uint32_t next_input(const listing *l, visit *v) {
  while (v->call < l->by_layer.first[v->layer + 1]) {
    const snug__model_call *call = call_at(l->m, l->by_layer.calls[v->call]);
    if (call->needed && v->next < call->n_in) {
      uint32_t maker = l->maker[call->in[v->next++]];
      if (maker != SNUG__NO_LAYER) {
        return maker;
      }
    } else {
      v->call++;
      v->next = 0;
    }
  }
  return SNUG__NO_LAYER;
}

static snug_status list_from(listing *l, uint32_t layer) {
  SNUG_TRY(enter(l, layer));
  while (l->stack.n) {
    visit *top = &SNUG_VEC(&l->stack, visit, l->stack.n - 1);
    uint32_t input = next_input(l, top);
    if (input == SNUG__NO_LAYER) {
      snug__keras_item item = {false, top->layer};
      l->stack.n--;
      SNUG_TRY(snug__vec_push(l->out, &item, 1));
    } else {
      SNUG_TRY(enter(l, input));
    }
  }
  return SNUG_OK;
}

static snug_status find_makers(listing *l, snug__arena *arena) {
  const snug_model *m = l->m;
  SNUG_TRY(snug__arena_take(arena, m->tensors.n * sizeof *l->maker, (void **)&l->maker));
  for (size_t i = 0; i < m->tensors.n; i++) {
    l->maker[i] = SNUG__NO_LAYER;
  }
  for (size_t c = 0; c < m->calls.n; c++) {
    l->maker[call_at(m, c)->out] = call_at(m, c)->layer;
  }
  return SNUG_OK;
}

static snug_status list_all(listing *l, snug__arena *arena) {
  const snug_model *m = l->m;
  SNUG_TRY(snug__keras_sort_calls(m, arena, &l->by_layer));
  SNUG_TRY(find_makers(l, arena));
  SNUG_TRY(snug__arena_take(arena, m->layers.n * sizeof *l->is_seen, (void **)&l->is_seen));
  for (uint32_t i = 0; i < m->inputs.n; i++) {
    snug__keras_item item = {true, i};
    SNUG_TRY(snug__vec_push(l->out, &item, 1));
  }
  for (size_t c = 0; c < m->calls.n; c++) {
    if (call_at(m, c)->needed) {
      SNUG_TRY(list_from(l, call_at(m, c)->layer));
    }
  }
  return SNUG_OK;
}

snug_status snug__keras_list(const snug_model *m, snug__vec *out) {
  listing l = {.m = m, .out = out};
  snug__arena arena;
  snug__arena_init(&arena, m->ctx, SNUG__MEM_SCRATCH);
  snug__vec_init(&l.stack, m->ctx, SNUG__MEM_SCRATCH, sizeof(visit), m->layers.n + 1);
  snug_status s = list_all(&l, &arena);
  snug__vec_release(&l.stack);
  snug__arena_release(&arena);
  return s;
}
