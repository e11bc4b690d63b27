/* What the callbacks of a fit remember, in a backup.
 *
 * Each state stands behind the class, config and path of its callback, and goes back to that one,
 * wherever it stands in the list.  A state without an owner here is passed over, and a callback
 * whose state is not there begins anew: those that steer a fit are compared with its settings
 * (backup_settings.h), the others may come and go.  Callbacks of the caller's own have no names:
 * they must be the same ones, in the same order. */
#ifndef SNUG_CALLBACKS_BACKUP_CALLBACKS_H
#define SNUG_CALLBACKS_BACKUP_CALLBACKS_H

#include "callbacks/backup_stream.h"
#include "train/fit.h"

/* The part of the walk that is about them.  Fails: E_STATE (other callbacks of the caller's own),
 * E_FORMAT, as the stream does. */
snug_status snug__backup_callbacks(snug__backup_stream *s, const snug__fit *f) SNUG_NODISCARD;

/* How many bytes their states are there. */
int64_t snug__backup_callbacks_bytes(const snug__fit *f);

#endif
