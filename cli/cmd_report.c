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
    {"snug report run.snug", "the peak: when, what, who; memory over time; a row per epoch"},
    {"snug report run.snug --html", "the same as a page, run.html"},
    {"snug report run.snug --trace run.trace.json", "for ui.perfetto.dev"},
    {"snug report run.snug --tensorboard logs", "beside the logs of Keras"},
    {"snug report run.snug --json", "for programs"},
};

const cli_verb cli_verb_report = {
    .name = "report",
    .summary = "show what a recording tells: the peak, when, what and who",
    .operand = {"RECORDING", "a file of snug fit --record or snug watch -o", "snug", true, false,
                VIEW_AT(recording), false},
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .description =
        "The verdict comes first. Then the moment of the peak and what was alive there, memory "
        "over "
        "time, a row per epoch, and the batches that were asked for. Where there was a plan, it "
        "stands beside what was measured.\n"
        "A recording of a run that was killed is read up to its last complete frame: the verdict "
        "says so, and what was seen last.\n"
        "Resident is what the system counts of the process (or of all processes of a watched "
        "command), also between two samples where its high-water mark rose. Held is what Snug "
        "itself allocated. What is not known is n/a, null or empty, never 0.\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .run = run,
};
