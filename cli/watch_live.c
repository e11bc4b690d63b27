/* --live: one line at the bottom of the terminal, drawn again and again. */
#include <string.h>

#include "watch.h"

#define EVERY 0.25

void watch_live_clear(watch_run *r) {
  if (r->is_live && r->drawn > 0.0) {
    fputs("\r\033[K", r->out.stream);
    fflush(r->out.stream);
  }
}

/* It stays within the width, so that it is one line. */
void watch_live_draw(watch_run *r, const snug_watch_now *now) {
  char resident[SNUG_BYTES_TEXT], peak[SNUG_BYTES_TEXT], device[SNUG_BYTES_TEXT], time[32];
  char line[WATCH_TEXT];
  const char *dot = r->out.ascii ? ", " : " · ";
  double at = terminal_now();
  if (!r->is_live || at - r->drawn < EVERY) {
    return;
  }
  r->drawn = at;
  int n = snprintf(line, sizeof line, "snug: %s now%speak %s%s%u process%s%s%s",
                   snug_bytes_text(now->resident, resident), dot, snug_bytes_text(now->peak, peak),
                   dot, now->processes, now->processes == 1 ? "" : "es", dot,
                   terminal_time(now->seconds, time, sizeof time));
  if (now->device && n > 0 && (size_t)n < sizeof line) {
    snprintf(line + n, sizeof line - (size_t)n, "%sGPU %s", dot,
             snug_bytes_text(now->device, device));
  }
  size_t columns = 0, bytes = 0;
  while (line[bytes] && columns + 1 < r->out.width) {
    bytes++;
    columns += ((unsigned char)line[bytes] & 0xC0u) != 0x80u;
  }
  fprintf(r->out.stream, "\r%.*s\033[K", (int)bytes, line);
  fflush(r->out.stream);
}
