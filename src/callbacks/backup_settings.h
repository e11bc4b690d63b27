/* The settings of a fit: all options that its result depends on, by name, as text.
 *
 * A backup keeps them; a fit that would go on from it with another value of any is refused by name,
 * unless its options say so (replan). */
#ifndef SNUG_CALLBACKS_BACKUP_SETTINGS_H
#define SNUG_CALLBACKS_BACKUP_SETTINGS_H

#include "callbacks/backup_stream.h"
#include "train/fit.h"

typedef struct snug__settings {
  char *text; /* name NUL value NUL ... */
  size_t bytes;
} snug__settings;

/* Take down the settings of an open fit.  Owns: ended by snug__settings_give.  Fails: E_MEMORY,
 * E_LIMIT, E_OVERFLOW; nothing is owed then. */
snug_status snug__settings_take(const snug__fit *f, snug__settings *out) SNUG_NODISCARD;
void snug__settings_give(snug_ctx *ctx, snug__settings *s);

/* What differs between a backup and the fit that resumes from it. */
typedef struct snug__settings_change {
  bool order; /* of the samples: a place in the middle of an epoch is none here */
  bool rate;  /* the learning rate, or the optimizer */
} snug__settings_change;

/* Append them to a stream; pass over those of a file; or read those and compare.  allowed: what
 * differs is no failure.  Fails: E_STATE naming the first that differs with both values, E_FORMAT,
 * as the stream does. */
snug_status snug__settings_write(snug__backup_stream *stream,
                                 const snug__settings *here) SNUG_NODISCARD;
snug_status snug__settings_skip(snug__backup_stream *stream) SNUG_NODISCARD;
snug_status snug__settings_compare(snug__backup_stream *stream, const snug__settings *here,
                                   bool allowed, snug__settings_change *out) SNUG_NODISCARD;

#endif
