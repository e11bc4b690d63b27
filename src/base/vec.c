#include "base/vec.h"

#include <string.h>

#include "base/size.h"

#define LEAST_CAPACITY 8

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

/* Half as much again, so that many pushes cost few moves. */
static size_t next_capacity(const snug__vec *v, size_t wanted) {
  size_t capacity = v->capacity + v->capacity / 2;
  capacity = capacity < LEAST_CAPACITY ? LEAST_CAPACITY : capacity;
  capacity = capacity < wanted ? wanted : capacity;
  return capacity > v->max ? v->max : capacity;
}

static snug_status grow_to(snug__vec *v, size_t wanted) {
  size_t capacity = next_capacity(v, wanted);
  size_t old_bytes = v->capacity * v->element;
  size_t bytes = 0;
  if (!snug__mul_size(capacity, v->element, &bytes)) {
    return snug__fail(v->ctx, SNUG_E_OVERFLOW,
                      "%zu elements of %zu bytes are more than memory can hold", capacity,
                      v->element);
  }
  void *data = snug__realloc(v->ctx, v->name, v->data, old_bytes, bytes);
  if (!data) {
    return snug__refuse(v->ctx, v->name, bytes - old_bytes);
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
  if (n == 0) {
    return SNUG_OK;
  }
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
