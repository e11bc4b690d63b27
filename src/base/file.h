/* Writing a file so that whoever reads it finds the old content or the new, never half of it --
 * also when the process is killed or the disk is full.
 *
 * The new content goes to a temporary file in the same folder, is brought to the disk, and takes
 * the place of the target in one step.  A link is followed, permissions are kept.  A target that is
 * not a file (a terminal, a pipe) is written directly. */
#ifndef SNUG_BASE_FILE_H
#define SNUG_BASE_FILE_H

#include "base/ctx.h"

#define SNUG__PATH_BYTES 4096

typedef struct snug__replace {
  snug_ctx *ctx;
  int fd;                         /* read-only: open for writing; -1 when over */
  char path[SNUG__PATH_BYTES];    /* read-only: the target */
  char writing[SNUG__PATH_BYTES]; /* read-only: the file behind fd, for libraries that open by path
                                   */
} snug__replace;

/* Open the temporary file; the target stays as it is.  Fails: E_IO with path and reason; there is
 * then nothing to abandon. */
snug_status snug__replace_begin(snug__replace *r, snug_ctx *ctx, const char *path) SNUG_NODISCARD;

/* Append bytes.  Fails: E_IO; the replacement is still to be abandoned. */
snug_status snug__replace_write(snug__replace *r, const void *bytes, size_t n) SNUG_NODISCARD;

/* Put the new content in the place of the target.  Fails: E_IO; the temporary file is then gone,
 * and the target is as it was (or, if the folder alone could not be synced, already new). */
snug_status snug__replace_commit(snug__replace *r) SNUG_NODISCARD;

/* Remove the temporary file; the target stays as it was.  Does nothing after a commit. */
void snug__replace_abandon(snug__replace *r);

/* Make the folders in which a file is to lie, as far as they are not there.  Fails: E_IO. */
snug_status snug__make_folders(snug_ctx *ctx, const char *path) SNUG_NODISCARD;

/* Open a file without a name in a folder, gone when it is closed.  Not every file system makes
 * such; one that loses its name at once is as good.  -1 with errno. */
int snug__open_nameless(const char *folder);

#endif
