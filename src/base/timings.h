/* Timings of calls on this machine, by a key that says all on which they depend, kept in a file
 * between processes; and, likewise, the bytes that processes were found to need.
 *
 * The file is text: a head that names version and machine, a line per timing, and a sum over all
 * of it.  What is not whole, or from another version or machine, is not used: the note says so, the
 * calls are timed anew and the file is replaced.  Where it can be neither read nor written, all
 * works without. */
#ifndef SNUG_BASE_TIMINGS_H
#define SNUG_BASE_TIMINGS_H

#include <stdbool.h>

#include "base/file.h"
#include "base/vec.h"

#define SNUG__NOTE_BYTES 512

typedef struct snug__timings {
  snug_ctx *ctx;
  snug__vec list;              /* private: sorted by key */
  bool has_new;                /* something is there that the file does not have */
  char path[SNUG__PATH_BYTES]; /* read-only; "": there is no file */
  char note[SNUG__NOTE_BYTES]; /* read-only: why the file was not used; "": nothing to say */
} snug__timings;

/* Read the file of this machine, if there is one: in $SNUG_CACHE (where that is empty, nowhere), or
 * in snug/ under $XDG_CACHE_HOME or ~/.cache.  Fails: E_MEMORY, E_LIMIT; nothing is owed then. */
snug_status snug__timings_open(snug__timings *t, snug_ctx *ctx) SNUG_NODISCARD;

/* Write what is new, with what others wrote since, if the folder lets us, and give everything back.
 * A key that both have stays as it is in the file, which others may have begun to use. */
void snug__timings_close(snug__timings *t);

/* The timing of a key.  False: there is none. */
bool snug__timings_find(const snug__timings *t, uint64_t key, double *seconds);

/* Add one; what was there under the key is replaced.  Fails: E_MEMORY, E_LIMIT, E_OVERFLOW. */
snug_status snug__timings_add(snug__timings *t, uint64_t key, double seconds) SNUG_NODISCARD;

/* A key of bytes, going on from another (SNUG__KEY_START at first). */
#define SNUG__KEY_START UINT64_C(0xcbf29ce484222325)
uint64_t snug__key_add(uint64_t key, const void *bytes, size_t n);

#endif
