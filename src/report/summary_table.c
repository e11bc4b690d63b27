/* The table of a summary.  A cell that is wider than its column goes on in the lines below, as in
 * Keras; then lines stand between the rows.  Where the terminal has no room for all columns, those
 * that matter least are left out, and that is said. */
#include <stdio.h>
#include <string.h>

#include "report/summary.h"
#include "report/write.h"

#define CELL_BYTES 512
#define MOST_COLUMNS 60 /* of one column of the table */

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

/* What a column may be narrowed to; 0: it is not. */
static const size_t least_width[COLUMN_COUNT] = {
    [COLUMN_LAYER] = 16, [COLUMN_SHAPE] = 12, [COLUMN_CONNECTED] = 14};

/* Which columns are taken first where there is little room. */
static const column by_worth[COLUMN_COUNT] = {COLUMN_LAYER, COLUMN_SHAPE,     COLUMN_PARAMETERS,
                                              COLUMN_SAVED, COLUMN_CONNECTED, COLUMN_TRAINABLE,
                                              COLUMN_FLOPS, COLUMN_OUTPUT};
#define ALWAYS 3 /* of these */

typedef struct table {
  const snug_summary *s;
  snug_sink *sink;
  void *user;
  bool ascii;
  bool is_ruled;              /* lines stand between the rows */
  size_t width[COLUMN_COUNT]; /* 0: the column is left out */
} table;

static bool is_number(column c) {
  return c == COLUMN_PARAMETERS || c == COLUMN_OUTPUT || c == COLUMN_SAVED || c == COLUMN_FLOPS;
}

/* ---- cells ---- */

const char *snug__commas_text(uint64_t n, char out[32]) {
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

const char *snug__unit_text(double n, char out[32]) {
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

/* The text of a cell; `out` is room for one that is made. */
static const char *cell_text(const snug_summary_row *r, column c, char out[CELL_BYTES]) {
  switch (c) {
    case COLUMN_LAYER:
      snprintf(out, CELL_BYTES, "%s (%s)", r->name, r->class_name);
      return out;
    case COLUMN_SHAPE:
      shape_text(r, out, CELL_BYTES);
      return out;
    case COLUMN_PARAMETERS:
      return snug__commas_text(r->parameters, out);
    case COLUMN_OUTPUT:
      return snug_bytes_text(r->output_bytes, out);
    case COLUMN_SAVED:
      return r->saved_bytes ? snug_bytes_text(r->saved_bytes, out) : "0";
    case COLUMN_FLOPS:
      return snug__unit_text(r->flops, out);
    case COLUMN_TRAINABLE:
      return !r->parameters ? "-" : r->trainable ? "Y" : "N";
    case COLUMN_CONNECTED:
      return *r->connected ? r->connected : "-";
    case COLUMN_COUNT:
      break;
  }
  return "";
}

/* ---- widths ---- */

static bool is_wanted(const snug_summary *s, column c) {
  return c == COLUMN_SAVED       ? s->totals.is_compiled
         : c == COLUMN_TRAINABLE ? s->has_frozen
         : c == COLUMN_CONNECTED ? !s->is_chain
                                 : true;
}

/* The columns that a column of the table takes by itself. */
static size_t width_of(const snug_summary *s, column c) {
  char text[CELL_BYTES];
  size_t most = strlen(titles[c]);
  for (size_t i = 0; i < s->n; i++) {
    const char *cell = cell_text(&s->rows[i], c, text);
    size_t n = snug__columns(cell, strlen(cell));
    most = n > most ? n : most;
  }
  return most < MOST_COLUMNS ? most : MOST_COLUMNS;
}

static size_t narrowest(size_t width, column c) {
  return least_width[c] && least_width[c] < width ? least_width[c] : width;
}

/* Take columns while their narrowest has room; returns what the narrowest table with all of the
 * columns would take. */
static size_t choose(table *t, size_t columns) {
  size_t used = 1, all = 1;
  for (size_t i = 0; i < COLUMN_COUNT; i++) {
    column c = by_worth[i];
    size_t width = is_wanted(t->s, c) ? width_of(t->s, c) : 0;
    size_t least = width ? narrowest(width, c) + 3 : 0;
    all += least;
    if (i < ALWAYS || used + least <= columns) {
      t->width[c] = width;
      used += least;
    }
  }
  return all;
}

static size_t total_width(const table *t) {
  size_t sum = 1;
  for (column c = 0; c < COLUMN_COUNT; c++) {
    sum += t->width[c] ? t->width[c] + 3 : 0;
  }
  return sum;
}

/* Narrow the widest of the columns that may be until the table fits. */
static void narrow(table *t, size_t columns) {
  size_t total = total_width(t);
  for (; total > columns; total--) {
    column widest = COLUMN_COUNT;
    for (column c = 0; c < COLUMN_COUNT; c++) {
      bool can = t->width[c] > narrowest(t->width[c], c);
      widest = can && (widest == COLUMN_COUNT || t->width[c] > t->width[widest]) ? c : widest;
    }
    if (widest == COLUMN_COUNT) {
      return;
    }
    t->width[widest]--;
  }
}

/* Whether a cell goes on in a second line. */
static bool is_any_wrapped(const table *t) {
  char text[CELL_BYTES];
  for (size_t i = 0; i < t->s->n; i++) {
    for (column c = 0; c < COLUMN_COUNT; c++) {
      const char *cell = cell_text(&t->s->rows[i], c, text);
      if (t->width[c] && snug__columns(cell, strlen(cell)) > t->width[c]) {
        return true;
      }
    }
  }
  return false;
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
static const edge between = {"├", "─", "┼", "┤"};
static const edge bottom = {"└", "─", "┴", "┘"};

static void end_line(const table *t, snug__line *line) {
  snug__line_end(line);
  t->sink(t->user, line->text, line->n);
}

static void write_edge(const table *t, const edge *unicode, const edge *ascii) {
  const edge *e = t->ascii ? ascii : unicode;
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

/* The piece of a cell that stands in one line; returns where the rest of it begins. */
static size_t write_piece(const table *t, snug__line *line, const char *text, column c) {
  size_t next = 0;
  size_t n = snug__fit_columns(text, NULL, t->width[c], &next);
  size_t used = snug__columns(text, n);
  size_t blanks = used < t->width[c] ? t->width[c] - used : 0;
  snug__line_repeat(line, " ", is_number(c) ? blanks : 0);
  snug__line_add(line, "%.*s", (int)n, text);
  snug__line_repeat(line, " ", is_number(c) ? 0 : blanks);
  return next;
}

/* A row of the table, NULL for the titles: as many lines as its longest cell takes. */
static void write_row(const table *t, const snug_summary_row *r, const char *wall) {
  size_t at[COLUMN_COUNT] = {0};
  bool has_more = true;
  while (has_more) {
    snug__line line = {.n = 0};
    has_more = false;
    for (column c = 0; c < COLUMN_COUNT; c++) {
      char text[CELL_BYTES];
      const char *cell = r ? cell_text(r, c, text) : titles[c];
      if (t->width[c]) {
        snug__line_add(&line, "%s ", wall);
        at[c] += write_piece(t, &line, cell + at[c], c);
        snug__line_add(&line, " ");
        has_more = has_more || cell[at[c]];
      }
    }
    snug__line_add(&line, "%s", wall);
    end_line(t, &line);
  }
}

/* " Left out for want of room: Output, FLOPs (all take 94 columns)" */
static void write_left_out(const table *t, size_t columns, size_t all) {
  snug__line names = {.n = 0};
  size_t next = 0;
  for (column c = 0; c < COLUMN_COUNT; c++) {
    if (!t->width[c] && is_wanted(t->s, c)) {
      snug__line_add(&names, names.n ? ", %s" : "Left out for want of room: %s", titles[c]);
    }
  }
  if (names.n) {
    snug__line_add(&names, " (all take %zu columns)", all);
  }
  for (const char *text = names.text; names.n && *text; text += next) {
    snug__line line = {.n = 0};
    snug__line_add(&line, " %.*s", (int)snug__fit_columns(text, NULL, columns - 1, &next), text);
    end_line(t, &line);
  }
}

void snug__summary_table(const snug_summary *s, snug_sink *sink, void *user, bool ascii,
                         size_t columns) {
  table t = {.s = s, .sink = sink, .user = user, .ascii = ascii};
  size_t all = choose(&t, columns ? columns : SIZE_MAX);
  narrow(&t, columns ? columns : SIZE_MAX);
  t.is_ruled = columns && is_any_wrapped(&t);
  write_edge(&t, &top, &plain);
  write_row(&t, NULL, ascii ? "|" : "┃");
  write_edge(&t, &below_titles, &plain_double);
  for (size_t i = 0; i < s->n; i++) {
    if (i && t.is_ruled) {
      write_edge(&t, &between, &plain);
    }
    write_row(&t, &s->rows[i], ascii ? "|" : "│");
  }
  write_edge(&t, &bottom, &plain);
  write_left_out(&t, columns, all);
}
