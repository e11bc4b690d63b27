/* Text files: logs, which grow record by record, and files that appear atomically. */
#ifndef SNUG_TOOLS_LOG_H
#define SNUG_TOOLS_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snug/context.h"
#include "snug/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A file that one run writes, in storage of the caller, zeroed before it is opened.  It is locked
 * against other runs, and contains only complete records. */
typedef struct snug_log_file {
  /* read-only */
  const char *path; /* the caller's, who keeps it until the file is closed */
  int64_t length;   /* bytes */
  /* private */
  snug_ctx *ctx;
  int fd;
  bool is_open, is_new, is_regular, is_torn;
} snug_log_file;

/* Open or create a file; its content stays.  Pipes and terminals work as well.  Fails: E_IO,
 * E_STATE (another run writes it; names it); there is then nothing to close. */
SNUG_API snug_status snug_log_file_open(snug_log_file *file, snug_ctx *ctx,
                                        const char *path) SNUG_NODISCARD;

/* Truncate it to a length.  Fails: E_IO. */
SNUG_API snug_status snug_log_file_cut(snug_log_file *file, int64_t length) SNUG_NODISCARD;

/* Append a record, unbuffered.  Fails: E_IO; nothing of the record is in the file, and writing may
 * continue. */
SNUG_API snug_status snug_log_file_write(snug_log_file *file, const void *bytes,
                                         size_t n) SNUG_NODISCARD;

/* Close it; a new file without content is removed.  Does nothing if it is not open.  Fails: E_IO;
 * it is closed in any case. */
SNUG_API snug_status snug_log_file_close(snug_log_file *file) SNUG_NODISCARD;

/* ---- files that appear as a whole ---- */

/* A file that is at its path complete or not at all, in storage of the caller's.  Until it is ended
 * it has a name of its own in the same folder; what killed runs left there under such names is
 * removed when another one begins. */
typedef struct snug_new_file {
  /* private */
  uint64_t room[2 * SNUG_PATH_BYTES / 8 + 8];
} snug_new_file;

/* Begin it.  Fails: E_ARGUMENT, E_IO (no such folder, no right, a name that is too long); there is
 * then nothing to end. */
SNUG_API snug_status snug_new_file_begin(snug_new_file *file, snug_ctx *ctx,
                                         const char *path) SNUG_NODISCARD;

/* Append to it.  Fails: E_IO; it is still to be dropped. */
SNUG_API snug_status snug_new_file_write(snug_new_file *file, const void *bytes,
                                         size_t n) SNUG_NODISCARD;

/* Bring it to the disk and put it at its path.  replaces: in the place of what is there; else a
 * file that is there by now stays, and that is a failure.  Fails: E_IO; it is then gone. */
SNUG_API snug_status snug_new_file_end(snug_new_file *file, bool replaces) SNUG_NODISCARD;

/* Give it up: what is at the path stays.  Does nothing after an end. */
SNUG_API void snug_new_file_drop(snug_new_file *file);

#ifdef __cplusplus
}
#endif
#endif
