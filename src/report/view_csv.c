/* A view as CSV.  What a recording does not have is an empty field. */
#include <math.h>
#include <string.h>

#include "report/view.h"

static void put_bytes(const snug__out *o, uint64_t bytes) {
  if (bytes) {
    snug__out_format(o, ",%llu", (unsigned long long)bytes);
  } else {
    snug__out_text(o, ",");
  }
}

static void put_number(const snug__out *o, double value) {
  snug__out_text(o, ",");
  snug__out_real(o, value, "");
}

static void put_index(const snug__out *o, int64_t index) {
  if (index < 0) {
    snug__out_text(o, ",");
  } else {
    snug__out_format(o, ",%lld", (long long)index);
  }
}

static void put_names(const snug_view *v, const snug__out *o) {
  const char *name = NULL;
  for (size_t i = 0; (name = snug__view_value_name(v, i)); i++) {
    snug__out_text(o, ",");
    snug__out_quoted(o, SNUG_QUOTE_CSV, name);
  }
  snug__out_text(o, "\n");
}

/* ---- one run: a row per moment ---- */

/* The values of an epoch stand where it ends. */
static void put_values(const snug_view *v, const snug__out *o, const snug__epoch_row *e) {
  const char *name = NULL;
  for (size_t i = 0; (name = snug__view_value_name(v, i)); i++) {
    put_number(o, e ? snug_logs_get(&e->logs, name) : NAN);
  }
  snug__out_text(o, "\n");
}

static void put_moment(const snug__out *o, const snug_moment *m) {
  snug__out_real(o, m->seconds, "");
  snug__out_text(o, ",");
  snug__out_text(o, m->at);
  put_index(o, m->epoch);
  put_index(o, m->batch);
  const uint64_t bytes[] = {m->resident,    m->peak,      m->held, m->held_peak, m->device,
                            m->device_peak, m->anonymous, m->file, m->shared};
  for (size_t i = 0; i < SNUG_COUNT(bytes); i++) {
    put_bytes(o, bytes[i]);
  }
  snug__out_format(o, ",%u", m->processes);
}

static void put_moments(const snug_view *v, const snug__out *o) {
  const snug__run *run = &v->runs[0];
  snug__out_text(o,
                 "seconds,at,epoch,batch,resident,peak,held,held_peak,device,device_peak,anonymous,"
                 "file,shared,processes");
  put_names(v, o);
  for (size_t i = 0; i < snug_recording_moments(run->of); i++) {
    const snug_moment *m = snug_recording_moment(run->of, i);
    const snug__epoch_row *ended = NULL;
    put_moment(o, m);
    if (strcmp(m->at, "epoch_end") == 0) {
      ended = snug__run_find_epoch(run, m->epoch);
    }
    put_values(v, o, ended);
  }
}

/* ---- several: a row per run ---- */

static void put_runs(const snug_view *v, const snug__out *o) {
  const char *name = NULL;
  snug__out_text(
      o, "file,kind,state,seconds,epochs,step_seconds,peak,held_peak,device_peak,planned,line");
  put_names(v, o);
  for (size_t i = 0; i < v->n; i++) {
    const snug__run *run = &v->runs[i];
    snug__out_quoted(o, SNUG_QUOTE_CSV, run->name);
    snug__out_text(o, ",");
    snug__out_quoted(o, SNUG_QUOTE_CSV, snug__run_kind(run));
    snug__out_format(o, ",%s", snug__run_state(run));
    put_number(o, run->seconds);
    snug__out_format(o, ",%lld", (long long)snug__run_epochs(run));
    put_number(o, run->step);
    const uint64_t bytes[] = {run->peak, run->held, run->device, run->planned, run->line};
    for (size_t k = 0; k < SNUG_COUNT(bytes); k++) {
      put_bytes(o, bytes[k]);
    }
    for (size_t k = 0; (name = snug__view_value_name(v, k)); k++) {
      put_number(o, snug_view_figure(v, i, name));
    }
    snug__out_text(o, "\n");
  }
}

void snug__view_csv(const snug_view *v, const snug__out *o) {
  (v->n == 1 ? put_moments : put_runs)(v, o);
}
