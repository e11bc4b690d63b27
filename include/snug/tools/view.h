/* Recordings for people and programs: a report of one run, or a comparison of several.
 *
 * A view is created once and written in any number of formats; writing allocates nothing and cannot
 * fail.  Its recordings must outlive it.  Strings in recordings are untrusted: every format quotes
 * them as snug_quote does. */
#ifndef SNUG_TOOLS_VIEW_H
#define SNUG_TOOLS_VIEW_H

#include "snug/tools/record.h"
#include "snug/tools/report.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snug_view snug_view;

/* The version of what SNUG_VIEW_JSON has; it changes when a member changes its meaning or goes. */
#define SNUG_VIEW_SCHEMA 1

#define SNUG_VIEW_MOST 64 /* recordings in a view */

/* Create a view of n recordings: a report of one, or a comparison with the first. names: the name
 * of each, such as its file; copied.  Owns: the caller destroys *out with snug_view_destroy before
 * the recordings.  Fails: E_ARGUMENT (none, or more than SNUG_VIEW_MOST), E_MEMORY, E_LIMIT,
 * E_OVERFLOW. */
SNUG_API snug_status snug_view_create(snug_ctx *ctx, const snug_recording *const *recordings,
                                      const char *const *names, size_t n,
                                      snug_view **out) SNUG_NODISCARD;
SNUG_API void snug_view_destroy(snug_view *view); /* NULL is allowed */

/* A number of one run: "peak" (bytes of the process or the processes), "held" (of them, those that
 * Snug allocated), "device" (on accelerators), "time" (seconds), "step" (seconds between two
 * batches, on the average), "epochs", or the last value of that name, such as "loss".  NaN where
 * the recording has none. */
SNUG_API double snug_view_figure(const snug_view *view, size_t run, const char *name);

/* ---- rules ---- */

/* A bound for a figure: at most so much, or so much above or below the first run (then that one
 * itself is not judged). */
typedef enum snug_view_bound {
  SNUG_VIEW_AT_MOST,
  SNUG_VIEW_ABOVE,      /* no more than `limit` above the first */
  SNUG_VIEW_BELOW,      /* no more than `limit` below it */
  SNUG_VIEW_ABOVE_PART, /* the same as parts of the first: 0.05 for 5 % */
  SNUG_VIEW_BELOW_PART
} snug_view_bound;

typedef struct snug_view_rule {
  const char *text; /* as it is shown: "peak:+5%" */
  const char *figure;
  snug_view_bound bound;
  double limit;
} snug_view_rule;

/* Judge the runs by a rule; what comes of it is part of every form but CSV and traces.  The texts
 * are copied.  A run without the figure breaks the rule.  Fails:
 * E_ARGUMENT, E_MEMORY, E_LIMIT, E_OVERFLOW. */
SNUG_API snug_status snug_view_judge(snug_view *view, const snug_view_rule *rule) SNUG_NODISCARD;

/* How many runs broke a rule, over all rules. */
SNUG_API size_t snug_view_broken(const snug_view *view);

/* ---- forms ---- */

typedef enum snug_view_form {
  SNUG_VIEW_TEXT,  /* for a terminal */
  SNUG_VIEW_JSON,  /* docs/schema/report.json, docs/schema/compare.json */
  SNUG_VIEW_CSV,   /* one run: a row per moment.  Several: a row per run */
  SNUG_VIEW_TRACE, /* Perfetto's and Chrome's JSON: counters, and spans of epochs, validation, saves
                    */
  SNUG_VIEW_HTML   /* one page that needs nothing else */
} snug_view_form;

typedef struct snug_view_options {
  size_t struct_size;
  snug_sink *sink;
  void *user;
  bool ascii;       /* TEXT: no characters beyond ASCII */
  size_t columns;   /* TEXT: of the terminal; 0: 80 */
  const char *next; /* TEXT: the next useful command, as last line; NULL: none */
} snug_view_options;

SNUG_API void snug_view_write(const snug_view *view, snug_view_form form,
                              const snug_view_options *options);

/* The verdict on one run, in one line, into out (cut to fit). */
SNUG_API void snug_view_verdict(const snug_view *view, size_t run, bool ascii, char *out,
                                size_t bytes);

/* Write event files for TensorBoard, laid out as Keras does: train/ and validation/ in the folder,
 * of several runs in a folder per run.  Files of the same run that are there are replaced only if
 * `replace` is set.  Fails: E_IO, E_OVERFLOW (a path), E_MEMORY, E_LIMIT; complete files stay. */
SNUG_API snug_status snug_view_tensorboard(const snug_view *view, const char *folder,
                                           bool replace) SNUG_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
