/* Several runs on a terminal: the bar chart of their peaks, and a table of differences. */
#include <math.h>
#include <string.h>

#include "report/view.h"

#define MOST_NAME 40
#define MOST_BAR 40
#define LEAST_BAR 10
#define BYTES_COLUMNS 12

typedef struct page {
  const snug_view *view;
  snug__out o;
  bool ascii;
  size_t columns, name, figure; /* name, figure: columns of the widest */
} page;

static snug_quoting quoting(const page *p) {
  return p->ascii ? SNUG_QUOTE_ASCII : SNUG_QUOTE_TERMINAL;
}

static size_t name_columns(const snug_view *v, snug_quoting how) {
  size_t widest = 0;
  char text[256];
  for (size_t i = 0; i < v->n; i++) {
    snug__quote_into(text, sizeof text, how, v->runs[i].shown);
    size_t columns = snug__columns(text, strlen(text));
    widest = columns > widest ? columns : widest;
  }
  return widest < MOST_NAME ? widest : MOST_NAME;
}

static size_t figure_columns(const snug_view *v, snug_quoting how) {
  size_t widest = strlen("device");
  const char *name = NULL;
  char text[256];
  for (size_t i = 0; (name = snug__view_value_name(v, i)); i++) {
    snug__quote_into(text, sizeof text, how, name);
    size_t columns = snug__columns(text, strlen(text));
    widest = columns > widest ? columns : widest;
  }
  return widest;
}

static void put_name(const page *p, size_t run) {
  const char *name = p->view->runs[run].shown;
  char text[256];
  snug__quote_into(text, sizeof text, quoting(p), name);
  if (snug__columns(text, strlen(text)) <= p->name) {
    snug__out_cell(&p->o, quoting(p), name, 0, (int)p->name);
  } else {
    snug__out_format(&p->o, "%.*s%s", (int)snug__bytes_of(text, p->name - 1), text,
                     p->ascii ? "~" : "…");
  }
}

/* ---- bars ---- */

/* The columns that the text beside a bar takes, with what is said of steps or without. */
static size_t beside_bar(const page *p, bool with_step) {
  size_t cut = 0;
  for (size_t i = 0; i < p->view->n; i++) {
    cut = p->view->runs[i].end == SNUG_RECORDING_CLOSED ? cut : strlen("  cut short");
  }
  return p->name + 2 + BYTES_COLUMNS + strlen("  +99.9 %") + cut +
         (with_step ? strlen("  step 99.99 times faster") : 0);
}

/* "step 2.9 times faster" */
static void put_speed(const page *p, size_t run) {
  double ratio = p->view->runs[0].step / p->view->runs[run].step;
  char times[SNUG__TIME_BYTES];
  if (run == 0 || !isfinite(ratio) || ratio <= 0.0 ||
      p->columns < beside_bar(p, true) + LEAST_BAR) {
    return; /* the table has it, too */
  }
  bool is_faster = ratio >= 1.0;
  double factor = is_faster ? ratio : 1.0 / ratio;
  if (factor < 1.005) {
    snug__out_text(&p->o, "  step as fast");
    return;
  }
  long hundredths = lround(factor * 100.0);
  snprintf(times, sizeof times, "%ld.%02ld", hundredths / 100, hundredths % 100);
  snug__out_format(&p->o, "  step %s times %s", times, is_faster ? "faster" : "slower");
}

static void put_bar(const page *p, size_t run, double most, size_t columns) {
  const snug__run *r = &p->view->runs[run];
  char bytes[SNUG_BYTES_TEXT], percent[SNUG__TIME_BYTES];
  put_name(p, run);
  snug__out_text(&p->o, "  ");
  size_t used = snug__out_bar(&p->o, most > 0.0 ? (double)r->peak / most : 0.0, columns, p->ascii);
  snug__out_format(&p->o, "%*s%*s", (int)(columns - used), "", BYTES_COLUMNS,
                   r->peak ? snug_bytes_text(r->peak, bytes) : "n/a");
  if (run > 0 && r->peak && p->view->runs[0].peak) {
    snug__out_format(&p->o, "  %s",
                     snug__percent_text((double)r->peak, (double)p->view->runs[0].peak, percent));
  }
  put_speed(p, run);
  snug__out_text(&p->o, r->end == SNUG_RECORDING_CLOSED ? "\n" : "  cut short\n");
}

static void put_bars(const page *p) {
  double most = 0.0;
  for (size_t i = 0; i < p->view->n; i++) {
    most = fmax(most, (double)p->view->runs[i].peak);
  }
  bool has_room = p->columns >= beside_bar(p, true) + LEAST_BAR;
  size_t beside = beside_bar(p, has_room);
  size_t free = p->columns > beside + LEAST_BAR ? p->columns - beside : LEAST_BAR;
  for (size_t i = 0; i < p->view->n; i++) {
    put_bar(p, i, most, free < MOST_BAR ? free : MOST_BAR);
  }
}

/* ---- the table ---- */

/* Bytes and seconds by parts of the first, values by their difference. */
static void put_difference(const page *p, const char *figure, double value, double first) {
  char text[SNUG__TIME_BYTES] = "";
  if (isnan(value) || isnan(first)) {
    return;
  }
  if (snug__figure_is_bytes(figure) || snug__figure_is_seconds(figure)) {
    snug__percent_text(value, first, text);
    snug__out_format(&p->o, "%12s", text);
    return;
  }
  snug__out_format(&p->o, "%12s", snug__more_text(value, first, text));
}

static void put_figure(const page *p, const char *figure) {
  const snug_view *v = p->view;
  double first = snug_view_figure(v, 0, figure);
  if (!snug__view_has_figure(v, figure)) {
    return;
  }
  for (size_t i = 0; i < v->n; i++) {
    double value = snug_view_figure(v, i, figure);
    char text[SNUG__TIME_BYTES];
    snug__out_cell(&p->o, quoting(p), i ? "" : figure, 0, (int)p->figure);
    snug__out_text(&p->o, "  ");
    put_name(p, i);
    snug__out_format(&p->o, "%14s", snug__figure_text(figure, value, text));
    if (i > 0) {
      put_difference(p, figure, value, first);
    }
    snug__out_text(&p->o, "\n");
  }
}

static void put_table(const page *p) {
  static const char *const figures[] = {"peak", "held", "device", "step", "time"};
  snug__out_text(&p->o, "\n");
  for (size_t i = 0; i < SNUG_COUNT(figures); i++) {
    put_figure(p, figures[i]);
  }
  const char *name = NULL;
  for (size_t i = 0; (name = snug__view_value_name(p->view, i)); i++) {
    put_figure(p, name);
  }
}

/* ---- curves ---- */

/* One row each, over the same time and the same bytes. */
static void put_curves(const page *p) {
  static const char *const cells[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  static const char plain[] = " ...::###";
  uint64_t bars[MOST_BAR];
  double most = 0.0, seconds = 0.0;
  char time[SNUG__TIME_BYTES];
  for (size_t i = 0; i < p->view->n; i++) {
    most = fmax(most, (double)p->view->runs[i].peak);
    seconds = fmax(seconds, p->view->runs[i].seconds);
  }
  snug__out_format(&p->o, "\nmemory over %s\n", snug__time_text(seconds, time));
  for (size_t i = 0; i < p->view->n; i++) {
    snug__run_curve(&p->view->runs[i], SNUG__CURVE_RESIDENT, seconds, bars, MOST_BAR);
    put_name(p, i);
    snug__out_text(&p->o, p->ascii ? " |" : " │");
    for (size_t k = 0; k < MOST_BAR; k++) {
      size_t eighths = most > 0.0 ? (size_t)ceil((double)bars[k] / most * 8.0) : 0;
      snug__out_format(&p->o, p->ascii ? "%.1s" : "%s",
                       p->ascii ? plain + eighths : cells[eighths]);
    }
    snug__out_text(&p->o, p->ascii ? "|\n" : "│\n");
  }
}

static void put_judgements(const page *p) {
  for (size_t i = 0; i < p->view->judgements.n; i++) {
    snug__line line = {.n = 0};
    snug__judgement_text(p->view, snug__view_judgement(p->view, i), quoting(p), &line);
    snug__out_format(&p->o, "%s%.*s\n", i ? "" : "\n", (int)line.n, line.text);
  }
}

void snug__compare_text(const snug_view *view, const snug_view_options *options) {
  page p = {view,
            {options->sink, options->user},
            options->ascii,
            options->columns ? options->columns : 80,
            0,
            0};
  p.name = name_columns(view, quoting(&p));
  p.figure = figure_columns(view, quoting(&p));
  put_bars(&p);
  put_curves(&p);
  put_table(&p);
  put_judgements(&p);
  if (options->next) {
    snug__out_text(&p.o, "\nnext: ");
    snug__out_quoted(&p.o, quoting(&p), options->next);
    snug__out_text(&p.o, "\n");
  }
}
