/* Formatted text into a sink, in pieces of bounded length. */
#ifndef SNUG_REPORT_WRITE_H
#define SNUG_REPORT_WRITE_H

#include "snug/tools/report.h"

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

/* Bytes of the first columns of a text, this many. */
size_t snug__bytes_of(const char *text, size_t columns);

/* How many bytes of a text make a line of at most this many columns (1 at the least), and where the
 * next one begins (*next; at the end of the text: 0 bytes are left).  A text is broken at the last
 * separator that fits, else before a parenthesis or behind a semicolon, else at a blank, else
 * inside a word, behind a mark such as "_" where there is one.  Nothing but separators and blanks
 * is left out.  separator: NULL for blanks alone, as in
 * sentences. */
size_t snug__fit_columns(const char *text, const char *separator, size_t columns, size_t *next);

#endif
