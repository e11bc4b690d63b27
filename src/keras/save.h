/* Saving while a fit runs: the memory of a save is taken before the first step, so that it is part
 * of the plan and cannot be missing later. */
#ifndef SNUG_KERAS_SAVE_H
#define SNUG_KERAS_SAVE_H

#include "keras/keras.h"

typedef struct snug__save_room {
  void *block; /* NULL: none is held */
  size_t bytes;
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
