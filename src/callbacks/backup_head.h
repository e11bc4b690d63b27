/* The head of a backup: the outputs of its fit, its settings, and the choices of its plan.
 *
 * It is read before the plan is made, and the fit then runs that plan.  A fit that may make another
 * one (replan) reads it to know what differs.  The rest of the file is read when the plan stands.
 */
#ifndef SNUG_CALLBACKS_BACKUP_HEAD_H
#define SNUG_CALLBACKS_BACKUP_HEAD_H

#include "callbacks/backup_settings.h"

typedef struct snug__backup_head {
  snug__settings settings; /* of this fit */
  bool is_there;           /* there is a backup, and its head was read */
  uint64_t sum;            /* of that one */
  snug__settings_change change;
} snug__backup_head;

/* Append the head to a stream, its sum included; or pass over one, which must be the one that was
 * read.  Fails: E_STATE, E_FORMAT, as the stream does. */
snug_status snug__backup_head_walk(snug__backup_stream *s, const snug__fit *f,
                                   const snug__backup_head *head) SNUG_NODISCARD;

/* Read and compare the head; the choices of its plan go to f->plan and f->kept, unless f may make
 * another. Fails: E_STATE (another fit, which is named, or another version), E_FORMAT (damaged),
 * E_MEMORY, E_IO. */
snug_status snug__backup_head_read(snug__backup_stream *s, snug__fit *f,
                                   snug__backup_head *head) SNUG_NODISCARD;

/* Read from the beginning whether the outputs have a path.  Fails: E_STATE (another version),
 * E_FORMAT, E_IO. */
snug_status snug__backup_head_names(snug__backup_stream *s, const char *path,
                                    bool *out) SNUG_NODISCARD;

#endif
