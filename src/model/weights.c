/* The block of a model's weights, and reading and writing single ones. */
#include <string.h>

#include "base/size.h"
#include "model/initializer.h"
#include "model/model.h"
#include "ops/relayout.h"

/* Each variable starts on a cache line. */
#define LINE 64

static size_t stored_bytes(const snug__variable *x) {
  snug__type stored = snug__variable_stored(x);
  size_t bytes = (size_t)snug__type_bytes(&stored);
  return bytes + (LINE - bytes % LINE) % LINE;
}

/* The windows of variables that live in a file, behind all others. */
static size_t place_windows(const snug__variables *v, snug__kind kind, char *block, size_t offset) {
  for (int32_t window = 0; window < 2; window++) {
    size_t end = 0;
    for (snug__id i = 0; i < v->list.n; i++) {
      snug__variable *x = snug__variable_at(v, i);
      if (x->kind == kind && x->home.is_file && x->home.window == window) {
        x->data = block ? block + offset + x->home.at : x->data;
        end = x->home.at + stored_bytes(x) > end ? x->home.at + stored_bytes(x) : end;
      }
    }
    offset += end;
  }
  return offset;
}

size_t snug__variables_place(const snug__variables *v, snug__kind kind, void *block) {
  size_t offset = 0;
  for (snug__id i = 0; i < v->list.n; i++) {
    snug__variable *x = snug__variable_at(v, i);
    if (x->kind == kind && !x->home.is_file) {
      x->data = block ? (char *)block + offset : x->data;
      snug__type stored = snug__variable_stored(x);
      size_t bytes = (size_t)snug__type_bytes(&stored);
      if (!snug__add_size(offset, bytes + (LINE - bytes % LINE) % LINE, &offset)) {
        return SIZE_MAX;
      }
    }
  }
  return place_windows(v, kind, block, offset);
}

snug_status snug__variables_reset(const snug__variables *v, snug__id id, uint64_t seed) {
  snug__variable *x = snug__variable_at(v, id);
  snug__type stored = snug__variable_stored(x);
  size_t bytes = (size_t)snug__type_bytes(&x->type);
  void *plain = NULL;
  if (x->layout == SNUG__LAYOUT_PLAIN) {
    return snug__initializer_fill(v->ctx, &x->initial, &x->type, seed, id, x->data);
  }
  if (snug__variable_starts_at_zero(x)) {
    memset(x->data, 0, (size_t)snug__type_bytes(&stored));
    return SNUG_OK;
  }
  SNUG_TRY(snug__take(v->ctx, SNUG__MEM_SCRATCH, bytes, &plain));
  snug_status s = snug__initializer_fill(v->ctx, &x->initial, &x->type, seed, id, plain);
  snug__relayout_threaded(&x->type, plain, &stored, x->data, v->ctx->threads);
  snug__give(v->ctx, SNUG__MEM_SCRATCH, plain, bytes);
  return s;
}

/* In a block that is all zero. */
static snug_status fill_weights(const snug_model *m) {
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    const snug__variable *x = snug__variable_at(&m->variables, i);
    if (x->kind == SNUG__WEIGHT && !snug__variable_starts_at_zero(x)) {
      SNUG_TRY(snug__variables_reset(&m->variables, i, m->seed));
    }
  }
  return SNUG_OK;
}

/* Nothing of it is touched, so it costs nothing. */
snug_status snug__model_check_weights(const snug_model *m) {
  size_t bytes = m->weights ? 0 : snug__variables_place(&m->variables, SNUG__WEIGHT, NULL);
  void *block = bytes ? snug__realloc(m->ctx, SNUG__MEM_WEIGHTS, NULL, 0, bytes) : NULL;
  snug__give(m->ctx, SNUG__MEM_WEIGHTS, block, bytes);
  return bytes && !block ? snug__refuse(m->ctx, SNUG__MEM_WEIGHTS, bytes) : SNUG_OK;
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

static bool is_laid_out(const snug_model *m, const snug__layout *layout) {
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    const snug__variable *x = snug__variable_at(&m->variables, i);
    if (x->kind == SNUG__WEIGHT && x->layout != layout[i]) {
      return false;
    }
  }
  return true;
}

/* Where a variable was before its block was laid out anew. */
typedef struct place {
  snug__layout layout;
  const void *data;
} place;

static void exchange_layouts(const snug_model *m, const snug__layout *layout, place *old) {
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    snug__variable *x = snug__variable_at(&m->variables, i);
    old[i] = (place){x->layout, x->data};
    x->layout = x->kind == SNUG__WEIGHT ? layout[i] : x->layout;
  }
}

static void move_weights(const snug_model *m, const place *old) {
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    const snug__variable *x = snug__variable_at(&m->variables, i);
    snug__type from = snug__type_in(x->type, old[i].layout);
    snug__type to = snug__variable_stored(x);
    if (x->kind == SNUG__WEIGHT) {
      snug__relayout_threaded(&from, old[i].data, &to, x->data, m->ctx->threads);
    }
  }
}

static snug_status lay_out_anew(snug_model *m, const snug__layout *layout, place *old) {
  void *block = NULL;
  exchange_layouts(m, layout, old);
  size_t bytes = snug__variables_place(&m->variables, SNUG__WEIGHT, NULL);
  snug_status s = m->weights ? snug__take(m->ctx, SNUG__MEM_WEIGHTS, bytes, &block) : SNUG_OK;
  if (s || !m->weights) {
    for (snug__id i = 0; s && i < m->variables.list.n; i++) {
      snug__variable_at(&m->variables, i)->layout = old[i].layout;
    }
    return s;
  }
  snug__variables_place(&m->variables, SNUG__WEIGHT, block);
  move_weights(m, old);
  snug__give(m->ctx, SNUG__MEM_WEIGHTS, m->weights, m->weights_bytes);
  m->weights = block;
  m->weights_bytes = bytes;
  return SNUG_OK;
}

snug_status snug__model_assign_weight_layouts(snug_model *m, const snug__layout *layout) {
  size_t n = m->variables.list.n;
  place *old = NULL;
  if (is_laid_out(m, layout)) {
    return SNUG_OK;
  }
  SNUG_TRY(SNUG_NEW_ARRAY(m->ctx, SNUG__MEM_SCRATCH, n, &old));
  snug_status s = lay_out_anew(m, layout, old);
  SNUG_GIVE_ARRAY(m->ctx, SNUG__MEM_SCRATCH, old, n);
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
  snug__type stored = snug__variable_stored(v);
  snug__relayout_threaded(&stored, v->data, &v->type, data, m->ctx->threads);
  return SNUG_OK;
}

snug_status snug_model_weight_set(snug_model *m, const char *name, const void *data, size_t bytes) {
  snug__variable *v = NULL;
  SNUG_TRY(find_weight(m, name, data, bytes, &v));
  snug__type stored = snug__variable_stored(v);
  snug__relayout_threaded(&v->type, data, &stored, v->data, m->ctx->threads);
  return SNUG_OK;
}
