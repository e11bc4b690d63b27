/* Room on a disk that is taken before it is written to. */
#ifndef SNUG_BASE_RESERVE_H
#define SNUG_BASE_RESERVE_H

#include <stdint.h>

/* "tmpfs" or "ramfs" if an open file lies in memory, else NULL. */
const char *snug__memory_file_system(int fd);

/* Take room for the first bytes of an open file; where it lies in memory, look whether there is
 * room.  Returns 0 or an errno. */
int snug__reserve_room(int fd, int64_t bytes);

#endif
