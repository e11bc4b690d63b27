#include "base/vec.h"

#include <string.h>

#include "base/size.h"

void snug__vec_init(snug__vec *v, snug_ctx *ctx, snug__account_name name, size_t element,
                    size_t max) {
  *v = (snug__vec){.ctx = ctx, .name = name, .element = element, .max = max};
}

void snug__vec_release(snug__vec *v) {
  if (v->data) {
    snug__give(v->ctx, v->name, v->data, v->capacity * v->element);
  }
  v->data = NULL;
  v->n = v->capacity = 0;
}

static snug_status grow_to(snug__vec *v, size_t wanted) {
  size_t capacity = v->capacity ? v->capacity : 8;
  size_t bytes = 0;
  while (capacity < wanted) {
    capacity += capacity / 2;
  }
  capacity = capacity > v->max ? v->max : capacity;
  if (!snug__mul_size(capacity, v->element, &bytes)) {
    return snug__fail(v->ctx, SNUG_E_OVERFLOW,
                      "%zu elements of %zu bytes are more than memory can hold", capacity,
                      v->element);
  }
  void *data = snug__realloc(v->ctx, v->name, v->data, v->capacity * v->element, bytes);
  if (!data) {
    return snug__fail(v->ctx, SNUG_E_MEMORY, "no memory for %zu bytes of %s", bytes,
                      snug__account_text(v->name));
  }
  v->data = data;
  v->capacity = capacity;
  return SNUG_OK;
}

snug_status snug__vec_reserve(snug__vec *v, size_t n) {
  size_t wanted = 0;
  if (!snug__add_size(v->n, n, &wanted) || wanted > v->max) {
    return snug__fail(v->ctx, SNUG_E_OVERFLOW,
                      "%zu more than %zu elements of %s: the most there may be is %zu", n, v->n,
                      snug__account_text(v->name), v->max);
  }
  return wanted > v->capacity ? grow_to(v, wanted) : SNUG_OK;
}

snug_status snug__vec_push(snug__vec *v, const void *src, size_t n) {
  SNUG_TRY(snug__vec_reserve(v, n));
  void *at = (char *)v->data + v->n * v->element;
  if (src) {
    memcpy(at, src, n * v->element);
  } else {
    memset(at, 0, n * v->element);
  }
  v->n += n;
  return SNUG_OK;
}
