/* Tables with a column per run: what each is, and how they differ. */
#include <math.h>

#include "report/html.h"

#define COLOURS 8
#define RUNS_A_TABLE 5 /* beside the first: more would not fit the width of the page */

void snug__html_run_key(const snug__out *o, size_t run) {
  snug__out_format(o,
                   "<svg viewBox=\"0 0 35 11\" aria-hidden=\"true\"><path class=\"s%zu\" "
                   "d=\"M0 6H35\"/></svg>",
                   run % COLOURS);
}

static void put_run_head(const snug_view *v, const snug__out *o, size_t run) {
  snug__out_text(o, "<th scope=\"col\">");
  snug__html_run_key(o, run);
  snug__out_quoted(o, SNUG_QUOTE_HTML, v->runs[run].shown);
  snug__out_text(o, "</th>");
}

/* The runs of a table: the first, and some behind it. */
typedef struct columns {
  const snug_view *v;
  const snug__out *o;
  size_t from, to;
  bool has_first; /* before them */
} columns;

static void begin_table(const columns *c, const char *caption, const char *kind) {
  snug__out_format(c->o,
                   "<div class=\"wide\">\n<table class=\"by-run %s\">\n<caption>%s</caption>\n"
                   "<thead><tr><th class=\"how\"></th>",
                   kind, caption);
  if (c->has_first) {
    put_run_head(c->v, c->o, 0);
  }
  for (size_t i = c->from; i < c->to; i++) {
    put_run_head(c->v, c->o, i);
  }
  snug__out_text(c->o, "</tr></thead>\n<tbody>\n");
}

static void put_row(const columns *c, const char *name, const char *arg,
                    void (*put)(const columns *c, size_t run, const char *arg)) {
  snug__html_row(c->o, name, "");
  if (c->has_first) {
    put(c, 0, arg);
  }
  for (size_t i = c->from; i < c->to; i++) {
    put(c, i, arg);
  }
  snug__html_row_end(c->o);
}

/* ---- what they are ---- */

typedef struct named {
  const char *name, *label;
} named;

static void put_fact(const columns *c, size_t run, const char *fact) {
  const char *value = snug__run_fact(&c->v->runs[run], fact);
  snug__html_cell(c->o, value ? value : "");
}

static void put_limit(const columns *c, size_t run, const char *arg) {
  (void)arg;
  snug__html_bytes(c->o, c->v->runs[run].limit);
}

static void put_ending(const columns *c, size_t run, const char *arg) {
  snug__line says = {.n = 0};
  (void)arg;
  snug__run_ending(&c->v->runs[run], SNUG_QUOTE_HTML, &says);
  snug__out_format(c->o, "<td>%s</td>", says.text);
}

static void put_peak_says(const columns *c, size_t run, const char *arg) {
  snug__line says = {.n = 0};
  (void)arg;
  snug__run_peak_says(&c->v->runs[run], SNUG_QUOTE_HTML, &says);
  snug__out_text(c->o, "<td>");
  snug__out_text(c->o, says.text);
  snug__out_text(c->o, "</td>");
}

static bool any_has_fact(const snug_view *v, const char *fact) {
  for (size_t i = 0; i < v->n; i++) {
    if (snug__run_fact(&v->runs[i], fact)) {
      return true;
    }
  }
  return false;
}

static void put_what(const columns *c) {
  static const named facts[] = {{"model.name", "model"},        {"run.command", "command"},
                                {"run.began", "began"},         {"fit.batch_size", "batch size"},
                                {"fit.epochs", "epochs"},       {"machine.cpu", "processor"},
                                {"run.snug", "version of snug"}};
  begin_table(c, "What each of them is", "texts");
  for (size_t i = 0; i < SNUG_COUNT(facts); i++) {
    if (any_has_fact(c->v, facts[i].name)) {
      put_row(c, facts[i].label, facts[i].name, put_fact);
    }
  }
  put_row(c, "limit", NULL, put_limit);
  put_row(c, "what happened", NULL, put_ending);
  put_row(c, "peak", NULL, put_peak_says);
  snug__html_table_end(c->o);
}

/* ---- differences ---- */

static void put_figure(const columns *c, size_t run, const char *figure) {
  double value = snug_view_figure(c->v, run, figure);
  double first = snug_view_figure(c->v, 0, figure);
  bool by_parts = snug__figure_is_bytes(figure) || snug__figure_is_seconds(figure);
  char text[SNUG__TIME_BYTES], more[SNUG__TIME_BYTES];
  snug__out_text(c->o, "<td>");
  snug__out_text(c->o, isnan(value) ? "n/a" : snug__figure_text(figure, value, text));
  if (run && !isnan(value) && !isnan(first)) {
    snug__out_format(
        c->o, " <small>%s</small>",
        by_parts ? snug__percent_text(value, first, more) : snug__more_text(value, first, more));
  }
  snug__out_text(c->o, "</td>");
}

static void put_differences(const columns *c) {
  static const named figures[] = {{"peak", "peak"},
                                  {"held", "held by Snug"},
                                  {"device", "on devices"},
                                  {"step", "a step"},
                                  {"time", "time"}};
  const char *name = NULL;
  begin_table(c, "Figures, and values of the last epoch", "numbers");
  for (size_t i = 0; i < SNUG_COUNT(figures); i++) {
    if (snug__view_has_figure(c->v, figures[i].name)) {
      put_row(c, figures[i].label, figures[i].name, put_figure);
    }
  }
  for (size_t i = 0; (name = snug__view_value_name(c->v, i)); i++) {
    put_row(c, name, name, put_figure);
  }
  snug__html_table_end(c->o);
}

/* Few runs are one table; of more each table has the first and some others. */
static void put_tables(const snug_view *v, const snug__out *o, void (*put)(const columns *c)) {
  for (size_t from = 0; from < v->n; from += from ? RUNS_A_TABLE : RUNS_A_TABLE + 1) {
    size_t to = from + RUNS_A_TABLE + (from == 0);
    const columns c = {v, o, from, to < v->n ? to : v->n, from > 0};
    put(&c);
  }
}

void snug__compare_tables(const snug_view *v, const snug__out *o) {
  snug__html_heading(o, "Differences");
  put_tables(v, o, put_differences);
  snug__html_heading(o, "Runs");
  put_tables(v, o, put_what);
}
