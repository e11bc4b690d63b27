/* What would make a fit go under its line: each is planned before it is named. */
#ifndef SNUG_CLI_REMEDIES_H
#define SNUG_CLI_REMEDIES_H

#include "fit.h"
#include "json.h"

/* Say that the fit does not fit, and what would.  Returns CLI_NO_FIT. */
int remedies_print(const fit_options *options, uint64_t line, uint64_t least);

/* The remedies alone, to a stream or as an array of that name. */
void remedies_print_list(const fit_options *options, uint64_t line, uint64_t least, FILE *out);
void remedies_print_json(const fit_options *options, uint64_t line, uint64_t least, json *j);

#endif
