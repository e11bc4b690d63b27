/* The file of a backup: all that a fit needs to go on where it stood, in one piece.
 *
 * One walk over the fit describes the file (backup_stream.h): the head, which says whose it is and
 * how that fit runs (backup_head.h), and the state.  A file is checked to its last byte before
 * anything is set.  Writing takes no memory. */
#ifndef SNUG_CALLBACKS_BACKUP_FILE_H
#define SNUG_CALLBACKS_BACKUP_FILE_H

#include "callbacks/backup_head.h"

/* How many bytes the file of a fit comes to at most. */
int64_t snug__backup_bytes(const snug__fit *f, const snug__backup_head *head);

/* Write the state of a fit to a path, which is replaced as a whole.  Fails: E_IO. */
snug_status snug__backup_write(const char *path, snug__fit *f,
                               const snug__backup_head *head) SNUG_NODISCARD;

/* Before the plan is made: read the head of the file, if there is one, into `head`, which has the
 * settings.  Fails as snug__backup_head_read. */
snug_status snug__backup_plan(const char *path, snug__fit *f,
                              snug__backup_head *head) SNUG_NODISCARD;

/* Whether the file, if there is one, has a path among its outputs.  Fails as
 * snug__backup_head_names. */
snug_status snug__backup_names(const char *path, snug_ctx *ctx, const char *output,
                               bool *out) SNUG_NODISCARD;

/* Set the state of a fit from a file.  *found false: there is none.  Fails: E_STATE (the backup of
 * another fit; says what differs), E_FORMAT (damaged), E_IO, E_MEMORY; before anything is set. */
snug_status snug__backup_read(const char *path, snug__fit *f, const snug__backup_head *head,
                              bool *found) SNUG_NODISCARD;

#endif
