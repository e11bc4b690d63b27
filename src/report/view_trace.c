/* A view as a trace that ui.perfetto.dev and chrome://tracing open: memory as counters, epochs,
 * validations and saves as spans.  Each run is a process of the trace. */
#include <math.h>
#include <string.h>

#include "report/json_out.h"
#include "report/view.h"

enum { COUNTERS = 5 };

typedef struct trace {
  snug__writer j;
  int64_t process;
  int64_t at;          /* counters go forward in time */
  bool told[COUNTERS]; /* that a run has had; those that it never has are left out */
} trace;

enum { EPOCHS = 1, PHASES = 2 }; /* threads of the trace: spans of one do not overlap */

static int64_t microseconds(double seconds) {
  return seconds > 0.0 && seconds < 9e12 ? (int64_t)llround(seconds * 1e6) : 0;
}

static void begin_event(trace *t, const char *kind, const char *name, int64_t at, int64_t thread) {
  snug__write_object(&t->j, NULL);
  snug__write_text(&t->j, "ph", kind);
  snug__write_text(&t->j, "name", name);
  snug__write_int(&t->j, "ts", at);
  snug__write_int(&t->j, "pid", t->process);
  snug__write_int(&t->j, "tid", thread);
}

/* ---- names ---- */

static void put_name(trace *t, const char *what, int64_t thread, const char *name) {
  begin_event(t, "M", what, 0, thread);
  snug__write_object(&t->j, "args");
  snug__write_text(&t->j, "name", name);
  snug__write_end(&t->j);
  snug__write_end(&t->j);
}

/* ---- counters ---- */

typedef struct series {
  const char *name;
  uint64_t bytes;
} series;

static void put_counter(trace *t, bool *told, const char *name, const series *list, size_t n) {
  for (size_t i = 0; i < n; i++) {
    *told = *told || list[i].bytes;
  }
  if (!*told) {
    return;
  }
  begin_event(t, "C", name, t->at, 0);
  snug__write_object(&t->j, "args");
  for (size_t i = 0; i < n; i++) {
    snug__write_count(&t->j, list[i].name, list[i].bytes);
  }
  snug__write_end(&t->j);
  snug__write_end(&t->j);
}

static void put_counters(trace *t, const snug_moment *m) {
  const series resident[] = {{"resident", m->resident}};
  const series peak[] = {{"peak", m->peak}};
  const series held[] = {{"held", m->held}};
  const series device[] = {{"device", m->device}};
  const series pages[] = {{"anonymous", m->anonymous}, {"file", m->file}, {"shared", m->shared}};
  int64_t now = microseconds(m->seconds);
  t->at = now > t->at ? now : t->at;
  put_counter(t, &t->told[0], "resident memory", resident, 1);
  put_counter(t, &t->told[1], "peak of resident memory", peak, 1);
  put_counter(t, &t->told[2], "held by Snug", held, 1);
  put_counter(t, &t->told[3], "device memory", device, 1);
  put_counter(t, &t->told[4], "pages", pages, SNUG_COUNT(pages));
}

static void put_target(trace *t, const snug_moment *m) {
  char name[64];
  if (strcmp(m->at, "target") != 0) {
    return;
  }
  snprintf(name, sizeof name, "batch %lld", (long long)m->batch);
  begin_event(t, "i", name, t->at, PHASES);
  snug__write_text(&t->j, "s", "t");
  snug__write_end(&t->j);
}

/* ---- spans ---- */

static void put_span(trace *t, const snug__span *s) {
  bool is_epoch = s->stage == SNUG__STAGE_TRAINING;
  int64_t begin = microseconds(s->begin), end = microseconds(s->end);
  char name[64];
  snprintf(name, sizeof name, "epoch %lld", snug__ordinal(s->epoch));
  begin_event(t, "X", is_epoch ? name : snug__stage_text(s->stage), begin,
              is_epoch ? EPOCHS : PHASES);
  snug__write_int(&t->j, "dur", end > begin ? end - begin : 0);
  snug__write_end(&t->j);
}

static void put_run(trace *t, const snug__run *run) {
  put_name(t, "process_name", 0, run->name);
  put_name(t, "thread_name", EPOCHS, "epochs");
  put_name(t, "thread_name", PHASES, "validation, saving, target batches");
  for (size_t i = 0; i < run->spans.n; i++) {
    put_span(t, snug__run_span(run, i));
  }
  t->at = 0;
  memset(t->told, 0, sizeof t->told);
  for (size_t i = 0; i < snug_recording_moments(run->of); i++) {
    const snug_moment *m = snug_recording_moment(run->of, i);
    put_counters(t, m);
    put_target(t, m);
  }
}

void snug__view_trace(const snug_view *v, const snug__out *o) {
  trace t = {.j = {.o = o}};
  snug__write_object(&t.j, NULL);
  snug__write_text(&t.j, "displayTimeUnit", "ms");
  snug__write_array(&t.j, "traceEvents");
  for (size_t i = 0; i < v->n; i++) {
    t.process = (int64_t)i + 1;
    put_run(&t, &v->runs[i]);
  }
  snug__write_end(&t.j);
  snug__write_end(&t.j);
  snug__out_text(o, "\n");
}
