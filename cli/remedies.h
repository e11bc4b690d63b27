/* What would make a fit go under its line: each is planned before it is named. */
#ifndef SNUG_CLI_REMEDIES_H
#define SNUG_CLI_REMEDIES_H

#include "fit.h"
#include "json.h"

/* Both take a run that was planned and closed; of it, options and figures are read. */

/* Say that the fit does not fit, and what would.  Returns CLI_NO_FIT. */
int remedies_refuse(const fit_run *run);

/* What would alone: as text, and as an array of that name.  Either may be NULL. */
void remedies_find(const fit_run *run, FILE *text, json *list);

#endif
