/* What can be told wrong about a fit before anything is opened. */
#include <string.h>

#include "fit.h"

static int check_checkpoint(const fit_options *o, const char *verb) {
  const char *alone = o->monitor             ? "--monitor"
                      : o->save_best_only    ? "--save-best-only"
                      : o->save_weights_only ? "--save-weights-only"
                      : o->save_freq         ? "--save-freq"
                                             : NULL;
  return alone && !o->checkpoint
             ? cli_fail(CLI_USAGE, "%s: %s needs --checkpoint PATH", verb, alone)
             : CLI_OK;
}

static int check_validation(const fit_options *o, const char *verb) {
  if (!(o->validation_split >= 0.0 && o->validation_split < 1.0)) {
    return cli_fail(CLI_USAGE, "%s: --validation-split is %g; it is 0 or more and below 1", verb,
                    o->validation_split);
  }
  if (o->validation_split > 0.0 && o->validation_data.n) {
    return cli_fail(CLI_USAGE, "%s: --validation-split and --validation-data exclude each other",
                    verb);
  }
  return CLI_OK;
}

static int check_levers(const fit_options *o, const char *verb) {
  int64_t micro = 0;
  for (int32_t i = 0; i < o->allow.n; i++) {
    if (strcmp(o->allow.items[i], "disk") != 0 &&
        strcmp(o->allow.items[i], "batch-statistics") != 0) {
      return cli_fail(CLI_USAGE, "%s: --allow is \"%s\"; there is disk, batch-statistics", verb,
                      o->allow.items[i]);
    }
  }
  if (o->micro_batch && strcmp(o->micro_batch, "auto") != 0 &&
      !(cli_parse_count(o->micro_batch, &micro) && micro > 0)) {
    return cli_fail(CLI_USAGE,
                    "%s: --micro-batch is \"%s\"; a whole number above 0 is needed, or auto", verb,
                    o->micro_batch);
  }
  return CLI_OK;
}

int fit_check(const fit_options *o, const char *verb) {
  if (o->initial_epoch >= o->epochs) {
    return cli_fail(CLI_USAGE,
                    "%s: --initial-epoch is %lld and --epochs, the last one, %lld: there is "
                    "nothing to train",
                    verb, (long long)o->initial_epoch, (long long)o->epochs);
  }
  int code = check_validation(o, verb);
  code = code ? code : line_check(verb, o->memory);
  code = code ? code : check_levers(o, verb);
  code = code ? code : samples_check(o, verb);
  return code ? code : check_checkpoint(o, verb);
}
