#include "train/points.h"

#include <math.h>
#include <string.h>

#include "base/store.h"

#define PLANNED_NODES (1 << 16) /* in all ways of a curve together, */
#define FEWEST_WAYS 16          /* of which there are so many in any case, */
#define MANY_WAYS 128           /* and no more than so many */
#define LEAST_GAP 5e-4          /* of the bytes of the next faster way */
#define BESIDE 0.05             /* of the bytes of a way: how far off those beside it are */

/* ---- bytes ---- */

static uint64_t bytes_with(const snug__fit *f, uint64_t block, bool waits, bool slots) {
  uint64_t store = (uint64_t)snug__store_cost();
  return block + (waits ? store : 0) + (slots ? store : (uint64_t)f->pick.slots_saved);
}

uint64_t snug__point_bytes(const snug__fit *f, const snug_plan_point *p) {
  return bytes_with(f, p->block, p->on_disk > p->slots, p->slots > 0);
}

uint64_t snug__session_bytes(const snug__fit *f) {
  return bytes_with(f, f->history->memory.block, f->session.file_bytes > 0, f->pick.choice.slots);
}

/* ---- one point ---- */

static const snug__fit_way *way_at(const snug__ways *w, size_t i) {
  return &SNUG_VEC(&w->list, snug__fit_way, i);
}

static snug_plan_point describe(const snug__ways *w, const snug__fit *f, size_t i, uint64_t block) {
  const snug__fit_way *way = way_at(w, i);
  const snug__family *y = &w->families[way->family];
  const snug__outcome *o = &SNUG_VEC(&y->frontier.ways, snug__way, way->way).outcome;
  uint64_t slots = way->slots ? (uint64_t)w->slots_bytes : 0;
  return (snug_plan_point){
      .block = block,
      .seconds = way->seconds,
      .micro_batch = y->micro ? y->micro : f->train.batch,
      .recomputed = o->n_again,
      .recompute_seconds = y->micro_batches * o->again,
      .direct = y->n_lean - w->families[y->plain].n_lean,
      .direct_seconds = fmax(y->micro_batches * (y->seconds - w->families[y->plain].seconds), 0.0),
      .on_disk = (uint64_t)o->on_disk + slots,
      .slots = slots,
      .disk_seconds = y->micro_batches * o->waiting + (slots ? snug__ways_slot_seconds(w) : 0.0)};
}

static bool is_planned(const snug__fit *f, size_t i) { return f->pick.points[i].block > 0; }

static snug_status plan(snug__ways *w, snug__fit *f, size_t i) {
  int64_t block = 0;
  if (!is_planned(f, i)) {
    SNUG_TRY(snug__ways_bytes(w, i, &block));
    f->pick.points[i] = describe(w, f, i, (uint64_t)block);
  }
  return SNUG_OK;
}

/* The same with the bytes of it; those of a way are never fewer than its load. */
static snug_status plan_bytes(snug__ways *w, snug__fit *f, size_t i, uint64_t *bytes) {
  SNUG_TRY(plan(w, f, i));
  *bytes = snug__point_bytes(f, &f->pick.points[i]);
  return SNUG_OK;
}

/* ---- many ---- */

snug_status snug__points_open(snug__ways *w, snug__fit *f) {
  SNUG_TRY(SNUG_NEW_ARRAY(w->ctx, SNUG__MEM_PLAN, w->list.n, &f->pick.points));
  f->pick.n_points = f->pick.room = w->list.n;
  return SNUG_OK;
}

snug_status snug__points_find(snug__ways *w, snug__fit *f, uint64_t bytes, size_t n, size_t *out) {
  *out = w->list.n;
  for (size_t i = 0, found = 0; i < w->list.n && found <= n; i++) {
    uint64_t got = (uint64_t)way_at(w, i)->load;
    if (got <= bytes) {
      SNUG_TRY(plan_bytes(w, f, i, &got));
    }
    if (got <= bytes) {
      *out = found++ == 0 ? i : *out;
      bytes = got - 1;
    }
  }
  return SNUG_OK;
}

/* Loads go down from way to way. */
static size_t first_under(const snug__ways *w, double load) {
  size_t i = 0;
  while (i < w->list.n && (double)way_at(w, i)->load > load) {
    i++;
  }
  return i;
}

snug_status snug__points_find_beside(snug__ways *w, snug__fit *f, size_t i) {
  double load = (double)way_at(w, i)->load;
  size_t smaller = first_under(w, (1.0 - BESIDE) * load);
  size_t faster = first_under(w, (1.0 + BESIDE) * load);
  SNUG_TRY(plan(w, f, 0));
  SNUG_TRY(faster > 0 ? plan(w, f, faster - 1) : SNUG_OK);
  return smaller < w->list.n ? plan(w, f, smaller) : SNUG_OK;
}

/* The last ways have the least load. */
snug_status snug__points_find_least(snug__ways *w, snug__fit *f) {
  uint64_t least = UINT64_MAX;
  for (size_t i = w->list.n; i > 0 && (uint64_t)way_at(w, i - 1)->load < least; i--) {
    uint64_t got = 0;
    SNUG_TRY(plan_bytes(w, f, i - 1, &got));
    least = got < least ? got : least;
  }
  return SNUG_OK;
}

/* Go through the ways that lie at least `gap` below each other, and the least. */
static size_t next_apart(const snug__ways *w, size_t i, double gap) {
  double most = (1.0 - gap) * (double)way_at(w, i)->load;
  size_t next = i + 1;
  while (next + 1 < w->list.n && (double)way_at(w, next)->load > most) {
    next++;
  }
  return next;
}

static size_t count_apart(const snug__ways *w, double gap) {
  size_t n = 0;
  for (size_t i = 0; i < w->list.n; i = next_apart(w, i, gap)) {
    n++;
  }
  return n;
}

/* The larger a graph, the longer it takes to plan a way of it. */
snug_status snug__points_spread(snug__ways *w, snug__fit *f) {
  size_t most = PLANNED_NODES / (w->families[0].graph->nodes.n + 1) + FEWEST_WAYS;
  double gap = LEAST_GAP;
  most = most < MANY_WAYS ? most : MANY_WAYS;
  while (count_apart(w, gap) > most) {
    gap *= 2.0;
  }
  for (size_t i = 0; i < w->list.n; i = next_apart(w, i, gap)) {
    SNUG_TRY(plan(w, f, i));
  }
  return SNUG_OK;
}

/* Move the planned ways and their points to the front; returns how many there are. */
static size_t gather(snug__ways *w, snug__fit *f, size_t *chosen) {
  snug_plan_point *points = f->pick.points;
  size_t n = 0, at = SIZE_MAX;
  for (size_t i = 0; i < w->list.n; i++) {
    if (is_planned(f, i) &&
        (n == 0 || snug__point_bytes(f, &points[i]) < snug__point_bytes(f, &points[n - 1]))) {
      at = i == *chosen ? n : at;
      points[n] = points[i];
      SNUG_VEC(&w->list, snug__fit_way, n++) = *way_at(w, i);
    }
  }
  *chosen = at < n ? at : n;
  return n;
}

/* The fit keeps them, so they take no more room than they need. */
snug_status snug__points_keep(snug__ways *w, snug__fit *f, size_t *chosen) {
  snug_plan_point *points = NULL;
  size_t n = gather(w, f, chosen);
  SNUG_TRY(SNUG_NEW_ARRAY(w->ctx, SNUG__MEM_PLAN, n, &points));
  memcpy(points, f->pick.points, n * sizeof *points);
  SNUG_GIVE_ARRAY(w->ctx, SNUG__MEM_PLAN, f->pick.points, f->pick.room);
  f->pick.points = points;
  w->list.n = f->pick.n_points = f->pick.room = n;
  snug__ways_settle(w);
  return SNUG_OK;
}
