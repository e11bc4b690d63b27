/* What frames say.  A content is read to its end before any of it is taken in. */
#include <stdio.h>
#include <string.h>

#include "record/recording.h"

static bool is_read(const snug__cursor *c) { return !c->over && snug__cursor_left(c) == 0; }

/* ---- texts ---- */

/* The text in memory of the recording, once however often it comes. */
static snug_status intern(snug_recording *r, const char *text, size_t n, const char **out) {
  char copy[SNUG__RECORD_MOST_NAME + 1];
  snug__harmless(copy, text, n);
  uint32_t i = snug__map_find(&r->interned, copy);
  if (i != SNUG__MAP_NONE) {
    *out = SNUG_VEC(&r->text_list, const char *, i);
    return SNUG_OK;
  }
  SNUG_TRY(snug__arena_text(&r->texts, copy, out));
  SNUG_TRY(snug__vec_push(&r->text_list, out, 1));
  return snug__map_set(&r->interned, *out, (uint32_t)r->text_list.n - 1);
}

static snug_status copy_value(snug_recording *r, const char *text, size_t n, const char **out) {
  void *copy = NULL;
  SNUG_TRY(snug__arena_take(&r->texts, n + 1, &copy));
  snug__harmless(copy, text, n);
  *out = copy;
  return SNUG_OK;
}

/* ---- facts ---- */

static snug_status set_fact(snug_recording *r, const char *name, const char *value) {
  uint32_t i = snug__map_find(&r->fact_names, name);
  if (i != SNUG__MAP_NONE) {
    SNUG_VEC(&r->facts, snug__fact, i).value = value;
    return SNUG_OK;
  }
  snug__fact fact = {name, value};
  SNUG_TRY(snug__vec_push(&r->facts, &fact, 1));
  return snug__map_set(&r->fact_names, name, (uint32_t)r->facts.n - 1);
}

static snug_status take_fact(snug_recording *r, snug__cursor *c, bool *good) {
  size_t n_name = 0;
  size_t n_value = 0;
  const char *name = snug__get_text(c, SNUG__RECORD_MOST_NAME, &n_name);
  const char *value = snug__get_text(c, SNUG__RECORD_MOST_VALUE, &n_value);
  *good = is_read(c) && n_name > 0;
  if (!*good) {
    return SNUG_OK;
  }
  SNUG_TRY(intern(r, name, n_name, &name));
  SNUG_TRY(copy_value(r, value, n_value, &value));
  return set_fact(r, name, value);
}

snug_status snug__recording_set_id(snug_recording *r, uint64_t id) {
  const char *name = NULL;
  const char *value = NULL;
  char text[17];
  snprintf(text, sizeof text, "%016llx", (unsigned long long)id);
  SNUG_TRY(intern(r, "run.id", strlen("run.id"), &name));
  SNUG_TRY(copy_value(r, text, strlen(text), &value));
  return set_fact(r, name, value);
}

/* ---- moments ---- */

/* Time goes forward: the recorder sees to that. */
static snug_status take_moment(snug_recording *r, snug__cursor *c, bool *good) {
  snug__numbers n;
  snug_moment m;
  snug__get_moment(c, &r->before, &n);
  *good = is_read(c) && n.microseconds >= r->before.microseconds && snug__numbers_moment(&n, &m);
  if (!*good) {
    return SNUG_OK;
  }
  r->before = n;
  return snug__vec_push(&r->moments, &m, 1);
}

/* ---- logs ---- */

/* Names and values of a frame; true if they are whole.  With `takes` they are taken in. */
static snug_status walk_values(snug_recording *r, snug__cursor c, bool takes, size_t *n_values,
                               bool *good) {
  *n_values = 0;
  while (!c.over && snug__cursor_left(&c) > 0) {
    size_t n = 0;
    const char *name = snug__get_text(&c, SNUG__RECORD_MOST_NAME, &n);
    uint64_t bits = snug__get(&c, sizeof bits);
    c.over = c.over || n == 0;
    if (takes) {
      SNUG_TRY(intern(r, name, n, &name));
      SNUG_TRY(snug__vec_push(&r->names, &name, 1));
      SNUG_TRY(snug__vec_push(&r->values, &bits, 1));
    }
    ++*n_values;
  }
  *good = !c.over;
  return SNUG_OK;
}

static snug_status take_logs(snug_recording *r, snug__cursor *c, bool *good) {
  snug__epoch e = {.epoch = (int64_t)snug__get_varint(c), .first = r->values.n};
  SNUG_TRY(walk_values(r, *c, false, &e.n, good));
  *good = *good && !c->over && e.epoch >= 0;
  if (!*good) {
    return SNUG_OK;
  }
  SNUG_TRY(walk_values(r, *c, true, &e.n, good));
  snug__epoch *last = r->epochs.n ? &SNUG_VEC(&r->epochs, snug__epoch, r->epochs.n - 1) : NULL;
  if (last && last->epoch == e.epoch) {
    last->n += e.n;
    return SNUG_OK;
  }
  return snug__vec_push(&r->epochs, &e, 1);
}

/* ---- the peak ---- */

/* The set in the making is whole: it takes the place of the one before. */
static void finish_set(snug_recording *r) {
  size_t n = r->pieces.n - r->peak_pieces;
  snug_memory_piece *pieces = r->pieces.data;
  r->in_peak = false;
  r->peak_seconds = r->next_seconds;
  if (n && r->peak_pieces) {
    memmove(pieces, pieces + r->peak_pieces, n * sizeof *pieces);
  }
  r->pieces.n = r->peak_pieces = n;
}

/* A run that was killed while it told its pieces: those of the peak before are all there. */
void snug__recording_settle(snug_recording *r) {
  if (r->in_peak && r->peak_pieces) {
    r->pieces.n = r->peak_pieces;
    r->in_peak = false;
  } else if (r->in_peak) {
    finish_set(r);
  }
}

static snug_status take_peak(snug_recording *r, snug__cursor *c, bool *good) {
  uint64_t microseconds = snug__get_varint(c);
  *good = is_read(c) && snug__is_microseconds(microseconds);
  if (*good) {
    r->in_peak = true;
    r->next_seconds = (double)microseconds / 1e6;
  }
  return SNUG_OK;
}

static snug_status take_piece(snug_recording *r, snug__cursor *c, bool *good) {
  const char *texts[3];
  size_t lengths[3];
  for (size_t i = 0; i < 3; i++) {
    texts[i] = snug__get_text(c, SNUG__RECORD_MOST_NAME, &lengths[i]);
  }
  uint64_t bytes = snug__get_varint(c);
  *good = is_read(c) && r->in_peak;
  for (size_t i = 0; *good && i < 3; i++) {
    SNUG_TRY(intern(r, texts[i], lengths[i], &texts[i]));
  }
  snug_memory_piece piece = {texts[0], texts[1], texts[2], bytes};
  return *good ? snug__vec_push(&r->pieces, &piece, 1) : SNUG_OK;
}

/* ---- frames ---- */

snug_status snug__recording_take(snug_recording *r, uint8_t kind, snug__cursor content,
                                 bool *good) {
  *good = true;
  if (kind != SNUG__FRAME_PIECE && r->in_peak) {
    finish_set(r);
  }
  switch (kind) {
    case SNUG__FRAME_FACT:
      return take_fact(r, &content, good);
    case SNUG__FRAME_MOMENT:
      return take_moment(r, &content, good);
    case SNUG__FRAME_LOGS:
      return take_logs(r, &content, good);
    case SNUG__FRAME_PEAK:
      return take_peak(r, &content, good);
    case SNUG__FRAME_PIECE:
      return take_piece(r, &content, good);
    case SNUG__FRAME_END:
      *good = snug__cursor_left(&content) == 0;
      return SNUG_OK;
    default:
      return SNUG_OK;
  }
}
