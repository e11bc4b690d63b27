/* A merge sort from the bottom up. */
#include "plan/sort.h"

#include <stdbool.h>
#include <string.h>

static bool is_after(const snug__key *a, const snug__key *b) {
  return a->key > b->key || (a->key == b->key && a->id > b->id);
}

static void merge(const snug__key *src, int64_t low, int64_t middle, int64_t high, snug__key *dst) {
  int64_t a = low;
  int64_t b = middle;
  for (int64_t i = low; i < high; i++) {
    bool from_b = a == middle || (b < high && is_after(&src[a], &src[b]));
    dst[i] = src[from_b ? b++ : a++];
  }
}

void snug__sort_keys(snug__key *keys, snug__key *scratch, int32_t n) {
  snug__key *src = keys;
  snug__key *dst = scratch;
  for (int64_t width = 1; width < n; width *= 2) {
    for (int64_t low = 0; low < n; low += 2 * width) {
      int64_t middle = low + width < n ? low + width : n;
      int64_t high = low + 2 * width < n ? low + 2 * width : n;
      merge(src, low, middle, high, dst);
    }
    snug__key *swap = src;
    src = dst;
    dst = swap;
  }
  if (src != keys) {
    memcpy(keys, src, (size_t)n * sizeof *keys);
  }
}
