/* Checked arithmetic on sizes: false means the result does not fit, and *out is then untouched. */
#ifndef SNUG_BASE_SIZE_H
#define SNUG_BASE_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool snug__mul_size(size_t a, size_t b, size_t *out) {
  size_t product;
  if (__builtin_mul_overflow(a, b, &product)) {
    return false;
  }
  *out = product;
  return true;
}

static inline bool snug__add_size(size_t a, size_t b, size_t *out) {
  size_t sum;
  if (__builtin_add_overflow(a, b, &sum)) {
    return false;
  }
  *out = sum;
  return true;
}

static inline bool snug__mul_i64(int64_t a, int64_t b, int64_t *out) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) {
    return false;
  }
  *out = product;
  return true;
}

static inline bool snug__add_i64(int64_t a, int64_t b, int64_t *out) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) {
    return false;
  }
  *out = sum;
  return true;
}

/* x rounded up to a multiple of align (a positive number); x must be far from INT64_MAX. */
static inline int64_t snug__round_up(int64_t x, int64_t align) {
  return (x + align - 1) / align * align;
}

static inline int64_t snug__min_i64(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t snug__max_i64(int64_t a, int64_t b) { return a > b ? a : b; }

/* a / b, rounded up; a is not negative and b positive. */
static inline int64_t snug__ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

#endif
