#include "record/thin.h"

#include <string.h>

static const snug__figure waiting_figures[SNUG__WAITING] = {SNUG__FIGURE_resident,
                                                            SNUG__FIGURE_device};

/* Figures with a maximum that is worth a frame at once. */
static const snug__figure risers[] = {SNUG__FIGURE_resident, SNUG__FIGURE_peak,
                                      SNUG__FIGURE_held_peak, SNUG__FIGURE_device,
                                      SNUG__FIGURE_device_peak};

static void count_kept(snug__pace *p) {
  if (++p->kept == SNUG__THIN_KEPT && p->density < 63) {
    p->kept = 0;
    p->density++;
  }
}

bool snug__pace_next(snug__pace *p) {
  bool is_kept = p->seen++ % (UINT64_C(1) << p->density) == 0;
  if (is_kept) {
    count_kept(p);
  }
  return is_kept;
}

static bool rises(const snug__thin *t, const snug__numbers *n) {
  for (size_t i = 0; i < sizeof risers / sizeof *risers; i++) {
    uint64_t highest = t->highest[risers[i]];
    uint64_t now = n->figures[risers[i]];
    if (now > highest && now - highest > highest / 1024) {
      return true;
    }
  }
  return false;
}

/* What was held at the most since the moment before is that of the file, not of the run. */
static void carry(snug__thin *t, snug__numbers *n) {
  uint64_t *held_peak = &n->figures[SNUG__FIGURE_held_peak];
  *held_peak = *held_peak > t->held_peak ? *held_peak : t->held_peak;
}

static void leave_out(snug__thin *t, const snug__numbers *n) {
  t->last = *n;
  t->has_last = true;
  t->held_peak = n->figures[SNUG__FIGURE_held_peak];
  for (size_t i = 0; i < SNUG__WAITING; i++) {
    snug__figure figure = waiting_figures[i];
    uint64_t highest = t->waits[i] ? t->waiting[i].figures[figure] : t->highest[figure];
    if (n->figures[figure] > highest) {
      t->waiting[i] = *n;
      t->waits[i] = true;
    }
  }
}

static void note_highest(snug__thin *t, const snug__numbers *n) {
  for (size_t i = 0; i < SNUG__FIGURES; i++) {
    t->highest[i] = n->figures[i] > t->highest[i] ? n->figures[i] : t->highest[i];
  }
}

/* One moment may wait for both of its figures, and be the last. */
static bool is_same(const snug__numbers *a, const snug__numbers *b) {
  return a->at == b->at && a->microseconds == b->microseconds &&
         memcmp(a->figures, b->figures, sizeof a->figures) == 0;
}

static size_t take_waiting(snug__thin *t, snug__numbers *out) {
  size_t n = 0;
  for (size_t i = 0; i < SNUG__WAITING; i++) {
    if (t->waits[i] && !(n && is_same(&out[0], &t->waiting[i]))) {
      out[n++] = t->waiting[i];
    }
    t->waits[i] = false;
  }
  if (n == 2 && out[1].microseconds < out[0].microseconds) {
    snug__numbers later = out[0];
    out[0] = out[1];
    out[1] = later;
  }
  for (size_t i = 0; i < n; i++) {
    note_highest(t, &out[i]);
  }
  return n;
}

/* The last one tells the maxima that rose too little to be kept at once, and when the end was. */
size_t snug__thin_end(snug__thin *t, snug__numbers *out) {
  size_t n = take_waiting(t, out);
  if (t->has_last && !(n && is_same(&out[n - 1], &t->last))) {
    out[n++] = t->last;
  }
  t->has_last = false;
  return n;
}

/* A moment that is overtaken need not be written. */
static void drop_overtaken(snug__thin *t, const snug__numbers *n) {
  for (size_t i = 0; i < SNUG__WAITING; i++) {
    snug__figure figure = waiting_figures[i];
    t->waits[i] = t->waits[i] && t->waiting[i].figures[figure] > n->figures[figure];
  }
}

void snug__thin_found(snug__thin *t, const snug__numbers *n) {
  count_kept(&t->paces[n->at]);
  note_highest(t, n);
}

size_t snug__thin_take(snug__thin *t, const snug__numbers *n, snug__numbers *out) {
  snug__numbers now = *n;
  carry(t, &now);
  bool is_kept = snug__pace_next(&t->paces[n->at]); /* counts, whatever else */
  if (!is_kept && !rises(t, &now)) {
    leave_out(t, &now);
    return 0;
  }
  drop_overtaken(t, &now);
  size_t before = take_waiting(t, out);
  out[before] = now;
  note_highest(t, &now);
  t->held_peak = 0;
  t->has_last = false;
  return before + 1;
}
