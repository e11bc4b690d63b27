/* The block of a model's weights, and reading and writing single ones. */
#include <string.h>

#include "base/size.h"
#include "base/struct_size.h"
#include "device/device.h"
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

/* No block: it stays where it is. */
static void move_to(snug__variable *x, snug__place block, size_t offset) {
  x->place = snug__place_is_set(block) ? snug__place_after(block, (int64_t)offset) : x->place;
}

/* The windows of variables that live in a file, behind all others. */
static size_t place_windows(const snug__variables *v, snug__kind kind, snug__place block,
                            size_t offset) {
  for (int32_t window = 0; window < 2; window++) {
    size_t end = 0;
    for (snug__id i = 0; i < v->list.n; i++) {
      snug__variable *x = snug__variable_at(v, i);
      if (x->kind == kind && x->home.is_file && x->home.window == window) {
        move_to(x, block, offset + x->home.at);
        end = x->home.at + stored_bytes(x) > end ? x->home.at + stored_bytes(x) : end;
      }
    }
    offset += end;
  }
  return offset;
}

size_t snug__variables_place(const snug__variables *v, snug__kind kind, snug__place block) {
  size_t offset = 0;
  for (snug__id i = 0; i < v->list.n; i++) {
    snug__variable *x = snug__variable_at(v, i);
    if (x->kind == kind && !x->home.is_file) {
      move_to(x, block, offset);
      snug__type stored = snug__variable_stored(x);
      size_t bytes = (size_t)snug__type_bytes(&stored);
      if (!snug__add_size(offset, bytes + (LINE - bytes % LINE) % LINE, &offset)) {
        return SIZE_MAX;
      }
    }
  }
  return place_windows(v, kind, block, offset);
}

/* Through plain memory, if it is not stored so. */
static snug_status fill_plain(const snug__variables *v, const snug__variable *x, snug__id id,
                              uint64_t seed) {
  snug__type stored = snug__variable_stored(x);
  size_t bytes = (size_t)snug__type_bytes(&x->type);
  void *plain = NULL;
  SNUG_TRY(snug__take(v->ctx, SNUG__MEM_SCRATCH, bytes, &plain));
  snug_status s = snug__initializer_fill(v->ctx, &x->initial, &x->type, seed, id, plain);
  snug__relayout_threaded(&x->type, plain, &stored, snug__variable_host(v, x), v->ctx->threads);
  snug__give(v->ctx, SNUG__MEM_SCRATCH, plain, bytes);
  return s;
}

snug_status snug__variables_reset(const snug__variables *v, snug__id id, uint64_t seed) {
  const snug__variable *x = snug__variable_at(v, id);
  snug__type stored = snug__variable_stored(x);
  if (x->layout == SNUG__LAYOUT_PLAIN) {
    SNUG_TRY(
        snug__initializer_fill(v->ctx, &x->initial, &x->type, seed, id, snug__variable_host(v, x)));
  } else if (snug__variable_starts_at_zero(x)) {
    memset(snug__variable_host(v, x), 0, (size_t)snug__type_bytes(&stored));
  } else {
    SNUG_TRY(fill_plain(v, x, id, seed));
  }
  return snug__variable_write(v, x);
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
  const bool is_there = snug__place_is_set(m->weights);
  size_t bytes = is_there ? 0 : snug__variables_place(&m->variables, SNUG__WEIGHT, SNUG__NOWHERE);
  void *block = bytes ? snug__realloc(m->ctx, SNUG__MEM_WEIGHTS, NULL, 0, bytes) : NULL;
  snug__give(m->ctx, SNUG__MEM_WEIGHTS, block, bytes);
  return bytes && !block ? snug__refuse(m->ctx, SNUG__MEM_WEIGHTS, bytes) : SNUG_OK;
}

static snug_status take_weights(const snug_model *m, size_t bytes, snug__place *out) {
  snug__queue *q = &m->ctx->queue;
  return q->device->take(q, SNUG__MEM_WEIGHTS, (int64_t)bytes, out);
}

void snug__model_give_weights(snug_model *m) {
  snug__queue *q = &m->ctx->queue;
  if (snug__place_is_set(m->weights)) {
    q->device->give(q, SNUG__MEM_WEIGHTS, m->weights, (int64_t)m->weights_bytes);
  }
  m->weights = SNUG__NOWHERE;
}

snug_status snug__model_commit_weights(snug_model *m) {
  if (snug__place_is_set(m->weights)) {
    return SNUG_OK;
  }
  m->weights_bytes = snug__variables_place(&m->variables, SNUG__WEIGHT, SNUG__NOWHERE);
  SNUG_TRY(snug__variables_stage(&m->variables));
  SNUG_TRY(take_weights(m, m->weights_bytes, &m->weights));
  snug__variables_place(&m->variables, SNUG__WEIGHT, m->weights);
  snug_status s = fill_weights(m);
  if (s) {
    snug__model_give_weights(m);
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
  snug__place at;
} place;

static void exchange_layouts(const snug_model *m, const snug__layout *layout, place *old) {
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    snug__variable *x = snug__variable_at(&m->variables, i);
    old[i] = (place){x->layout, x->place};
    x->layout = x->kind == SNUG__WEIGHT ? layout[i] : x->layout;
  }
}

/* Bring a weight from where it was to where it is, in its new layout. */
static snug_status move_weight(const snug_model *m, const snug__variable *x, const place *old) {
  snug__type from = snug__type_in(x->type, old->layout);
  snug__type to = snug__variable_stored(x);
  const size_t bytes = (size_t)snug__type_bytes(&from);
  snug__queue *q = &m->ctx->queue;
  void *there = NULL;
  if (q->device->is_host) {
    snug__variable was = *x;
    was.place = old->at;
    snug__relayout_threaded(&from, snug__variable_host(&m->variables, &was), &to,
                            snug__variable_host(&m->variables, x), m->ctx->threads);
    return SNUG_OK;
  }
  SNUG_TRY(snug__take(m->ctx, SNUG__MEM_SCRATCH, bytes, &there));
  snug__device_read(q, there, old->at, (int64_t)bytes);
  snug__relayout(&from, there, &to, snug__variable_host(&m->variables, x));
  snug__give(m->ctx, SNUG__MEM_SCRATCH, there, bytes);
  return snug__variable_write(&m->variables, x);
}

static snug_status move_weights(const snug_model *m, const place *old) {
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    const snug__variable *x = snug__variable_at(&m->variables, i);
    SNUG_TRY(x->kind == SNUG__WEIGHT ? move_weight(m, x, &old[i]) : SNUG_OK);
  }
  return SNUG_OK;
}

/* Back to where they were, without a failure. */
static void restore_places(const snug_model *m, const place *old) {
  for (snug__id i = 0; i < m->variables.list.n; i++) {
    snug__variable *x = snug__variable_at(&m->variables, i);
    x->layout = old[i].layout;
    x->place = old[i].at;
  }
}

static snug_status lay_out_anew(snug_model *m, const snug__layout *layout, place *old) {
  const bool is_there = snug__place_is_set(m->weights);
  snug__place block = SNUG__NOWHERE;
  exchange_layouts(m, layout, old);
  size_t bytes = snug__variables_place(&m->variables, SNUG__WEIGHT, SNUG__NOWHERE);
  if (!is_there) {
    return SNUG_OK;
  }
  snug_status s = snug__variables_stage(&m->variables);
  s = s ? s : take_weights(m, bytes, &block);
  if (!s) {
    snug__variables_place(&m->variables, SNUG__WEIGHT, block);
    s = move_weights(m, old);
  }
  if (s) {
    restore_places(m, old);
    if (snug__place_is_set(block)) {
      m->ctx->queue.device->give(&m->ctx->queue, SNUG__MEM_WEIGHTS, block, (int64_t)bytes);
    }
    return s;
  }
  snug__model_give_weights(m);
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
  snug_weight_info info = {.name = v->name,
                           .layer = v->layer,
                           .dtype = v->type.dtype,
                           .rank = v->type.rank,
                           .trainable = snug__model_trains(m, v),
                           .bytes = (size_t)snug__type_bytes(&v->type)};
  memcpy(info.shape, v->type.dim, sizeof info.shape);
  SNUG_TRY(SNUG__CHECK(m->ctx, snug_weight_info, out));
  SNUG__WRITE(snug_weight_info, &info, out);
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
  void *there = NULL;
  SNUG_TRY(snug__variable_read(&m->variables, v, &there));
  snug__relayout(&stored, there, &v->type, data);
  return SNUG_OK;
}

snug_status snug_model_weight_set(snug_model *m, const char *name, const void *data, size_t bytes) {
  snug__variable *v = NULL;
  SNUG_TRY(find_weight(m, name, data, bytes, &v));
  snug__type stored = snug__variable_stored(v);
  snug__relayout(&v->type, data, &stored, snug__variable_host(&m->variables, v));
  return snug__variable_write(&m->variables, v);
}
