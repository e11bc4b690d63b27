/* snug compare: recordings beside one another. */
#include "view.h"

static int run_with(const view_options *o) {
  if (o->recordings.n < 2 || o->recordings.n > SNUG_VIEW_MOST) {
    return cli_fail(CLI_USAGE, "compare: 2 to %d recordings are needed, there %s %d",
                    SNUG_VIEW_MOST, o->recordings.n == 1 ? "is" : "are", o->recordings.n);
  }
  return view_show(o, o->recordings.items, (size_t)o->recordings.n, "compare", "compare");
}

static int run(const cli_verb *verb, int n_args, char **args) {
  return view_run(verb, n_args, args, run_with);
}

static const cli_option options[] = {
    {"fail-on", 0, CLI_WORDS, "RULE", "peak:+5%|time:+10%", "Rules", VIEW_AT(fail_on),
     "exit with code 4 if a recording breaks RULE, NAME:LIMIT. +5% and +100MiB: at most this much "
     "above the first recording; -5%: at most this much below it; 2GiB: at most that, the first "
     "included. Names: "
     "peak, held, device, time and step (seconds), epochs, or a value such as val_loss. Can be "
     "given several times"},
    VIEW_OUTPUT_OPTIONS("compare"),
};

static const cli_example examples[] = {
    {"snug compare teacher.snug student.snug", "bars of their peaks, curves, differences"},
    {"snug compare main.snug branch.snug --fail-on peak:+5%",
     "in CI: exit code 4 if the peak grew"},
    {"snug compare a.snug b.snug c.snug --html", "as a page, compare.html"},
    {"snug compare old.snug new.snug --fail-on peak:2GiB,val_accuracy:-0.01 --json",
     "two rules, for programs"},
};

const cli_verb cli_verb_compare = {
    .name = "compare",
    .summary = "compare recordings: peaks, curves, differences",
    .operand = {"RECORDING", "a file of snug fit --record or snug watch -o; two or more", "snug",
                true, false, VIEW_AT(recordings), true},
    .examples = examples,
    .n_examples = sizeof examples / sizeof *examples,
    .description =
        "All recordings are compared with the first. Values are those of the last epoch; the step "
        "time is the mean time between two batches.\n"
        "A recording without the figure that a rule names breaks the rule. A name that no "
        "recording has is a usage error.\n",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .exits = "4\ta recording breaks a rule of --fail-on\n",
    .run = run,
};
