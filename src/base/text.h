/* A bounded growable string for dumps and reports.  Always ends in NUL once something was added. */
#ifndef SNUG_BASE_TEXT_H
#define SNUG_BASE_TEXT_H

#include "base/vec.h"

typedef struct snug__text {
  snug__vec chars; /* without the NUL */
} snug__text;

void snug__text_init(snug__text *t, snug_ctx *ctx, size_t max_bytes);
void snug__text_release(snug__text *t);

/* Append as printf.  Fails: E_OVERFLOW past the maximum, E_MEMORY, E_LIMIT; unchanged. */
snug_status snug__text_add(snug__text *t, const char *format, ...) SNUG_PRINTF(2, 3) SNUG_NODISCARD;

/* The text so far; "" if there is none.  Valid until the next call. */
const char *snug__text_get(const snug__text *t);

/* Whether a text ends as another one; it may be no more than that. */
bool snug__ends_in(const char *text, const char *end);

#endif
