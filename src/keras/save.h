/* Saving.  While a fit runs, the memory of a save is taken before the first step, so that it is
 * part of the plan and cannot be missing later. */
#ifndef SNUG_KERAS_SAVE_H
#define SNUG_KERAS_SAVE_H

#include "base/file.h"
#include "keras/keras.h"

/* The parts of snug_model_save.  The path of a model: E_ARGUMENT if it has another ending than
 * .keras and .weights.h5. */
snug_status snug__save_check(snug_ctx *ctx, const char *path) SNUG_NODISCARD;

/* Give a model its weights and its description, if it has none yet. */
snug_status snug__save_ready(snug_model *m) SNUG_NODISCARD;

/* Write it to a file that was begun, in the form that the path's ending says; with the optimizer's
 * slots or without them. */
snug_status snug__save_into(snug_model *m, const char *path, snug__replace *r,
                            bool with_slots) SNUG_NODISCARD;

/* How many bytes that will be at most, also when the optimizer has a state. */
snug_status snug__save_bytes(const snug_model *m, int64_t *bytes) SNUG_NODISCARD;

typedef struct snug__save_room {
  void *block; /* NULL: none is held */
  size_t bytes;
  int64_t file_bytes; /* of the file that is written, at most */
} snug__save_room;

/* Find out how much a save of the model takes, by one that goes nowhere, and take it.  Describes
 * the model if it has no config yet.  Fails: as snug_model_save, E_IO aside; nothing is then held.
 */
snug_status snug__save_room_take(snug_model *m, snug__save_room *room) SNUG_NODISCARD;

/* Give it back; does nothing if none is held. */
void snug__save_room_release(snug_model *m, snug__save_room *room);

/* Save inside of the room: it is given back for as long as the save takes. */
snug_status snug__save_in_room(snug_model *m, const char *path,
                               snug__save_room *room) SNUG_NODISCARD;

#endif
