#include "plan/place_sky.h"

/* Lifespans in order, so that equal ones stand together; returns nothing but classes in sky->alike.
 */
static void class_lifespans(snug__sky *sky, snug__key *keys, snug__key *scratch) {
  for (int32_t i = 0; i < sky->n; i++) {
    const snug__buffer *b = &sky->buffers[i];
    keys[i] = (snug__key){(int64_t)b->lo * (sky->sections + 1) + b->hi, i};
  }
  snug__sort_keys(keys, scratch, sky->n);
  int32_t class_number = -1;
  for (int32_t i = 0; i < sky->n; i++) {
    class_number += i == 0 || keys[i].key != keys[i - 1].key;
    sky->alike[keys[i].id] = class_number;
    sky->alike_left[class_number]++;
  }
}

uint64_t snug__sky_code(int32_t buffer, uint64_t kind) {
  uint64_t z = ((uint64_t)buffer + 1) * UINT64_C(0x9e3779b97f4a7c15) + kind;
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

static void count_all(snug__sky *sky) {
  for (int32_t i = 0; i < sky->n; i++) {
    const snug__buffer *b = &sky->buffers[i];
    for (int32_t s = b->lo; s < b->hi; s++) {
      sky->rest[s] += b->size;
      sky->across[s] += s > b->lo;
    }
    sky->codes[b->lo] ^= snug__sky_code(i, 0);
  }
  for (int32_t s = 0; s < sky->sections; s++) {
    sky->tops[s] = -1;
  }
}

/* Pages of the trail that are never reached are never made resident: it is not cleared. */
static snug_status take_trail(snug__sky *sky) {
  int64_t steps = 64 * ((int64_t)sky->sections + 64); /* for raised floors */
  for (int32_t i = 0; i < sky->n; i++) {
    steps += sky->buffers[i].hi - sky->buffers[i].lo + 1;
  }
  return snug__vec_reserve(&sky->trail, (size_t)steps);
}

static snug_status take_all(snug__sky *sky) {
  snug_ctx *ctx = sky->ctx;
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, sky->sections, &sky->floors));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, sky->sections, &sky->rest));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, sky->sections, &sky->across));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, sky->sections, &sky->tops));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, sky->sections, &sky->codes));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, sky->n, &sky->offsets));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, sky->n, &sky->bars));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, sky->n, &sky->is_placed));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, sky->n, &sky->alike));
  return SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, sky->n, &sky->alike_left);
}

snug_status snug__sky_init(snug__sky *sky, const snug__strip *strip) {
  snug__key *keys = NULL;
  snug__key *scratch = NULL;
  *sky = (snug__sky){.ctx = strip->ctx,
                     .buffers = strip->buffers,
                     .n = strip->n,
                     .sections = strip->sections,
                     .ceiling = strip->target};
  snug__vec_init(&sky->trail, sky->ctx, SNUG__MEM_SCRATCH, sizeof(snug__sky_step), SIZE_MAX);
  SNUG_TRY(take_all(sky));
  snug_status status = SNUG_NEW_ARRAY(sky->ctx, SNUG__MEM_SCRATCH, sky->n, &keys);
  if (!status) {
    status = SNUG_NEW_ARRAY(sky->ctx, SNUG__MEM_SCRATCH, sky->n, &scratch);
  }
  if (!status) {
    class_lifespans(sky, keys, scratch);
    count_all(sky);
  }
  SNUG_GIVE_ARRAY(sky->ctx, SNUG__MEM_SCRATCH, keys, sky->n);
  SNUG_GIVE_ARRAY(sky->ctx, SNUG__MEM_SCRATCH, scratch, sky->n);
  SNUG_TRY(status);
  return take_trail(sky);
}

void snug__sky_release(snug__sky *sky) {
  snug_ctx *ctx = sky->ctx;
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, sky->floors, sky->sections);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, sky->rest, sky->sections);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, sky->across, sky->sections);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, sky->tops, sky->sections);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, sky->codes, sky->sections);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, sky->offsets, sky->n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, sky->bars, sky->n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, sky->is_placed, sky->n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, sky->alike, sky->n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, sky->alike_left, sky->n);
  snug__vec_release(&sky->trail);
}

/* Count a buffer in (+1) or out (-1) of what is to come. */
static void count_one(snug__sky *sky, int32_t buffer, int32_t sign) {
  const snug__buffer *b = &sky->buffers[buffer];
  for (int32_t s = b->lo; s < b->hi; s++) {
    sky->rest[s] += sign * b->size;
    sky->across[s] += sign;
  }
  sky->across[b->lo] -= sign;
  sky->codes[b->lo] ^= snug__sky_code(buffer, 0);
  sky->alike_left[sky->alike[buffer]] += sign;
  sky->is_placed[buffer] = sign < 0;
}

static void note(snug__sky *sky, snug__sky_step step) {
  SNUG_VEC(&sky->trail, snug__sky_step, sky->trail.n++) = step;
}

static void set_floor(snug__sky *sky, int32_t section, int64_t level, int32_t top) {
  note(sky, (snug__sky_step){sky->floors[section], sky->tops[section], section, SNUG__SKY_FLOOR});
  sky->floors[section] = level;
  sky->tops[section] = top;
}

bool snug__sky_place(snug__sky *sky, int32_t buffer, int64_t offset) {
  const snug__buffer *b = &sky->buffers[buffer];
  if (snug__sky_is_full(sky)) {
    return false;
  }
  for (int32_t s = b->lo; s < b->hi; s++) {
    if (offset + sky->rest[s] > sky->ceiling) {
      return false;
    }
  }
  for (int32_t s = b->lo; s < b->hi; s++) {
    set_floor(sky, s, offset + b->size, buffer);
  }
  note(sky, (snug__sky_step){0, buffer, 0, SNUG__SKY_PLACED});
  sky->offsets[buffer] = offset;
  count_one(sky, buffer, -1);
  return true;
}

bool snug__sky_raise(snug__sky *sky, int32_t section, int64_t level) {
  if (snug__sky_is_full(sky) || level + sky->rest[section] > sky->ceiling) {
    return false;
  }
  set_floor(sky, section, level, -1);
  return true;
}

static void set_bar(snug__sky *sky, int32_t buffer, int64_t level) {
  uint64_t *code = &sky->codes[sky->buffers[buffer].lo];
  *code ^= sky->bars[buffer] ? snug__sky_code(buffer, 2 + (uint64_t)sky->bars[buffer]) : 0;
  *code ^= level ? snug__sky_code(buffer, 2 + (uint64_t)level) : 0;
  sky->bars[buffer] = level;
}

bool snug__sky_bar(snug__sky *sky, int32_t buffer, int64_t level) {
  if (snug__sky_is_full(sky)) {
    return false;
  }
  note(sky, (snug__sky_step){sky->bars[buffer], buffer, 0, SNUG__SKY_BAR});
  set_bar(sky, buffer, level);
  return true;
}

static void undo(snug__sky *sky, const snug__sky_step *step) {
  switch (step->kind) {
    case SNUG__SKY_FLOOR:
      sky->floors[step->section] = step->level;
      sky->tops[step->section] = step->id;
      break;
    case SNUG__SKY_PLACED:
      count_one(sky, step->id, 1);
      break;
    case SNUG__SKY_BAR:
      set_bar(sky, step->id, step->level);
      break;
  }
}

void snug__sky_back(snug__sky *sky, size_t n_trail) {
  while (sky->trail.n > n_trail) {
    undo(sky, &SNUG_VEC(&sky->trail, snug__sky_step, --sky->trail.n));
  }
}

int64_t snug__sky_lowest(const snug__sky *sky, int32_t buffer) {
  const snug__buffer *b = &sky->buffers[buffer];
  int64_t level = sky->bars[buffer];
  for (int32_t s = b->lo; s < b->hi; s++) {
    level = snug__max_i64(level, sky->floors[s]);
  }
  return snug__round_up(level, b->align);
}
