/* Boxes, and bytes as people read them. */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "report/write.h"

static const char *or_empty(const char *text) { return text ? text : ""; }

const char *snug_bytes_text(uint64_t bytes, char out[SNUG_BYTES_TEXT]) {
  _Static_assert(SNUG_BYTES_TEXT == SNUG__NUMBER_BYTES, "room for the same text");
  return out ? snug__print_bytes(bytes, out) : "";
}

typedef struct part {
  const char *name;
  uint64_t bytes;
} part;

/* Insertion sort, largest first. */
static void sort_parts(part *parts, size_t n) {
  for (size_t i = 1; i < n; i++) {
    part p = parts[i];
    size_t k = i;
    for (; k > 0 && parts[k - 1].bytes < p.bytes; k--) {
      parts[k] = parts[k - 1];
    }
    parts[k] = p;
  }
}

void snug_memory_text(const snug_memory_report *report, bool ascii, char *out, size_t bytes) {
  const snug_memory_report *r = report ? report : &(const snug_memory_report){0};
  part parts[] = {{"weights", r->weights},     {"gradients", r->gradients},
                  {"optimizer", r->optimizer}, {"activations", r->activations},
                  {"scratch", r->scratch},     {"data", r->data},
                  {"callbacks", r->callbacks}, {"runtime", r->runtime}};
  const size_t n = sizeof parts / sizeof parts[0];
  snug__line line = {.n = 0};
  sort_parts(parts, n);
  for (size_t i = 0; i < n && parts[i].bytes; i++) {
    char text[SNUG_BYTES_TEXT];
    snug__line_add(&line, "%s%s %s", i ? (ascii ? ", " : " · ") : "", parts[i].name,
                   snug_bytes_text(parts[i].bytes, text));
  }
  if (out) {
    snprintf(out, bytes, "%.*s", (int)line.n, line.text);
  }
}

/* ---- boxes ---- */

#define LEAST_TEXT 20 /* columns, on the narrowest of terminals */

typedef struct frame {
  snug_sink *sink;
  void *user;
  bool ascii;
  size_t most;        /* columns that the terminal has; SIZE_MAX: any number */
  size_t label_width; /* of the widest label */
  size_t inner;       /* columns between the walls */
} frame;

static const char *separator(const frame *f) { return f->ascii ? ", " : " · "; }

static size_t columns_of(const char *text) { return snug__columns(text, strlen(text)); }

/* What is left of the width when this many columns are taken. */
static size_t room_beside(const frame *f, size_t taken) {
  return f->most > taken + LEAST_TEXT ? f->most - taken : LEAST_TEXT;
}

/* Columns that a text has beside the labels, and a line of the title. */
static size_t text_room(const frame *f) { return room_beside(f, f->label_width + 6); }
static size_t title_room(const frame *f) { return room_beside(f, 6); }

/* The columns of the widest line of a text. */
static size_t widest_line(const frame *f, const char *text, size_t room) {
  size_t widest = 0, next = 0;
  for (; *text; text += next) {
    size_t columns = snug__columns(text, snug__fit_columns(text, separator(f), room, &next));
    widest = columns > widest ? columns : widest;
  }
  return widest;
}

static void write_edge(const frame *f, const char *left, const char *title, size_t n,
                       const char *right) {
  snug__line line = {.n = 0};
  const char *dash = f->ascii ? "-" : "─";
  size_t used = n ? snug__columns(title, n) + 2 : 0;
  snug__line_add(&line, "%s%s", left, dash);
  snug__line_add(&line, n ? " %.*s " : "%.*s", (int)n, title);
  snug__line_repeat(&line, dash, f->inner > used + 1 ? f->inner - used - 1 : 0);
  snug__line_add(&line, "%s", right);
  snug__line_end(&line);
  f->sink(f->user, line.text, line.n);
}

static void write_line(const frame *f, const char *label, size_t width, const char *text,
                       size_t n) {
  snug__line line = {.n = 0};
  const char *wall = f->ascii ? "|" : "│";
  size_t used = 1 + width + snug__columns(text, n);
  snug__line_add(&line, "%s %s", wall, label);
  snug__line_repeat(&line, " ", width - columns_of(label));
  snug__line_add(&line, "%.*s", (int)n, text);
  snug__line_repeat(&line, " ", f->inner > used ? f->inner - used : 0);
  snug__line_add(&line, "%s", wall);
  snug__line_end(&line);
  f->sink(f->user, line.text, line.n);
}

/* What does not fit goes on in lines without the label. */
static void write_row(const frame *f, const snug_box_row *row) {
  const char *label = or_empty(row->label);
  const char *text = or_empty(row->text);
  size_t next = 0;
  do {
    size_t n = snug__fit_columns(text, separator(f), text_room(f), &next);
    write_line(f, label, f->label_width + 2, text, n);
    label = "";
    text += next;
  } while (*text);
}

/* The title, as far as it fits, in the upper edge, and the rest of it below. */
static void write_title(const frame *f, const char *title) {
  size_t next = 0;
  size_t n = snug__fit_columns(title, separator(f), title_room(f), &next);
  write_edge(f, f->ascii ? "+" : "╭", title, n, f->ascii ? "+" : "╮");
  for (title += next; *title; title += next) {
    n = snug__fit_columns(title, separator(f), title_room(f), &next);
    write_line(f, "", 0, title, n);
  }
}

void snug_box(snug_sink *sink, void *user, bool ascii, size_t columns, const char *title,
              const snug_box_row *rows, size_t n_rows) {
  frame f = {sink, user, ascii, columns ? columns : SIZE_MAX, 0, 0};
  if (!sink) {
    return;
  }
  n_rows = rows ? n_rows : 0;
  for (size_t i = 0; i < n_rows; i++) {
    size_t label = columns_of(or_empty(rows[i].label));
    f.label_width = label > f.label_width ? label : f.label_width;
  }
  f.inner = widest_line(&f, or_empty(title), title_room(&f)) + 4;
  for (size_t i = 0; i < n_rows; i++) {
    size_t inner = f.label_width + 4 + widest_line(&f, or_empty(rows[i].text), text_room(&f));
    f.inner = inner > f.inner ? inner : f.inner;
  }
  write_title(&f, or_empty(title));
  for (size_t i = 0; i < n_rows; i++) {
    write_row(&f, &rows[i]);
  }
  write_edge(&f, ascii ? "+" : "╰", "", 0, ascii ? "+" : "╯");
}
