/* A source that can only be read from front to back, in its order or shuffled through a window:
 * the next sample is any of those in the window, and the row that comes next takes its place. */
#include <stdio.h>
#include <string.h>

#include "base/philox.h"
#include "data/pipe_parts.h"

#define WINDOW_STREAM UINT64_C(0x57494E444F57)

static snug_status fail(snug__window *w, snug_status code, const char *why) {
  w->failure = code;
  snprintf(w->why, sizeof w->why, "%s", why);
  return code;
}

static snug_status restart(snug__pipe *p, const snug__pipe_worker *worker) {
  const snug_source *s = p->intake->source;
  char why[SNUG_WHY_BYTES] = "";
  bool is_fresh = p->window.next == 0;
  p->window.next = 0;
  snug_status status = s->restart ? s->restart(s->user, worker->scratch, p->pass.number, why)
                       : is_fresh ? SNUG_OK
                                  : SNUG_E_DATA;
  if (status && !s->restart) {
    snprintf(why, sizeof why, "can be read once, and another pass over it is needed");
  }
  return status ? fail(&p->window, status, why) : SNUG_OK;
}

/* Whether there is another row, as far as that is known. */
static bool has_more(const snug__pipe *p) {
  const snug__intake *in = p->intake;
  return in->rows < 0 ? !p->window.ended : p->window.next < in->first + in->rows;
}

static snug_status fail_ended(snug__pipe *p) {
  char why[SNUG_WHY_BYTES];
  snprintf(why, sizeof why, "ended after %lld samples, and more are needed",
           (long long)p->window.next);
  return fail(&p->window, SNUG_E_DATA, why);
}

/* The end of a source whose length nobody knew: it begins again, if it can. */
static snug_status wrap(snug__pipe *p, const snug__pipe_worker *worker) {
  p->window.ended = p->window.next == 0 || !p->intake->source->restart;
  p->pass.number += p->pass.number != SNUG_NOT_TRAINING;
  return p->window.ended ? SNUG_E_STOPPED : restart(p, worker);
}

static snug_status read_row(snug__pipe *p, const snug__pipe_worker *worker, int64_t *row,
                            char *why) {
  *row = p->window.next;
  snug_status s = snug__pipe_read_row(p, worker, *row, why);
  p->window.next += !s;
  return s;
}

/* The next row goes to worker->to.  Fails: E_STOPPED if there is none, and nobody said that there
 * would be; all other failures end the pass. */
static snug_status read_next(snug__pipe *p, const snug__pipe_worker *worker, int64_t *row) {
  snug__window *w = &p->window;
  const snug__intake *in = p->intake;
  char why[SNUG_WHY_BYTES];
  if (w->failure || w->ended) {
    return w->failure ? w->failure : SNUG_E_STOPPED;
  }
  snug_status s = read_row(p, worker, row, why);
  if (s == SNUG_E_STOPPED && in->rows < 0) {
    SNUG_TRY(wrap(p, worker));
    s = read_row(p, worker, row, why);
  }
  if (s == SNUG_E_STOPPED) {
    snprintf(why, sizeof why, "ends after %lld of %lld samples", (long long)w->next,
             (long long)in->rows);
    s = SNUG_E_DATA;
  }
  return s ? fail(w, s, why) : SNUG_OK;
}

/* ---- samples of the window ---- */

static char *sample_at(const snug__window *w, int64_t j) {
  return w->memory + (size_t)j * w->sample;
}

/* Copy sample j of the window to where the worker aims, or from there. */
static void copy(const snug__pipe *p, const snug__pipe_worker *worker, int64_t j, bool to_window) {
  char *at = sample_at(&p->window, j);
  for (int32_t k = 0; k < p->intake->n; k++) {
    size_t bytes = snug__intake_row(p->intake, k);
    if (worker->to[k]) {
      memcpy(to_window ? at : worker->to[k], to_window ? worker->to[k] : at, bytes);
      at += bytes;
    }
  }
}

/* Rows pass through the place that the worker aims at. */
static snug_status fill(snug__pipe *p, const snug__pipe_worker *worker) {
  snug__window *w = &p->window;
  while (w->filled < w->most && has_more(p)) {
    snug_status s = read_next(p, worker, &w->row[w->filled]);
    if (s) {
      return s == SNUG_E_STOPPED ? SNUG_OK : s; /* what is in the window is still good */
    }
    copy(p, worker, w->filled++, true);
  }
  return w->failure;
}

/* The last sample takes the place of the one that leaves; the next row that of the last. */
static void close_gap(snug__window *w, int64_t j) {
  w->filled--;
  w->row[j] = w->row[w->filled];
  memmove(sample_at(w, j), sample_at(w, w->filled), w->sample);
}

/* Whether the window has room for the whole part of the source. */
static bool is_whole(const snug__pipe *p) {
  return p->intake->rows > 0 && p->window.most >= p->intake->rows;
}

/* Then the order is the one that samples have which can be read in any order: how much of the data
 * is held, and so the line, does not change it. */
static snug_status draw_of_all(snug__pipe *p, const snug__pipe_worker *worker, int64_t *row) {
  snug__window *w = &p->window;
  SNUG_TRY(fill(p, worker));
  if (w->position >= w->filled) {
    return SNUG_E_STOPPED;
  }
  int64_t j = (int64_t)snug__shuffle_at(&p->order, (uint64_t)w->position++);
  *row = w->row[j];
  copy(p, worker, j, false);
  return SNUG_OK;
}

static snug_status draw(snug__pipe *p, const snug__pipe_worker *worker, int64_t *row) {
  snug__window *w = &p->window;
  SNUG_TRY(fill(p, worker));
  if (w->filled == 0) {
    return SNUG_E_STOPPED;
  }
  snug__philox words =
      snug__philox_at(p->intake->seed ^ WINDOW_STREAM, p->pass.number, (uint64_t)w->position++);
  uint64_t any = (uint64_t)words.v[0] << 32 | words.v[1];
  int64_t j = (int64_t)(any % (uint64_t)w->filled);
  *row = w->row[j];
  copy(p, worker, j, false);
  close_gap(w, j);
  return SNUG_OK;
}

snug_status snug__window_next(snug__pipe *p, const snug__pipe_worker *worker, int64_t *row,
                              char *why) {
  snug_status s = !p->window.most ? read_next(p, worker, row)
                  : is_whole(p)   ? draw_of_all(p, worker, row)
                                  : draw(p, worker, row);
  s = s == SNUG_E_STOPPED ? fail_ended(p) : s;
  if (s) {
    memcpy(why, p->window.why, SNUG_WHY_BYTES);
  }
  return s;
}

void snug__window_start(snug__pipe *p, const snug__pipe_worker *worker, int64_t position) {
  snug__window *w = &p->window;
  char why[SNUG_WHY_BYTES];
  w->failure = SNUG_OK;
  w->ended = false;
  w->filled = 0;
  w->position = 0;
  w->sample = snug__intake_sample(p->intake);
  snug_status s = restart(p, worker);
  snug__pipe_aim(p, worker, &p->slots[0], 0);
  for (int64_t i = 0; i < position && !s; i++) {
    int64_t row = 0;
    s = snug__window_next(p, worker, &row, why);
  }
}
