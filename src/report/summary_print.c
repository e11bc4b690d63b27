/* A summary as text: Keras's table with our columns, Keras's totals, and a box with ours. */
#include <stdio.h>
#include <string.h>

#include "report/summary.h"
#include "report/write.h"

#define CELL_BYTES 512
#define MOST_COLUMNS 60 /* of one column of the table */
#define LEAST_COLUMNS 12

typedef enum column {
  COLUMN_LAYER,
  COLUMN_SHAPE,
  COLUMN_PARAMETERS,
  COLUMN_OUTPUT,
  COLUMN_SAVED,
  COLUMN_FLOPS,
  COLUMN_TRAINABLE,
  COLUMN_CONNECTED,
  COLUMN_COUNT
} column;

static const char *const titles[COLUMN_COUNT] = {"Layer (type)", "Output Shape", "Param #",
                                                 "Output",       "Saved",        "FLOPs",
                                                 "Trainable",    "Connected to"};

typedef struct table {
  const snug_summary *s;
  snug_sink *sink;
  void *user;
  bool ascii;
  size_t width[COLUMN_COUNT]; /* 0: the column is left out */
} table;

static bool is_number(column c) {
  return c == COLUMN_PARAMETERS || c == COLUMN_OUTPUT || c == COLUMN_SAVED || c == COLUMN_FLOPS;
}

/* "1,199,882" */
static const char *with_commas(uint64_t n, char out[32]) {
  char digits[32];
  int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
  int k = 0;
  for (int i = 0; i < length; i++) {
    if (i && (length - i) % 3 == 0) {
      out[k++] = ',';
    }
    out[k++] = digits[i];
  }
  out[k] = 0;
  return out;
}

/* "24.3 M", as papers write it. */
static const char *with_unit(double n, char out[32]) {
  static const char *const units[] = {"", " K", " M", " G", " T", " P"};
  int unit = 0;
  while (n >= 999.5 && unit < 5) {
    n /= 1000.0;
    unit++;
  }
  snprintf(out, 32, unit && n < 99.95 ? "%.1f%s" : "%.0f%s", n, units[unit]);
  return out;
}

static void shape_text(const snug_summary_row *r, char *out, size_t bytes) {
  size_t n = (size_t)snprintf(out, bytes, "(None");
  for (int32_t i = 0; i < r->rank && n < bytes; i++) {
    n += (size_t)snprintf(out + n, bytes - n, ", %lld", (long long)r->shape[i]);
  }
  if (n < bytes) {
    snprintf(out + n, bytes - n, r->rank ? ")" : ",)");
  }
}

static void cell_text(const snug_summary_row *r, column c, char out[CELL_BYTES]) {
  char text[32];
  switch (c) {
    case COLUMN_LAYER:
      snprintf(out, CELL_BYTES, "%s (%s)", r->name, r->class_name);
      return;
    case COLUMN_SHAPE:
      shape_text(r, out, CELL_BYTES);
      return;
    case COLUMN_PARAMETERS:
      snprintf(out, CELL_BYTES, "%s", with_commas(r->parameters, text));
      return;
    case COLUMN_OUTPUT:
      snug_bytes_text(r->output_bytes, out);
      return;
    case COLUMN_SAVED:
      snprintf(out, CELL_BYTES, "%s", r->saved_bytes ? snug_bytes_text(r->saved_bytes, text) : "0");
      return;
    case COLUMN_FLOPS:
      snprintf(out, CELL_BYTES, "%s", with_unit(r->flops, text));
      return;
    case COLUMN_TRAINABLE:
      snprintf(out, CELL_BYTES, "%s", !r->parameters ? "-" : r->trainable ? "Y" : "N");
      return;
    case COLUMN_CONNECTED:
      snprintf(out, CELL_BYTES, "%s", *r->connected ? r->connected : "-");
      return;
    case COLUMN_COUNT:
      break;
  }
  out[0] = 0;
}

static bool is_shown(const snug_summary *s, column c) {
  return c == COLUMN_SAVED       ? s->totals.is_compiled
         : c == COLUMN_TRAINABLE ? s->has_frozen
         : c == COLUMN_CONNECTED ? !s->is_chain
                                 : true;
}

static void measure(table *t) {
  char text[CELL_BYTES];
  for (column c = 0; c < COLUMN_COUNT; c++) {
    size_t most = is_shown(t->s, c) ? strlen(titles[c]) : 0;
    for (size_t i = 0; most && i < t->s->n; i++) {
      cell_text(&t->s->rows[i], c, text);
      size_t n = snug__columns(text, strlen(text));
      most = n > most ? n : most;
    }
    t->width[c] = most < MOST_COLUMNS ? most : MOST_COLUMNS;
  }
}

static size_t total_width(const table *t) {
  size_t sum = 1;
  for (column c = 0; c < COLUMN_COUNT; c++) {
    sum += t->width[c] ? t->width[c] + 3 : 0;
  }
  return sum;
}

/* Cut the wider of the texts until the table fits, or nothing more can be cut. */
static void narrow(table *t, size_t width) {
  size_t *a = &t->width[COLUMN_LAYER];
  size_t *b = &t->width[COLUMN_CONNECTED];
  while (total_width(t) > width) {
    size_t *wider = *b > *a ? b : a;
    if (*wider <= LEAST_COLUMNS) {
      return;
    }
    (*wider)--;
  }
}

/* ---- lines ---- */

/* The pieces of a horizontal line: left end, line, crossing, right end. */
typedef struct edge {
  const char *left, *line, *cross, *right;
} edge;

static const edge plain = {"+", "-", "+", "+"};
static const edge plain_double = {"+", "=", "+", "+"};
static const edge top = {"┏", "━", "┳", "┓"};
static const edge below_titles = {"┡", "━", "╇", "┩"};
static const edge bottom = {"└", "─", "┴", "┘"};

static void end_line(const table *t, snug__line *line) {
  snug__line_end(line);
  t->sink(t->user, line->text, line->n);
}

static void write_edge(const table *t, const edge *e) {
  snug__line line = {.n = 0};
  bool is_first = true;
  for (column c = 0; c < COLUMN_COUNT; c++) {
    if (t->width[c]) {
      snug__line_add(&line, "%s", is_first ? e->left : e->cross);
      snug__line_repeat(&line, e->line, t->width[c] + 2);
      is_first = false;
    }
  }
  snug__line_add(&line, "%s", e->right);
  end_line(t, &line);
}

/* The bytes of a text that take so many columns at most. */
static size_t bytes_of_columns(const char *text, size_t columns) {
  size_t n = strlen(text);
  while (n && (snug__columns(text, n) > columns || ((unsigned char)text[n] & 0xC0u) == 0x80u)) {
    n--;
  }
  return n;
}

static void write_cell(const table *t, snug__line *line, const char *text, column c) {
  size_t width = t->width[c];
  size_t used = snug__columns(text, strlen(text));
  size_t blanks = used < width ? width - used : 0;
  if (is_number(c)) {
    snug__line_repeat(line, " ", blanks);
    blanks = 0;
  }
  if (used <= width) {
    snug__line_add(line, "%s", text);
  } else {
    snug__line_add(line, "%.*s%s", (int)bytes_of_columns(text, width - 1), text,
                   t->ascii ? "~" : "…");
  }
  snug__line_repeat(line, " ", blanks);
}

static void write_row(const table *t, const snug_summary_row *r, const char *wall) {
  snug__line line = {.n = 0};
  char text[CELL_BYTES];
  for (column c = 0; c < COLUMN_COUNT; c++) {
    if (t->width[c]) {
      if (r) {
        cell_text(r, c, text);
      }
      snug__line_add(&line, "%s ", wall);
      write_cell(t, &line, r ? text : titles[c], c);
      snug__line_add(&line, " ");
    }
  }
  snug__line_add(&line, "%s", wall);
  end_line(t, &line);
}

static void write_table(const table *t) {
  write_edge(t, t->ascii ? &plain : &top);
  write_row(t, NULL, t->ascii ? "|" : "┃");
  write_edge(t, t->ascii ? &plain_double : &below_titles);
  for (size_t i = 0; i < t->s->n; i++) {
    write_row(t, &t->s->rows[i], t->ascii ? "|" : "│");
  }
  write_edge(t, t->ascii ? &plain : &bottom);
}

/* ---- totals ---- */

static void write_count(const table *t, const char *label, const snug_summary_count *c) {
  snug__line line = {.n = 0};
  char number[32];
  char bytes[SNUG_BYTES_TEXT];
  snug__line_add(&line, " %s params: %s (%s)", label, with_commas(c->parameters, number),
                 snug_bytes_text(c->bytes, bytes));
  end_line(t, &line);
}

/* As Keras: the optimizer's count among all. */
static void write_counts(const table *t) {
  const snug_summary_totals *a = &t->s->totals;
  snug_summary_count all = {a->weights.parameters + a->optimizer.parameters,
                            a->weights.bytes + a->optimizer.bytes};
  write_count(t, "Total", &all);
  write_count(t, "Trainable", &a->trainable);
  write_count(t, "Non-trainable", &a->frozen);
  if (a->is_compiled) {
    write_count(t, "Optimizer", &a->optimizer);
  }
}

static void write_box(const table *t) {
  const snug_summary_totals *a = &t->s->totals;
  char text[4][160];
  char title[64];
  char n[32];
  char macs[32];
  char bytes[SNUG_BYTES_TEXT];
  const char *unknown = "not known: the model is not compiled";
  snprintf(title, sizeof title, "batch %lld", (long long)a->batch);
  snprintf(text[0], sizeof text[0], "%s (%s)", with_commas(a->weights.parameters, n),
           snug_bytes_text(a->weights.bytes, bytes));
  snprintf(text[1], sizeof text[1], "%s for one sample forward (%s MACs)", with_unit(a->flops, n),
           with_unit(a->flops / 2.0, macs));
  snprintf(text[2], sizeof text[2], "%s made in the forward pass and kept for the backward pass",
           snug_bytes_text(a->saved_bytes, bytes));
  snprintf(text[3], sizeof text[3], "%s while training with %s, without the data set",
           snug_bytes_text(a->peak_bytes, bytes), t->s->optimizer ? t->s->optimizer : "");
  const snug_box_row rows[] = {{"parameters", text[0]},
                               {"FLOPs", text[1]},
                               {"activations", a->is_compiled ? text[2] : unknown},
                               {"peak memory", a->is_compiled ? text[3] : unknown}};
  snug_box(t->sink, t->user, t->ascii, title, rows, sizeof rows / sizeof rows[0]);
}

void snug_summary_print(const snug_summary *s, snug_sink *sink, void *user, bool ascii,
                        int32_t width) {
  table t = {.s = s, .sink = sink, .user = user, .ascii = ascii};
  snug__line line = {.n = 0};
  if (!s || !sink) {
    return;
  }
  measure(&t);
  if (width > 0) {
    narrow(&t, (size_t)width);
  }
  snug__line_add(&line, "Model: \"%s\"", s->model);
  end_line(&t, &line);
  write_table(&t);
  write_counts(&t);
  write_box(&t);
}
