#include "planning/knapsack.h"

#include "base/ctx.h"
#include "base/size.h"

#define UNITS SNUG__KNAPSACK_UNITS

void snug__knapsack_close(snug__knapsack *k) {
  SNUG_GIVE_ARRAY(k->p->g->ctx, SNUG__MEM_SCRATCH, k->taken, k->items.n * (UNITS + 1));
  snug__vec_release(&k->items);
}

/* ---- items ---- */

static bool is_item(const snug__problem *p, snug__id v) {
  return p->bytes[v] > 0 && p->recipes.of[v].op;
}

static snug_status find_items(snug__knapsack *k, bool *is_read) {
  const snug__problem *p = k->p;
  for (snug__id v = 0; v < p->g->values.n; v++) {
    is_read[p->base[v]] |= p->is_read[v];
  }
  for (snug__id v = 0; v < p->g->values.n; v++) {
    SNUG_TRY(is_read[v] && is_item(p, v) ? snug__vec_push(&k->items, &v, 1) : SNUG_OK);
  }
  return SNUG_OK;
}

static snug_status add_items(snug__knapsack *k) {
  snug_ctx *ctx = k->p->g->ctx;
  bool *is_read = NULL; /* per value: itself, or a view of it */
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, k->p->g->values.n, &is_read));
  snug_status s = find_items(k, is_read);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, is_read, k->p->g->values.n);
  return s;
}

/* ---- sizes ---- */

static int64_t bytes_per_unit(const snug__knapsack *k) {
  int64_t bytes = 0;
  for (size_t i = 0; i < k->items.n; i++) {
    bytes += k->p->bytes[SNUG_VEC(&k->items, snug__id, i)];
  }
  return bytes / UNITS + 1;
}

static size_t units_of(const snug__knapsack *k, size_t item, int64_t unit) {
  return (size_t)((k->p->bytes[SNUG_VEC(&k->items, snug__id, item)] + unit / 2) / unit);
}

/* best[u]: the most seconds that so many units can save. */
static void fill(const snug__knapsack *k, double *best) {
  int64_t unit = bytes_per_unit(k);
  for (size_t i = 0; i < k->items.n; i++) {
    double seconds = k->p->again_seconds[SNUG_VEC(&k->items, snug__id, i)];
    size_t units = units_of(k, i, unit);
    for (size_t u = UNITS + 1; u-- > units;) {
      if (best[u - units] + seconds > best[u]) {
        best[u] = best[u - units] + seconds;
        k->taken[i * (UNITS + 1) + u] = true;
      }
    }
  }
}

snug_status snug__knapsack_open(snug__knapsack *k, const snug__problem *p) {
  snug_ctx *ctx = p->g->ctx;
  double *best = NULL;
  *k = (snug__knapsack){.p = p};
  snug__vec_init(&k->items, ctx, SNUG__MEM_SCRATCH, sizeof(snug__id), UINT32_MAX);
  SNUG_TRY(add_items(k));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, k->items.n * (UNITS + 1), &k->taken));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, UNITS + 1, &best));
  fill(k, best);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, best, UNITS + 1);
  return SNUG_OK;
}

void snug__knapsack_choose(const snug__knapsack *k, size_t units, snug__policy *choice) {
  int64_t unit = bytes_per_unit(k);
  for (snug__id v = 0; v < k->p->g->values.n; v++) {
    choice[v] = is_item(k->p, v) ? SNUG__RECOMPUTED : SNUG__KEPT;
  }
  for (size_t i = k->items.n; i-- > 0;) {
    if (k->taken[i * (UNITS + 1) + units]) {
      choice[SNUG_VEC(&k->items, snug__id, i)] = SNUG__KEPT;
      units -= units_of(k, i, unit);
    }
  }
  snug__problem_close(k->p, choice);
}
