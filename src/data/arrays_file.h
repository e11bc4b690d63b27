/* The arrays of files: what each is and where it is read from. */
#ifndef SNUG_DATA_ARRAYS_FILE_H
#define SNUG_DATA_ARRAYS_FILE_H

#include "base/arena.h"
#include "base/vec.h"
#include "data/csv.h"
#include "data/folder.h"
#include "data/records.h"
#include "data/rows.h"
#include "data/stream.h"
#include "snug/files.h"

#define SNUG__WHOLE_FILE (-1)
#define SNUG__IN_SOURCE (-2) /* an entry that its source alone can read */
#define SNUG__NPZ_NAME 127   /* bytes of the longest name of a member */

/* Whether a member may be called so.  No file is ever opened or written by such a name, but one
 * that tries to lead elsewhere says that the archive is not what NumPy wrote. */
bool snug__npz_name_is_good(const char *name);

typedef struct snug__array_entry {
  const char *name;
  const char *path;
  int64_t member;      /* where its entry in the archive's directory lies, or one of the above:
                          SNUG__WHOLE_FILE: the file is the array */
  const char *why;     /* it cannot be used, the message; NULL: it can */
  snug_array array;    /* data is NULL before it is read */
  snug_source *source; /* that reads its rows, as its field `field` of `n_fields`; NULL: none */
  int32_t field, n_fields;
  bool is_live;     /* a row may be another one in each pass: it is never held */
  snug__rows *rows; /* behind that source, if they lie in a file; to be closed */
} snug__array_entry;

struct snug_arrays {
  snug_ctx *ctx;
  snug_arrays_options options; /* with the defaults filled in */
  snug__arena arena;           /* of texts and of what snug_arrays_data hands out */
  snug__vec entries;           /* snug__array_entry */
  snug__csv *csv;              /* that the entries are of; NULL: there is none */
  snug__records *records;      /* likewise */
  snug__folder *folder;        /* likewise */
  const char *file;            /* the first path, for messages */
  bool is_positional;          /* the arrays have no names of their own, their order counts */
};

/* Append what is in a file.  Fails as snug_arrays_open. */
snug_status snug__arrays_add_zip(snug_arrays *a, const char *path) SNUG_NODISCARD;
snug_status snug__arrays_add_file(snug_arrays *a, const char *path,
                                  const char *name) SNUG_NODISCARD;

/* In arrays_source.c: likewise, and read an entry whole by its source.  Fails: E_ARGUMENT if that
 * can be read once alone. */
snug_status snug__arrays_add_csv(snug_arrays *a, const char *path) SNUG_NODISCARD;
snug_status snug__arrays_add_records(snug_arrays *a, const char *path) SNUG_NODISCARD;
snug_status snug__arrays_add_images(snug_arrays *a, const char *path, bool is_list) SNUG_NODISCARD;
snug_status snug__arrays_read_rows(snug_arrays *a, snug__array_entry *e) SNUG_NODISCARD;

/* Read the elements of an entry, unless they are there: the whole way, and its last part from an
 * open stream.  Fails: also E_FORMAT if the file has become another. */
snug_status snug__arrays_read(snug_arrays *a, snug__array_entry *e) SNUG_NODISCARD;
snug_status snug__arrays_read_member(snug_arrays *a, snug__array_entry *e) SNUG_NODISCARD;
snug_status snug__arrays_read_from(snug__stream *s, snug__array_entry *e) SNUG_NODISCARD;

/* In arrays_feed.c: let an entry feed a model: read it, or give it a source.  Fails as read;
 * E_LIMIT if it must be held whole and may not. */
snug_status snug__arrays_feed(snug_arrays *a, snug__array_entry *e) SNUG_NODISCARD;

/* One source over those of n entries, in their order; entries that were read are left out.  *out is
 * NULL if all were.  Fails: E_SHAPE (different numbers of rows), E_MEMORY, E_LIMIT. */
snug_status snug__arrays_join(snug_arrays *a, snug__array_entry *const *entries, int32_t n,
                              const snug_source **out) SNUG_NODISCARD;

/* Open the archive of an entry and find its member; *fd is the caller's, -1 if there is none. */
snug_status snug__arrays_member(snug_arrays *a, const snug__array_entry *e, snug__zip *archive,
                                snug__zip_member *m, int *fd) SNUG_NODISCARD;

/* The entry of a name, or NULL. */
snug__array_entry *snug__arrays_entry(const snug_arrays *a, const char *name);

#endif
