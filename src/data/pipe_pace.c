/* How many workers read, and how many batches ahead: by who waits, within what was planned.
 *
 * A batch that is missing although the workers had nothing to do a while ago came late by chance,
 * and more batches ahead would have made up for it; if they always had something to do, more of
 * them have to read.  Many batches in a row that were there can do with less: the step has the
 * processors to itself, and what was read is still in their caches. */
#include "data/pipe_parts.h"

#define MOST_PATIENCE 4096 /* each time that less was not enough, it lasts twice as long */

static void ask_more(snug__pipe *p) {
  snug__reading_pace *pace = &p->pace;
  if (p->adapts_depth && pace->rested && pace->depth < p->n_slots) {
    pace->depth++;
    pthread_cond_broadcast(&p->has_work);
  } else if (p->adapts_workers && pace->active < p->n_workers) {
    pace->active++;
    pthread_cond_broadcast(&p->is_called);
  }
  pace->rested = false;
  pace->patience = pace->patience < MOST_PATIENCE ? 2 * pace->patience : MOST_PATIENCE;
}

static void ask_less(snug__pipe *p) {
  snug__reading_pace *pace = &p->pace;
  if (p->adapts_workers && pace->active > 1) {
    pace->active--;
  } else if (p->adapts_depth && pace->depth > 1) {
    pace->depth--;
  }
}

void snug__pace_note(snug__pipe *p, bool was_there) {
  snug__reading_pace *pace = &p->pace;
  if (p->head < pace->warm) {
    return;
  }
  pace->calm = was_there ? pace->calm + 1 : 0;
  if (!was_there) {
    ask_more(p);
  } else if (pace->calm == pace->patience) {
    pace->calm = 0;
    ask_less(p);
  }
}
