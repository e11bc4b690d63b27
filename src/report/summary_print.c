/* A summary as text: Keras's table with our columns, Keras's totals, and a box with ours. */
#include <stdio.h>
#include <string.h>

#include "report/summary.h"
#include "report/write.h"

typedef struct page {
  const snug_summary *s;
  snug_sink *sink;
  void *user;
  bool ascii;
  size_t columns; /* 0: as wide as it gets */
} page;

static void end_line(const page *p, snug__line *line) {
  snug__line_end(line);
  p->sink(p->user, line->text, line->n);
}

/* ---- totals ---- */

static void write_count(const page *p, const char *label, const snug_summary_count *c) {
  snug__line line = {.n = 0};
  char number[32];
  char bytes[SNUG_BYTES_TEXT];
  snug__line_add(&line, " %s params: %s (%s)", label, snug__commas_text(c->parameters, number),
                 snug_bytes_text(c->bytes, bytes));
  end_line(p, &line);
}

/* As Keras: the optimizer's count among all. */
static void write_counts(const page *p) {
  const snug_summary_totals *a = &p->s->totals;
  snug_summary_count all = {a->weights.parameters + a->optimizer.parameters,
                            a->weights.bytes + a->optimizer.bytes};
  write_count(p, "Total", &all);
  write_count(p, "Trainable", &a->trainable);
  write_count(p, "Non-trainable", &a->frozen);
  if (a->is_compiled) {
    write_count(p, "Optimizer", &a->optimizer);
  }
}

static void write_box(const page *p) {
  const snug_summary_totals *a = &p->s->totals;
  char text[4][160];
  char title[64];
  char n[32];
  char macs[32];
  char bytes[SNUG_BYTES_TEXT];
  const char *unknown = "not known: the model is not compiled";
  snprintf(title, sizeof title, "batch %lld", (long long)a->batch);
  snprintf(text[0], sizeof text[0], "%s (%s)", snug__commas_text(a->weights.parameters, n),
           snug_bytes_text(a->weights.bytes, bytes));
  snprintf(text[1], sizeof text[1], "%s for one sample forward (%s MACs)",
           snug__unit_text(a->flops, n), snug__unit_text(a->flops / 2.0, macs));
  snprintf(text[2], sizeof text[2], "%s made in the forward pass and kept for the backward pass",
           snug_bytes_text(a->saved_bytes, bytes));
  snprintf(text[3], sizeof text[3], "%s while training with %s, without the data set",
           snug_bytes_text(a->peak_bytes, bytes), p->s->optimizer ? p->s->optimizer : "");
  const snug_box_row rows[] = {{"parameters", text[0]},
                               {"FLOPs", text[1]},
                               {"activations", a->is_compiled ? text[2] : unknown},
                               {"peak memory", a->is_compiled ? text[3] : unknown}};
  snug_box(p->sink, p->user, p->ascii, p->columns, title, rows, sizeof rows / sizeof rows[0]);
}

void snug_summary_print(const snug_summary *s, snug_sink *sink, void *user, bool ascii,
                        int32_t width) {
  const page p = {s, sink, user, ascii, width > 0 ? (size_t)width : 0};
  snug__line line = {.n = 0};
  if (!s || !sink) {
    return;
  }
  snug__line_add(&line, "Model: \"%s\"", s->model);
  end_line(&p, &line);
  snug__summary_table(s, sink, user, ascii, p.columns);
  write_counts(&p);
  write_box(&p);
}
