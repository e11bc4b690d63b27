#include "room.h"

/* For what is taken without asking: buffers of streams, and what the kernel keeps. */
#define RESERVE ((uint64_t)512 << 10)

cli_room cli_room_find(snug_ctx *ctx) {
  cli_room room = {0};
  snug_available found = SNUG_INIT(snug_available);
  if (!snug_memory_available(ctx, &found)) {
    room.most = found.bytes;
    snprintf(room.who, sizeof room.who, "%s", found.who);
    snug_memory_set_bound(ctx, found.bytes);
  }
  return room;
}

int cli_room_check(const cli_room *room, const char *path, uint64_t bytes) {
  char more[SNUG_BYTES_TEXT], most[SNUG_BYTES_TEXT], held[SNUG_BYTES_TEXT];
  snug_memory_process now = SNUG_INIT(snug_memory_process);
  snug_memory_process_get(&now);
  if (!room->most || now.resident + bytes + RESERVE <= room->most) {
    return CLI_OK;
  }
  return cli_fail(CLI_NO_FIT,
                  "%s: another %s are needed for it; this process holds %s, and may hold %s (%s)",
                  path, snug_bytes_text(bytes, more), snug_bytes_text(now.resident, held),
                  snug_bytes_text(room->most, most), room->who);
}
