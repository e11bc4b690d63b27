#include "plan/place_space.h"

#include <string.h>

#define FIRST_ROOM 4 /* ranges of a list */

snug_status snug__space_init(snug__space *space, snug_ctx *ctx, int32_t sections) {
  *space = (snug__space){.ctx = ctx, .leaves = 1};
  snug__vec_init(&space->pool, ctx, SNUG__MEM_SCRATCH, sizeof(snug__range), SIZE_MAX);
  while (space->leaves < sections) {
    space->leaves *= 2;
  }
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, 2 * (int64_t)space->leaves, &space->across));
  return SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, 2 * (int64_t)space->leaves, &space->within);
}

void snug__space_release(snug__space *space) {
  SNUG_GIVE_ARRAY(space->ctx, SNUG__MEM_SCRATCH, space->across, 2 * (int64_t)space->leaves);
  SNUG_GIVE_ARRAY(space->ctx, SNUG__MEM_SCRATCH, space->within, 2 * (int64_t)space->leaves);
  snug__vec_release(&space->pool);
}

void snug__space_clear(snug__space *space) {
  for (int32_t node = 1; node < 2 * space->leaves; node++) {
    space->across[node].n = space->within[node].n = 0;
  }
  space->steps += space->leaves;
}

static snug__range *ranges_of(const snug__space *space, const snug__ranges *list) {
  return &SNUG_VEC(&space->pool, snug__range, list->begin);
}

/* A list that is in the way of a buffer, and how far it has been passed. */
typedef struct passed {
  const snug__range *next, *end;
} passed;

static int32_t add_list(const snug__space *space, const snug__ranges *list, int64_t from,
                        passed *lists, int32_t n) {
  if (list->n == 0) {
    return n;
  }
  const snug__range *next = ranges_of(space, list);
  const snug__range *end = next + list->n;
  while (next < end && next->to <= from) {
    next++;
  }
  lists[n] = (passed){next, end};
  return n + (next < end);
}

/* All that lives in [lo, hi): what is within the nodes that make it up, and what lives across the
 * nodes above them. */
static int32_t gather_lists(const snug__space *space, int32_t lo, int32_t hi, int64_t from,
                            passed *lists) {
  int32_t n = 0;
  int32_t a = lo + space->leaves;
  int32_t b = hi - 1 + space->leaves;
  for (int32_t x = a / 2, y = b / 2; y; x /= 2, y /= 2) {
    n = add_list(space, &space->across[x], from, lists, n);
    n = x == y ? n : add_list(space, &space->across[y], from, lists, n);
  }
  for (b++; a < b; a /= 2, b /= 2) {
    n = a & 1 ? add_list(space, &space->within[a++], from, lists, n) : n;
    n = b & 1 ? add_list(space, &space->within[--b], from, lists, n) : n;
  }
  return n;
}

/* Every list in turn pushes the buffer up to its next gap, until none does. */
int64_t snug__space_lowest(snug__space *space, const snug__buffer *b, int64_t from) {
  passed lists[SNUG__SPACE_LISTS];
  int64_t offset = snug__round_up(from, b->align);
  int32_t n = gather_lists(space, b->lo, b->hi, offset, lists);
  int64_t steps = 16 + n;
  for (int32_t i = 0, quiet = 0; quiet < n; i = i + 1 < n ? i + 1 : 0, quiet++) {
    passed *list = &lists[i];
    for (; list->next < list->end && list->next->from < offset + b->size; list->next++) {
      if (list->next->to > offset) {
        offset = snug__round_up(list->next->to, b->align);
        quiet = 0;
      }
      steps++;
    }
    steps++;
  }
  space->steps += steps;
  return offset;
}

/* A place of twice the size at the end of the pool. */
static snug_status grow(snug__space *space, snug__ranges *list) {
  int32_t room = list->room ? 2 * list->room : FIRST_ROOM;
  int64_t begin = (int64_t)space->pool.n;
  SNUG_TRY(snug__vec_push(&space->pool, NULL, (size_t)room));
  if (list->n) {
    memcpy(&SNUG_VEC(&space->pool, snug__range, begin), ranges_of(space, list),
           (size_t)list->n * sizeof(snug__range));
  }
  *list = (snug__ranges){begin, list->n, room};
  return SNUG_OK;
}

/* Unite a range with those of a list that it touches or covers. */
static snug_status unite(snug__space *space, snug__ranges *list, snug__range added) {
  snug__range *ranges = list->n ? ranges_of(space, list) : NULL;
  int32_t low = 0;
  int32_t high = list->n;
  while (low < high) { /* the first that ends at or above the beginning of the new one */
    int32_t middle = low + (high - low) / 2;
    if (ranges[middle].to < added.from) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  int32_t end = low;
  for (; end < list->n && ranges[end].from <= added.to; end++) {
    added.from = snug__min_i64(added.from, ranges[end].from);
    added.to = snug__max_i64(added.to, ranges[end].to);
  }
  if (end == low && list->n == list->room) {
    SNUG_TRY(grow(space, list));
  }
  ranges = ranges_of(space, list);
  if (end != low + 1) {
    memmove(&ranges[low + 1], &ranges[end], (size_t)(list->n - end) * sizeof *ranges);
  }
  ranges[low] = added;
  list->n += 1 - (end - low);
  space->steps += 4 + (end != low + 1 ? (list->n - low) / 8 : 0);
  return SNUG_OK;
}

static snug_status take_whole(snug__space *space, int32_t node, snug__range range) {
  SNUG_TRY(unite(space, &space->across[node], range));
  return unite(space, &space->within[node], range);
}

snug_status snug__space_take(snug__space *space, const snug__buffer *b, int64_t offset) {
  const snug__range range = {offset, offset + b->size};
  int32_t lo = b->lo + space->leaves;
  int32_t hi = b->hi - 1 + space->leaves;
  for (int32_t x = lo / 2, y = hi / 2; y; x /= 2, y /= 2) {
    SNUG_TRY(unite(space, &space->within[x], range));
    SNUG_TRY(x == y ? SNUG_OK : unite(space, &space->within[y], range));
  }
  for (hi++; lo < hi; lo /= 2, hi /= 2) {
    SNUG_TRY(lo & 1 ? take_whole(space, lo++, range) : SNUG_OK);
    SNUG_TRY(hi & 1 ? take_whole(space, --hi, range) : SNUG_OK);
  }
  return SNUG_OK;
}
