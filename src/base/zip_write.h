/* Writing a zip archive front to back, as Python's zipfile does: stored members, then the
 * directory.  Times are those of the year 1980, so that the same content gives the same bytes. */
#ifndef SNUG_BASE_ZIP_WRITE_H
#define SNUG_BASE_ZIP_WRITE_H

#include <stdbool.h>

#include "base/file.h"
#include "base/vec.h"

typedef struct snug__zip_writer {
  snug__replace file;
  snug__vec members;
  int64_t at; /* bytes written so far */
} snug__zip_writer;

/* Takes bytes of a member. */
typedef snug_status snug__zip_put(void *user, const void *bytes, size_t n);

/* Hands all bytes of a member to put; called twice, for the checksum and to write them. */
typedef struct snug__zip_content {
  snug_status (*give)(const void *arg, snug__zip_put *put, void *user);
  const void *arg;
  int64_t bytes;
} snug__zip_content;

/* Begin an archive that takes the place of a path when it is committed.  Fails: E_IO; there is then
 * nothing to abandon. */
snug_status snug__zip_begin(snug__zip_writer *w, snug_ctx *ctx, const char *path) SNUG_NODISCARD;

/* Append a member; its sizes stand in 64 bits if `wide` or if they must.  Fails: E_IO, E_MEMORY,
 * E_ARGUMENT (too long a name), as give does. */
snug_status snug__zip_add(snug__zip_writer *w, const char *name, const snug__zip_content *content,
                          bool wide) SNUG_NODISCARD;

/* Write the directory and put the archive in place: beside, fsync, rename.  Ends the writer. */
snug_status snug__zip_commit(snug__zip_writer *w) SNUG_NODISCARD;

/* Give up; the path stays as it was.  Does nothing after a commit. */
void snug__zip_abandon(snug__zip_writer *w);

#endif
