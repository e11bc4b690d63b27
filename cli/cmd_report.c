/* snug report: what a recording tells. */
#include <stdlib.h>
#include <string.h>

#include "view.h"

/* "runs/a" of "runs/a.snug": what files beside it are called. */
static char *stem_of(const char *path) {
  size_t n = strlen(path);
  return strndup(path, cli_ends_in(path, ".snug") ? n - strlen(".snug") : n);
}

static int run_with(const view_options *o) {
  char *stem = stem_of(o->recording);
  int code =
      stem ? view_show(o, &o->recording, 1, stem, "report") : cli_fail(CLI_FAILURE, "no memory");
  free(stem);
  return code;
}

static int run(const cli_verb *verb, int n_args, char **args) {
  return view_run(verb, n_args, args, run_with);
}

static const cli_option options[] = {VIEW_OUTPUT_OPTIONS("RECORDING")};

static const cli_example examples[] = {
    {"snug report run.snug", "the peak and its parts; memory over time; a row per epoch"},
    {"snug report run.snug --html", "the same as a page, run.html"},
    {"snug report run.snug --trace run.trace.json", "for ui.perfetto.dev"},
    {"snug report run.snug --tensorboard logs", "beside the logs of Keras"},
    {"snug report run.snug --json", "for programs"},
};

const cli_verb cli_verb_report = {
    .name = "report",
    .summary = "show a recording: the peak, its time, what was alive, and whose it was",
    .operand = {"RECORDING", "a file of snug fit --record or snug watch -o", "snug", true, false,
                VIEW_AT(recording), false},
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .description =
        "The verdict comes first. Then follow the moment of the peak and what was alive, memory "
        "over time, a row per epoch, and the requested batches. If the run had a plan, planned and "
        "measured values are shown side by side.\n"
        "The recording of a killed run is read up to its last complete frame. The verdict says so, "
        "and what the last values were.\n"
        "Resident is what the system counts for the process (or all processes of a watched "
        "command); it includes peaks between two samples where the high-water mark rose. Held is "
        "what Snug itself allocated. Unknown values are n/a, null or empty, never 0.\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
