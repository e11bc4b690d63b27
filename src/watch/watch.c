/* One look: who came, what they hold, whether that is a new maximum.  Who lives from one sample to
 * the next is seen.  While somebody is young, and may be gone soon, there is a small look half-way
 * between two samples, often enough that a maximum of 30 ms is in one of them. */
#include "watch/watch.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"
#include "base/struct_size.h"

#define INTERVAL 0.05
#define SHARE 0.008 /* of a core, for all but the reading of pages */
#define CREDIT 0.01 /* seconds that may be spent at once, when many come */
#define GROUPS_EVERY 0.5
#define MOST_NOTES 12 /* at one look */
#define CONFIRM_EVERY 0.5

/* ---- the parts of a look ---- */

/* Who is put into another group is so when its program begins. */
static bool is_to_note(const snug__member *m, double now) {
  static const double ages[] = {0.0, 0.05, 0.2, 1.0};
  return (size_t)m->notes < SNUG_COUNT(ages) && now - m->came >= ages[m->notes];
}

static void look_at_groups(snug_watch *w) {
  int left = MOST_NOTES;
  for (size_t i = w->tree.n; i-- > 0 && left > 0;) { /* those who came last, first */
    snug__member *m = &w->tree.list[i];
    if (is_to_note(m, w->now)) {
      snug__group_list_note(&w->groups, m->process);
      m->notes++;
      left--;
    }
  }
  if (w->now - w->asked >= GROUPS_EVERY) {
    snug__group_list_read(&w->groups, false);
    w->asked = w->now;
  }
}

/* What several processes seem to hold together may be the same pages: before the word is given
 * that it is too much, they are counted. */
static void hold_against_maximum(snug_watch *w, bool is_fresh) {
  if (w->maximum == 0 || w->peak.sum <= w->maximum) {
    return;
  }
  if (!is_fresh && w->tree.n > 1 && w->peak.one <= w->maximum) {
    if (w->now - w->confirmed < CONFIRM_EVERY) {
      return;
    }
    w->confirmed = w->now;
    snug__splits_look(&w->splits, &w->tree, w->now, true);
    snug__peak_sum(&w->peak, &w->tree);
  }
  w->exceeded = w->exceeded || w->peak.sum > w->maximum || w->peak.one > w->maximum;
}

static void note_settled(snug_watch *w) {
  for (size_t i = 0; i < w->tree.n && !w->peak.is_settled; i++) {
    w->peak.is_settled = snug__member_is_settled(&w->tree.list[i], w->now);
  }
}

static bool look_at_peak(snug_watch *w) {
  double seconds = w->now - w->began;
  bool is_fresh = snug__splits_look(&w->splits, &w->tree, w->now, false);
  note_settled(w);
  snug__peak_sum(&w->peak, &w->tree);
  hold_against_maximum(w, is_fresh);
  bool is_new = snug__peak_take(&w->peak, &w->tree, seconds);
  snug__peak_prove(&w->peak, w->peak.one, seconds);
  snug__peak_prove(&w->peak, w->splits.all.pss, seconds);
  return is_new;
}

static void look(snug_watch *w) {
  bool is_sample = w->samples == 0 || w->now - w->sampled >= 0.75 * w->interval;
  snug__tree_find(&w->tree, w->now);
  snug__tree_read(&w->tree, w->now, is_sample);
  look_at_groups(w);
  double seconds = w->now - w->began;
  bool is_peak = look_at_peak(w);
  snug__gpu_look(&w->gpu, &w->tree, w->now, seconds);
  if (is_sample) {
    w->sampled = w->now;
    w->samples++;
  }
  is_sample = is_sample && w->peak.now > 0; /* who has ended and is not waited for is no sample */
  if (is_sample) {
    snug__curve_add(&w->curve, seconds, w->peak.now);
  }
  snug__tape_look l = {seconds, is_sample, is_peak, (uint32_t)w->tree.n, w->gpu.now, w->gpu.peak};
  if (w->peak.is_settled) { /* a program that begins has next to nothing: no figure of it */
    snug__tape_add(&w->tape, &l, &w->peak, &w->splits);
  }
}

/* ---- when ---- */

static bool has_young(const snug_watch *w) {
  bool is_any = false;
  for (size_t i = 0; i < w->tree.n && !is_any; i++) {
    is_any = snug__member_is_young(&w->tree.list[i], w->now);
  }
  return is_any;
}

/* Processor time comes in as credit, and looks are paid with it. */
static void set_next(snug_watch *w, double cost) {
  double step = has_young(w) ? 0.5 * w->interval : w->interval;
  double credit = w->credit + SHARE * (w->now - w->paid);
  w->credit = (credit < CREDIT ? credit : CREDIT) - cost;
  w->paid = w->now;
  double wait = w->credit < 0.0 ? -w->credit / SHARE : 0.0;
  w->next = w->next + step > w->now ? w->next + step : w->now + step;
  w->next = w->next < w->now + wait ? w->now + wait : w->next;
}

double snug__watch_look_at(snug_watch *w, double now) {
  if (now < w->next) {
    return w->next - now;
  }
  double before = snug__seconds(CLOCK_THREAD_CPUTIME_ID);
  double apart = w->splits.spent + w->gpu.spent; /* they have shares of their own */
  w->now = now;
  look(w);
  double cost = snug__seconds(CLOCK_THREAD_CPUTIME_ID) - before;
  w->spent += cost;
  set_next(w, cost - (w->splits.spent + w->gpu.spent - apart));
  return w->next - now;
}

double snug_watch_look(snug_watch *w) { return w ? snug__watch_look_at(w, snug__now()) : 0.0; }

/* ---- what callers tell ---- */

/* What it reached after the last look. */
static void prove_ended(snug_watch *w, int64_t process, uint64_t most_resident) {
  snug__tape_look l = {w->now - w->began,   false,      true,
                       (uint32_t)w->tree.n, w->gpu.now, w->gpu.peak};
  for (uint32_t i = 0; i < w->peak.n_who; i++) {
    snug_watch_process *p = &w->peak.who[i];
    p->bytes = p->process == process && w->peak.n_processes == 1 && p->bytes < most_resident
                   ? most_resident
                   : p->bytes;
  }
  l.is_peak = most_resident > w->peak.bytes;
  snug__peak_prove(&w->peak, most_resident, w->now - w->began);
  w->exceeded = w->exceeded || (w->maximum && most_resident > w->maximum);
  snug__tape_add(&w->tape, &l, &w->peak, &w->splits);
}

/* Before it began its program a process had the memory of the one that started it, which is this
 * one: what is no more than that proves nothing. */
void snug_watch_ended(snug_watch *w, int64_t process, uint64_t most_resident) {
  snug__process self;
  if (!w || process <= 0 || process > INT32_MAX) {
    return;
  }
  w->now = snug__now();
  snug__group_list_read(&w->groups, true);
  snug__tree_forget(&w->tree, (int32_t)process);
  w->peak.most = w->peak.most > most_resident ? w->peak.most : most_resident;
  snug__process_read("", &self);
  if (most_resident > self.peak) {
    prove_ended(w, process, most_resident);
  } else if (most_resident > w->peak.unproven) {
    w->peak.unproven = most_resident;
  }
  if (!snug__peak_is_unknown(&w->peak)) {
    snug__tape_who(&w->tape, &w->peak);
  }
}

size_t snug_watch_signal(snug_watch *w, int number) {
  size_t n = 0;
  char byte;
  for (size_t i = 0; w && i < w->tree.n; i++) {
    const snug__member *m = &w->tree.list[i];
    bool is_alive = m->status < 0 || pread(m->status, &byte, 1, 0) == 1;
    n += is_alive && kill(m->process, number) == 0;
  }
  return n;
}

/* ---- beginning and end ---- */

static bool adopt(bool on) { return prctl(PR_SET_CHILD_SUBREAPER, on ? 1 : 0, 0, 0, 0) == 0; }

static bool adopts_already(void) {
  int is_on = 0;
  return prctl(PR_GET_CHILD_SUBREAPER, &is_on, 0, 0, 0) == 0 && is_on;
}

static snug_status check(snug_ctx *ctx, const snug_watch_options *o) {
  if (o->process < 0 || o->process > INT32_MAX) {
    return snug__fail(ctx, SNUG_E_ARGUMENT, "watch: there is no process %lld",
                      (long long)o->process);
  }
  bool is_good = o->interval == 0.0 || (o->interval >= 0.001 && o->interval <= 3600.0);
  return is_good ? SNUG_OK
                 : snug__fail(ctx, SNUG_E_ARGUMENT,
                              "watch: the interval is %g seconds; 0.001 to 3600 are possible",
                              o->interval);
}

static snug_status begin(snug_watch *w, const char *root, const snug_watch_options *o, double now) {
  w->interval = o->interval > 0.0 ? o->interval : INTERVAL;
  w->maximum = o->maximum;
  w->began = w->now = w->next = w->paid = now;
  w->credit = CREDIT;
  SNUG_TRY(o->no_devices ? SNUG_OK : snug__gpu_init(&w->gpu, w->ctx, now));
  w->tape = (snug__tape){.to = o->recorder, .split_at = -1.0};
  w->confirmed = -CONFIRM_EVERY;
  int32_t self = o->process ? 0 : (int32_t)getpid();
  w->adopts = self && !adopts_already() && adopt(true);
  snug__splits_init(&w->splits, now);
  snug__group_list_init(&w->groups, root);
  snug__curve_init(&w->curve, w->interval);
  return snug__tree_init(&w->tree, w->ctx, root, self, (int32_t)o->process, now);
}

snug_status snug__watch_create_at(snug_ctx *ctx, const char *root,
                                  const snug_watch_options *options, double now, snug_watch **out) {
  snug_watch_options o;
  snug_watch *w = NULL;
  *out = NULL;
  SNUG_TRY(SNUG__READ(ctx, snug_watch_options, options, &o));
  SNUG_TRY(check(ctx, &o));
  SNUG_TRY(SNUG_NEW(ctx, SNUG__MEM_WATCH, &w));
  w->ctx = ctx;
  snug_status s = begin(w, root, &o, now);
  if (s) {
    snug_watch_destroy(w);
    return s;
  }
  *out = w;
  return SNUG_OK;
}

snug_status snug_watch_create(snug_ctx *ctx, const snug_watch_options *options, snug_watch **out) {
  if (!out) {
    return SNUG_E_ARGUMENT;
  }
  *out = NULL;
  return ctx ? snug__watch_create_at(ctx, "", options, snug__now(), out) : SNUG_E_ARGUMENT;
}

void snug_watch_destroy(snug_watch *w) {
  if (w) {
    if (w->adopts) {
      adopt(false);
    }
    snug__gpu_release(&w->gpu);
    snug__tree_release(&w->tree);
    snug__give(w->ctx, SNUG__MEM_WATCH, w, sizeof *w);
  }
}
