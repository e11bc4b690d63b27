/* snug_pack: from the caller's items to strips, the order in which the ways of packing are tried,
 * and back.
 *
 * Sizes are rounded up to what all alignments have in common: every offset is a multiple of it, so
 * nothing can use the rest anyway -- except above the topmost buffer, which the final height and
 * the bound take into account. */
#include <string.h>

#include "plan/pack.h"

#include "base/struct_size.h"

#define TURNS 3
#define DEFAULT_WORK (INT64_C(6) << 30) /* about ten seconds */

typedef struct packing {
  snug_ctx *ctx;
  const snug_pack_item *items;
  int32_t n_items;
  snug__buffer *buffers; /* those of size > 0, by strip */
  int32_t n;
  int32_t sections;
  int64_t common;   /* what all alignments have in common */
  int64_t *offsets; /* of the buffers */
  snug__strip *strips;
  int32_t n_strips;
  snug__effort effort;
} packing;

static int64_t common_divisor(int64_t a, int64_t b) {
  while (b) {
    int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

static snug_status check_item(snug_ctx *ctx, const snug_pack_item *item, size_t i) {
  if (item->lower >= item->upper) {
    return snug__fail(ctx, SNUG_E_ARGUMENT,
                      "pack: buffer %zu ends at %lld, not after it starts at %lld", i,
                      (long long)item->upper, (long long)item->lower);
  }
  if (item->size < 0) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "pack: buffer %zu has the negative size %lld", i,
                      (long long)item->size);
  }
  if (item->align < 1) {
    return snug__fail(ctx, SNUG_E_ARGUMENT,
                      "pack: buffer %zu has alignment %lld; it must be at least 1", i,
                      (long long)item->align);
  }
  if (item->hint < -1) {
    return snug__fail(ctx, SNUG_E_ARGUMENT,
                      "pack: buffer %zu has hint %lld; an offset or -1 for none is allowed", i,
                      (long long)item->hint);
  }
  if (item->size > SNUG__HEIGHT_MAX / 2 || item->align > SNUG__HEIGHT_MAX / 2) {
    return snug__fail(ctx, SNUG_E_OVERFLOW,
                      "pack: buffer %zu has size %lld and alignment %lld; at most 2^60 is allowed",
                      i, (long long)item->size, (long long)item->align);
  }
  return SNUG_OK;
}

static snug_status check_input(snug_ctx *ctx, const snug_pack_item *items, size_t n,
                               const snug_pack_options *options) {
  if (n > INT32_MAX / 4) {
    return snug__fail(ctx, SNUG_E_OVERFLOW, "pack: %zu buffers; at most %d are allowed", n,
                      INT32_MAX / 4);
  }
  if (options->capacity < 0 || options->work < 0 || !(options->timeout_s >= 0.0)) {
    return snug__fail(ctx, SNUG_E_ARGUMENT,
                      "pack: capacity %lld, work %lld and time-out %g must not be negative",
                      (long long)options->capacity, (long long)options->work, options->timeout_s);
  }
  for (size_t i = 0; i < n; i++) {
    SNUG_TRY(check_item(ctx, &items[i], i));
  }
  return SNUG_OK;
}

static int64_t common_alignment(const packing *p) {
  int64_t common = 0;
  for (int32_t i = 0; i < p->n_items; i++) {
    if (p->items[i].size > 0) {
      common = common_divisor(p->items[i].align, common);
    }
  }
  return common ? common : 1;
}

static void copy_items(packing *p) {
  p->common = common_alignment(p);
  for (int32_t i = 0; i < p->n_items; i++) {
    const snug_pack_item *item = &p->items[i];
    if (item->size > 0) {
      p->buffers[p->n++] = (snug__buffer){.size = snug__round_up(item->size, p->common),
                                          .align = item->align,
                                          .hint = item->hint,
                                          .origin = i};
    }
  }
}

static int64_t sort_key(const snug__buffer *b, int pass) {
  return pass == 0 ? -b->size : pass == 1 ? -(int64_t)b->end : b->first;
}

/* By first section, then long-lived and large ones first: strips become ranges, and the order of
 * the caller's items matters only between equal ones. */
static void sort_passes(packing *p, snug__key *keys, snug__key *scratch, snug__buffer *sorted) {
  for (int pass = 0; pass < 3; pass++) {
    for (int32_t i = 0; i < p->n; i++) {
      keys[i] = (snug__key){sort_key(&p->buffers[i], pass), i};
    }
    snug__sort_keys(keys, scratch, p->n);
    for (int32_t i = 0; i < p->n; i++) {
      sorted[i] = p->buffers[keys[i].id];
    }
    memcpy(p->buffers, sorted, (size_t)p->n * sizeof *sorted);
  }
}

static snug_status sort_buffers(packing *p) {
  snug__key *keys = NULL;
  snug__key *scratch = NULL;
  snug__buffer *sorted = NULL;
  snug_status status = SNUG_NEW_ARRAY(p->ctx, SNUG__MEM_SCRATCH, p->n, &keys);
  if (!status) {
    status = SNUG_NEW_ARRAY(p->ctx, SNUG__MEM_SCRATCH, p->n, &scratch);
  }
  if (!status) {
    status = SNUG_NEW_ARRAY(p->ctx, SNUG__MEM_SCRATCH, p->n_items, &sorted);
  }
  if (!status) {
    sort_passes(p, keys, scratch, sorted);
  }
  SNUG_GIVE_ARRAY(p->ctx, SNUG__MEM_SCRATCH, sorted, p->n_items);
  SNUG_GIVE_ARRAY(p->ctx, SNUG__MEM_SCRATCH, scratch, p->n);
  SNUG_GIVE_ARRAY(p->ctx, SNUG__MEM_SCRATCH, keys, p->n);
  return status;
}

static void add_strip(packing *p, int32_t first, int32_t end, int32_t last_section) {
  int32_t base = p->buffers[first].lo;
  for (int32_t i = first; i < end; i++) {
    p->buffers[i].lo -= base;
    p->buffers[i].hi -= base;
  }
  p->strips[p->n_strips++] = (snug__strip){.ctx = p->ctx,
                                           .effort = &p->effort,
                                           .buffers = &p->buffers[first],
                                           .n = end - first,
                                           .sections = last_section - base,
                                           .height = SNUG__HEIGHT_MAX,
                                           .offsets = &p->offsets[first]};
}

/* Cut where no buffer lives across. */
static void cut_strips(packing *p) {
  int32_t first = 0;
  int32_t reach = p->n ? p->buffers[0].hi : 0;
  for (int32_t i = 1; i <= p->n; i++) {
    if (i == p->n || p->buffers[i].lo >= reach) {
      int32_t next = i < p->n ? p->buffers[i].hi : 0;
      add_strip(p, first, i, reach);
      first = i;
      reach = next;
    } else if (p->buffers[i].hi > reach) {
      reach = p->buffers[i].hi;
    }
  }
}

static snug_status measure_strips(packing *p) {
  int64_t *profile = NULL;
  snug_status status = SNUG_OK;
  SNUG_TRY(SNUG_NEW_ARRAY(p->ctx, SNUG__MEM_SCRATCH, p->sections, &profile));
  for (int32_t i = 0; i < p->n_strips && !status; i++) {
    snug__strip *s = &p->strips[i];
    status = snug__load_profile(p->ctx, s->buffers, s->n, s->sections, profile, &s->bound);
  }
  SNUG_GIVE_ARRAY(p->ctx, SNUG__MEM_SCRATCH, profile, p->sections);
  return status;
}

static snug_status packing_init(packing *p) {
  SNUG_TRY(SNUG_NEW_ARRAY(p->ctx, SNUG__MEM_SCRATCH, p->n_items, &p->buffers));
  SNUG_TRY(SNUG_NEW_ARRAY(p->ctx, SNUG__MEM_SCRATCH, p->n_items, &p->offsets));
  SNUG_TRY(SNUG_NEW_ARRAY(p->ctx, SNUG__MEM_SCRATCH, p->n_items, &p->strips));
  copy_items(p);
  SNUG_TRY(snug__load_sections(p->ctx, p->items, p->buffers, p->n, &p->sections));
  SNUG_TRY(sort_buffers(p));
  cut_strips(p);
  return SNUG_OK;
}

static void packing_release(packing *p) {
  SNUG_GIVE_ARRAY(p->ctx, SNUG__MEM_SCRATCH, p->buffers, p->n_items);
  SNUG_GIVE_ARRAY(p->ctx, SNUG__MEM_SCRATCH, p->offsets, p->n_items);
  SNUG_GIVE_ARRAY(p->ctx, SNUG__MEM_SCRATCH, p->strips, p->n_items);
}

/* No strip needs to be lower than the highest of those that cannot become lower. */
static void share_target(packing *p, int64_t *target) {
  for (int32_t i = 0; i < p->n_strips; i++) {
    *target = snug__max_i64(*target, p->strips[i].bound);
  }
  for (int32_t i = 0; i < p->n_strips; i++) {
    p->strips[i].target = *target;
  }
}

static snug_status pack_greedily(packing *p) {
  for (int32_t i = 0; i < p->n_strips; i++) {
    SNUG_TRY(snug__place_greedy(&p->strips[i]));
    if (p->strips[i].height >= SNUG__HEIGHT_MAX) {
      return snug__fail(p->ctx, SNUG_E_OVERFLOW, "pack: the buffers do not fit into 2^61 bytes");
    }
  }
  return SNUG_OK;
}

static int32_t count_open(const packing *p) {
  int32_t open = 0;
  for (int32_t i = 0; i < p->n_strips; i++) {
    open += !snug__strip_is_done(&p->strips[i]);
  }
  return open;
}

/* The strips that are too high share what is left of the work. */
static snug_status pack_harder(packing *p, int64_t target, uint64_t seed) {
  share_target(p, &target);
  for (int32_t i = 0; i < p->n_strips; i++) {
    snug__strip *s = &p->strips[i];
    int64_t left = p->effort.limit - p->effort.done;
    if (left <= 0 || snug__strip_is_done(s)) {
      continue;
    }
    s->seed = seed;
    SNUG_TRY(snug__place_strip(s, p->effort.done + left / count_open(p)));
    target = snug__max_i64(target, s->height);
    share_target(p, &target);
  }
  return SNUG_OK;
}

/* The load in bytes as the caller counts them. */
static snug_status raw_load(const packing *p, int64_t *load) {
  int64_t *profile = NULL;
  snug__buffer *raw = NULL;
  int64_t strip_load;
  snug_status status = SNUG_NEW_ARRAY(p->ctx, SNUG__MEM_SCRATCH, p->sections, &profile);
  if (!status) {
    status = SNUG_NEW_ARRAY(p->ctx, SNUG__MEM_SCRATCH, p->n_items, &raw);
  }
  for (int32_t i = 0; i < p->n && !status; i++) {
    raw[i] = p->buffers[i];
    raw[i].size = p->items[raw[i].origin].size;
  }
  *load = 0;
  for (int32_t i = 0; i < p->n_strips && !status; i++) {
    const snug__strip *s = &p->strips[i];
    status = snug__load_profile(p->ctx, &raw[s->buffers - p->buffers], s->n, s->sections, profile,
                                &strip_load);
    *load = status ? 0 : snug__max_i64(*load, strip_load);
  }
  SNUG_GIVE_ARRAY(p->ctx, SNUG__MEM_SCRATCH, raw, p->n_items);
  SNUG_GIVE_ARRAY(p->ctx, SNUG__MEM_SCRATCH, profile, p->sections);
  return status;
}

/* The topmost buffer does not need what rounding added to it: the bound of the rounded problem,
 * less the largest such rest, is a bound of the caller's. */
static snug_status finish(const packing *p, int64_t *offsets, snug_pack_result *out) {
  int64_t rest = 0;
  int64_t bound = 0;
  for (int32_t i = 0; i < p->n_items; i++) {
    offsets[i] = 0; /* those of no bytes stay there */
  }
  for (int32_t i = 0; i < p->n; i++) {
    int64_t size = p->items[p->buffers[i].origin].size;
    offsets[p->buffers[i].origin] = p->offsets[i];
    out->height = snug__max_i64(out->height, p->offsets[i] + size);
    rest = snug__max_i64(rest, p->buffers[i].size - size);
  }
  for (int32_t i = 0; i < p->n_strips; i++) {
    bound = snug__max_i64(bound, p->strips[i].bound);
  }
  SNUG_TRY(raw_load(p, &out->load));
  out->bound = snug__max_i64(out->load, bound - rest);
  out->proven = out->height == out->bound;
  out->work_done = p->effort.done;
  return snug_pack_check(p->ctx, p->items, (size_t)p->n_items, offsets, out->height);
}

static snug_status pack(packing *p, const snug_pack_options *options) {
  int64_t target = options->capacity;
  SNUG_TRY(packing_init(p));
  SNUG_TRY(measure_strips(p));
  target -= target % p->common;
  share_target(p, &target);
  snug__effort_init(&p->effort, options->work ? options->work : DEFAULT_WORK, options->timeout_s);
  SNUG_TRY(pack_greedily(p));
  for (uint64_t seed = 1; seed <= TURNS; seed++) { /* a low strip leaves work for a high one */
    SNUG_TRY(pack_harder(p, target, seed));
  }
  return SNUG_OK;
}

snug_status snug_pack(snug_ctx *ctx, const snug_pack_item *items, size_t n,
                      const snug_pack_options *options, int64_t *offsets, snug_pack_result *out) {
  snug_pack_options o;
  snug_pack_result result = {.load = 0};
  if (!ctx) {
    return SNUG_E_ARGUMENT;
  }
  if (!out || (n && (!items || !offsets))) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "pack: %zu buffers, but the %s at NULL", n,
                      !out     ? "result is"
                      : !items ? "buffers are"
                               : "offsets are");
  }
  SNUG_TRY(SNUG__CHECK(ctx, snug_pack_result, out));
  SNUG_TRY(SNUG__READ(ctx, snug_pack_options, options, &o));
  SNUG_TRY(check_input(ctx, items, n, &o));
  packing p = {.ctx = ctx, .items = items, .n_items = (int32_t)n};
  snug_status status = pack(&p, &o);
  if (!status) {
    status = finish(&p, offsets, &result);
  }
  SNUG__WRITE(snug_pack_result, &result, out);
  packing_release(&p);
  return status;
}
