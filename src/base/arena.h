/* An arena: many small pieces, freed all at once.  Pieces are zeroed, aligned for any type and
 * never move. */
#ifndef SNUG_BASE_ARENA_H
#define SNUG_BASE_ARENA_H

#include "base/ctx.h"

typedef struct snug__arena {
  snug_ctx *ctx;
  snug__account_name name;
  struct snug__arena_chunk *chunks; /* newest first */
  size_t least_chunk;               /* bytes; may be set before the first piece is taken */
} snug__arena;

void snug__arena_init(snug__arena *a, snug_ctx *ctx, snug__account_name name);
void snug__arena_release(snug__arena *a);

/* Take bytes from the arena.  Fails: E_MEMORY, E_LIMIT, E_OVERFLOW; *out is NULL. */
snug_status snug__arena_take(snug__arena *a, size_t bytes, void **out) SNUG_NODISCARD;

/* Copy a string into the arena. */
snug_status snug__arena_text(snug__arena *a, const char *text, const char **out) SNUG_NODISCARD;

#endif
