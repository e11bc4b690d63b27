/* One run on a terminal: the verdict, the picture, a row per epoch, the next command. */
#include <math.h>
#include <string.h>

#include "report/view.h"

#define MOST_FACTS 14
#define WATCH_WORDS 512 /* bytes of what a watch says */
#define SHOWN_HOLDERS 4
#define SHOWN_EPOCHS 20
#define SHOWN_TARGETS 20
#define EPOCH_COLUMNS 41 /* up to the values */
#define LEAST_VALUE 8    /* columns */

typedef struct page {
  const snug_view *view;
  const snug__run *run;
  snug__out o;
  bool ascii;
  size_t columns;
} page;

static snug_quoting quoting(const page *p) {
  return p->ascii ? SNUG_QUOTE_ASCII : SNUG_QUOTE_TERMINAL;
}

/* ---- the box ---- */

typedef struct rows {
  snug_box_row list[MOST_FACTS];
  snug__line lines[MOST_FACTS];
  size_t n;
} rows;

static snug__line *next_row(rows *r, const char *label) {
  r->list[r->n] = (snug_box_row){label, r->lines[r->n].text};
  r->lines[r->n].n = 0;
  r->lines[r->n].text[0] = '\0';
  return &r->lines[r->n++];
}

static void add_what(const page *p, rows *r) {
  const snug__run *run = p->run;
  snug__run_when(run, run->peak_at, run->peak_stage, next_row(r, "when"));
  if (run->classes.n && !run->of_processes) {
    snug__run_largest(&run->classes, SNUG__CLASSES, p->ascii, next_row(r, "what"));
  }
  if (run->holders.n) {
    snug__run_largest(&run->holders, SHOWN_HOLDERS, p->ascii, next_row(r, "who"));
  }
}

/* The pages of the moment at which the peak was seen; where that was seen later, as the kernel's
 * high-water mark, they are not the peak's. */
static void add_split(const page *p, rows *r) {
  const snug_moment *m = snug_recording_moment(p->run->of, p->run->peak_at);
  const char *dot = snug__dot(p->ascii);
  char a[SNUG_BYTES_TEXT], f[SNUG_BYTES_TEXT], s[SNUG_BYTES_TEXT];
  uint64_t pages = m ? m->anonymous + m->file + m->shared : 0;
  if (pages && pages >= p->run->peak - p->run->peak / 10) {
    snug__line_add(next_row(r, "pages"), "anonymous %s%sof files %s%sshared %s",
                   snug_bytes_text(m->anonymous, a), dot, snug_bytes_text(m->file, f), dot,
                   snug_bytes_text(m->shared, s));
  }
}

static void add_plan(const page *p, rows *r) {
  const snug__run *run = p->run;
  char bytes[SNUG_BYTES_TEXT];
  if (run->planned) {
    snug__run_planned(run->planned, run->peak, p->ascii, next_row(r, "process"));
  }
  if (run->snug_planned && run->held) {
    snug__run_planned(run->snug_planned, run->held, p->ascii, next_row(r, "snug"));
  }
  if (run->device) {
    snug__line_add(next_row(r, "device"), "%s at the most", snug_bytes_text(run->device, bytes));
  }
}

static void add_time(const page *p, rows *r) {
  const snug__run *run = p->run;
  const char *dot = snug__dot(p->ascii);
  char time[SNUG__TIME_BYTES], step[SNUG__TIME_BYTES];
  snug__line *line = next_row(r, "time");
  long long epochs = snug__run_epochs(run);
  if (epochs) {
    snug__line_add(line, "%lld epoch%s in ", epochs, epochs == 1 ? "" : "s");
  }
  snug__line_add(line, "%s", snug__time_text(run->seconds, time));
  if (!isnan(run->step)) {
    snug__line_add(line, "%s%s a step", dot, snug__time_text(run->step, step));
  }
  if (!isnan(run->planned_step)) {
    snug__line_add(line, "%splanned %s", dot, snug__time_text(run->planned_step, step));
  }
}

static void add_last(const page *p, rows *r) {
  const snug__run *run = p->run;
  size_t n = snug_recording_moments(run->of);
  char bytes[SNUG_BYTES_TEXT];
  if (run->end == SNUG_RECORDING_CLOSED || !n) {
    return;
  }
  snug__line *line = next_row(r, "last");
  snug__run_when(run, n - 1, run->last_stage, line);
  snug__line_add(line, "%s%s resident", snug__dot(p->ascii),
                 snug_bytes_text(snug_recording_moment(run->of, n - 1)->resident, bytes));
}

/* What whoever recorded it says. */
static void add_fact(const page *p, rows *r, const char *label, const char *fact) {
  const char *says = snug__run_fact(p->run, fact);
  char text[WATCH_WORDS];
  if (says && *says) {
    snug__line_add(next_row(r, label), "%s", snug__quote_into(text, sizeof text, quoting(p), says));
  }
}

/* How it went over time, as whoever recorded it judged. */
static void add_shape(const page *p, rows *r) {
  add_fact(p, r, "shape", "result.shape_says");
  add_fact(p, r, "above", "result.above_says");
  add_fact(p, r, "help", "result.help_says");
}

/* A command may be of any length: two lines of it, the page has all. */
static void cut(const page *p, snug__line *line) {
  const char *dots = p->ascii ? "..." : "…";
  size_t most = 2 * (p->columns > 32 ? p->columns - 14 : 20);
  if (snug__columns(line->text, line->n) > most) {
    line->n = snug__bytes_of(line->text, most - snug__columns(dots, strlen(dots)));
    snug__line_add(line, "%s", dots);
  }
}

static void add_title(const page *p, rows *r) {
  const char *began = snug__run_fact(p->run, "run.began");
  char text[64];
  snug__line *line = next_row(r, "run");
  snug__run_title(p->run, quoting(p), line);
  cut(p, line);
  if (began) {
    snug__line_add(line, "%sbegan %s", snug__dot(p->ascii),
                   snug__quote_into(text, sizeof text, quoting(p), began));
  }
}

/* What happened and when, for who reads no further. */
static void put_sentences(const page *p) {
  snug__line says = {.n = 0};
  size_t next = 0;
  snug__run_ending(p->run, quoting(p), &says);
  snug__line_add(&says, " ");
  snug__run_peak_says(p->run, quoting(p), &says);
  for (const char *text = says.text; *text; text += next) {
    size_t n = snug__fit_columns(text, NULL, p->columns > 20 ? p->columns : 20, &next);
    snug__out_format(&p->o, "%.*s\n", (int)n, text);
  }
}

static void put_box(const page *p) {
  rows r;
  snug__line title = {.n = 0};
  r.n = 0;
  snug__run_figures(p->run, p->ascii, &title);
  add_title(p, &r);
  add_last(p, &r);
  if (p->run->peak) {
    add_what(p, &r);
    add_split(p, &r);
    add_plan(p, &r);
  }
  add_shape(p, &r);
  add_time(p, &r);
  snug_box(p->o.sink, p->o.user, p->ascii, p->columns, title.text, r.list, r.n);
}

/* ---- epochs ---- */

/* Columns of a value: its name, or a number. */
static int value_columns(const page *p, size_t i) {
  char name[256];
  snug__quote_into(name, sizeof name, quoting(p), snug__view_value_name(p->view, i));
  size_t columns = snug__columns(name, strlen(name));
  return 2 + (int)(columns > LEAST_VALUE ? columns : LEAST_VALUE);
}

/* How many values there is room for behind this many columns. */
static size_t shown_values(const page *p, size_t used) {
  size_t n = 0;
  while (snug__view_value_name(p->view, n)) {
    used += (size_t)value_columns(p, n);
    if (used > p->columns) {
      break;
    }
    n++;
  }
  return n;
}

/* "Left out for want of room: val_loss (88 columns show all)" */
static void put_left_out(const page *p, size_t shown) {
  size_t needed = EPOCH_COLUMNS;
  const char *name = NULL;
  for (size_t i = 0; (name = snug__view_value_name(p->view, i)); i++) {
    needed += (size_t)value_columns(p, i);
    if (i >= shown) {
      snug__out_text(&p->o, i == shown ? "Left out for want of room: " : ", ");
      snug__out_quoted(&p->o, quoting(p), name);
    }
  }
  if (snug__view_value_name(p->view, shown)) {
    snug__out_format(&p->o, " (all take %zu columns)\n", needed);
  }
}

static void put_bytes_cell(const page *p, uint64_t bytes, int wide) {
  char text[SNUG_BYTES_TEXT];
  snug__out_cell(&p->o, SNUG_QUOTE_ASCII, bytes ? snug_bytes_text(bytes, text) : "n/a", 0, -wide);
}

static void put_epoch(const page *p, const snug__epoch_row *e, size_t values) {
  char text[SNUG__TIME_BYTES];
  snug__out_format(&p->o, "%7lld", snug__ordinal(e->epoch));
  bool is_timed = !isnan(e->begin) && !isnan(e->end);
  snug__out_cell(&p->o, SNUG_QUOTE_ASCII,
                 is_timed      ? snug__time_text(e->end - e->begin, text)
                 : e->is_whole ? "n/a"
                               : "cut",
                 0, -11);
  put_bytes_cell(p, e->peak, 12);
  put_bytes_cell(p, e->held, 11);
  for (size_t i = 0; i < values; i++) {
    const double *value = snug__run_find_value(&e->logs, snug__view_value_name(p->view, i));
    snug__out_cell(&p->o, SNUG_QUOTE_ASCII, value ? snug__value_text(*value, text) : "-", 0,
                   -value_columns(p, i));
  }
  snug__out_text(&p->o, "\n");
}

static void put_epochs(const page *p) {
  size_t n = p->run->epochs.n;
  size_t values = shown_values(p, EPOCH_COLUMNS);
  snug__out_format(&p->o, "\n%7s%11s%12s%11s", "epoch", "time", "resident", "Snug's");
  for (size_t i = 0; i < values; i++) {
    snug__out_cell(&p->o, quoting(p), snug__view_value_name(p->view, i), 0, -value_columns(p, i));
  }
  snug__out_text(&p->o, "\n");
  for (size_t i = 0; i < n; i++) {
    if (n <= SHOWN_EPOCHS || i < SHOWN_EPOCHS / 2 || i >= n - SHOWN_EPOCHS / 2) {
      put_epoch(p, snug__run_epoch(p->run, i), values);
    } else if (i == SHOWN_EPOCHS / 2) {
      snug__out_format(&p->o, "%7s  %zu more: the JSON has them\n", p->ascii ? "..." : "…",
                       n - SHOWN_EPOCHS);
    }
  }
  put_left_out(p, values);
}

/* ---- target batches ---- */

static void put_targets(const page *p) {
  size_t n = 0;
  for (size_t i = 0; i < snug_recording_moments(p->run->of); i++) {
    const snug_moment *m = snug_recording_moment(p->run->of, i);
    if (strcmp(m->at, "target") != 0 || ++n > SHOWN_TARGETS) {
      continue;
    }
    if (n == 1) {
      snug__out_format(&p->o, "\n%7s%13s%12s%12s\n", "epoch", "target batch", "resident", "Snug's");
    }
    snug__out_format(&p->o, "%7lld%13lld", snug__ordinal(m->epoch), (long long)m->batch);
    put_bytes_cell(p, m->resident, 12);
    put_bytes_cell(p, m->held_peak > m->held ? m->held_peak : m->held, 12);
    snug__out_text(&p->o, "\n");
  }
  if (n > SHOWN_TARGETS) {
    snug__out_format(&p->o, "%7s  %zu more: the CSV has them\n", p->ascii ? "..." : "…",
                     n - SHOWN_TARGETS);
  }
}

void snug__view_text(const snug_view *view, const snug_view_options *options) {
  page p = {view,
            &view->runs[0],
            {options->sink, options->user},
            options->ascii,
            options->columns ? options->columns : 80};
  put_sentences(&p);
  put_box(&p);
  if (p.run->peak) {
    snug__out_text(&p.o, "\n");
    snug__out_chart(p.run, &p.o, p.ascii, p.columns);
  }
  if (p.run->epochs.n) {
    put_epochs(&p);
  }
  put_targets(&p);
  if (options->next) {
    snug__out_text(&p.o, "\nnext: ");
    snug__out_quoted(&p.o, quoting(&p), options->next);
    snug__out_text(&p.o, "\n");
  }
}
