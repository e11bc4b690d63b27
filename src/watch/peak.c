#include "watch/peak.h"

#include <string.h>

static uint64_t less(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

void snug__peak_sum(snug__peak *p, const snug__tree *t) {
  uint64_t most = 0;
  p->now = p->sum = 0;
  for (size_t i = 0; i < t->n; i++) {
    const snug__member *m = &t->list[i];
    if (m->borrows) {
      continue;
    }
    p->now += less(m->resident, m->overlap);
    p->sum += less(m->counted, m->overlap);
    most += m->peak;
    p->one = !m->was_here && m->peak > p->one ? m->peak : p->one;
  }
  p->most = most > p->most ? most : p->most;
}

/* Insert among the largest; what falls out, or does not get in, is with the others. */
static void insert(snug__peak *p, const snug__member *m) {
  snug_watch_process one = {m->process, less(m->counted, m->overlap), ""};
  uint32_t at = p->n_who;
  memcpy(one.name, m->name, sizeof one.name);
  while (at > 0 && p->who[at - 1].bytes < one.bytes) {
    at--;
  }
  if (at == SNUG_WATCH_WHO) {
    p->others += one.bytes;
    return;
  }
  if (p->n_who == SNUG_WATCH_WHO) {
    p->others += p->who[--p->n_who].bytes;
  }
  memmove(&p->who[at + 1], &p->who[at], (p->n_who - at) * sizeof *p->who);
  p->who[at] = one;
  p->n_who++;
}

bool snug__peak_take(snug__peak *p, const snug__tree *t, double seconds) {
  if (p->sum <= p->bytes) {
    return false;
  }
  p->bytes = p->sum;
  p->at = seconds;
  p->n_who = 0;
  p->others = 0;
  p->n_processes = (uint32_t)t->n;
  for (size_t i = 0; i < t->n; i++) {
    insert(p, &t->list[i]);
  }
  return true;
}

bool snug__peak_is_unknown(const snug__peak *p) { return !p->is_settled && p->bytes < p->unproven; }

void snug__peak_prove(snug__peak *p, uint64_t bytes, double seconds) {
  p->least = bytes > p->least ? bytes : p->least;
  if (p->least > p->bytes) {
    p->bytes = p->least;
    p->at = seconds;
  }
  p->most = p->most > p->bytes ? p->most : p->bytes;
}
