#include "plan/place_order.h"

#include "plan/place_floor.h"

typedef struct sorting {
  const snug__strip *strip;
  snug__floor load; /* of every section */
  snug__key *keys, *scratch;
} sorting;

static int64_t area(const snug__buffer *b, int32_t length) {
  int64_t product;
  return snug__mul_i64(b->size, length, &product) ? product : INT64_MAX;
}

/* Lower keys come first. */
static int64_t first_key(const sorting *s, const snug__buffer *b, snug__order kind) {
  switch (kind) {
    case SNUG__ORDER_SIZE:
      return -b->size;
    case SNUG__ORDER_LENGTH:
      return b->first - b->end;
    case SNUG__ORDER_AREA:
      return -area(b, b->end - b->first);
    case SNUG__ORDER_CROWD:
    case SNUG__ORDER_PEAK:
      return -snug__floor_highest(&s->load, b->lo, b->hi);
    case SNUG__ORDER_LOWER:
      return b->first;
    case SNUG__ORDER_UPPER:
      return -b->end;
    case SNUG__ORDER_BROAD:
      return -area(b, b->hi - b->lo);
    case SNUG__ORDER_HINT:
      return b->hint < 0 ? INT64_MAX : b->hint;
    case SNUG__ORDER_COUNT:
      break;
  }
  return 0;
}

static int64_t second_key(const snug__buffer *b, snug__order kind) {
  switch (kind) {
    case SNUG__ORDER_LENGTH:
      return -b->size;
    case SNUG__ORDER_BROAD:
    case SNUG__ORDER_PEAK:
      return b->lo - b->hi;
    default:
      return b->first - b->end;
  }
}

/* Sort by the second key, then, with the places as ids, by the first. */
static void sort_twice(const sorting *s, snug__order kind, int32_t *order) {
  int32_t n = s->strip->n;
  for (int32_t i = 0; i < n; i++) {
    s->keys[i] = (snug__key){second_key(&s->strip->buffers[i], kind), i};
  }
  snug__sort_keys(s->keys, s->scratch, n);
  for (int32_t i = 0; i < n; i++) {
    order[i] = s->keys[i].id;
  }
  for (int32_t i = 0; i < n; i++) {
    s->keys[i] = (snug__key){first_key(s, &s->strip->buffers[order[i]], kind), i};
  }
  snug__sort_keys(s->keys, s->scratch, n);
  for (int32_t i = 0; i < n; i++) {
    s->scratch[i].id = order[s->keys[i].id];
  }
  for (int32_t i = 0; i < n; i++) {
    order[i] = s->scratch[i].id;
  }
}

/* The load as a floor: walking over the life of every buffer would be quadratic. */
static snug_status make_load(sorting *s) {
  const snug__strip *strip = s->strip;
  int64_t *profile = NULL;
  int64_t load;
  SNUG_TRY(snug__floor_init(&s->load, strip->ctx, strip->sections));
  SNUG_TRY(SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, strip->sections, &profile));
  snug_status status =
      snug__load_profile(strip->ctx, strip->buffers, strip->n, strip->sections, profile, &load);
  for (int32_t t = 0; !status && t < strip->sections; t++) {
    snug__floor_raise(&s->load, t, t + 1, profile[t]);
  }
  SNUG_GIVE_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, profile, strip->sections);
  return status;
}

snug_status snug__order_make(const snug__strip *strip, snug__order kind, int32_t *order) {
  sorting s = {.strip = strip, .load = {.ctx = strip->ctx}};
  snug_ctx *ctx = strip->ctx;
  snug_status status = SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, strip->n, &s.keys);
  if (!status) {
    status = SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, strip->n, &s.scratch);
  }
  if (!status && (kind == SNUG__ORDER_CROWD || kind == SNUG__ORDER_PEAK)) {
    status = make_load(&s);
  }
  if (!status) {
    sort_twice(&s, kind, order);
  }
  snug__floor_release(&s.load);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s.scratch, strip->n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s.keys, strip->n);
  return status;
}
