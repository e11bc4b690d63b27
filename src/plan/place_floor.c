/* Levels only rise, so marks need no pushing down: the level of a section is the highest mark on
 * its way to the root, and `highest` of a node is that of its subtree, marks above it left out. */
#include "plan/place_floor.h"

#include <string.h>

snug_status snug__floor_init(snug__floor *f, snug_ctx *ctx, int32_t sections) {
  *f = (snug__floor){.ctx = ctx, .leaves = 1};
  while (f->leaves < sections) {
    f->leaves *= 2;
  }
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, 2 * (int64_t)f->leaves, &f->highest));
  return SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, 2 * (int64_t)f->leaves, &f->marks);
}

void snug__floor_release(snug__floor *f) {
  SNUG_GIVE_ARRAY(f->ctx, SNUG__MEM_SCRATCH, f->highest, 2 * (int64_t)f->leaves);
  SNUG_GIVE_ARRAY(f->ctx, SNUG__MEM_SCRATCH, f->marks, 2 * (int64_t)f->leaves);
}

void snug__floor_clear(snug__floor *f) {
  memset(f->highest, 0, 2 * (size_t)f->leaves * sizeof *f->highest);
  memset(f->marks, 0, 2 * (size_t)f->leaves * sizeof *f->marks);
}

int64_t snug__floor_highest(const snug__floor *f, int32_t lo, int32_t hi) {
  int64_t level = 0;
  int32_t a = lo + f->leaves;
  int32_t b = hi - 1 + f->leaves;
  for (int32_t x = a / 2, y = b / 2; x; x /= 2, y /= 2) { /* marks that cover either end */
    level = snug__max_i64(level, snug__max_i64(f->marks[x], f->marks[y]));
  }
  for (b++; a < b; a /= 2, b /= 2) {
    if (a & 1) {
      level = snug__max_i64(level, f->highest[a++]);
    }
    if (b & 1) {
      level = snug__max_i64(level, f->highest[--b]);
    }
  }
  return level;
}

static void mark(snug__floor *f, int32_t node, int64_t level) {
  f->marks[node] = f->highest[node] = level;
}

void snug__floor_raise(snug__floor *f, int32_t lo, int32_t hi, int64_t level) {
  int32_t a = lo + f->leaves;
  int32_t b = hi + f->leaves;
  for (int32_t x = a / 2, y = (b - 1) / 2; x; x /= 2, y /= 2) {
    f->highest[x] = snug__max_i64(f->highest[x], level);
    f->highest[y] = snug__max_i64(f->highest[y], level);
  }
  for (; a < b; a /= 2, b /= 2) {
    if (a & 1) {
      mark(f, a++, level);
    }
    if (b & 1) {
      mark(f, --b, level);
    }
  }
}
