/* Temporary files of processes that were killed, and locks that tell which those are. */
#ifndef SNUG_BASE_LEFT_OVER_H
#define SNUG_BASE_LEFT_OVER_H

#include "base/ctx.h"

/* Remove the temporary files of base/file.h in a folder that no process holds.  What cannot be
 * removed stays. */
void snug__remove_left_over(const char *folder);

/* Hold an open file or folder against other runs, until it is closed.  Where the file system knows
 * no locks, nothing is held.  Fails: E_STATE (another process holds it; says which). */
snug_status snug__lock(snug_ctx *ctx, int fd, const char *shown) SNUG_NODISCARD;

#endif
