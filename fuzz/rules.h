/* The rules that every input keeps: memory beside the weights is bounded, nothing is left over, a
 * failure names the file. */
#ifndef SNUG_FUZZ_RULES_H
#define SNUG_FUZZ_RULES_H

#include "snug/tools.h"

_Noreturn void fuzz_fail(const char *what);

/* A context that may hold a small model. */
snug_ctx *fuzz_begin(void);

/* Look at a status. */
void fuzz_check(snug_ctx *ctx, snug_status s, const char *file);

/* Everything made from the context must be gone. */
void fuzz_end(snug_ctx *ctx);

#endif
