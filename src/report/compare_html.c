/* Several runs as a page: what they are, bars, curves over one another, differences. */
#include <math.h>
#include <string.h>

#include "report/html.h"

#define COLOURS 8
#define MOST_VALUE_PLOTS 8

static double most_of(const snug_view *v, const char *figure) {
  double most = 0.0;
  for (size_t i = 0; i < v->n; i++) {
    most = fmax(most, snug_view_figure(v, i, figure)); /* NaN is passed over */
  }
  return most;
}

/* Limits that are far above all peaks are told, and not drawn. */
static uint64_t drawn_limit(const snug_view *v, size_t i) {
  uint64_t limit = v->runs[i].limit;
  return (double)limit <= 2.0 * most_of(v, "peak") ? limit : 0;
}

/* ---- the verdict ---- */

/* "student held the least, 28.0 MiB, and teacher the most, 56.0 MiB" */
static void put_verdict(const snug_view *v, const snug__out *o) {
  size_t least = v->n, most = v->n;
  char a[SNUG_BYTES_TEXT], b[SNUG_BYTES_TEXT], percent[SNUG__TIME_BYTES];
  for (size_t i = 0; i < v->n; i++) {
    uint64_t peak = v->runs[i].peak;
    least = peak && (least == v->n || peak < v->runs[least].peak) ? i : least;
    most = peak && (most == v->n || peak > v->runs[most].peak) ? i : most;
  }
  snug__out_text(o, "<h1>");
  if (least == v->n || v->runs[least].peak == v->runs[most].peak) {
    snug__out_format(o,
                     least == v->n ? "%zu runs, without any memory recorded"
                                   : "%zu runs held the same at the most",
                     v->n);
  } else {
    double low = (double)v->runs[least].peak, high = (double)v->runs[most].peak;
    snug__out_quoted(o, SNUG_QUOTE_HTML, v->runs[least].shown);
    snug__out_format(o, " held the least, %s: %s beside ", snug_bytes_text(v->runs[least].peak, a),
                     snug__percent_text(low, high, percent));
    snug__out_quoted(o, SNUG_QUOTE_HTML, v->runs[most].shown);
    snug__out_format(o, ", %s", snug_bytes_text(v->runs[most].peak, b));
  }
  snug__out_format(o, "</h1>\n<p class=\"sub\">%zu runs compared; differences are those from ",
                   v->n);
  snug__out_quoted(o, SNUG_QUOTE_HTML, v->runs[0].shown);
  snug__out_text(o, "</p>\n");
}

/* ---- bars ---- */

static void put_bar(const snug_view *v, const snug__out *o, size_t i, double most) {
  const snug__run *run = &v->runs[i];
  uint64_t limit = drawn_limit(v, i);
  char bytes[SNUG_BYTES_TEXT], more[SNUG__TIME_BYTES] = "";
  if (i && run->peak && v->runs[0].peak) {
    snug__percent_text((double)run->peak, (double)v->runs[0].peak, more);
  }
  snug__out_text(o, "<span class=\"of\">");
  snug__out_quoted(o, SNUG_QUOTE_HTML, run->shown);
  snug__out_format(
      o,
      "</span><span class=\"track\"><span class=\"bar t%zu\" style=\"width:%ld.%ld%%\">"
      "</span>",
      i % COLOURS, lround((double)run->peak / most * 1000.0) / 10,
      lround((double)run->peak / most * 1000.0) % 10);
  if (limit) {
    snug__out_format(o, "<span class=\"limit\" style=\"left:%ld.%ld%%\"></span>",
                     lround((double)limit / most * 1000.0) / 10,
                     lround((double)limit / most * 1000.0) % 10);
  }
  snug__out_format(o, "</span><span>%s <small>%s</small></span>\n",
                   run->peak ? snug_bytes_text(run->peak, bytes) : "n/a", more);
}

static void put_bars(const snug_view *v, const snug__out *o) {
  double most = most_of(v, "peak");
  bool has_limit = false;
  for (size_t i = 0; i < v->n; i++) {
    has_limit = has_limit || drawn_limit(v, i);
    most = fmax(most, (double)drawn_limit(v, i));
  }
  if (!(most > 0.0)) {
    return;
  }
  snug__html_heading(o, "Peaks");
  snug__out_text(o,
                 "<div class=\"bars\" role=\"img\" aria-label=\"Bars of the peaks; the table of "
                 "figures has the same numbers\">\n");
  for (size_t i = 0; i < v->n; i++) {
    put_bar(v, o, i, most);
  }
  snug__out_text(o, has_limit
                        ? "</div>\n<p class=\"sub\">The dashed mark is the limit of a run.</p>\n"
                        : "</div>\n");
}

/* ---- curves ---- */

/* The runs that have a value (NULL: all of them), and how its validation is drawn, if it is. */
static void put_legend(const snug_view *v, const snug__out *o, const char *value,
                       const char *validation) {
  snug__out_text(o, "<ul class=\"legend\">\n");
  for (size_t i = 0; i < v->n; i++) {
    if (!value || !isnan(snug__run_value(&v->runs[i], value))) {
      snug__out_text(o, "<li>");
      snug__html_run_key(o, i);
      snug__out_quoted(o, SNUG_QUOTE_HTML, v->runs[i].shown);
      snug__out_text(o, "</li>\n");
    }
  }
  if (validation && snug__view_has_figure(v, validation)) {
    snug__out_text(o, "<li>paler: ");
    snug__out_quoted(o, SNUG_QUOTE_HTML, validation);
    snug__out_text(o, "</li>\n");
  }
  snug__out_text(o, "</ul>\n");
}

/* The same limit of several runs is one line. */
static void put_limits(const snug_view *v, const snug__plot *p) {
  for (size_t i = 0; i < v->n; i++) {
    uint64_t limit = drawn_limit(v, i);
    size_t same = 0, before = 0;
    for (size_t k = 0; k < v->n; k++) {
      same += v->runs[k].limit == limit;
      before += k < i && v->runs[k].limit == limit;
    }
    char name[128];
    snprintf(name, sizeof name, "limit");
    if (same == 1 && v->n > 1) {
      char quoted[96];
      snug__quote_into(quoted, sizeof quoted, SNUG_QUOTE_HTML, v->runs[i].shown);
      snprintf(name, sizeof name, "limit of %s", quoted);
    }
    snug__plot_line(p, before ? 0 : limit, name);
  }
}

static void put_peaks(const snug_view *v, const snug__plot *p) {
  for (size_t i = 0; i < v->n; i++) {
    const snug__run *run = &v->runs[i];
    const snug_moment *m = snug_recording_moment(run->of, run->peak_at);
    char name[64], bytes[SNUG_BYTES_TEXT], says[160];
    if (m) {
      snug__quote_into(name, sizeof name, SNUG_QUOTE_HTML, run->shown);
      snprintf(says, sizeof says, "%s: peak %s", name, snug_bytes_text(run->peak, bytes));
      snug__plot_point(p, m->seconds, run->peak, "peak", says);
    }
  }
}

static void put_curves(const snug_view *v, const snug__out *o) {
  snug__plot p;
  double most = most_of(v, "peak");
  if (!(most > 0.0)) {
    return;
  }
  for (size_t i = 0; i < v->n; i++) {
    most = fmax(most, (double)drawn_limit(v, i));
  }
  snug__html_heading(o, "Memory over time");
  snug__plot_begin(&p, o, most_of(v, "time"), snug__whole(most), "Resident memory of each run");
  for (size_t i = 0; i < v->n; i++) {
    char class_name[16];
    snprintf(class_name, sizeof class_name, "s%zu", i % COLOURS);
    snug__plot_curve(&p, &v->runs[i], SNUG__CURVE_RESIDENT, class_name, false);
  }
  put_limits(v, &p);
  put_peaks(v, &p);
  snug__plot_end(&p);
  put_legend(v, o, NULL, NULL);
}

/* ---- values of epochs ---- */

/* What the axes of a value and of its validation must reach; false: no run has two epochs of it. */
static bool find_range(const snug_view *v, const char *const names[2], double range[2],
                       double epochs[2]) {
  bool has_two = false;
  range[0] = epochs[0] = INFINITY;
  range[1] = epochs[1] = -INFINITY;
  for (size_t i = 0; i < v->n; i++) {
    size_t n = 0;
    for (size_t k = 0; k < v->runs[i].epochs.n; k++) {
      const snug__epoch_row *e = snug__run_epoch(&v->runs[i], k);
      for (int w = 0; w < 2; w++) {
        const double *value = snug__run_find_value(&e->logs, names[w]);
        if (value && isfinite(*value)) {
          range[0] = fmin(range[0], *value);
          range[1] = fmax(range[1], *value);
          epochs[0] = fmin(epochs[0], (double)snug__ordinal(e->epoch));
          epochs[1] = fmax(epochs[1], (double)snug__ordinal(e->epoch));
          n += w == 0;
        }
      }
    }
    has_two = has_two || n > 1;
  }
  return has_two;
}

/* A value over the epochs, that of validation beside it. */
static bool put_value(const snug_view *v, const snug__out *o, const char *name) {
  char validation[256], title[SNUG__LINE_BYTES / 2], class_name[16];
  const char *const names[2] = {name, validation};
  double range[2], epochs[2];
  snug__plot p;
  snprintf(validation, sizeof validation, "val_%s", name);
  if (!find_range(v, names, range, epochs)) {
    return false;
  }
  snug__quote_into(title, sizeof title, SNUG_QUOTE_HTML, name);
  snug__out_format(o, "<h2>%s over the epochs</h2>\n", title);
  snug__plot_begin_values(&p, o, epochs[0], epochs[1], range, name);
  for (size_t i = 0; i < v->n; i++) {
    snprintf(class_name, sizeof class_name, "s%zu", i % COLOURS);
    snug__plot_values(&p, &v->runs[i], name, class_name);
    snprintf(class_name, sizeof class_name, "s%zu faded", i % COLOURS);
    snug__plot_values(&p, &v->runs[i], validation, class_name);
  }
  snug__plot_end(&p);
  put_legend(v, o, name, validation);
  return true;
}

static void put_values(const snug_view *v, const snug__out *o) {
  const char *name = NULL;
  size_t shown = 0;
  for (size_t i = 0; (name = snug__view_value_name(v, i)) && shown < MOST_VALUE_PLOTS; i++) {
    shown += strncmp(name, "val_", 4) != 0 && !snug__figure_is_bytes(name) && put_value(v, o, name);
  }
}

void snug__compare_html(const snug_view *v, const snug__out *o) {
  snug_page_begin(o->sink, o->user, "snug compare");
  snug__out_text(o, "<main>\n");
  put_verdict(v, o);
  snug__html_judgements(v, o);
  put_bars(v, o);
  put_curves(v, o);
  put_values(v, o);
  snug__compare_tables(v, o);
  snug__out_text(o, "</main>\n");
  snug__html_footer(o);
  snug_page_end(o->sink, o->user);
}
