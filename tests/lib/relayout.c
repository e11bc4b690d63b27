#include "lib/relayout.h"

#include <string.h>

/* The index within its block, digit by digit: an axis may be blocked twice. */
static int64_t digit(const snug__blocking *b, int32_t block, int64_t index) {
  int64_t inner = 1;
  for (int32_t k = block + 1; k < b->n_blocks; k++) {
    inner *= b->block_axis[k] == b->block_axis[block] ? b->block_size[k] : 1;
  }
  return index / inner % b->block_size[block];
}

/* A type's layout, found out once: tests place millions of elements. */
typedef struct placing {
  const snug__type *type;
  snug__blocking b;
  int32_t block[SNUG_MAX_RANK]; /* along each axis */
  int64_t n_blocks[SNUG_MAX_RANK];
} placing;

static placing placing_of(const snug__type *t) {
  placing p = {.type = t};
  if (t->layout != SNUG__LAYOUT_PLAIN) {
    p.b = snug__layout_blocking(t->layout);
    for (int32_t a = 0; a < t->rank; a++) {
      p.block[a] = snug__layout_block(t->layout, a);
      p.n_blocks[a] = snug__type_stored(t, a) / p.block[a];
    }
  }
  return p;
}

/* Where the element of a row-major index is stored, counted in elements. */
static int64_t place_of(const placing *p, int64_t index) {
  const snug__type *t = p->type;
  int64_t at[SNUG_MAX_RANK];
  int64_t place = 0;
  if (t->layout == SNUG__LAYOUT_PLAIN) {
    return index;
  }
  for (int32_t a = t->rank - 1; a >= 0; a--) {
    at[a] = index % t->dim[a];
    index /= t->dim[a];
  }
  for (int32_t i = 0; i < p->b.rank; i++) {
    int32_t a = p->b.order[i];
    place = place * p->n_blocks[a] + at[a] / p->block[a];
  }
  for (int32_t k = 0; k < p->b.n_blocks; k++) {
    place = place * p->b.block_size[k] + digit(&p->b, k, at[p->b.block_axis[k]]);
  }
  return place;
}

void test_relayout_to(const snug__type *t, const void *plain, void *stored) {
  const placing p = placing_of(t);
  size_t bytes = snug_dtype_bytes(t->dtype);
  int64_t n = snug__type_count(t);
  memset(stored, 0, (size_t)snug__type_bytes(t));
  for (int64_t i = 0; i < n; i++) {
    memcpy((char *)stored + (size_t)place_of(&p, i) * bytes,
           (const char *)plain + (size_t)i * bytes, bytes);
  }
}

static int64_t count_set(snug_dtype dtype, const void *data, int64_t n) {
  int64_t set = 0;
  for (int64_t i = 0; i < n; i++) {
    set += snug__element_get(dtype, data, i) != 0.0;
  }
  return set;
}

bool test_relayout_from(const snug__type *t, const void *stored, void *plain) {
  const placing p = placing_of(t);
  size_t bytes = snug_dtype_bytes(t->dtype);
  int64_t n = snug__type_count(t);
  for (int64_t i = 0; i < n; i++) {
    memcpy((char *)plain + (size_t)i * bytes,
           (const char *)stored + (size_t)place_of(&p, i) * bytes, bytes);
  }
  int64_t stored_n = snug__type_bytes(t) / (int64_t)bytes;
  return stored_n == n || count_set(t->dtype, stored, stored_n) == count_set(t->dtype, plain, n);
}
