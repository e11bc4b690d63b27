/* What a worker of a pipe does with a row. */
#include <string.h>

#include "data/pipe_parts.h"

snug_status snug__pipe_read_row(const snug__pipe *p, const snug__pipe_worker *w, int64_t row,
                                char *why) {
  const snug__intake *in = p->intake;
  const snug_source *s = in->source;
  why[0] = '\0';
  SNUG_TRY(s->read(s->user, w->scratch, row, p->pass.number, w->to, why));
  for (int32_t k = 0; k < in->n; k++) {
    if (w->to[k]) {
      SNUG_TRY(snug__sample_check(&in->demands[k], &in->arrays[k], w->to[k], row, why));
    }
  }
  return SNUG_OK;
}

void snug__pipe_aim(const snug__pipe *p, const snug__pipe_worker *w, const snug__batch_slot *slot,
                    int64_t i) {
  const snug__intake *in = p->intake;
  char *at = slot->memory;
  for (int32_t k = 0; k < in->n; k++) {
    size_t bytes = snug__intake_row(in, k);
    w->to[k] = in->arrays[k].data ? NULL : at + (size_t)i * bytes;
    at += snug__intake_part(in, k);
  }
}

/* Of several workers at one slot the first position counts. */
static void note_failure(snug__pipe *p, snug__batch_slot *slot, int64_t i, snug_status failure,
                         const char *why) {
  pthread_mutex_lock(&p->mutex);
  if (i < slot->bad) {
    slot->bad = i;
    slot->failure = failure;
    memcpy(slot->why, why, SNUG_WHY_BYTES);
  }
  pthread_mutex_unlock(&p->mutex);
}

static void note_skipped(snug__pipe *p, snug__batch_slot *slot, int64_t i, const char *why) {
  pthread_mutex_lock(&p->mutex);
  if (!slot->skipped || i < slot->first_skipped) {
    slot->first_skipped = i;
    memcpy(slot->why_skipped, why, SNUG_WHY_BYTES);
  }
  slot->skipped++;
  pthread_mutex_unlock(&p->mutex);
}

/* A row of a source that can be read anywhere, or the next good one behind it.  Each bad row counts
 * at its own place, once in a pass. */
static snug_status read_any(snug__pipe *p, const snug__pipe_worker *w, snug__batch_slot *slot,
                            int64_t i, char *why) {
  const snug__intake *in = p->intake;
  int64_t position = slot->batch * in->batch + i;
  int64_t at = in->shuffled ? (int64_t)snug__shuffle_at(&p->order, (uint64_t)position) : position;
  for (int64_t tried = 0; tried < in->rows; tried++) {
    slot->row[i] = in->first + (at + tried) % in->rows;
    snug_status s = snug__pipe_read_row(p, w, slot->row[i], why);
    if (!s || !in->source->skip_bad) {
      return s;
    }
    if (tried == 0) {
      note_skipped(p, slot, i, why);
    }
  }
  return SNUG_E_DATA;
}

void snug__pipe_read(snug__pipe *p, const snug__pipe_worker *w, snug__batch_slot *slot, int64_t i) {
  char why[SNUG_WHY_BYTES];
  snug__pipe_aim(p, w, slot, i);
  snug_status s = p->intake->source->in_order ? snug__window_next(p, w, &slot->row[i], why)
                                              : read_any(p, w, slot, i, why);
  if (s) {
    note_failure(p, slot, i, s, why);
  }
}
