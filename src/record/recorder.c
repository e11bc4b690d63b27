/* Writing a recording: every call is a frame, and every frame is written before the call returns.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/struct_size.h"
#include "record/frame.h"
#include "record/recorder.h"
#include "record/thin.h"

struct snug_recorder {
  snug__frames frames;
  snug__thin thin;
  snug__pace epochs; /* with logs */
  int64_t epoch;     /* of the logs before; -1: none */
  bool keeps_epoch;
  snug__numbers before; /* the last moment in the file */
  uint64_t latest;      /* microseconds of the last moment, in the file or left out */
};

/* ---- beginning ---- */

snug_status snug__recorder_create(snug_ctx *ctx, snug_recorder **out) {
  SNUG_TRY(SNUG_NEW(ctx, SNUG__MEM_CALLBACKS, out));
  (*out)->frames.ctx = ctx;
  (*out)->frames.fd = -1;
  (*out)->epoch = -1;
  return SNUG_OK;
}

snug_status snug__recorder_begin(snug_recorder *r, const char *path, bool replace) {
  if (!path || !path[0]) {
    return snug__fail(r->frames.ctx, SNUG_E_ARGUMENT, "a recorder: it needs a path");
  }
  return snug__frames_open(&r->frames, r->frames.ctx, path, replace);
}

/* A frame of the file that goes on. */
static void take_found(void *user, uint8_t kind, snug__cursor content) {
  snug_recorder *r = user;
  snug__numbers n;
  if (kind != SNUG__FRAME_MOMENT) {
    return;
  }
  snug__get_moment(&content, &r->before, &n);
  if (!content.over && n.at < SNUG__ATS) {
    snug__thin_found(&r->thin, &n);
    r->before = n;
  }
}

snug_status snug__recorder_resume(snug_recorder *r, const char *path, double *seconds) {
  *seconds = 0.0;
  if (!path || access(path, F_OK) != 0) {
    return snug__recorder_begin(r, path, false);
  }
  SNUG_TRY(snug__frames_resume(&r->frames, r->frames.ctx, path, take_found, r));
  r->latest = r->before.microseconds;
  *seconds = (double)r->before.microseconds / 1e6;
  return SNUG_OK;
}

snug_status snug_recorder_open(snug_ctx *ctx, const char *path, bool replace, snug_recorder **out) {
  snug_recorder *r = NULL;
  if (!ctx || !out) {
    return ctx ? snug__fail(ctx, SNUG_E_ARGUMENT, "a recorder: there is no place for it")
               : SNUG_E_ARGUMENT;
  }
  *out = NULL;
  SNUG_TRY(snug__recorder_create(ctx, &r));
  snug_status s = snug__recorder_begin(r, path, replace);
  if (s) {
    snug_status closed = snug_recorder_close(r);
    return closed ? closed : s;
  }
  *out = r;
  return SNUG_OK;
}

/* ---- facts ---- */

static snug_status fail_text(const snug_recorder *r, const char *what, const char *text,
                             size_t most) {
  return snug__fail(r->frames.ctx, SNUG_E_ARGUMENT,
                    "%s: %s '%.40s%s' has %zu bytes; %zu is the most", r->frames.shown, what, text,
                    strlen(text) > 40 ? "…" : "", strlen(text), most);
}

static snug_status check_name(const snug_recorder *r, const char *what, const char *name) {
  if (!name || !name[0]) {
    return snug__fail(r->frames.ctx, SNUG_E_ARGUMENT, "%s: %s is empty", r->frames.shown, what);
  }
  return strlen(name) > SNUG__RECORD_MOST_NAME ? fail_text(r, what, name, SNUG__RECORD_MOST_NAME)
                                               : SNUG_OK;
}

snug_status snug_recorder_fact(snug_recorder *r, const char *name, const char *value) {
  if (!r) {
    return SNUG_E_ARGUMENT;
  }
  SNUG_TRY(check_name(r, "the name of a fact", name));
  value = value ? value : "";
  if (strlen(value) > SNUG__RECORD_MOST_VALUE) {
    return fail_text(r, name, value, SNUG__RECORD_MOST_VALUE);
  }
  uint8_t *at = snug__frame_begin(&r->frames);
  snug__put_text(&at, name, strlen(name));
  snug__put_text(&at, value, strlen(value));
  return snug__frame_end(&r->frames, SNUG__FRAME_FACT, at);
}

/* ---- moments ---- */

static snug_status write_moments(snug_recorder *r, const snug__numbers *moments, size_t n) {
  for (size_t i = 0; i < n; i++) {
    uint8_t *at = snug__frame_begin(&r->frames);
    snug__put_moment(&at, &r->before, &moments[i]);
    SNUG_TRY(snug__frame_end(&r->frames, SNUG__FRAME_MOMENT, at));
    r->before = moments[i];
  }
  return SNUG_OK;
}

snug_status snug_recorder_moment(snug_recorder *r, const snug_moment *m) {
  snug__numbers moments[SNUG__WAITING + 1];
  snug__numbers now;
  snug_moment given;
  if (!r || !m) {
    return r ? snug__fail(r->frames.ctx, SNUG_E_ARGUMENT, "%s: there is no moment", r->frames.shown)
             : SNUG_E_ARGUMENT;
  }
  SNUG_TRY(SNUG__READ(r->frames.ctx, snug_moment, m, &given));
  if (!snug__numbers_of(&given, &now)) {
    return snug__fail(r->frames.ctx, SNUG_E_ARGUMENT,
                      "%s: no moment can be at '%.40s', %g seconds from the beginning",
                      r->frames.shown, given.at ? given.at : "", given.seconds);
  }
  r->latest = now.microseconds = now.microseconds > r->latest ? now.microseconds : r->latest;
  return write_moments(r, moments, snug__thin_take(&r->thin, &now, moments));
}

/* ---- logs ---- */

/* As many values from `first` on as a frame holds; returns behind the last. */
static size_t put_values(uint8_t **at, const uint8_t *end, const snug_logs *logs, size_t first) {
  size_t i = first;
  for (; i < logs->n; i++) {
    size_t n = strlen(logs->names[i]);
    uint64_t bits = 0;
    if ((size_t)(end - *at) < SNUG__VARINT_BYTES + n + sizeof bits) {
      break;
    }
    memcpy(&bits, &logs->values[i], sizeof bits);
    snug__put_text(at, logs->names[i], n);
    snug__put(at, bits, sizeof bits);
  }
  return i;
}

static snug_status check_logs(const snug_recorder *r, int64_t epoch, const snug_logs *logs) {
  if (epoch < 0) {
    return snug__fail(r->frames.ctx, SNUG_E_ARGUMENT, "%s: values of epoch %lld; it counts from 0",
                      r->frames.shown, (long long)epoch);
  }
  if (!logs || (logs->n && (!logs->names || !logs->values))) {
    return snug__fail(r->frames.ctx, SNUG_E_ARGUMENT, "%s: there are no values", r->frames.shown);
  }
  for (size_t i = 0; i < logs->n; i++) {
    SNUG_TRY(check_name(r, "the name of a value", logs->names[i]));
  }
  return SNUG_OK;
}

/* An epoch is kept or left out as a whole, in however many calls it is told. */
static bool is_kept(snug_recorder *r, int64_t epoch) {
  if (r->epoch != epoch) {
    r->keeps_epoch = snug__pace_next(&r->epochs);
    r->epoch = epoch;
  }
  return r->keeps_epoch;
}

snug_status snug_recorder_logs(snug_recorder *r, int64_t epoch, const snug_logs *logs) {
  if (!r) {
    return SNUG_E_ARGUMENT;
  }
  SNUG_TRY(check_logs(r, epoch, logs));
  size_t done = 0;
  while (done < logs->n && is_kept(r, epoch)) {
    uint8_t *at = snug__frame_begin(&r->frames);
    const uint8_t *end = at + SNUG__RECORD_MOST_CONTENT;
    snug__put_varint(&at, (uint64_t)epoch);
    done = put_values(&at, end, logs, done);
    SNUG_TRY(snug__frame_end(&r->frames, SNUG__FRAME_LOGS, at));
  }
  return SNUG_OK;
}

/* ---- the peak ---- */

snug_status snug_recorder_begin_peak(snug_recorder *r, double seconds) {
  uint64_t microseconds = 0;
  if (!r) {
    return SNUG_E_ARGUMENT;
  }
  if (!snug__microseconds(seconds, &microseconds)) {
    return snug__fail(r->frames.ctx, SNUG_E_ARGUMENT,
                      "%s: no peak can be %g seconds from the beginning", r->frames.shown, seconds);
  }
  uint8_t *at = snug__frame_begin(&r->frames);
  snug__put_varint(&at, microseconds);
  return snug__frame_end(&r->frames, SNUG__FRAME_PEAK, at);
}

static void put_cut(uint8_t **at, const char *text) {
  size_t n = text ? strlen(text) : 0;
  n = n < SNUG__RECORD_MOST_NAME ? n : SNUG__RECORD_MOST_NAME;
  snug__put_text(at, n ? text : "", n);
}

snug_status snug_recorder_piece(snug_recorder *r, const snug_memory_piece *piece) {
  if (!r || !piece) {
    return r ? snug__fail(r->frames.ctx, SNUG_E_ARGUMENT, "%s: there is no piece", r->frames.shown)
             : SNUG_E_ARGUMENT;
  }
  uint8_t *at = snug__frame_begin(&r->frames);
  put_cut(&at, piece->layer);
  put_cut(&at, piece->op);
  put_cut(&at, piece->what);
  snug__put_varint(&at, piece->bytes);
  return snug__frame_end(&r->frames, SNUG__FRAME_PIECE, at);
}

/* ---- the end ---- */

static snug_status write_end(snug_recorder *r) {
  snug__numbers moments[SNUG__WAITING + 1];
  SNUG_TRY(write_moments(r, moments, snug__thin_end(&r->thin, moments)));
  return snug__frame_end(&r->frames, SNUG__FRAME_END, snug__frame_begin(&r->frames));
}

snug_status snug_recorder_close(snug_recorder *r) {
  if (!r) {
    return SNUG_OK;
  }
  snug_status s = r->frames.fd < 0 ? SNUG_OK : write_end(r);
  snug_status closed = snug__frames_close(&r->frames);
  snug__give(r->frames.ctx, SNUG__MEM_CALLBACKS, r, sizeof *r);
  return s ? s : closed;
}
