/* The memory that this process may hold: the least of what its control groups, its resource limits
 * and the machine leave it. */
#ifndef SNUG_BASE_ROOM_H
#define SNUG_BASE_ROOM_H

#include <stdbool.h>

#include "snug/memory.h"

/* Find it, from the files under `root` ("": those of this machine).  false: none of them reports
 * anything. */
bool snug__room_find(const char *root, snug_available *out);

#endif
