#include "watch/split.h"

#include <errno.h>

#include "base/clock.h"

#define SHARE 0.005   /* of a core */
#define AT_ONCE 0.02  /* seconds that may be spent before any share has come together */
#define EVERY 1.0     /* seconds, while pages are shared */
#define NEW_PART 0.01 /* what is larger by this part is a new maximum */

void snug__splits_init(snug__splits *s, double now) {
  *s = (snug__splits){.began = now, .last = now};
}

/* The sum of the tree as it counts, and what writing could add to it. */
static uint64_t sum_of(const snug__tree *t, uint64_t *copied) {
  uint64_t sum = 0;
  *copied = 0;
  for (size_t i = 0; i < t->n; i++) {
    const snug__member *m = &t->list[i];
    sum += m->counted > m->overlap ? m->counted - m->overlap : 0;
    *copied += m->borrows ? 0 : m->copied;
  }
  return sum;
}

static bool has_reason(const snug__splits *s, const snug__tree *t, uint64_t sum, uint64_t copied,
                       double now) {
  bool is_new = (double)sum > (double)s->at * (1.0 + NEW_PART);
  return is_new || (t->n > 1 && copied > sum / 10 && now - s->last >= EVERY);
}

/* What is left out: those who have ended since, and those whom we may not ask. */
static bool read_one(snug__splits *s, const snug__tree *t, snug__member *m, snug__split *out) {
  char text[SNUG__PROC_TEXT];
  errno = 0;
  if (snug__proc_text(t->root, m->process, "smaps_rollup", text) && snug__split_parse(text, out)) {
    return true;
  }
  bool is_refused = errno == EACCES || errno == EPERM;
  s->n_unsplit += is_refused && !m->unsplit;
  m->unsplit = m->unsplit || is_refused;
  return false;
}

static size_t with_memory(const snug__tree *t) {
  size_t n = 0;
  for (size_t i = 0; i < t->n; i++) {
    n += !t->list[i].borrows && t->list[i].resident > 0;
  }
  return n;
}

/* All members; what the whole is made of.  Of a process alone nothing is shared within the tree. */
static bool read_all(snug__splits *s, snug__tree *t, snug__split *all) {
  bool is_one = with_memory(t) == 1;
  bool is_whole = t->n > 0;
  *all = (snug__split){0};
  for (size_t i = 0; i < t->n; i++) {
    snug__member *m = &t->list[i];
    snug__split one;
    if (m->borrows || m->resident == 0) {
      continue;
    }
    if (!read_one(s, t, m, &one)) {
      is_whole = false;
      continue;
    }
    m->overlap = !is_one && one.resident > one.pss ? one.resident - one.pss : 0;
    bool is_copied = !is_one && one.resident_anonymous > one.anonymous;
    m->copied = is_copied ? one.resident_anonymous - one.anonymous : 0;
    all->resident += one.resident > m->overlap ? one.resident - m->overlap : 0;
    all->pss += one.pss;
    all->anonymous += one.anonymous;
    all->file += one.file;
    all->shared += one.shared;
    all->swap += one.swap;
  }
  return is_whole;
}

bool snug__splits_look(snug__splits *s, snug__tree *t, double now, bool must) {
  snug__split all;
  uint64_t copied;
  uint64_t sum = sum_of(t, &copied);
  bool may = s->spent <= SHARE * (now - s->began) + AT_ONCE;
  if (!must && (!may || !has_reason(s, t, sum, copied, now))) {
    return false;
  }
  double before = snug__seconds(CLOCK_THREAD_CPUTIME_ID);
  bool is_whole = read_all(s, t, &all);
  s->spent += snug__seconds(CLOCK_THREAD_CPUTIME_ID) - before;
  s->last = now;
  s->at = sum > s->at ? sum : s->at;
  if (is_whole && all.pss > s->all.pss) {
    s->has = true;
    s->all = all;
    s->seconds = now - s->began;
  }
  return true;
}
