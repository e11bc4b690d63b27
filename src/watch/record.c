#include "watch/record.h"

#include <stdio.h>

#define WELL_ABOVE 0.05 /* processes are written again when the peak is higher by this part */

static snug_status write_moment(snug__tape *t, const snug__tape_look *look, const snug__peak *peak,
                                const snug__splits *splits) {
  snug_moment m = {.struct_size = sizeof m,
                   .seconds = look->seconds,
                   .at = look->is_sample ? "sample" : "peak",
                   .epoch = -1,
                   .batch = -1,
                   .resident = look->is_peak ? peak->bytes : peak->now,
                   .peak = peak->bytes,
                   .device = look->device,
                   .device_peak = look->device_peak,
                   .processes = look->processes};
  if (splits->has && splits->seconds > t->split_at) {
    m.anonymous = splits->all.anonymous;
    m.file = splits->all.file;
    m.shared = splits->all.shared;
    t->split_at = splits->seconds;
  }
  return snug_recorder_moment(t->to, &m);
}

static snug_status write_who(const snug__tape *t, const snug__peak *peak) {
  snug_status s = snug_recorder_begin_peak(t->to, peak->at);
  for (uint32_t i = 0; i < peak->n_who && !s; i++) {
    char number[24];
    const snug_watch_process *p = &peak->who[i];
    snprintf(number, sizeof number, "%lld", (long long)p->process);
    s = snug_recorder_piece(t->to, &(snug_memory_piece){p->name, number, "process", p->bytes});
  }
  if (peak->others && !s) {
    s = snug_recorder_piece(t->to, &(snug_memory_piece){"others", "", "process", peak->others});
  }
  return s;
}

void snug__tape_who(snug__tape *t, const snug__peak *peak) {
  if (t->to && !t->failed && peak->bytes > t->told) {
    t->told = peak->bytes;
    t->failed = write_who(t, peak);
  }
}

void snug__tape_add(snug__tape *t, const snug__tape_look *look, const snug__peak *peak,
                    const snug__splits *splits) {
  if (!t->to || t->failed || (!look->is_sample && !look->is_peak)) {
    return;
  }
  t->failed = write_moment(t, look, peak, splits);
  if (look->is_peak && (double)peak->bytes > (1.0 + WELL_ABOVE) * (double)t->told) {
    snug__tape_who(t, peak);
  }
}
