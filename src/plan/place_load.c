/* Time in sections, the load, and the meter of work. */
#include <string.h>

#include "base/clock.h"
#include "plan/pack.h"

#define LOOK_EVERY                                                              \
  (INT64_C(1) << 22) /* units between two looks at the clock: some milliseconds \
                      */

void snug__effort_init(snug__effort *e, int64_t work, double seconds) {
  *e = (snug__effort){.limit = work, .deadline = seconds > 0.0 ? snug__now() + seconds : 0.0};
}

bool snug__effort_spend(snug__effort *e, int64_t units, int64_t limit) {
  e->done += units;
  if (e->deadline > 0.0 && e->done >= e->next_look) {
    e->next_look = e->done + LOOK_EVERY;
    if (snug__now() > e->deadline) {
      e->limit = 0;
    }
  }
  return e->done < limit && e->done < e->limit;
}

bool snug__strip_offer(snug__strip *strip, const int64_t *offsets) {
  int64_t height = 0;
  for (int32_t i = 0; i < strip->n; i++) {
    height = snug__max_i64(height, offsets[i] + strip->buffers[i].size);
  }
  if (height >= strip->height) {
    return false;
  }
  strip->height = height;
  memcpy(strip->offsets, offsets, (size_t)strip->n * sizeof *offsets);
  return true;
}

/* Number the sections in the order of time.  A new one begins only where a buffer begins after
 * another has ended: what lives in between lives in the section before or behind as well. */
static int32_t number_sections(snug__buffer *buffers, const snug__key *moments, int32_t n_moments) {
  int32_t section = 0;
  int32_t number = 0; /* of the moment */
  bool has_end = false;
  for (int32_t i = 0, next; i < n_moments; i = next, number++) {
    for (next = i; next < n_moments && moments[next].key == moments[i].key; next++) {
      if (moments[next].id % 2) {
        snug__buffer *b = &buffers[moments[next].id / 2];
        b->hi = section + 1;
        b->end = number;
        has_end = true;
      }
    }
    for (int32_t j = i; j < next; j++) {
      if (moments[j].id % 2 == 0) {
        snug__buffer *b = &buffers[moments[j].id / 2];
        section += has_end;
        has_end = false;
        b->lo = section;
        b->first = number;
      }
    }
  }
  return n_moments ? section + 1 : 0;
}

snug_status snug__load_sections(snug_ctx *ctx, const snug_pack_item *items, snug__buffer *buffers,
                                int32_t n, int32_t *sections) {
  snug__key *moments = NULL;
  snug__key *scratch = NULL;
  snug_status status = SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, 2 * n, &moments);
  if (!status) {
    status = SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, 2 * n, &scratch);
  }
  if (!status) {
    for (int32_t i = 0; i < n; i++) {
      moments[2 * (size_t)i] = (snug__key){items[buffers[i].origin].lower, 2 * i};
      moments[2 * (size_t)i + 1] = (snug__key){items[buffers[i].origin].upper, 2 * i + 1};
    }
    snug__sort_keys(moments, scratch, 2 * n);
    *sections = number_sections(buffers, moments, 2 * n);
  }
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, moments, 2 * n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, scratch, 2 * n);
  return status;
}

static snug_status fail_load(snug_ctx *ctx) {
  return snug__fail(ctx, SNUG_E_OVERFLOW,
                    "pack: the buffers alive at one moment need more than 2^61 bytes");
}

/* Sizes are summed per section they begin and end in; a sum that leaves the range is a failure of
 * its own, because it is at most the load of a section. */
static snug_status sum_steps(snug_ctx *ctx, const snug__buffer *buffers, int32_t n, int64_t *begins,
                             int64_t *ends) {
  for (int32_t i = 0; i < n; i++) {
    begins[buffers[i].lo] += buffers[i].size;
    ends[buffers[i].hi] += buffers[i].size;
    if (begins[buffers[i].lo] > SNUG__HEIGHT_MAX || ends[buffers[i].hi] > SNUG__HEIGHT_MAX) {
      return fail_load(ctx);
    }
  }
  return SNUG_OK;
}

snug_status snug__load_profile(snug_ctx *ctx, const snug__buffer *buffers, int32_t n,
                               int32_t sections, int64_t *profile, int64_t *load) {
  int64_t *ends = NULL;
  memset(profile, 0, (size_t)sections * sizeof *profile);
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, sections + 1, &ends));
  snug_status status = sum_steps(ctx, buffers, n, profile, ends);
  *load = 0;
  for (int32_t s = 0; s < sections && !status; s++) {
    profile[s] += (s ? profile[s - 1] : 0) - ends[s];
    *load = snug__max_i64(*load, profile[s]);
    if (*load > SNUG__HEIGHT_MAX) {
      status = fail_load(ctx);
    }
  }
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, ends, sections + 1);
  return status;
}
