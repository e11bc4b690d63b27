/* The file of a backup: all that a fit needs to go on where it stood, in one piece.
 *
 * One walk over the fit describes the file; it is taken three times.  WRITE appends, CHECK reads
 * and compares what must be the same here and there, READ sets the rest.  A file is checked to its
 * last byte before anything is set.  Writing takes no memory. */
#ifndef SNUG_CALLBACKS_BACKUP_FILE_H
#define SNUG_CALLBACKS_BACKUP_FILE_H

#include "train/fit.h"

/* Write the state of a fit to a path, which is replaced as a whole.  Fails: E_IO. */
snug_status snug__backup_write(const char *path, snug__fit *f) SNUG_NODISCARD;

/* Set the state of a fit from a file.  *found false: there is none.  Fails: E_STATE (the backup of
 * another fit; says what differs), E_FORMAT (damaged), E_IO, E_MEMORY; before anything is set. */
snug_status snug__backup_read(const char *path, snug__fit *f, bool *found) SNUG_NODISCARD;

#endif
