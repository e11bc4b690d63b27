#include "report/write.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void snug__line_add(snug__line *line, const char *format, ...) {
  size_t room = sizeof line->text - line->n;
  va_list args;
  va_start(args, format);
  int n = vsnprintf(line->text + line->n, room, format, args);
  va_end(args);
  line->n += n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

void snug__line_repeat(snug__line *line, const char *piece, size_t times) {
  while (times-- > 0) {
    snug__line_add(line, "%s", piece);
  }
}

void snug__line_end(snug__line *line) {
  if (line->n == sizeof line->text - 1) {
    do { /* a code point that was cut goes as a whole */
      line->n--;
    } while (line->n && ((unsigned char)line->text[line->n] & 0xC0u) == 0x80u);
  }
  snug__line_add(line, "\n");
}

size_t snug__columns(const char *text, size_t n) {
  size_t columns = 0;
  for (size_t i = 0; i < n; i++) {
    if (text[i] == '\x1b') {
      i += strcspn(text + i, "m");
    } else if (((unsigned char)text[i] & 0xC0u) != 0x80u &&
               text[i] != '\r') { /* not inside a code point */
      columns++;
    }
  }
  return columns;
}
