/* Writing a file so that whoever reads it finds the old content or the new, never half of it --
 * also when the process is killed or the disk is full.
 *
 * The new content goes to a temporary file in the same folder, is brought to the disk, and takes
 * the place of the target in one step.  A link is followed, permissions are kept.  A target that is
 * not a file (a terminal, a pipe) is written directly.
 *
 * A temporary file is locked as long as it is written.  One that no process holds is of a process
 * that was killed, and the next one that writes into the folder removes it. */
#ifndef SNUG_BASE_FILE_H
#define SNUG_BASE_FILE_H

#include <stdbool.h>

#include "base/ctx.h"

#define SNUG__PATH_BYTES 4096

typedef struct snug__replace {
  snug_ctx *ctx;
  int fd;         /* read-only: open for reading and writing; -1 when over */
  int64_t at;     /* where the next bytes go; whoever writes to fd itself moves it behind them */
  bool keeps_old; /* a file that is at the target in the end stays, and the commit fails */
  bool is_cut;    /* in the end: what lies behind `at` */
  char path[SNUG__PATH_BYTES];    /* read-only: the target */
  char writing[SNUG__PATH_BYTES]; /* read-only: the file behind fd, for libraries that open by path
                                   */
} snug__replace;

/* Open the temporary file; the target stays as it is.  What would hinder the replacement later is
 * told now: a name that is not possible, a target that may not be replaced.  Fails: E_IO with path
 * and reason; there is then nothing to abandon. */
snug_status snug__replace_begin(snug__replace *r, snug_ctx *ctx, const char *path) SNUG_NODISCARD;

/* Keep room for this many bytes on the disk, so that writing them will not fail for lack of it.  On
 * a file system in memory the room is looked at and not taken: it would be memory.  Fails: E_IO;
 * the replacement is still to be abandoned. */
snug_status snug__replace_reserve(snug__replace *r, int64_t bytes) SNUG_NODISCARD;

/* Append bytes.  Fails: E_IO; the replacement is still to be abandoned. */
snug_status snug__replace_write(snug__replace *r, const void *bytes, size_t n) SNUG_NODISCARD;

/* Write the content once more from its beginning; the room that was reserved is kept. */
void snug__replace_restart(snug__replace *r);

/* Put the new content in the place of the target.  Fails: E_IO; the temporary file is then gone,
 * and the target is as it was (or, if the folder alone could not be synced, already new). */
snug_status snug__replace_commit(snug__replace *r) SNUG_NODISCARD;

/* Remove the temporary file; the target stays as it was.  Does nothing after a commit. */
void snug__replace_abandon(snug__replace *r);

/* The one or the other: commit what was written, or abandon it if that failed with `written`. */
snug_status snug__replace_end(snug__replace *r, snug_status written) SNUG_NODISCARD;

/* Find out whether a file of this many bytes could be put in the place of a path; nothing is left
 * of that.  Fails: E_IO. */
snug_status snug__replace_rehearse(snug_ctx *ctx, const char *path, int64_t bytes) SNUG_NODISCARD;

/* The folder in which a path lies, "." where it names none, into `out` of SNUG__PATH_BYTES. */
const char *snug__folder_of(const char *path, char *out);

/* Make the folders in which a file is to lie, as far as they are not there.  Fails: E_IO. */
snug_status snug__make_folders(snug_ctx *ctx, const char *path) SNUG_NODISCARD;

/* Open a file without a name in a folder, gone when it is closed.  Not every file system makes
 * such; one that loses its name at once is as good.  -1 with errno. */
int snug__open_nameless(const char *folder);

#endif
