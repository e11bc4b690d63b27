#include "suggest.h"

#define TRAINED "trained.keras"

/* Only fit keeps what was typed. */
static bool is_of_plan(const fit_options *o) { return !o->args; }

/* Without what a plan alone shows and writes. */
static fit_options of_fit(const fit_options *given) {
  fit_options o = *given;
  if (is_of_plan(given)) {
    o.curve = o.draw = o.find_batch = o.force = false;
    o.plan_output = o.kernels_output = NULL;
    o.output = o.checkpoint ? NULL : TRAINED;
  }
  return o;
}

cli_list suggest_command(const fit_options *options) {
  static const fit_options defaults = {FIT_DEFAULTS};
  fit_options o = of_fit(options);
  const cli_verb *verb = o.job.data.n ? &cli_verb_fit : &cli_verb_plan;
  cli_list args = {0};
  int code = cli_list_add(&args, "snug");
  code = code ? code : cli_list_add(&args, verb->name);
  if (code || cli_unparse(verb, &o, &defaults, &args)) {
    cli_list_release(&args);
  }
  return args;
}

void suggest_print(const fit_options *options, FILE *out) {
  cli_list args = suggest_command(options);
  for (int32_t i = 0; i < args.n; i++) {
    fputs(i ? " " : "", out);
    cli_print_argument(args.items[i], out);
  }
  cli_list_release(&args);
}
