/* What a watch has seen, as callers ask for it. */
#include <string.h>

#include "base/struct_size.h"
#include "watch/shape.h"
#include "watch/watch.h"

void snug_watch_get(const snug_watch *w, snug_watch_now *out) {
  snug_watch_now now = {.seconds = 0.0};
  if (w) {
    now = (snug_watch_now){.seconds = w->now - w->began,
                           .resident = w->peak.now,
                           .peak = w->peak.bytes,
                           .device = w->gpu.now,
                           .processes = (uint32_t)w->tree.n,
                           .exceeded = w->exceeded};
  }
  SNUG__WRITE(snug_watch_now, &now, out);
}

/* What is resident and neither anonymous nor shared memory. */
static uint64_t files_of(const snug__split *all) {
  uint64_t others = all->anonymous + all->shared;
  return all->resident > others ? all->resident - others : 0;
}

static void tell_peak(const snug_watch *w, snug_watch_report *out) {
  const snug__peak *p = &w->peak;
  out->peak_least = p->least;
  out->peak_most = p->most;
  if (snug__peak_is_unknown(p) && !w->exceeded) {
    return;
  }
  out->peak = p->bytes;
  out->peak_at = p->at;
  memcpy(out->who, p->who, sizeof out->who);
  out->n_who = p->n_who;
  out->peak_processes = p->n_processes;
  out->peak_others = p->others;
  out->has_split = w->splits.has;
  out->split_at = w->splits.seconds;
  out->anonymous = w->splits.all.anonymous;
  out->file = w->splits.all.file;
  out->shared = w->splits.all.shared;
  out->file_resident = files_of(&w->splits.all);
  out->swap = w->splits.all.swap;
}

/* A process alone, or pages that were counted, prove the peak; otherwise it may be shared pages. Of
 * what is proven, pages of files explain what is above where the rest stays below. */
static snug_watch_above above_of(const snug_watch_report *r) {
  uint64_t limit = r->group.limit;
  if (!r->group.path[0] || limit == SNUG_WATCH_UNTOLD || r->peak <= limit) {
    return SNUG_WATCH_NOT_ABOVE;
  }
  if (r->peak_least <= limit) {
    return SNUG_WATCH_ABOVE_SHARED;
  }
  if (r->has_split && r->file_resident >= r->peak - limit) {
    return SNUG_WATCH_ABOVE_FILES;
  }
  return r->has_split && r->swap ? SNUG_WATCH_ABOVE_SWAP : SNUG_WATCH_ABOVE_OTHERS;
}

static void tell_all(const snug_watch *w, snug_watch_report *out) {
  out->seconds = w->now - w->began;
  out->samples = w->samples;
  out->cost = w->spent;
  tell_peak(w, out);
  out->processes = w->tree.n_seen;
  out->most_processes = w->tree.n_most;
  out->left = (uint32_t)w->tree.n;
  out->unsplit = w->splits.n_unsplit;
  out->untold = w->tree.untold;
  snug__shape_judge(&w->curve, out);
  snug__group_list_tell(&w->groups, out);
  out->above = above_of(out);
  out->above_bytes = out->above ? out->peak - out->group.limit : 0;
  snug__gpu_tell(&w->gpu, out);
  out->recorded = w->tape.failed;
}

void snug_watch_report_get(const snug_watch *w, snug_watch_report *out) {
  snug_watch_report told = {.seconds = 0.0};
  if (w) {
    tell_all(w, &told);
  }
  SNUG__WRITE(snug_watch_report, &told, out);
}
