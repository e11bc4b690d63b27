#include "planning/wait.h"

#include <math.h>
#include <string.h>

#include "base/ctx.h"

#define TICKET_BYTES 8
#define NO_TRIP UINT32_MAX

/* What happens to trips at a position. */
enum { BEGIN_WRITE, END_WRITE, BEGIN_READ, END_READ, EVENTS };

snug_status snug__waits_allocate(snug__simulation *s) {
  snug_ctx *ctx = s->p->g->ctx;
  size_t n = s->p->g->values.n;
  if (!s->p->can_wait) {
    return SNUG_OK;
  }
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &s->last_forward));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &s->first_backward));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &s->waits));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, n, &s->trips));
  SNUG_TRY(SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, EVENTS * n, &s->next));
  return SNUG_NEW_ARRAY(ctx, SNUG__MEM_SCRATCH, EVENTS * s->room, &s->events);
}

void snug__waits_release(snug__simulation *s) {
  snug_ctx *ctx = s->p->g->ctx;
  size_t n = s->p->g->values.n;
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->last_forward, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->first_backward, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->waits, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->trips, n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->next, EVENTS * n);
  SNUG_GIVE_ARRAY(ctx, SNUG__MEM_SCRATCH, s->events, EVENTS * s->room);
}

void snug__waits_restart(snug__simulation *s) {
  size_t n = s->p->g->values.n;
  s->n_trips = 0;
  if (s->p->can_wait) {
    for (size_t v = 0; v < n; v++) {
      s->last_forward[v] = s->forward_end[v] ? s->forward_end[v] - 1 : 0;
    }
    memset(s->first_backward, 0, n * sizeof *s->first_backward);
    memset(s->waits, 0, n * sizeof *s->waits);
  }
}

/* ---- trips ---- */

static bool is_mark(const snug__simulation *s, int64_t position) {
  snug__id step = s->steps[position];
  snug__id n_nodes = (snug__id)s->p->g->nodes.n;
  snug__id node = step < n_nodes ? step : s->p->recipes.of[step - n_nodes].again;
  return node == SNUG_NONE || s->p->is_mark[node];
}

/* As the pass does: so many marks behind a position, or in front of it. */
static int64_t walk(const snug__simulation *s, int64_t from, int32_t marks, int32_t step) {
  while (marks > 0) {
    from += step;
    if (from < 0 || from >= (int64_t)s->n_steps) {
      return -1;
    }
    marks -= is_mark(s, from);
  }
  return from;
}

static bool plan_trip(const snug__simulation *s, snug__id v, snug__trip *t) {
  int32_t reach = s->choice[v] == SNUG__WAITING ? 0 : SNUG__REACH;
  int64_t last = s->last_forward[v];
  if (!snug__is_waiting(s->choice[v]) || !s->p->can_wait[v] || !s->first_backward[v]) {
    return false;
  }
  *t = (snug__trip){.value = v, .made = s->first[v], .read = (int64_t)s->first_backward[v] - 1};
  t->written = walk(s, t->made, reach, 1);
  t->ahead = walk(s, t->read, reach + 1, -1);
  if (t->written >= 0 && last > t->written) {
    t->written = walk(s, last - 1, 1, 1);
  }
  return t->written >= 0 && t->ahead > t->written;
}

/* In the order of need.  What was made last is mostly needed first. */
static void insert(snug__simulation *s, const snug__trip *t) {
  size_t i = s->n_trips++;
  for (; i > 0 && s->trips[i - 1].read > t->read; i--) {
    s->trips[i] = s->trips[i - 1];
  }
  s->trips[i] = *t;
  s->waits[t->value] = true;
}

/* The file's content has no memory, but tickets do. */
static void cut(snug__simulation *s, const snug__trip *t) {
  size_t copy = t->value + s->p->g->values.n;
  s->first[copy] = (uint32_t)t->ahead + 1;
  s->end[copy] = s->end[t->value];
  s->end[t->value] = (uint32_t)t->written + 1;
  s->load[t->made] += TICKET_BYTES;
  s->load[t->written + 1] -= TICKET_BYTES;
  s->load[t->ahead + 1] += TICKET_BYTES;
  s->load[t->read + 1] -= TICKET_BYTES;
}

int64_t snug__waits_plan(snug__simulation *s) {
  int64_t bytes = 0;
  for (snug__id v = s->p->can_wait ? (snug__id)s->p->g->values.n : 0; v-- > 0;) {
    snug__trip t;
    if (plan_trip(s, v, &t)) {
      insert(s, &t);
      bytes += s->p->bytes[v];
    }
  }
  for (size_t i = 0; i < s->n_trips; i++) {
    cut(s, &s->trips[i]);
  }
  return bytes;
}

/* ---- the disk beside the processor ---- */

static uint32_t *list_at(const snug__simulation *s, int event, int64_t position) {
  return &s->events[(size_t)event * s->n_steps + (size_t)position];
}

static uint32_t next_of(const snug__simulation *s, int event, uint32_t trip) {
  return s->next[(size_t)event * s->n_trips + trip];
}

/* Lists in the order of the trips. */
static void make_lists(snug__simulation *s) {
  memset(s->events, 0xFF, EVENTS * s->n_steps * sizeof *s->events); /* NO_TRIP */
  for (size_t i = s->n_trips; i-- > 0;) {
    const snug__trip *t = &s->trips[i];
    const int64_t at[EVENTS] = {t->made, t->written, t->ahead, t->read};
    for (int e = 0; e < EVENTS; e++) {
      s->next[(size_t)e * s->n_trips + i] = *list_at(s, e, at[e]);
      *list_at(s, e, at[e]) = (uint32_t)i;
    }
  }
}

static void begin(snug__simulation *s, int event, int64_t position, double *now, double *disk) {
  double rate = event == BEGIN_WRITE ? s->p->disk.write : s->p->disk.read;
  for (uint32_t i = *list_at(s, event, position); i != NO_TRIP; i = next_of(s, event, i)) {
    double bytes = (double)s->p->bytes[s->trips[i].value];
    *disk = fmax(*disk, *now) + rate * bytes;
    *now += s->p->disk.busy * bytes;
    s->trips[i].over = *disk;
  }
}

static double end(const snug__simulation *s, int event, int64_t position, double now) {
  for (uint32_t i = *list_at(s, event, position); i != NO_TRIP; i = next_of(s, event, i)) {
    now = fmax(now, s->trips[i].over);
  }
  return now;
}

static double seconds_at(const snug__simulation *s, int64_t position) {
  snug__id step = s->steps[position];
  snug__id n_nodes = (snug__id)s->p->g->nodes.n;
  return step < n_nodes ? s->p->seconds[step] : s->p->again_seconds[step - n_nodes];
}

double snug__waits_seconds(snug__simulation *s) {
  double now = 0.0;
  double disk = 0.0;
  make_lists(s);
  for (int64_t i = 0; i < (int64_t)s->n_steps; i++) {
    now = end(s, END_READ, i, now) + seconds_at(s, i);
    begin(s, BEGIN_WRITE, i, &now, &disk);
    now = end(s, END_WRITE, i, now);
    begin(s, BEGIN_READ, i, &now, &disk);
  }
  s->work += (int64_t)s->n_steps;
  return now;
}
