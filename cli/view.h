/* What `snug report` and `snug compare` share: opening recordings, and the forms they are shown in.
 */
#ifndef SNUG_CLI_VIEW_H
#define SNUG_CLI_VIEW_H

#include "terminal.h"

typedef struct view_outputs {
  const char *output; /* -o: its ending, or an option, says in which form */
  const char *html;   /* "": beside the recording */
  const char *trace;
  const char *tensorboard;
  bool csv, force;
} view_outputs;

typedef struct view_options {
  const char *recording; /* report */
  cli_list recordings;   /* compare */
  cli_list fail_on;
  view_outputs out;
  cli_common common;
} view_options;

/* clang-format off */
#define VIEW_AT(member) offsetof(view_options, member)
#define VIEW_OUTPUT_OPTIONS(name)                                                                  \
  {"html", 0, CLI_FILE_MAYBE, "FILE", "html", "Output", VIEW_AT(out.html),                         \
   "write one self-contained page (" name ".html). Any browser opens it, without a network"},     \
  {"trace", 0, CLI_FILE_MAYBE, "FILE", "json", NULL, VIEW_AT(out.trace),                           \
   "write a trace for ui.perfetto.dev or chrome://tracing (" name ".trace.json): memory as "       \
   "counters, epochs, validations and saves as spans"},                                            \
  {"tensorboard", 0, CLI_FOLDER, "DIR", NULL, NULL, VIEW_AT(out.tensorboard),                      \
   "write event files to DIR in Keras's layout: train and validation"},                       \
  {"csv", 0, CLI_FLAG, NULL, NULL, NULL, VIEW_AT(out.csv), "print CSV. Bytes are integers, "      \
  "unknown values are empty"},                                                                    \
  {"output", 'o', CLI_FILE, "FILE", "html csv json", NULL, VIEW_AT(out.output),                    \
   "write to FILE, in the format of its ending (.html, .csv, .json) or of --html, --csv, "        \
   "--json or --trace"},                                                                          \
  {"force", 'f', CLI_FLAG, NULL, NULL, NULL, VIEW_AT(out.force), "replace files that exist"},      \
  {"json", 0, CLI_FLAG, NULL, NULL, NULL, VIEW_AT(common.json),                                    \
   "print the result as one JSON object. Bytes are integers, unknown values are null"}, \
  {"quiet", 'q', CLI_FLAG, NULL, NULL, NULL, VIEW_AT(common.quiet), "no notes"}
/* clang-format on */

/* A verb: parse its options and give them to run_with, which reports and returns an exit code. */
int view_run(const cli_verb *verb, int n_args, char **args, int (*run_with)(const view_options *o));

/* Open n recordings, judge them by --fail-on and write what is asked for.  `stem`: what files are
 * called that have no name of their own, such as "run" for run.html.  Reports; returns an exit
 * code.
 */
int view_show(const view_options *o, const char *const *paths, size_t n, const char *stem,
              const char *verb);

/* A view and what it is of. */
typedef struct view_judged {
  snug_ctx *ctx;
  snug_view *view;
  const snug_recording *const *recordings;
  size_t n;
} view_judged;

/* Judge a view by rules such as peak:+5%.  Reports; returns 0 or an exit code: CLI_USAGE for a rule
 * that is none, or about what no recording has. */
int view_judge(const view_judged *v, const cli_list *rules);

#endif
