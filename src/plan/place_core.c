/* The core: where the load is near the target there is no room for error, elsewhere there is
 * plenty. So the buffers that touch a full section are packed first, on their own and with every
 * means -- they are far fewer, and fall apart in time -- and the others are fitted around them. */
#include <string.h>

#include "plan/pack.h"

typedef struct core {
  snug__strip *strip;
  int64_t *profile;
  snug__buffer *buffers; /* of the core, sorted by lo; origin: number in the strip */
  int64_t *offsets;
  int32_t n;
  snug__buffer *hinted; /* all, with the core's offsets as hints */
} core;

static bool is_full(const core *c, const snug__buffer *b, int64_t level) {
  for (int32_t s = b->lo; s < b->hi; s++) {
    if (c->profile[s] > level) {
      return true;
    }
  }
  return false;
}

static void select_core(core *c, int64_t level) {
  c->n = 0;
  for (int32_t i = 0; i < c->strip->n; i++) {
    const snug__buffer *b = &c->strip->buffers[i];
    c->hinted[i] = *b;
    c->hinted[i].hint = -1;
    if (is_full(c, b, level)) {
      c->buffers[c->n] = *b;
      c->buffers[c->n++].origin = i;
    }
    c->strip->effort->done += b->hi - b->lo;
  }
}

/* Pack the buffers [first, end) of the core, which hang together in time. */
static snug_status pack_part(core *c, int32_t first, int32_t end, int32_t reach, int64_t limit,
                             bool *is_low) {
  int32_t base = c->buffers[first].lo;
  snug__strip part = *c->strip;
  part.buffers = &c->buffers[first];
  part.offsets = &c->offsets[first];
  part.n = end - first;
  part.sections = reach - base;
  part.height = SNUG__HEIGHT_MAX;
  part.bound = 0;
  for (int32_t i = first; i < end; i++) {
    c->buffers[i].lo -= base;
    c->buffers[i].hi -= base;
  }
  SNUG_TRY(snug__place_greedy(&part));
  if (!snug__strip_is_done(&part)) {
    SNUG_TRY(snug__place_part(&part, limit));
  }
  for (int32_t i = first; i < end; i++) {
    c->hinted[c->buffers[i].origin].hint = c->offsets[i];
  }
  *is_low = part.height <= part.target;
  return SNUG_OK;
}

static snug_status pack_parts(core *c, int64_t limit, bool *is_low) {
  int32_t first = 0;
  int32_t reach = c->n ? c->buffers[0].hi : 0;
  *is_low = c->n > 0;
  for (int32_t i = 1; i <= c->n && *is_low; i++) {
    if (i == c->n || c->buffers[i].lo >= reach) {
      int32_t next = i < c->n ? c->buffers[i].hi : 0;
      SNUG_TRY(pack_part(c, first, i, reach, limit, is_low));
      first = i;
      reach = next;
    } else if (c->buffers[i].hi > reach) {
      reach = c->buffers[i].hi;
    }
  }
  return SNUG_OK;
}

/* The others around the core, in the orders of the simple rules. */
static snug_status fit_around(core *c) {
  snug__strip around = *c->strip;
  around.buffers = c->hinted;
  SNUG_TRY(snug__place_around(&around));
  c->strip->height = around.height; /* the offsets are shared */
  return SNUG_OK;
}

static snug_status try_levels(core *c, int64_t limit) {
  int64_t load;
  SNUG_TRY(snug__load_profile(c->strip->ctx, c->strip->buffers, c->strip->n, c->strip->sections,
                              c->profile, &load));
  for (int percent = 98; percent >= 70 && !snug__strip_is_done(c->strip); percent -= 7) {
    bool is_low = false;
    int64_t left = limit - c->strip->effort->done;
    if (left <= 0 || c->strip->effort->done >= c->strip->effort->limit) {
      break;
    }
    select_core(c, c->strip->target / 100 * percent);
    SNUG_TRY(pack_parts(c, c->strip->effort->done + left / 3, &is_low));
    SNUG_TRY(is_low ? fit_around(c) : SNUG_OK);
  }
  return SNUG_OK;
}

snug_status snug__place_core(snug__strip *strip, int64_t limit) {
  core c = {.strip = strip};
  snug_status status = SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, strip->sections, &c.profile);
  if (!status) {
    status = SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, strip->n, &c.buffers);
  }
  if (!status) {
    status = SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, strip->n, &c.offsets);
  }
  if (!status) {
    status = SNUG_NEW_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, strip->n, &c.hinted);
  }
  if (!status) {
    status = try_levels(&c, limit);
  }
  SNUG_GIVE_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, c.hinted, strip->n);
  SNUG_GIVE_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, c.offsets, strip->n);
  SNUG_GIVE_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, c.buffers, strip->n);
  SNUG_GIVE_ARRAY(strip->ctx, SNUG__MEM_SCRATCH, c.profile, strip->sections);
  return status;
}
