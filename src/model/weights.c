/* The block of a model's weights, and reading and writing single ones. */
#include <string.h>

#include "base/size.h"
#include "model/initializer.h"
#include "model/model.h"

/* Each variable starts on a cache line. */
#define LINE 64

size_t snug__variables_place(const snug__variables *v, snug__kind kind, void *block) {
  size_t offset = 0;
  for (snug__id i = 0; i < v->list.n; i++) {
    snug__variable *x = snug__variable_at(v, i);
    if (x->kind == kind) {
      x->data = block ? (char *)block + offset : x->data;
      size_t bytes = (size_t)snug__type_bytes(&x->type);
      if (!snug__add_size(offset, bytes + (LINE - bytes % LINE) % LINE, &offset)) {
        return SIZE_MAX;
      }
    }
  }
  return offset;
}

snug_status snug__variables_reset(const snug__variables *v, snug__id id, uint64_t seed) {
  snug__variable *x = snug__variable_at(v, id);
  return snug__initializer_fill(v->ctx, &x->initial, &x->type, seed, id, x->data);
}

static snug_status fill_weights(const snug_model *m) {
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    if (snug__variable_at(&m->variables, i)->kind == SNUG__WEIGHT) {
      SNUG_TRY(snug__variables_reset(&m->variables, i, m->seed));
    }
  }
  return SNUG_OK;
}

snug_status snug__model_commit_weights(snug_model *m) {
  if (m->weights) {
    return SNUG_OK;
  }
  m->weights_bytes = snug__variables_place(&m->variables, SNUG__WEIGHT, NULL);
  SNUG_TRY(snug__take(m->ctx, SNUG__MEM_WEIGHTS, m->weights_bytes, &m->weights));
  snug__variables_place(&m->variables, SNUG__WEIGHT, m->weights);
  snug_status s = fill_weights(m);
  if (s) {
    snug__give(m->ctx, SNUG__MEM_WEIGHTS, m->weights, m->weights_bytes);
    m->weights = NULL;
  }
  return s;
}

/* The i-th weight among the variables, or NULL. */
static const snug__variable *nth_weight(const snug_model *m, size_t n) {
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    const snug__variable *v = snug__variable_at(&m->variables, i);
    if (v->kind == SNUG__WEIGHT && n-- == 0) {
      return v;
    }
  }
  return NULL;
}

size_t snug_model_weights(const snug_model *m) {
  size_t n = 0;
  for (snug__id i = 0; m && i < m->variables.list.n; i++) {
    n += snug__variable_at(&m->variables, i)->kind == SNUG__WEIGHT;
  }
  return n;
}

snug_status snug_model_weight_info(const snug_model *m, size_t i, snug_weight_info *out) {
  const snug__variable *v = m && out ? nth_weight(m, i) : NULL;
  if (!m) {
    return SNUG_E_ARGUMENT;
  }
  if (!v) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT, "there is no %s number %zu",
                      out ? "weight" : "place to tell of weight", i);
  }
  *out = (snug_weight_info){.name = v->name,
                            .layer = v->layer,
                            .dtype = v->type.dtype,
                            .rank = v->type.rank,
                            .trainable = snug__model_trains(m, v),
                            .bytes = (size_t)snug__type_bytes(&v->type)};
  memcpy(out->shape, v->type.dim, sizeof out->shape);
  return SNUG_OK;
}

static snug_status find_weight(snug_model *m, const char *name, const void *data, size_t bytes,
                               snug__variable **out) {
  snug__id id = m && name ? snug__variables_find(&m->variables, name) : SNUG_NONE;
  if (!m) {
    return SNUG_E_ARGUMENT;
  }
  SNUG_TRY(snug__model_check(m));
  if (id == SNUG_NONE || snug__variable_at(&m->variables, id)->kind != SNUG__WEIGHT) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT, "there is no weight named '%s'", name ? name : "");
  }
  *out = snug__variable_at(&m->variables, id);
  if (!data) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT, "%s: the data are at NULL", name);
  }
  if (bytes != (size_t)snug__type_bytes(&(*out)->type)) {
    return snug__fail(m->ctx, SNUG_E_ARGUMENT, "%s has %lld bytes, not %zu", name,
                      (long long)snug__type_bytes(&(*out)->type), bytes);
  }
  return snug__model_commit_weights(m);
}

snug_status snug_model_weight_get(snug_model *m, const char *name, void *data, size_t bytes) {
  snug__variable *v = NULL;
  SNUG_TRY(find_weight(m, name, data, bytes, &v));
  memcpy(data, v->data, bytes);
  return SNUG_OK;
}

snug_status snug_model_weight_set(snug_model *m, const char *name, const void *data, size_t bytes) {
  snug__variable *v = NULL;
  SNUG_TRY(find_weight(m, name, data, bytes, &v));
  memcpy(v->data, data, bytes);
  return SNUG_OK;
}
