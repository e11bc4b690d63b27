/* The table of verbs. */
#include <string.h>

#include "cli.h"

const cli_verb *const cli_verbs[] = {
    /* clang-format off */
    &cli_verb_fit,
    &cli_verb_plan,
    &cli_verb_evaluate,
    &cli_verb_predict,
    &cli_verb_summary,
    &cli_verb_layers,
    &cli_verb_data,
    &cli_verb_init,
    &cli_verb_watch,
    &cli_verb_pack,
    &cli_verb_report,
    &cli_verb_compare,
    &cli_verb_completion,
    &cli_verb_help,
    /* clang-format on */
};

const size_t cli_n_verbs = sizeof cli_verbs / sizeof *cli_verbs;

const cli_verb *cli_verb_find(const char *name) {
  for (size_t i = 0; i < cli_n_verbs; i++) {
    if (strcmp(cli_verbs[i]->name, name) == 0) {
      return cli_verbs[i];
    }
  }
  return NULL;
}
