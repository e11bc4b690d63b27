/* Life and questions of a model. */
#include "model/model.h"

#include "base/struct_size.h"

#include <string.h>

#define MAX_PARTS (1u << 20)

static void init_parts(snug_model *m) {
  snug_ctx *ctx = m->ctx;
  snug__arena_init(&m->arena, ctx, SNUG__MEM_MODEL);
  snug__variables_init(&m->variables, ctx);
  snug__vec_init(&m->layers, ctx, SNUG__MEM_MODEL, sizeof(snug__layer), MAX_PARTS);
  snug__vec_init(&m->calls, ctx, SNUG__MEM_MODEL, sizeof(snug__model_call), MAX_PARTS);
  snug__vec_init(&m->tensors, ctx, SNUG__MEM_MODEL, sizeof(snug__model_tensor), MAX_PARTS);
  snug__vec_init(&m->inputs, ctx, SNUG__MEM_MODEL, sizeof(snug__model_input), MAX_PARTS);
  snug__vec_init(&m->outputs, ctx, SNUG__MEM_MODEL, sizeof(snug_tensor), MAX_PARTS);
  snug__map_init(&m->names, ctx, SNUG__MEM_MODEL);
  snug__map_init(&m->counters, ctx, SNUG__MEM_MODEL);
}

snug_status snug_model_create(snug_ctx *ctx, const snug_model_options *options, snug_model **out) {
  snug_model_options o;
  snug_model *m = NULL;
  if (!ctx) {
    return SNUG_E_ARGUMENT;
  }
  if (!out) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "a model: there is no place for it (out is NULL)");
  }
  *out = NULL;
  SNUG_TRY(SNUG__READ(ctx, snug_model_options, options, &o));
  if (o.dtype && !snug__dtype_is_real(o.dtype)) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "a model's dtype must be a float, not %s (%d)",
                      snug_dtype_text(o.dtype), (int)o.dtype);
  }
  SNUG_TRY(SNUG_NEW(ctx, SNUG__MEM_MODEL, &m));
  m->ctx = ctx;
  m->real = o.dtype ? o.dtype : SNUG_FLOAT32;
  m->seed = o.seed;
  init_parts(m);
  snug_status s = snug__arena_text(&m->arena, o.name ? o.name : "model", &m->name);
  s = s ? s : snug__build_open(&m->proto, ctx, &m->variables, false, m->real);
  if (s) {
    snug_model_destroy(m);
    return s;
  }
  *out = m;
  return SNUG_OK;
}

void snug_model_destroy(snug_model *m) {
  if (!m) {
    return;
  }
  snug__training_destroy(m);
  snug__keras_destroy(m);
  snug__build_close(&m->proto);
  snug__map_release(&m->counters);
  snug__map_release(&m->names);
  snug__vec_release(&m->outputs);
  snug__vec_release(&m->inputs);
  snug__vec_release(&m->tensors);
  snug__vec_release(&m->calls);
  snug__vec_release(&m->layers);
  snug__model_give_weights(m);
  snug__variables_release(&m->variables);
  snug__arena_release(&m->arena);
  snug__give(m->ctx, SNUG__MEM_MODEL, m, sizeof *m);
}

snug_status snug_model_status(const snug_model *m) { return m ? m->status : SNUG_E_ARGUMENT; }

/* NULL if it is not there. */
static const snug__model_tensor *find_tensor(const snug_model *m, snug_tensor tensor) {
  if (!m || tensor < 0 || (size_t)tensor >= m->tensors.n) {
    return NULL;
  }
  return &SNUG_VEC(&m->tensors, snug__model_tensor, tensor);
}

snug_tensor snug_model_input_at(const snug_model *m, int32_t i) {
  if (!m || i < 0 || (size_t)i >= m->inputs.n) {
    return SNUG_NO_TENSOR;
  }
  return SNUG_VEC(&m->inputs, snug__model_input, i).tensor;
}

snug_tensor snug_model_output_at(const snug_model *m, int32_t i) {
  if (m && !m->outputs.n && i == 0) { /* none was told so far: it will be the last tensor */
    return (snug_tensor)m->tensors.n - 1;
  }
  if (!m || i < 0 || (size_t)i >= m->outputs.n) {
    return SNUG_NO_TENSOR;
  }
  return SNUG_VEC(&m->outputs, snug_tensor, i);
}

const char *snug_model_tensor_name(const snug_model *m, snug_tensor tensor) {
  const snug__model_tensor *t = find_tensor(m, tensor);
  return t ? t->name : "";
}

snug_dtype snug_model_tensor_dtype(const snug_model *m, snug_tensor tensor) {
  const snug__model_tensor *t = find_tensor(m, tensor);
  return t ? t->type.dtype : SNUG_NO_DTYPE;
}

int32_t snug_model_shape(const snug_model *m, snug_tensor tensor, int64_t shape[SNUG_MAX_RANK]) {
  const snug__model_tensor *found = find_tensor(m, tensor);
  if (!found) {
    return -1;
  }
  const snug__type *t = &found->type;
  for (int32_t i = 0; shape && i + 1 < t->rank; i++) {
    shape[i] = t->dim[i + 1];
  }
  return t->rank - 1;
}

snug_status snug__model_check(const snug_model *m) {
  if (!m->status) {
    return SNUG_OK;
  }
  return snug__fail(m->ctx, m->status, "%s", m->failure ? m->failure : "the model was not built");
}

static bool *trainable_of(const snug_model *m, uint32_t layer) {
  return &((snug__layer_common *)SNUG_VEC(&m->layers, snug__layer, layer).config)->trainable;
}

snug_status snug_model_set_trainable(snug_model *m, const char *layer_name, bool trainable) {
  if (!m) {
    return SNUG_E_ARGUMENT;
  }
  const char *name = layer_name ? layer_name : "";
  if (strcmp(name, "*") == 0) {
    for (uint32_t i = 0; i < m->layers.n; i++) {
      *trainable_of(m, i) = trainable;
    }
    return SNUG_OK;
  }
  const snug__layer *layer = snug__model_find_layer(m, name);
  if (!layer) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT, "there is no layer named '%s'", name);
  }
  *trainable_of(m, layer->index) = trainable;
  return SNUG_OK;
}

const snug__layer *snug__model_find_layer(const snug_model *m, const char *name) {
  uint32_t i = name ? snug__map_find(&m->names, name) : SNUG__MAP_NONE;
  return i < m->layers.n ? &SNUG_VEC(&m->layers, snug__layer, i) : NULL;
}

bool snug__model_trains(const snug_model *m, const snug__variable *v) {
  const snug__layer *layer = snug__model_find_layer(m, v->layer);
  return v->kind == SNUG__WEIGHT && v->trainable && layer && *trainable_of(m, layer->index);
}
