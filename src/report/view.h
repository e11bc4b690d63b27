/* The inside of a view: runs, and what rules say of them.  Each form is a file of its own and a
 * pure function of this value. */
#ifndef SNUG_REPORT_VIEW_H
#define SNUG_REPORT_VIEW_H

#include "base/arena.h"
#include "report/run.h"
#include "snug/tools/view.h"

/* One run under one rule. */
typedef struct snug__judgement {
  snug_view_rule rule;
  size_t run;
  double value; /* NaN: the run has no such figure */
  double bound; /* that it may reach; NaN: the first run has no such figure */
  bool holds;
} snug__judgement;

struct snug_view {
  snug_ctx *ctx;
  snug__arena texts;
  snug__run *runs;
  size_t n, room; /* runs that are there, and that there is room for */
  snug__vec judgements;
  snug__vec values; /* const char *: names of the values that any run has in its last epoch */
};

const snug__judgement *snug__view_judgement(const snug_view *view, size_t i);

/* Whether any run has it. */
bool snug__view_has_figure(const snug_view *view, const char *figure);

/* Whether a figure of this name is a number of bytes, or of seconds. */
bool snug__figure_is_bytes(const char *name);
bool snug__figure_is_seconds(const char *name);
const char *snug__figure_text(const char *name, double value, char out[SNUG__TIME_BYTES]);

/* "peak:+5%: student.snug has 1.14 GiB, at most 1.10 GiB" */
void snug__judgement_text(const snug_view *view, const snug__judgement *j, snug_quoting how,
                          snug__line *line);

/* The i-th of the values, or NULL.  Memory, which is shown anyway, is not among them. */
const char *snug__view_value_name(const snug_view *view, size_t i);

/* The name of a file without its folders. */
const char *snug__short_name(const char *name);

/* ---- forms ---- */

void snug__view_text(const snug_view *view, const snug_view_options *options);
void snug__compare_text(const snug_view *view, const snug_view_options *options);
void snug__view_json(const snug_view *view, const snug__out *o);
void snug__view_csv(const snug_view *view, const snug__out *o);
void snug__view_trace(const snug_view *view, const snug__out *o);
void snug__view_html(const snug_view *view, const snug__out *o);
void snug__compare_html(const snug_view *view, const snug__out *o);

/* ---- what several forms draw ---- */

/* Bytes over time in equal pieces of it: the highest of each piece; where a piece has no moment,
 * what was before it. */
typedef enum snug__curve { SNUG__CURVE_RESIDENT, SNUG__CURVE_HELD, SNUG__CURVE_DEVICE } snug__curve;
void snug__run_curve(const snug__run *run, snug__curve which, double seconds, uint64_t *out,
                     size_t n);

/* The memory of a run over time as characters (chart.c). */
void snug__out_chart(const snug__run *run, const snug__out *o, bool ascii, size_t columns);

/* A bar that is a part of this many columns, to the eighth of one; returns the columns it takes. */
size_t snug__out_bar(const snug__out *o, double part, size_t columns, bool ascii);

#endif
