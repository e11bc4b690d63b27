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
  uint32_t *first, *calls; /* of layer i: calls[first[i] .. first[i + 1]) */
  uint32_t *maker;         /* of a tensor: its layer; SNUG__NO_LAYER of an input */
  bool *is_seen;
  snug__vec stack; /* visit */
  snug__vec *out;
} listing;

static const snug__model_call *call_at(const listing *l, size_t c) {
  return &SNUG_VEC(&l->m->calls, snug__model_call, c);
}

static void sort_calls(listing *l) {
  size_t n = l->m->layers.n;
  for (size_t c = 0; c < l->m->calls.n; c++) {
    l->first[call_at(l, c)->layer]++;
    l->maker[call_at(l, c)->out] = call_at(l, c)->layer;
  }
  for (size_t i = 0, end = 0; i <= n; i++) { /* where each ends */
    end += l->first[i];
    l->first[i] = (uint32_t)end;
  }
  for (size_t c = l->m->calls.n; c-- > 0;) { /* from the last on; leaves where each begins */
    l->calls[--l->first[call_at(l, c)->layer]] = (uint32_t)c;
  }
}

static snug_status enter(listing *l, uint32_t layer) {
  const visit v = {layer, l->first[layer], 0};
  if (l->is_seen[layer]) {
    return SNUG_OK;
  }
  l->is_seen[layer] = true;
  return snug__vec_push(&l->stack, &v, 1);
}

/* The next layer that one is called on, or SNUG__NO_LAYER when there is no more. */
static uint32_t next_input(const listing *l, visit *v) {
  while (v->call < l->first[v->layer + 1]) {
    const snug__model_call *call = call_at(l, l->calls[v->call]);
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

static snug_status list_all(listing *l, snug__arena *arena) {
  const snug_model *m = l->m;
  size_t n = m->layers.n + 1;
  SNUG_TRY(snug__arena_take(arena, n * sizeof *l->first, (void **)&l->first));
  SNUG_TRY(snug__arena_take(arena, n * sizeof *l->is_seen, (void **)&l->is_seen));
  SNUG_TRY(snug__arena_take(arena, m->calls.n * sizeof *l->calls, (void **)&l->calls));
  SNUG_TRY(snug__arena_take(arena, m->tensors.n * sizeof *l->maker, (void **)&l->maker));
  for (size_t i = 0; i < m->tensors.n; i++) {
    l->maker[i] = SNUG__NO_LAYER;
  }
  sort_calls(l);
  for (uint32_t i = 0; i < m->inputs.n; i++) {
    snug__keras_item item = {true, i};
    SNUG_TRY(snug__vec_push(l->out, &item, 1));
  }
  for (size_t c = 0; c < m->calls.n; c++) {
    SNUG_TRY(call_at(l, c)->needed ? list_from(l, call_at(l, c)->layer) : SNUG_OK);
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
