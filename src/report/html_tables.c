/* The tables of one run. */
#include <math.h>
#include <string.h>

#include "report/html.h"

#define BAR_WIDTH 960
#define MOST_HOLDERS 4096
#define MOST_EPOCHS 4096
#define MOST_TARGETS 4096
#define COLOURS 8

/* ---- the peak ---- */

/* One bar, cut into the classes of memory. */
static void put_bar(const snug__run *run, const snug__out *o) {
  double before = 0.0;
  snug__out_format(o, "<svg viewBox=\"0 0 %d 28\" aria-hidden=\"true\">\n", BAR_WIDTH);
  for (size_t i = 0; i < run->classes.n && run->in_pieces; i++) {
    double part = (double)snug__run_class(run, i)->bytes / (double)run->in_pieces;
    int from = (int)lround(before * BAR_WIDTH), to = (int)lround((before + part) * BAR_WIDTH);
    snug__out_format(o, "<rect class=\"f%zu\" x=\"%d\" width=\"%d\" height=\"28\"/>\n", i % COLOURS,
                     from, to > from + 1 ? to - from - 1 : to - from);
    before += part;
  }
  snug__out_text(o, "</svg>\n");
}

static void put_class(const snug__run *run, const snug__out *o, size_t i) {
  const snug__holder *h = snug__run_class(run, i);
  double percent = run->in_pieces ? 100.0 * (double)h->bytes / (double)run->in_pieces : 0.0;
  char text[32];
  snug__out_format(o, "<tr><th scope=\"row\"><span class=\"t%zu\"><i class=\"key\"></i></span>",
                   i % COLOURS);
  snug__out_quoted(o, SNUG_QUOTE_HTML, *h->name ? h->name : "other");
  snug__out_text(o, "</th>");
  snug__html_bytes(o, h->bytes);
  snprintf(text, sizeof text, "%ld.%ld %%", lround(percent * 10.0) / 10,
           lround(percent * 10.0) % 10);
  snug__html_cell(o, text);
  snug__html_row_end(o);
}

void snug__html_peak(const snug__run *run, const snug__out *o) {
  if (!run->classes.n || run->of_processes) {
    return;
  }
  snug__html_heading(o, "What the peak is made of");
  put_bar(run, o);
  snug__html_table(o, "Bytes that Snug held at the highest moment, by what they are for",
                   "what|bytes|part", run->classes.n, NULL);
  for (size_t i = 0; i < run->classes.n; i++) {
    put_class(run, o, i);
  }
  snug__html_table_end(o);
}

/* ---- layers and processes ---- */

static void put_processes(const snug__run *run, const snug__out *o) {
  char pieces[32];
  snug__html_heading(o, "Who held the peak");
  snug__html_table(o, "Resident memory of processes at the highest moment, by name",
                   "process|how many|resident", run->holders.n, NULL);
  for (size_t i = 0; i < run->holders.n && i < MOST_HOLDERS; i++) {
    const snug__holder *h = snug__run_holder(run, i);
    snug__html_row(o, h->name, "(no name)");
    snprintf(pieces, sizeof pieces, "%llu", (unsigned long long)h->pieces);
    snug__html_cell(o, pieces);
    snug__html_bytes(o, h->bytes);
    snug__html_row_end(o);
  }
  snug__html_table_end(o);
}

static void put_layers(const snug__run *run, const snug__out *o) {
  snug__html_heading(o, "Who held the peak");
  snug__html_table(o, "Bytes of each layer at the highest moment",
                   "layer|weights|gradients|optimizer|activations|scratch|data|other|in all",
                   run->holders.n, NULL);
  for (size_t i = 0; i < run->holders.n && i < MOST_HOLDERS; i++) {
    const snug__holder *h = snug__run_holder(run, i);
    snug__html_row(o, h->name, "(of no layer)");
    for (int k = 0; k < SNUG__CLASSES; k++) {
      snug__html_bytes(o, h->parts[k]);
    }
    snug__html_bytes(o, h->bytes);
    snug__html_row_end(o);
  }
  snug__html_table_end(o);
}

void snug__html_holders(const snug__run *run, const snug__out *o) {
  if (run->holders.n) {
    (run->of_processes ? put_processes : put_layers)(run, o);
  }
}

/* ---- plan against run ---- */

static void put_planned(const snug__out *o, const char *name, uint64_t planned, uint64_t measured) {
  char text[SNUG__TIME_BYTES];
  if (!planned || !measured) {
    return;
  }
  snug__html_row(o, name, "");
  snug__html_bytes(o, planned);
  snug__html_bytes(o, measured);
  snug__html_cell(o, planned == measured
                         ? "equal to the byte"
                         : snug__percent_text((double)measured, (double)planned, text));
  snug__html_row_end(o);
}

void snug__html_plan(const snug__run *run, const snug__out *o) {
  char planned[SNUG__TIME_BYTES], measured[SNUG__TIME_BYTES], more[SNUG__TIME_BYTES];
  if (!run->planned && !run->snug_planned) {
    return;
  }
  snug__html_heading(o, "Plan against run");
  snug__html_table(o, "What was promised before step 1, and what came of it",
                   " |planned|measured|difference", 3, NULL);
  put_planned(o, "peak of the whole process", run->planned, run->peak);
  put_planned(o, "all that Snug allocates", run->snug_planned, run->held);
  if (!isnan(run->planned_step) && !isnan(run->step)) {
    snug__html_row(o, "a step", "");
    snug__html_cell(o, snug__time_text(run->planned_step, planned));
    snug__html_cell(o, snug__time_text(run->step, measured));
    snug__html_cell(o, snug__percent_text(run->step, run->planned_step, more));
    snug__html_row_end(o);
  }
  snug__html_table_end(o);
}

/* ---- epochs ---- */

static void put_epoch(const snug_view *v, const snug__out *o, const snug__epoch_row *e) {
  char text[SNUG__TIME_BYTES];
  const char *name = NULL;
  bool is_timed = !isnan(e->begin) && !isnan(e->end);
  snprintf(text, sizeof text, "%lld", snug__ordinal(e->epoch));
  snug__html_row(o, text, "");
  snug__html_cell(o, is_timed      ? snug__time_text(e->end - e->begin, text)
                     : e->is_whole ? ""
                                   : "cut");
  snug__html_bytes(o, e->peak);
  snug__html_bytes(o, e->held);
  if (v->runs[0].device) {
    snug__html_bytes(o, e->device);
  }
  for (size_t i = 0; (name = snug__view_value_name(v, i)); i++) {
    const double *value = snug__run_find_value(&e->logs, name);
    snug__html_cell(o, value ? snug__value_text(*value, text) : "");
  }
  snug__html_row_end(o);
}

/* Of very many, the last: the page stays one that opens. */
void snug__html_epochs(const snug_view *v, const snug__out *o) {
  const snug__run *run = &v->runs[0];
  size_t n = run->epochs.n;
  if (!n) {
    return;
  }
  snug__html_heading(o, "Epochs");
  snug__html_table(
      o, n > MOST_EPOCHS ? "The last epochs" : "Per epoch",
      run->device ? "epoch|time|resident|held by Snug|device" : "epoch|time|resident|held by Snug",
      n, v);
  for (size_t i = n > MOST_EPOCHS ? n - MOST_EPOCHS : 0; i < n; i++) {
    put_epoch(v, o, snug__run_epoch(run, i));
  }
  snug__html_table_end(o);
}

/* ---- target batches ---- */

static bool is_target(const snug_moment *m) { return strcmp(m->at, "target") == 0; }

static void put_target(const snug__run *run, const snug__out *o, const snug_moment *m) {
  char text[64];
  snprintf(text, sizeof text, "epoch %lld, batch %lld", snug__ordinal(m->epoch),
           (long long)m->batch);
  snug__html_row(o, text, "");
  snug__html_cell(o, snug__time_text(m->seconds, text));
  snug__html_bytes(o, m->resident);
  snug__html_bytes(o, m->held_peak > m->held ? m->held_peak : m->held);
  if (run->device) {
    snug__html_bytes(o, m->device);
  }
  snug__html_row_end(o);
}

void snug__html_targets(const snug__run *run, const snug__out *o) {
  size_t n = 0;
  for (size_t i = 0; i < snug_recording_moments(run->of); i++) {
    n += is_target(snug_recording_moment(run->of, i));
  }
  if (!n) {
    return;
  }
  snug__html_heading(o, "Target batches");
  snug__html_table(
      o, "Memory at the batches that were asked for",
      run->device ? "batch|at|resident|held by Snug|device" : "batch|at|resident|held by Snug", n,
      NULL);
  size_t shown = 0;
  for (size_t i = 0; i < snug_recording_moments(run->of) && shown < MOST_TARGETS; i++) {
    const snug_moment *m = snug_recording_moment(run->of, i);
    if (is_target(m)) {
      put_target(run, o, m);
      shown++;
    }
  }
  snug__html_table_end(o);
}

/* ---- facts ---- */

void snug__html_facts(const snug__run *run, const snug__out *o) {
  size_t n = snug_recording_facts(run->of);
  if (!n) {
    return;
  }
  snug__out_text(o, "<details>\n<summary>All facts of the recording</summary>\n");
  snug__html_table(o, "As they were recorded", "name|value", 0, NULL);
  for (size_t i = 0; i < n; i++) {
    snug__html_row(o, snug_recording_fact_name(run->of, i), "");
    snug__out_text(o, "<td class=\"how\">");
    snug__out_quoted(o, SNUG_QUOTE_HTML, snug_recording_fact_value(run->of, i));
    snug__out_text(o, "</td>");
    snug__html_row_end(o);
  }
  snug__html_table_end(o);
  snug__out_text(o, "</details>\n");
}
