/* The files that a fit has written, so that it replaces these and none of others.
 *
 * A file is known by its device, its inode, its size and the time of its last change: not by its
 * path, where another file may stand by now, and not by its ctime, which a link to it or other
 * permissions change as well.  The room is taken before step 1; where it is full, the oldest file
 * is forgotten. */
#ifndef SNUG_CALLBACKS_WRITTEN_H
#define SNUG_CALLBACKS_WRITTEN_H

#include <stdbool.h>

#include "base/ctx.h"

typedef struct snug__written_file snug__written_file;

typedef struct snug__written {
  snug__written_file *files;
  size_t n, room, next;
} snug__written;

/* Take room for this many files.  Owns: ended by snug__written_give.  Fails: E_MEMORY, E_LIMIT;
 * nothing is owed then. */
snug_status snug__written_take(snug__written *w, snug_ctx *ctx, size_t room) SNUG_NODISCARD;
void snug__written_give(snug__written *w, snug_ctx *ctx);

/* Whether the file at a path is one of them. */
bool snug__written_has(const snug__written *w, const char *path);

/* The file at a path was just written. */
void snug__written_add(snug__written *w, const char *path);

#endif
