/* The file of a store: where it lies, and that all of it is there. */
#ifndef SNUG_BASE_STORE_FILE_H
#define SNUG_BASE_STORE_FILE_H

#include <stdbool.h>

#include "base/ctx.h"

/* The folder that is meant: the one given, TMPDIR, or /tmp. */
const char *snug__store_folder(const char *given);

/* Open a nameless file of this many bytes, all reserved.  Fails as snug__store_open does. */
snug_status snug__store_file(snug_ctx *ctx, const char *folder, int64_t bytes,
                             int *fd) SNUG_NODISCARD;

/* Leave the page cache out from now on; false if the file system cannot.  page: aligned memory of
 * SNUG__STORE_ALIGN bytes, which go to the start of the file. */
bool snug__store_file_direct(int fd, const void *page);

#endif
