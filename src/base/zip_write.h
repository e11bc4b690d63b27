/* Writing a zip archive front to back, as Python's zipfile does: stored members, then the
 * directory.  Times are those of the year 1980, so that the same content gives the same bytes. */
#ifndef SNUG_BASE_ZIP_WRITE_H
#define SNUG_BASE_ZIP_WRITE_H

#include <stdbool.h>

#include "base/file.h"
#include "base/vec.h"

typedef struct snug__zip_writer {
  snug__replace *file; /* the caller's */
  snug__vec members;
} snug__zip_writer;

/* Takes bytes of a member. */
typedef snug_status snug__zip_put(void *user, const void *bytes, size_t n);

/* Hands all bytes of a member to put; called twice, for the checksum and to write them. */
typedef struct snug__zip_content {
  snug_status (*give)(const void *arg, snug__zip_put *put, void *user);
  const void *arg;
  int64_t bytes;
} snug__zip_content;

/* Begin an archive in a file that was begun and is empty.  Ended by snug__zip_end in any case. */
void snug__zip_begin(snug__zip_writer *w, snug__replace *file);

/* Append a member; its sizes stand in 64 bits if `wide` or if they must.  Fails: E_IO, E_MEMORY,
 * E_ARGUMENT (too long a name), as give does. */
snug_status snug__zip_add(snug__zip_writer *w, const char *name, const snug__zip_content *content,
                          bool wide) SNUG_NODISCARD;

/* Append a member that `write` writes to a file at an offset, *bytes of it; `wide` if they may need
 * 64 bits.  Fails: likewise, and as write does. */
typedef snug_status snug__zip_write(void *user, int fd, int64_t at, int64_t *bytes);
snug_status snug__zip_add_written(snug__zip_writer *w, const char *name, snug__zip_write *write,
                                  void *user, bool wide) SNUG_NODISCARD;

/* Write the directory: the archive is complete, and the file to be committed.  Fails: E_IO. */
snug_status snug__zip_finish(snug__zip_writer *w) SNUG_NODISCARD;
void snug__zip_end(snug__zip_writer *w);

#endif
