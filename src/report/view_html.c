/* One run as a page. */
#include <math.h>
#include <string.h>

#include "report/html.h"

#define MOST_POINTS 60 /* that the keyboard steps through; tables have the rest */

/* ---- the head ---- */

/* An exit code may be negative, or the number of a signal: anything but 0 is a failure. */
static bool has_failed(const snug__run *run) {
  const char *verdict = snug__run_fact(run, "end.verdict");
  const char *code = snug__run_fact(run, "result.exit_code");
  return (verdict && strncmp(verdict, "failed", strlen("failed")) == 0) ||
         (code && *code && strcmp(code, "0") != 0);
}

static void put_verdict(const snug__run *run, const snug__out *o) {
  uint64_t most = run->line ? run->line : run->planned;
  bool is_bad = run->end != SNUG_RECORDING_CLOSED || (most && run->peak > most) || has_failed(run);
  snug__line ending = {.n = 0}, peak = {.n = 0}, title = {.n = 0};
  const char *began = snug__run_fact(run, "run.began");
  snug__run_ending(run, SNUG_QUOTE_HTML, &ending);
  snug__run_peak_says(run, SNUG_QUOTE_HTML, &peak);
  snug__run_title(run, SNUG_QUOTE_HTML, &title);
  snug__out_format(o, "<h1 class=\"%s\">", is_bad ? "bad" : "good");
  snug__out_text(o, ending.text);
  snug__out_text(o, "</h1>\n<p class=\"lead\">");
  snug__out_text(o, peak.text);
  snug__out_text(o, "</p>\n<p class=\"sub\">");
  snug__out_quoted(o, SNUG_QUOTE_HTML, run->shown);
  snug__out_text(o, ": ");
  snug__out_text(o, title.text);
  if (began) {
    snug__out_text(o, ", began ");
    snug__out_quoted(o, SNUG_QUOTE_HTML, began);
  }
  snug__out_text(o, "</p>\n");
}

static void put_tiles(const snug__run *run, const snug__out *o) {
  char text[SNUG__TIME_BYTES];
  snug__line when = {.n = 0}, last = {.n = 0};
  size_t n = snug_recording_moments(run->of);
  const char *shape = snug__run_fact(run, "result.shape_says");
  snug__run_when(run, run->peak_at, run->peak_stage, &when);
  snug__out_text(o, "<dl class=\"tiles\">\n");
  snug__html_tile(o, "peak", run->peak ? snug_bytes_text(run->peak, text) : "n/a");
  snug__html_tile(o, "when", when.text);
  if (run->planned) {
    snug__html_tile(o, "planned", snug_bytes_text(run->planned, text));
  }
  if (run->device) {
    snug__html_tile(o, "on devices", snug_bytes_text(run->device, text));
  }
  snug__html_tile(o, "time", snug__time_text(run->seconds, text));
  if (shape) {
    snug__html_tile(o, "shape", shape);
  }
  if (run->end != SNUG_RECORDING_CLOSED && n) {
    snug__run_when(run, n - 1, run->last_stage, &last);
    snug__html_tile(o, "last seen", last.text);
  }
  snug__out_text(o, "</dl>\n");
}

/* ---- the picture ---- */

static void put_point(const snug__plot *p, const snug__run *run, size_t i, const char *class_name,
                      const char *name) {
  const snug_moment *m = snug_recording_moment(run->of, i);
  bool is_peak = i == run->peak_at;
  uint64_t level = is_peak ? run->peak : m->resident;
  char bytes[SNUG_BYTES_TEXT], time[SNUG__TIME_BYTES], says[160];
  snprintf(says, sizeof says, "%s: %s at %s", name, snug_bytes_text(level, bytes),
           snug__time_text(m->seconds, time));
  snug__plot_point(p, m->seconds, level, class_name, says);
}

/* Ends of epochs and target batches, or every so many of them. */
static bool is_marked(const snug_moment *m) {
  return strcmp(m->at, "epoch_end") == 0 || strcmp(m->at, "target") == 0;
}

static void put_marked(const snug__plot *p, const snug__run *run, size_t i) {
  const snug_moment *m = snug_recording_moment(run->of, i);
  bool is_target = strcmp(m->at, "target") == 0;
  char name[96];
  if (is_target) {
    snprintf(name, sizeof name, "epoch %lld, batch %lld", snug__ordinal(m->epoch),
             (long long)m->batch);
  } else {
    snprintf(name, sizeof name, "end of epoch %lld", snug__ordinal(m->epoch));
  }
  put_point(p, run, i, is_target ? "target" : "end", name);
}

static void put_points(const snug__plot *p, const snug__run *run) {
  size_t n = snug_recording_moments(run->of);
  size_t marked = 0, at = 0;
  for (size_t i = 0; i < n; i++) {
    marked += is_marked(snug_recording_moment(run->of, i));
  }
  size_t every = marked / MOST_POINTS + 1;
  for (size_t i = 0; i < n; i++) {
    if (i == run->peak_at) {
      put_point(p, run, i, "peak", "peak");
    } else if (is_marked(snug_recording_moment(run->of, i)) && at++ % every == 0) {
      put_marked(p, run, i);
    }
  }
}

static void put_legend(const snug__run *run, const snug__out *o) {
  snug__out_text(
      o, "<ul class=\"legend\">\n<li><span class=\"t0\"><i></i></span>resident memory</li>");
  if (run->held) {
    snug__out_text(o, "<li><span class=\"t2\"><i></i></span>held by Snug (dotted)</li>");
  }
  if (run->device) {
    snug__out_text(o, "<li><span class=\"t1\"><i></i></span>on devices (dashed)</li>");
  }
  if (snug__plot_shows(run, SNUG__STAGE_VALIDATION)) {
    snug__out_text(o, "<li><span class=\"t2 faint\"><i class=\"box\"></i></span>validation</li>");
  }
  if (snug__plot_shows(run, SNUG__STAGE_SAVE)) {
    snug__out_text(o, "<li><span class=\"t1 faint\"><i class=\"box\"></i></span>saving</li>");
  }
  snug__out_text(o, "</ul>\n");
}

static bool shows_limit(const snug__run *run) {
  return run->limit && (double)run->limit <= 4.0 * (double)run->peak;
}

static void put_picture(const snug__run *run, const snug__out *o) {
  snug__plot p;
  uint64_t most = shows_limit(run) && run->limit > run->peak ? run->limit : run->peak;
  snug__line title = {.n = 0};
  most = most > run->device ? most : run->device;
  most = most > run->held ? most : run->held;
  snug__line_add(&title, "Memory over time. ");
  snug__run_verdict(run, false, &title);
  snug__html_heading(o, "Memory over time");
  snug__plot_begin(&p, o, run->seconds, most, title.text);
  snug__plot_spans(&p, run);
  snug__plot_curve(&p, run, SNUG__CURVE_RESIDENT, "curve", true);
  if (run->held) {
    snug__plot_curve(&p, run, SNUG__CURVE_HELD, "s2", false);
  }
  if (run->device) {
    snug__plot_curve(&p, run, SNUG__CURVE_DEVICE, "s1", false);
  }
  snug__plot_line(&p, shows_limit(run) ? run->limit : 0, run->line ? "the line" : "limit");
  put_points(&p, run);
  snug__plot_end(&p);
  put_legend(run, o);
}

void snug__view_html(const snug_view *v, const snug__out *o) {
  const snug__run *run = &v->runs[0];
  snug_page_begin(o->sink, o->user, run->shown);
  snug__out_text(o, "<main>\n");
  put_verdict(run, o);
  put_tiles(run, o);
  if (run->peak) {
    put_picture(run, o);
  }
  snug__html_judgements(v, o);
  snug__html_peak(run, o);
  snug__html_holders(run, o);
  snug__html_plan(run, o);
  snug__html_epochs(v, o);
  snug__html_targets(run, o);
  snug__html_facts(run, o);
  snug__out_text(o, "</main>\n");
  snug__html_footer(o);
  snug_page_end(o->sink, o->user);
}
