/* Two walks over the weights, trainable ones before the others, after one that counts. */
#include "keras/order.h"

#include <string.h>

/* The layer of a weight; n_layers if it is no weight of a layer. */
static size_t layer_of(const snug__keras_order *o, const snug_model *m, const snug__variable *v) {
  const snug__layer *layer = v->kind == SNUG__WEIGHT ? snug__model_find_layer(m, v->layer) : NULL;
  return layer ? layer->index : o->n_layers;
}

/* first[i + 1] counts layer i, then is where it ends. */
static void count(snug__keras_order *o, const snug_model *m) {
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    size_t layer = layer_of(o, m, snug__variable_at(&m->variables, i));
    if (layer < o->n_layers) {
      o->first[layer + 1]++;
    }
  }
  for (size_t i = 0; i < o->n_layers; i++) {
    o->first[i + 1] += o->first[i];
  }
}

static void put(snug__keras_order *o, const snug_model *m, bool trainable, uint32_t *next) {
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    const snug__variable *v = snug__variable_at(&m->variables, i);
    size_t layer = layer_of(o, m, v);
    if (layer < o->n_layers && v->trainable == trainable) {
      o->weights[next[layer]++] = i;
    }
  }
}

static snug_status fill(snug__keras_order *o, const snug_model *m) {
  uint32_t *next = NULL;
  SNUG_TRY(SNUG_NEW_ARRAY(o->ctx, SNUG__MEM_SCRATCH, o->n_layers + 1, &o->first));
  count(o, m);
  o->n_weights = o->first[o->n_layers];
  SNUG_TRY(SNUG_NEW_ARRAY(o->ctx, SNUG__MEM_SCRATCH, o->n_weights + 1, &o->weights));
  SNUG_TRY(SNUG_NEW_ARRAY(o->ctx, SNUG__MEM_SCRATCH, o->n_layers + 1, &next));
  memcpy(next, o->first, (o->n_layers + 1) * sizeof *next);
  put(o, m, true, next);
  put(o, m, false, next);
  SNUG_GIVE_ARRAY(o->ctx, SNUG__MEM_SCRATCH, next, o->n_layers + 1);
  return SNUG_OK;
}

snug_status snug__keras_order_init(snug__keras_order *o, const snug_model *m) {
  *o = (snug__keras_order){.ctx = m->ctx, .n_layers = m->layers.n};
  snug_status s = fill(o, m);
  if (s) {
    snug__keras_order_release(o);
  }
  return s;
}

void snug__keras_order_release(snug__keras_order *o) {
  SNUG_GIVE_ARRAY(o->ctx, SNUG__MEM_SCRATCH, o->weights, o->n_weights + 1);
  SNUG_GIVE_ARRAY(o->ctx, SNUG__MEM_SCRATCH, o->first, o->n_layers + 1);
  *o = (snug__keras_order){.ctx = o->ctx};
}

const snug__id *snug__keras_order_of(const snug__keras_order *o, const snug__keras_place *place,
                                     size_t *n) {
  if (place->layer >= o->n_layers) {
    *n = 0;
    return o->weights;
  }
  *n = o->first[place->layer + 1] - o->first[place->layer];
  return o->weights + o->first[place->layer];
}
