/* --live: a line at the bottom of the terminal that is kept from the program.
 *
 * The program writes to the same terminal, and its text is not to be mixed with ours.  So the
 * terminal gets to scroll the rows above the last one only, and that one is ours: the cursor, which
 * is the program's, is where it was before and after each drawing. */
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "watch.h"

#define EVERY 0.25
#define LEAST_ROWS 3

#define KEEP_CURSOR "\0337"
#define BACK_TO_CURSOR "\0338"
#define ERASE_LINE "\033[2K"
#define SCROLL_ALL "\033[r"
#define DOWN_AND_UP "\033D\033[A" /* if the cursor is in the last row, that becomes free */

/* The size may change while the program runs, so it is asked each time. */
static struct winsize size_of(const watch_run *r) {
  struct winsize size;
  bool is_told = ioctl(fileno(r->out.stream), TIOCGWINSZ, &size) == 0 && size.ws_row >= LEAST_ROWS;
  return is_told ? size : (struct winsize){.ws_row = 0};
}

unsigned watch_live_rows(const watch_run *r) { return size_of(r).ws_row; }

void watch_live_clear(watch_run *r) {
  unsigned rows = r->rows;
  if (rows) {
    fprintf(r->out.stream, KEEP_CURSOR SCROLL_ALL "\033[%u;1H" ERASE_LINE BACK_TO_CURSOR, rows);
    fflush(r->out.stream);
  }
  r->rows = 0;
}

static void write_line(const watch_run *r, const snug_watch_now *now, char line[WATCH_TEXT]) {
  char resident[SNUG_BYTES_TEXT], peak[SNUG_BYTES_TEXT], device[SNUG_BYTES_TEXT], time[32];
  const char *dot = r->out.ascii ? ", " : " · ";
  int n = snprintf(line, WATCH_TEXT, "snug: %s now%speak %s%s%u process%s%s%s",
                   snug_bytes_text(now->resident, resident), dot, snug_bytes_text(now->peak, peak),
                   dot, now->processes, now->processes == 1 ? "" : "es", dot,
                   terminal_time(now->seconds, time, sizeof time));
  if (now->device && n > 0 && (size_t)n < WATCH_TEXT) {
    snprintf(line + n, WATCH_TEXT - (size_t)n, "%sGPU %s", dot,
             snug_bytes_text(now->device, device));
  }
}

/* Bytes of a text that stay within the width, so that it is one line. */
static size_t within(const char *line, size_t width) {
  size_t columns = 0, bytes = 0;
  while (line[bytes] && columns + 1 < width) {
    bytes++;
    columns += ((unsigned char)line[bytes] & 0xC0u) != 0x80u;
  }
  return bytes;
}

/* In one piece, so that nothing of the program's comes in between. */
void watch_live_draw(watch_run *r, const snug_watch_now *now) {
  char line[WATCH_TEXT], all[WATCH_TEXT + 64];
  double at = terminal_now();
  if (!r->is_live || at - r->drawn < EVERY) {
    return;
  }
  r->drawn = at;
  struct winsize size = size_of(r);
  unsigned rows = size.ws_row;
  r->out.width = size.ws_col ? size.ws_col : r->out.width; /* of the box at the end, too */
  if (rows != r->rows) {
    watch_live_clear(r);
  }
  if (rows == 0) {
    return;
  }
  write_line(r, now, line);
  int n = snprintf(
      all, sizeof all, "%s" KEEP_CURSOR "\033[1;%ur\033[%u;1H" ERASE_LINE "%.*s" BACK_TO_CURSOR,
      r->rows ? "" : DOWN_AND_UP, rows - 1, rows, (int)within(line, r->out.width), line);
  r->rows = rows;
  fwrite(all, 1, (size_t)n, r->out.stream);
  fflush(r->out.stream);
}
