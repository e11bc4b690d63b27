/* A view as JSON: docs/schema/report.json, docs/schema/compare.json. */
#include <math.h>

#include "report/json_out.h"
#include "report/view.h"

/* ---- parts of a run ---- */

static void put_facts(snug__writer *j, const snug__run *run) {
  snug__write_object(j, "facts");
  for (size_t i = 0; i < snug_recording_facts(run->of); i++) {
    snug__write_text(j, snug_recording_fact_name(run->of, i),
                     snug_recording_fact_value(run->of, i));
  }
  snug__write_end(j);
}

static void put_holders(snug__writer *j, const char *key, const snug__vec *holders) {
  snug__write_array(j, key);
  for (size_t i = 0; i < holders->n; i++) {
    const snug__holder *h = &SNUG_VEC(holders, snug__holder, i);
    snug__write_object(j, NULL);
    snug__write_text(j, "name", h->name);
    snug__write_count(j, "bytes", h->bytes);
    snug__write_end(j);
  }
  snug__write_end(j);
}

static void put_pieces(snug__writer *j, const snug__run *run) {
  snug__write_array(j, "pieces");
  for (size_t i = 0; i < snug_recording_pieces(run->of, NULL); i++) {
    const snug_memory_piece *p = snug_recording_piece(run->of, i);
    snug__write_object(j, NULL);
    snug__write_text(j, "layer", p->layer);
    snug__write_text(j, "op", p->op);
    snug__write_text(j, "what", p->what);
    snug__write_count(j, "bytes", p->bytes);
    snug__write_end(j);
  }
  snug__write_end(j);
}

static void put_peak(snug__writer *j, const snug__run *run) {
  const snug_moment *m = snug_recording_moment(run->of, run->peak_at);
  snug__write_object(j, "peak");
  snug__write_bytes(j, "bytes", run->peak);
  snug__write_real(j, "seconds", m ? m->seconds : NAN);
  snug__write_int(j, "epoch", m ? m->epoch : -1);
  snug__write_int(j, "batch", m ? m->batch : -1);
  snug__write_text(j, "stage", m ? snug__stage_text(run->peak_stage) : NULL);
  put_holders(j, "by_class", &run->classes);
  put_holders(j, "by_holder", &run->holders);
  put_pieces(j, run);
  snug__write_end(j);
}

static void put_plan(snug__writer *j, const snug__run *run) {
  snug__write_object(j, "plan");
  snug__write_bytes(j, "line", run->line);
  snug__write_bytes(j, "process", run->planned);
  snug__write_bytes(j, "process_measured", run->peak);
  snug__write_bytes(j, "snug", run->snug_planned);
  snug__write_bytes(j, "snug_measured", run->held);
  snug__write_real(j, "step_seconds", run->planned_step);
  snug__write_real(j, "step_seconds_measured", run->step);
  snug__write_end(j);
}

static void put_logs(snug__writer *j, const snug_logs *logs) {
  snug__write_object(j, "values");
  for (size_t i = 0; i < logs->n; i++) {
    snug__write_real(j, logs->names[i], logs->values[i]);
  }
  snug__write_end(j);
}

static void put_epochs(snug__writer *j, const snug__run *run) {
  snug__write_array(j, "epochs");
  for (size_t i = 0; i < run->epochs.n; i++) {
    const snug__epoch_row *e = snug__run_epoch(run, i);
    snug__write_object(j, NULL);
    snug__write_int(j, "epoch", e->epoch);
    snug__write_bool(j, "complete", e->is_whole);
    snug__write_real(j, "begin", e->begin);
    snug__write_real(j, "end", e->end);
    snug__write_int(j, "batches", e->batches);
    snug__write_bytes(j, "resident", e->peak);
    snug__write_bytes(j, "held", e->held);
    snug__write_bytes(j, "device", e->device);
    put_logs(j, &e->logs);
    snug__write_end(j);
  }
  snug__write_end(j);
}

static void put_spans(snug__writer *j, const snug__run *run) {
  snug__write_array(j, "spans");
  for (size_t i = 0; i < run->spans.n; i++) {
    const snug__span *s = snug__run_span(run, i);
    snug__write_object(j, NULL);
    snug__write_text(j, "stage", snug__stage_text(s->stage));
    snug__write_int(j, "epoch", s->epoch);
    snug__write_real(j, "begin", s->begin);
    snug__write_real(j, "end", s->end);
    snug__write_end(j);
  }
  snug__write_end(j);
}

static void put_moments(snug__writer *j, const snug__run *run) {
  snug__write_array(j, "moments");
  for (size_t i = 0; i < snug_recording_moments(run->of); i++) {
    const snug_moment *m = snug_recording_moment(run->of, i);
    snug__write_object(j, NULL);
    snug__write_real(j, "seconds", m->seconds);
    snug__write_text(j, "at", m->at);
    snug__write_int(j, "epoch", m->epoch);
    snug__write_int(j, "batch", m->batch);
    snug__write_bytes(j, "resident", m->resident);
    snug__write_bytes(j, "peak", m->peak);
    snug__write_bytes(j, "held", m->held);
    snug__write_bytes(j, "held_peak", m->held_peak);
    snug__write_bytes(j, "device", m->device);
    snug__write_bytes(j, "device_peak", m->device_peak);
    snug__write_bytes(j, "anonymous", m->anonymous);
    snug__write_bytes(j, "file", m->file);
    snug__write_bytes(j, "shared", m->shared);
    snug__write_int(j, "processes", m->processes);
    snug__write_end(j);
  }
  snug__write_end(j);
}

/* ---- objects ---- */

static void put_head(snug__writer *j, const snug__run *run) {
  snug__line verdict = {.n = 0}, says = {.n = 0};
  snug__run_verdict(run, false, &verdict);
  snug__run_ending(run, SNUG_QUOTE_TERMINAL, &says);
  snug__line_add(&says, " ");
  snug__run_peak_says(run, SNUG_QUOTE_TERMINAL, &says);
  snug__write_text(j, "file", run->name);
  snug__write_text(j, "kind", snug__run_kind(run));
  snug__write_text(j, "state", snug__run_state(run));
  snug__write_text(j, "verdict", verdict.text);
  snug__write_text(j, "says", says.text);
  snug__write_real(j, "seconds", run->seconds);
}

static void put_report(snug__writer *j, const snug__run *run) {
  put_head(j, run);
  put_peak(j, run);
  snug__write_bytes(j, "held_peak", run->held);
  snug__write_bytes(j, "device_peak", run->device);
  put_plan(j, run);
  put_epochs(j, run);
  put_spans(j, run);
  put_facts(j, run);
  put_moments(j, run);
}

static void put_values(snug__writer *j, const snug_view *v, size_t run) {
  const char *name = NULL;
  snug__write_object(j, "values");
  for (size_t i = 0; (name = snug__view_value_name(v, i)); i++) {
    snug__write_real(j, name, snug_view_figure(v, run, name));
  }
  snug__write_end(j);
}

/* How much more than the first, in parts of it. */
static void put_more(snug__writer *j, const snug_view *v, size_t run, const char *key,
                     const char *figure) {
  double first = snug_view_figure(v, 0, figure);
  snug__write_real(j, key, run ? snug_view_figure(v, run, figure) / first - 1.0 : NAN);
}

static void put_run(snug__writer *j, const snug_view *v, size_t i) {
  const snug__run *run = &v->runs[i];
  snug__write_object(j, NULL);
  put_head(j, run);
  snug__write_bytes(j, "peak", run->peak);
  snug__write_bytes(j, "held_peak", run->held);
  snug__write_bytes(j, "device_peak", run->device);
  snug__write_bytes(j, "planned", run->planned);
  snug__write_bytes(j, "line", run->line);
  snug__write_int(j, "epochs", snug__run_epochs(run));
  snug__write_real(j, "step_seconds", run->step);
  put_more(j, v, i, "peak_more", "peak");
  put_more(j, v, i, "time_more", "time");
  put_more(j, v, i, "step_more", "step");
  put_values(j, v, i);
  snug__write_end(j);
}

static void put_judgements(snug__writer *j, const snug_view *v) {
  snug__write_array(j, "rules");
  for (size_t i = 0; i < v->judgements.n; i++) {
    const snug__judgement *judgement = snug__view_judgement(v, i);
    snug__write_object(j, NULL);
    snug__write_text(j, "rule", judgement->rule.text);
    snug__write_text(j, "file", v->runs[judgement->run].name);
    snug__write_text(j, "figure", judgement->rule.figure);
    snug__write_real(j, "value", judgement->value);
    snug__write_real(j, "bound", judgement->bound);
    snug__write_bool(j, "holds", judgement->holds);
    snug__write_end(j);
  }
  snug__write_end(j);
}

static void put_compare(snug__writer *j, const snug_view *v) {
  snug__write_array(j, "runs");
  for (size_t i = 0; i < v->n; i++) {
    put_run(j, v, i);
  }
  snug__write_end(j);
}

void snug__view_json(const snug_view *v, const snug__out *o) {
  snug__writer j = {.o = o};
  snug__write_object(&j, NULL);
  snug__write_int(&j, "schema", SNUG_VIEW_SCHEMA);
  if (v->n == 1) {
    put_report(&j, &v->runs[0]);
  } else {
    put_compare(&j, v);
  }
  put_judgements(&j, v);
  snug__write_end(&j);
  snug__out_text(o, "\n");
}
