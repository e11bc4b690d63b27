/* The Keras config of a model that was built here: a Sequential where it is a chain, else a
 * Functional.  It has the oldest keys that will do, so that every Keras 3 loads it. */
#include "keras/describe.h"

#include <stdio.h>
#include <string.h>

#include "keras/describe_parts.h"
#include "keras/json_print.h"

#define MOST_BYTES ((size_t)64 << 20)
#define PATH_BYTES (2 * SNUG__NAME_BYTES)

typedef struct description {
  snug_model *m;
  snug__text text;
  snug__vec items;    /* snug__keras_item */
  snug__arena arena;  /* of the names that are counted */
  snug__map counters; /* of class names in paths: the next number */
  uint32_t *nodes;    /* of a tensor: which call of its layer made it */
} description;

/* ---- is it a chain? ---- */

static bool is_chain(const snug_model *m) {
  snug_tensor at = m->inputs.n ? SNUG_VEC(&m->inputs, snug__model_input, 0).tensor : 0;
  if (m->inputs.n != 1 || m->outputs.n != 1 || m->calls.n != m->layers.n || !m->calls.n) {
    return false;
  }
  for (size_t c = 0; c < m->calls.n; c++) {
    const snug__model_call *call = &SNUG_VEC(&m->calls, snug__model_call, c);
    const snug__layer *layer = &SNUG_VEC(&m->layers, snug__layer, call->layer);
    if (call->layer != c || layer->class_->max_in != 1 || call->in[0] != at) {
      return false;
    }
    at = call->out;
  }
  return at == SNUG_VEC(&m->outputs, snug_tensor, 0);
}

static snug_status list_chain(description *d) {
  for (uint32_t i = 0; i < d->m->layers.n; i++) {
    snug__keras_item item = {false, i};
    SNUG_TRY(snug__vec_push(&d->items, &item, 1));
  }
  return SNUG_OK;
}

/* ---- tensors ---- */

static snug_status print_batch_shape(description *d, snug_tensor tensor) {
  int64_t dim[SNUG_MAX_RANK] = {0};
  int32_t rank = snug_model_shape(d->m, tensor, dim);
  SNUG_TRY(snug__text_add(&d->text, "[null"));
  for (int32_t i = 0; i < rank; i++) {
    SNUG_TRY(snug__text_add(&d->text, ", %lld", (long long)dim[i]));
  }
  return snug__text_add(&d->text, "]");
}

/* Which of its layer's calls made each tensor, of those that count. */
static snug_status number_nodes(description *d) {
  const snug_model *m = d->m;
  uint32_t *calls = NULL;
  SNUG_TRY(snug__arena_take(&d->arena, m->tensors.n * sizeof *d->nodes, (void **)&d->nodes));
  SNUG_TRY(snug__arena_take(&d->arena, m->layers.n * sizeof *calls, (void **)&calls));
  for (size_t c = 0; c < m->calls.n; c++) {
    const snug__model_call *call = &SNUG_VEC(&m->calls, snug__model_call, c);
    if (call->needed) {
      d->nodes[call->out] = calls[call->layer]++;
    }
  }
  return SNUG_OK;
}

/* ["dense", 0, 0] */
static snug_status print_history(description *d, snug_tensor tensor) {
  SNUG_TRY(snug__text_add(&d->text, "["));
  SNUG_TRY(
      snug__json_print_text(SNUG_VEC(&d->m->tensors, snug__model_tensor, tensor).name, &d->text));
  return snug__text_add(&d->text, ", %u, 0]", d->nodes[tensor]);
}

static snug_status print_tensor(description *d, snug_tensor tensor) {
  const snug__type *t = &SNUG_VEC(&d->m->tensors, snug__model_tensor, tensor).type;
  SNUG_TRY(
      snug__text_add(&d->text, "{\"class_name\": \"__keras_tensor__\", \"config\": {\"shape\": "));
  SNUG_TRY(print_batch_shape(d, tensor));
  SNUG_TRY(snug__text_add(&d->text,
                          ", \"dtype\": \"%s\", \"keras_history\": ", snug_dtype_text(t->dtype)));
  SNUG_TRY(print_history(d, tensor));
  return snug__text_add(&d->text, "}}");
}

/* ---- entries ---- */

static snug_status print_input(description *d, const snug__model_input *input) {
  const snug__type *t = &SNUG_VEC(&d->m->tensors, snug__model_tensor, input->tensor).type;
  SNUG_TRY(snug__json_print_open("keras.layers", "InputLayer", &d->text));
  SNUG_TRY(snug__text_add(&d->text, "\"batch_shape\": "));
  SNUG_TRY(print_batch_shape(d, input->tensor));
  SNUG_TRY(snug__text_add(
      &d->text, ", \"dtype\": \"%s\", \"sparse\": false, \"name\": ", snug_dtype_text(t->dtype)));
  SNUG_TRY(snug__json_print_text(input->name, &d->text));
  return snug__json_print_close(NULL, &d->text);
}

/* A class that takes several inputs takes them as one list, also of one. */
static snug_status print_call(description *d, const snug__layer *layer,
                              const snug__model_call *call) {
  bool is_list = layer->class_->max_in > 1;
  SNUG_TRY(snug__text_add(&d->text, "{\"args\": [%s", is_list ? "[" : ""));
  for (int32_t i = 0; i < call->n_in; i++) {
    SNUG_TRY(snug__text_add(&d->text, "%s", i ? ", " : ""));
    SNUG_TRY(print_tensor(d, call->in[i]));
  }
  return snug__text_add(&d->text, "%s], \"kwargs\": {}}", is_list ? "]" : "");
}

static snug_status print_nodes(description *d, const snug__keras_calls *calls,
                               const snug__layer *layer) {
  bool first = true;
  for (uint32_t i = calls->first[layer->index]; i < calls->first[layer->index + 1]; i++) {
    const snug__model_call *call = &SNUG_VEC(&d->m->calls, snug__model_call, calls->calls[i]);
    if (call->needed) {
      SNUG_TRY(snug__text_add(&d->text, "%s", first ? "" : ", "));
      SNUG_TRY(print_call(d, layer, call));
      first = false;
    }
  }
  return SNUG_OK;
}

static snug_status print_item(description *d, const snug__keras_calls *calls,
                              const snug__keras_item *item) {
  const snug_model *m = d->m;
  const snug__model_input *input = NULL;
  const snug__layer *layer = NULL;
  if (item->is_input) {
    input = &SNUG_VEC(&m->inputs, snug__model_input, item->index);
    SNUG_TRY(print_input(d, input));
  } else {
    layer = &SNUG_VEC(&m->layers, snug__layer, item->index);
    SNUG_TRY(snug__keras_print_layer(m, layer, &d->text));
  }
  SNUG_TRY(snug__text_add(&d->text, ", \"name\": "));
  SNUG_TRY(snug__json_print_text(input ? input->name : layer->name, &d->text));
  SNUG_TRY(snug__text_add(&d->text, ", \"inbound_nodes\": ["));
  if (layer) {
    SNUG_TRY(print_nodes(d, calls, layer));
  }
  return snug__text_add(&d->text, "]}");
}

/* ---- models ---- */

static snug_status print_sequential(description *d) {
  const snug_model *m = d->m;
  const snug__model_input *input = &SNUG_VEC(&m->inputs, snug__model_input, 0);
  SNUG_TRY(snug__json_print_open("keras", "Sequential", &d->text));
  SNUG_TRY(snug__text_add(&d->text, "\"name\": "));
  SNUG_TRY(snug__json_print_text(m->name, &d->text));
  SNUG_TRY(snug__text_add(&d->text, ", \"trainable\": true, \"dtype\": \"%s\", \"layers\": [",
                          snug_dtype_text(m->real)));
  SNUG_TRY(print_input(d, input));
  for (size_t i = 0; i < m->layers.n; i++) {
    SNUG_TRY(snug__text_add(&d->text, "}, "));
    SNUG_TRY(snug__keras_print_layer(m, &SNUG_VEC(&m->layers, snug__layer, i), &d->text));
  }
  SNUG_TRY(snug__text_add(&d->text, "}], \"build_input_shape\": "));
  SNUG_TRY(print_batch_shape(d, input->tensor));
  SNUG_TRY(snug__json_print_close(NULL, &d->text));
  return snug__text_add(&d->text, "}");
}

static snug_status print_ends(description *d, const char *key, size_t n, bool are_inputs) {
  SNUG_TRY(snug__text_add(&d->text, "], \"%s\": [", key));
  for (size_t i = 0; i < n; i++) {
    SNUG_TRY(snug__text_add(&d->text, "%s", i ? ", " : ""));
    SNUG_TRY(print_history(d, are_inputs ? SNUG_VEC(&d->m->inputs, snug__model_input, i).tensor
                                         : SNUG_VEC(&d->m->outputs, snug_tensor, i)));
  }
  return SNUG_OK;
}

static snug_status print_entries(description *d, const snug__keras_calls *calls) {
  snug__vec list;
  snug__vec_init(&list, d->m->ctx, SNUG__MEM_SCRATCH, sizeof(snug__keras_item), UINT32_MAX);
  snug_status s = snug__keras_list(d->m, &list);
  for (size_t i = 0; i < list.n && !s; i++) {
    s = snug__text_add(&d->text, "%s", i ? ", " : "");
    s = s ? s : print_item(d, calls, &SNUG_VEC(&list, snug__keras_item, i));
  }
  snug__vec_release(&list);
  return s;
}

static snug_status print_functional(description *d) {
  snug__keras_calls calls = {0};
  SNUG_TRY(number_nodes(d));
  SNUG_TRY(snug__keras_sort_calls(d->m, &d->arena, &calls));
  SNUG_TRY(snug__json_print_open("keras.src.models.functional", "Functional", &d->text));
  SNUG_TRY(snug__text_add(&d->text, "\"name\": "));
  SNUG_TRY(snug__json_print_text(d->m->name, &d->text));
  SNUG_TRY(snug__text_add(&d->text, ", \"trainable\": true, \"layers\": ["));
  SNUG_TRY(print_entries(d, &calls));
  SNUG_TRY(print_ends(d, "input_layers", d->m->inputs.n, true));
  SNUG_TRY(print_ends(d, "output_layers", d->m->outputs.n, false));
  SNUG_TRY(snug__text_add(&d->text, "]"));
  SNUG_TRY(snug__json_print_close("Functional", &d->text));
  return snug__text_add(&d->text, "}");
}

/* ---- places ---- */

/* "layers/conv2d_1": by class, counted in the order of the list. */
static snug_status add_place(description *d, const snug__keras_item *item) {
  const snug_model *m = d->m;
  const snug__layer *layer =
      item->is_input ? NULL : &SNUG_VEC(&m->layers, snug__layer, item->index);
  char class_name[SNUG__NAME_BYTES];
  char path[PATH_BYTES];
  const char *key = NULL;
  snug__layer_snake_case(layer ? layer->class_->name : "InputLayer", class_name);
  uint32_t known = snug__map_find(&d->counters, class_name);
  uint32_t number = known == SNUG__MAP_NONE ? 0 : known;
  if (number) {
    snprintf(path, sizeof path, "layers/%s_%u", class_name, number);
  } else {
    snprintf(path, sizeof path, "layers/%s", class_name);
    SNUG_TRY(snug__arena_text(&d->arena, class_name, &key));
  }
  SNUG_TRY(snug__map_set(&d->counters, key ? key : class_name, number + 1));
  const char *name =
      layer ? layer->name : SNUG_VEC(&m->inputs, snug__model_input, item->index).name;
  return snug__keras_add_place(d->m, path, name, layer ? layer->index : SNUG__NO_LAYER);
}

static snug_status add_places(description *d) {
  SNUG_TRY(snug__keras_add_place(d->m, "", d->m->name, SNUG__NO_LAYER));
  for (size_t i = 0; i < d->items.n; i++) {
    SNUG_TRY(add_place(d, &SNUG_VEC(&d->items, snug__keras_item, i)));
  }
  return SNUG_OK;
}

static snug_status describe(description *d) {
  bool chain = is_chain(d->m);
  SNUG_TRY(chain ? list_chain(d) : snug__keras_sort(d->m, &d->items));
  SNUG_TRY(chain ? print_sequential(d) : print_functional(d));
  SNUG_TRY(
      snug__keras_create(d->m, snug__text_get(&d->text), d->text.chars.n, SNUG__KERAS_VERSION));
  return add_places(d);
}

snug_status snug__keras_describe(snug_model *m) {
  description d = {.m = m};
  SNUG_TRY(snug__model_finish(m));
  snug__text_init(&d.text, m->ctx, MOST_BYTES);
  snug__vec_init(&d.items, m->ctx, SNUG__MEM_SCRATCH, sizeof(snug__keras_item), UINT32_MAX);
  snug__arena_init(&d.arena, m->ctx, SNUG__MEM_SCRATCH);
  snug__map_init(&d.counters, m->ctx, SNUG__MEM_SCRATCH);
  snug_status s = describe(&d);
  if (s) {
    snug__keras_destroy(m);
  }
  snug__map_release(&d.counters);
  snug__arena_release(&d.arena);
  snug__vec_release(&d.items);
  snug__text_release(&d.text);
  return s;
}
