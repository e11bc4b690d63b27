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

const char *snug_least_text(uint64_t bytes, char out[SNUG_BYTES_TEXT]) {
  return out ? snug__print_least(bytes, out) : "";
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

typedef struct frame {
  snug_sink *sink;
  void *user;
  bool ascii;
  size_t inner; /* columns between the walls */
} frame;

static void write_edge(const frame *f, const char *left, const char *title, const char *right) {
  snug__line line = {.n = 0};
  const char *dash = f->ascii ? "-" : "─";
  size_t used = snug__columns(title, strlen(title));
  snug__line_add(&line, "%s%s%s", left, dash, title);
  snug__line_repeat(&line, dash, f->inner > used + 1 ? f->inner - used - 1 : 0);
  snug__line_add(&line, "%s", right);
  snug__line_end(&line);
  f->sink(f->user, line.text, line.n);
}

static void write_row(const frame *f, size_t label_width, const snug_box_row *row) {
  snug__line line = {.n = 0};
  const char *name = or_empty(row->label);
  const char *text = or_empty(row->text);
  const char *wall = f->ascii ? "|" : "│";
  size_t label = snug__columns(name, strlen(name));
  size_t used = label_width + 4 + snug__columns(text, strlen(text));
  snug__line_add(&line, "%s %s", wall, name);
  snug__line_repeat(&line, " ", label_width - label + 2);
  snug__line_add(&line, "%s", text);
  snug__line_repeat(&line, " ", f->inner + 1 > used ? f->inner + 1 - used : 0);
  snug__line_add(&line, "%s", wall);
  snug__line_end(&line);
  f->sink(f->user, line.text, line.n);
}

void snug_box(snug_sink *sink, void *user, bool ascii, const char *title, const snug_box_row *rows,
              size_t n_rows) {
  char spaced[SNUG__LINE_BYTES];
  size_t label_width = 0;
  size_t text_width = 0;
  if (!sink) {
    return;
  }
  n_rows = rows ? n_rows : 0;
  for (size_t i = 0; i < n_rows; i++) {
    size_t label = snug__columns(or_empty(rows[i].label), strlen(or_empty(rows[i].label)));
    size_t text = snug__columns(or_empty(rows[i].text), strlen(or_empty(rows[i].text)));
    label_width = label > label_width ? label : label_width;
    text_width = text > text_width ? text : text_width;
  }
  snprintf(spaced, sizeof spaced, " %s ", or_empty(title));
  size_t title_width = snug__columns(spaced, strlen(spaced)) + 2;
  size_t inner = label_width + text_width + 4;
  frame f = {sink, user, ascii, inner > title_width ? inner : title_width};
  write_edge(&f, ascii ? "+" : "╭", spaced, ascii ? "+" : "╮");
  for (size_t i = 0; i < n_rows; i++) {
    write_row(&f, label_width, &rows[i]);
  }
  write_edge(&f, ascii ? "+" : "╰", "", ascii ? "+" : "╯");
}
