/* The arrays of files: what each is and where it is read from. */
#ifndef SNUG_DATA_ARRAYS_FILE_H
#define SNUG_DATA_ARRAYS_FILE_H

#include "base/arena.h"
#include "base/vec.h"
#include "data/stream.h"
#include "snug/files.h"

#define SNUG__WHOLE_FILE (-1)
#define SNUG__NPZ_NAME 127 /* bytes of the longest name of a member */

/* Whether a member may be called so.  No file is ever opened or written by such a name, but one
 * that tries to lead elsewhere says that the archive is not what NumPy wrote. */
bool snug__npz_name_is_good(const char *name);

typedef struct snug__array_entry {
  const char *name;
  const char *path;
  int64_t member;   /* where its entry in the archive's directory lies; SNUG__WHOLE_FILE: the file
                       is the array */
  const char *why;  /* it cannot be used, the message; NULL: it can */
  snug_array array; /* data is NULL before it is read */
} snug__array_entry;

struct snug_arrays {
  snug_ctx *ctx;
  snug__arena arena;  /* of texts and of what snug_arrays_data hands out */
  snug__vec entries;  /* snug__array_entry */
  const char *file;   /* the first path, for messages */
  bool is_positional; /* the arrays have no names of their own, their order counts */
};

/* Append what is in a file.  Fails as snug_arrays_open. */
snug_status snug__arrays_add_zip(snug_arrays *a, const char *path) SNUG_NODISCARD;
snug_status snug__arrays_add_file(snug_arrays *a, const char *path,
                                  const char *name) SNUG_NODISCARD;

/* Read the elements of an entry, unless they are there: the whole way, and its last part from an
 * open stream.  Fails: also E_FORMAT if the file has become another. */
snug_status snug__arrays_read(snug_arrays *a, snug__array_entry *e) SNUG_NODISCARD;
snug_status snug__arrays_read_member(snug_arrays *a, snug__array_entry *e) SNUG_NODISCARD;
snug_status snug__arrays_read_from(snug__stream *s, snug__array_entry *e) SNUG_NODISCARD;

/* The entry of a name, or NULL. */
snug__array_entry *snug__arrays_entry(const snug_arrays *a, const char *name);

#endif
