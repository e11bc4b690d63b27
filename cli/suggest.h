/* Commands that are suggested: what was typed, changed, to be pasted as they stand. */
#ifndef SNUG_CLI_SUGGEST_H
#define SNUG_CLI_SUGGEST_H

#include "fit.h"

/* "snug fit" and its arguments; what was planned without data can be planned only.  A plan names no
 * file for the trained model, so the fit that is made of it saves to one.  Owns: the caller
 * releases it; it is empty without memory. */
cli_list suggest_command(const fit_options *options);

/* The same as a shell takes it, without a line break. */
void suggest_print(const fit_options *options, FILE *out);

#endif
