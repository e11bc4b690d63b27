/* Who held what at the peak: the pieces of a recording, added up by layer (or process) and by
 * class.
 */
#include <string.h>

#include "base/map.h"
#include "plan/sort.h"
#include "report/run.h"

const char *const snug__class_names[SNUG__CLASSES] = {
    "weights", "gradients", "optimizer", "activations", "scratch", "data", "other"};

static int class_of(const char *what) {
  for (int i = 0; i < SNUG__OTHER; i++) {
    if (strcmp(snug__class_names[i], what) == 0) {
      return i;
    }
  }
  return SNUG__OTHER;
}

/* ---- adding up ---- */

/* Files may hold any numbers: a sum that passes the largest stays there. */
static void count(uint64_t *sum, uint64_t bytes) {
  *sum = *sum > UINT64_MAX - bytes ? UINT64_MAX : *sum + bytes;
}

typedef struct sums {
  snug__vec *holders;
  snug__map places; /* of names */
} sums;

static snug_status add(sums *s, const char *name, const snug_memory_piece *piece) {
  uint32_t at = snug__map_find(&s->places, name);
  if (at == SNUG__MAP_NONE) {
    const snug__holder fresh = {.name = name};
    at = (uint32_t)s->holders->n;
    SNUG_TRY(snug__vec_push(s->holders, &fresh, 1));
    SNUG_TRY(snug__map_set(&s->places, name, at));
  }
  snug__holder *h = &SNUG_VEC(s->holders, snug__holder, at);
  count(&h->bytes, piece->bytes);
  h->pieces++;
  count(&h->parts[class_of(piece->what)], piece->bytes);
  return SNUG_OK;
}

static snug_status add_up(snug__run *run, sums *by_holder, sums *by_class) {
  size_t n = snug_recording_pieces(run->of, NULL);
  for (size_t i = 0; i < n; i++) {
    const snug_memory_piece *p = snug_recording_piece(run->of, i);
    run->of_processes = run->of_processes || strcmp(p->what, "process") == 0;
    count(&run->in_pieces, p->bytes);
    SNUG_TRY(add(by_holder, p->layer, p));
    SNUG_TRY(add(by_class, p->what, p));
  }
  return SNUG_OK;
}

/* ---- largest first ---- */

static snug_status sort(snug__vec *holders, snug_ctx *ctx) {
  snug__key *keys = NULL; /* and as much room behind them */
  snug__holder *copy = NULL;
  size_t n = holders->n;
  snug_status s = SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, 2 * n, &keys);
  s = s ? s : SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &copy);
  if (!s && n) {
    memcpy(copy, holders->data, n * sizeof *copy);
    for (size_t i = 0; i < n; i++) {
      keys[i] = (snug__key){-(int64_t)(copy[i].bytes >> 1), (int32_t)i};
    }
    snug__sort_keys(keys, keys + n, (int32_t)n);
    for (size_t i = 0; i < n; i++) {
      SNUG_VEC(holders, snug__holder, i) = copy[keys[i].id];
    }
  }
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, copy, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, keys, 2 * n);
  return s;
}

snug_status snug__run_hold(snug__run *run, snug_ctx *ctx) {
  sums by_holder = {.holders = &run->holders};
  sums by_class = {.holders = &run->classes};
  snug__map_init(&by_holder.places, ctx, SNUG__MEM_SCRATCH);
  snug__map_init(&by_class.places, ctx, SNUG__MEM_SCRATCH);
  snug_status s = add_up(run, &by_holder, &by_class);
  snug__map_release(&by_holder.places);
  snug__map_release(&by_class.places);
  s = s ? s : sort(&run->holders, ctx);
  return s ? s : sort(&run->classes, ctx);
}
