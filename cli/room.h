/* What this process may hold, for verbs that take memory as their input grows: what does not fit is
 * refused by name, where the system would kill the process. */
#ifndef SNUG_CLI_ROOM_H
#define SNUG_CLI_ROOM_H

#include "cli.h"

typedef struct cli_room {
  uint64_t most; /* bytes; 0: not known */
  char who[SNUG_AVAILABLE_TEXT];
} cli_room;

/* Find it, and hold what the context takes to it. */
cli_room cli_room_find(snug_ctx *ctx);

/* Is there room for so many bytes more, which `path` takes?  Reports; returns 0 or CLI_NO_FIT. */
int cli_room_check(const cli_room *room, const char *path, uint64_t bytes);

#endif
