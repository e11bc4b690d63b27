/* What would make a fit go under its line: each is planned before it is named. */
#ifndef SNUG_CLI_REMEDIES_H
#define SNUG_CLI_REMEDIES_H

#include "fit.h"
#include "json.h"

/* All of them take a run that was planned and closed; of it, options and figures are read. */

/* Say that the fit does not fit, and what would.  Returns CLI_NO_FIT. */
int remedies_print(const fit_run *run);

/* The remedies alone, to a stream or as an array of that name. */
void remedies_print_list(const fit_run *run, FILE *out);
void remedies_print_json(const fit_run *run, json *j);

#endif
