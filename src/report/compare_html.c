/* Several runs as a page: bars, curves over one another, a table of differences. */
#include <math.h>
#include <string.h>

#include "report/html.h"

#define WIDTH 960
#define NAME_WIDTH 220
#define BAR_WIDTH 560
#define ROW_HEIGHT 30
#define COLOURS 8

static double most_of(const snug_view *v, const char *figure) {
  double most = 0.0;
  for (size_t i = 0; i < v->n; i++) {
    most = fmax(most, snug_view_figure(v, i, figure)); /* NaN is passed over */
  }
  return most;
}

/* ---- bars ---- */

static void put_bar(const snug_view *v, const snug__out *o, size_t i, double most) {
  const snug__run *run = &v->runs[i];
  int y = (int)i * ROW_HEIGHT;
  int width = most > 0.0 ? (int)lround((double)run->peak / most * BAR_WIDTH) : 0;
  char name[SNUG__LINE_BYTES / 2], bytes[SNUG_BYTES_TEXT], more[SNUG__TIME_BYTES] = "";
  snug__quote_into(name, 64, SNUG_QUOTE_HTML, snug__run_short_name(run));
  if (i && run->peak && v->runs[0].peak) {
    snug__percent_text((double)run->peak, (double)v->runs[0].peak, more);
  }
  snug__out_format(o, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", NAME_WIDTH - 8,
                   y + 20, name);
  snug__out_format(o,
                   "<rect class=\"f%zu\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"2\"/>\n",
                   i % COLOURS, NAME_WIDTH, y + 4, width > 1 ? width : 1, ROW_HEIGHT - 8);
  snug__out_format(o, "<text x=\"%d\" y=\"%d\">%s%s%s</text>\n", NAME_WIDTH + width + 8, y + 20,
                   run->peak ? snug_bytes_text(run->peak, bytes) : "n/a", *more ? ", " : "", more);
}

static void put_bars(const snug_view *v, const snug__out *o) {
  double most = most_of(v, "peak");
  snug__html_heading(o, "Peaks");
  snug__out_format(
      o,
      "<svg viewBox=\"0 0 %d %zu\" role=\"img\" aria-label=\"Bars of the peaks; the table "
      "below has the same numbers\">\n",
      WIDTH, v->n * ROW_HEIGHT);
  for (size_t i = 0; i < v->n; i++) {
    put_bar(v, o, i, most);
  }
  snug__out_text(o, "</svg>\n");
}

/* ---- curves ---- */

static void put_curves(const snug_view *v, const snug__out *o) {
  snug__plot p;
  double most = most_of(v, "peak");
  if (!(most > 0.0)) {
    return;
  }
  snug__html_heading(o, "Memory over time");
  snug__plot_begin(&p, o, most_of(v, "time"), snug__whole(most), "Resident memory of each run");
  for (size_t i = 0; i < v->n; i++) {
    char class_name[16];
    snprintf(class_name, sizeof class_name, "s%zu", i % COLOURS);
    snug__plot_curve(&p, &v->runs[i], SNUG__CURVE_RESIDENT, class_name, false);
  }
  for (size_t i = 0; i < v->n; i++) {
    const snug__run *run = &v->runs[i];
    const snug_moment *m = snug_recording_moment(run->of, run->peak_at);
    char name[64], bytes[SNUG_BYTES_TEXT], says[160];
    if (m) {
      snug__quote_into(name, sizeof name, SNUG_QUOTE_HTML, snug__run_short_name(run));
      snprintf(says, sizeof says, "%s: peak %s", name, snug_bytes_text(run->peak, bytes));
      snug__plot_point(&p, m->seconds, run->peak, "peak", says);
    }
  }
  snug__plot_end(&p);
}

static void put_legend(const snug_view *v, const snug__out *o) {
  snug__out_text(o, "<ul class=\"legend\">\n");
  for (size_t i = 0; i < v->n; i++) {
    snug__out_format(o, "<li><span class=\"t%zu\"><i></i></span>", i % COLOURS);
    snug__out_quoted(o, SNUG_QUOTE_HTML, snug__run_short_name(&v->runs[i]));
    snug__out_text(o, "</li>\n");
  }
  snug__out_text(o, "</ul>\n");
}

/* ---- the table ---- */

static void put_figure(const snug_view *v, const snug__out *o, size_t run, const char *figure) {
  double value = snug_view_figure(v, run, figure);
  double first = snug_view_figure(v, 0, figure);
  char text[SNUG__TIME_BYTES], more[SNUG__TIME_BYTES];
  snug__out_text(o, "<td>");
  snug__out_text(o, isnan(value) ? "" : snug__figure_text(figure, value, text));
  if (run && !isnan(value) && !isnan(first)) {
    snug__out_format(
        o, "<br><small>%s</small>",
        first > 0.0 ? snug__percent_text(value, first, more) : snug__more_text(value, first, more));
  }
  snug__out_text(o, "</td>");
}

static const char *const figures[] = {"peak", "held", "step", "time", "device"};

/* The last one, devices, only where there are any. */
static size_t shown_figures(const snug_view *v) {
  return SNUG_COUNT(figures) - (most_of(v, "device") > 0.0 ? 0 : 1);
}

static void put_run(const snug_view *v, const snug__out *o, size_t i) {
  const char *name = NULL;
  snug__html_row(o, snug__run_short_name(&v->runs[i]), "");
  snug__html_cell(o, snug__run_state(&v->runs[i]));
  for (size_t k = 0; k < shown_figures(v); k++) {
    put_figure(v, o, i, figures[k]);
  }
  for (size_t k = 0; (name = snug__view_value_name(v, k)); k++) {
    put_figure(v, o, i, name);
  }
  snug__html_row_end(o);
}

static void put_table(const snug_view *v, const snug__out *o) {
  snug__html_heading(o, "Differences");
  snug__html_table(o, "Each run beside the first; values are those of the last epoch",
                   shown_figures(v) == SNUG_COUNT(figures)
                       ? "run|state|peak|held by Snug|step|time|device"
                       : "run|state|peak|held by Snug|step|time",
                   v->n, v);
  for (size_t i = 0; i < v->n; i++) {
    put_run(v, o, i);
  }
  snug__html_table_end(o);
}

void snug__compare_html(const snug_view *v, const snug__out *o) {
  snug_page_begin(o->sink, o->user, "snug compare");
  snug__out_format(o, "<main>\n<h1>%zu runs compared</h1>\n", v->n);
  snug__html_judgements(v, o);
  put_bars(v, o);
  put_curves(v, o);
  put_legend(v, o);
  put_table(v, o);
  snug__out_text(o, "</main>\n");
  snug__html_footer(o);
  snug_page_end(o->sink, o->user);
}
