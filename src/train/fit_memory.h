/* The bytes of a fit before step 1: what Snug will hold, to the byte, and the whole process.
 *
 * What Snug allocates is known.  The rest (code, JIT-compiled kernels, stacks, the C library's
 * heap) is made resident first, as far as a step or a save will want it, and then measured: so
 * plan and fit find the same, and nothing is left to come later but a small reserve. */
#ifndef SNUG_TRAIN_FIT_MEMORY_H
#define SNUG_TRAIN_FIT_MEMORY_H

#include "train/fit.h"

/* The same process differs from run to run by less than this.  It is part of the reserve, as far as
 * a line leaves room for it: so a line that was told is accepted. */
#define SNUG__MARGIN_BYTES (UINT64_C(384) << 10)

/* Fill the report for the session as it is made, before it is committed; callbacks have taken what
 * they hold.  Fails: as snug__plan_peak. */
snug_status snug__fit_memory(snug__fit *f, snug_memory_report *r) SNUG_NODISCARD;

/* The process of a report without that margin: what a line is held against. */
uint64_t snug__fit_bare_process(const snug_memory_report *r);

/* Refuse what cannot fit into the context's limit, before anything is trained. */
snug_status snug__fit_check_limit(const snug__fit *f, const snug_memory_report *r) SNUG_NODISCARD;

/* E_LIMIT: the line of a report is below the least that would do, or there is none and the process
 * may hold less than the fit needs; says who holds most. */
snug_status snug__fit_refuse(const snug__fit *f, const snug_memory_report *r,
                             uint64_t least) SNUG_NODISCARD;

/* E_LIMIT: an evaluation or a prediction ("what") would make the process larger than it may be. */
snug_status snug__session_check_room(const snug__session *s, const char *what,
                                     int64_t batch) SNUG_NODISCARD;

/* s of a commit.  If the system refused memory, the message says who holds what of how much. */
snug_status snug__fit_committed(const snug__fit *f, snug_status s) SNUG_NODISCARD;

/* The peak of a process that is not Snug's alone counts from here. */
void snug__fit_count_process(const snug__fit *f);

/* What was made is gone: let the process be as if it had not been. */
void snug__fit_forget(const snug_model *m);

/* The peak of the process so far; 0 where the system does not tell. */
uint64_t snug__fit_process_peak(void);

#endif
