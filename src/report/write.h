/* Formatted text into a sink, in pieces of bounded length. */
#ifndef SNUG_REPORT_WRITE_H
#define SNUG_REPORT_WRITE_H

#include "snug/report.h"

#define SNUG__LINE_BYTES 1024

/* A line in the making; what does not fit is cut. */
typedef struct snug__line {
  char text[SNUG__LINE_BYTES];
  size_t n;
} snug__line;

void snug__line_add(snug__line *line, const char *format, ...) SNUG_PRINTF(2, 3);
void snug__line_repeat(snug__line *line, const char *piece, size_t times);

/* End it with a new line, also where it was cut. */
void snug__line_end(snug__line *line);

/* Columns that a text takes on a terminal: code points, escape sequences left out. */
size_t snug__columns(const char *text, size_t n);

#endif
