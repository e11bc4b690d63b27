/* The container of a `.keras` file: a zip archive, or the folder that one unpacks to.
 *
 * Members are read where they lie: a stored one is a range of the file.  A compressed one is
 * unpacked to a file without a name, never to memory: in TMPDIR, or next to the archive where that
 * lies in memory; where both do, its bytes count as held.  Nothing in the archive names a path that
 * is opened or written. */
#ifndef SNUG_KERAS_ARCHIVE_H
#define SNUG_KERAS_ARCHIVE_H

#include <stdbool.h>

#include "base/zip_write.h"

/* A range of an open file. */
typedef struct snug__range {
  int fd;
  int64_t offset, bytes;
} snug__range;

typedef struct snug__archive snug__archive;

/* Open an archive or folder.  Owns: *out is the caller's.  Fails: E_IO, E_FORMAT ("is not a zip
 * archive"), E_MEMORY. */
snug_status snug__archive_open(snug_ctx *ctx, const char *path, snug__archive **out) SNUG_NODISCARD;
void snug__archive_close(snug__archive *a);

bool snug__archive_has(const snug__archive *a, const char *member);

/* The bytes of a member, unpacked; 0 if there is none. */
int64_t snug__archive_bytes(const snug__archive *a, const char *member);

/* A member as text, ended by NUL, of at most `most` bytes.  Owns: *text (of *bytes + 1) is the
 * caller's, given back under SNUG__MEM_MODEL.  Fails: E_FORMAT (missing, too large, damaged). */
snug_status snug__archive_text(snug__archive *a, const char *member, size_t most, char **text,
                               size_t *bytes) SNUG_NODISCARD;

/* A member as a range, of at most `most` bytes; valid until the archive is closed. */
snug_status snug__archive_range(snug__archive *a, const char *member, int64_t most,
                                snug__range *out) SNUG_NODISCARD;

/* Write an archive of three members into a file that was begun.  The weights are written in their
 * place. */
typedef struct snug__archive_content {
  const char *metadata, *config;
  size_t config_bytes;
  snug__zip_write *write_weights;
  void *user;   /* of that */
  bool is_wide; /* they may need sizes of 64 bits */
} snug__archive_content;

snug_status snug__archive_write(snug__replace *file,
                                const snug__archive_content *content) SNUG_NODISCARD;

#endif
