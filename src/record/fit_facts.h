/* What is known of a fit before its first step, as facts of a recording. */
#ifndef SNUG_RECORD_FIT_FACTS_H
#define SNUG_RECORD_FIT_FACTS_H

#include "snug/tools/record.h"
#include "train/fit.h"

/* What kind of run it is, when it began or was resumed, the machine, what was asked for and what
 * was planned.  Fails as a fact does. */
snug_status snug__record_fit(snug_recorder *r, const snug__fit *f, bool is_resumed) SNUG_NODISCARD;

#endif
