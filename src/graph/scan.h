/* Lines and words of the text form of a graph.  The text is hostile: every function says what it
 * expected and in which line when something else is there.
 *
 * A line is copied into a buffer of fixed size and cut up in place, so what quoted and braces give
 * is valid until the next line. */
#ifndef SNUG_GRAPH_SCAN_H
#define SNUG_GRAPH_SCAN_H

#include <stdbool.h>

#include "base/ctx.h"
#include "base/text.h"

#define SNUG__LINE_BYTES 65536 /* with the NUL */

typedef struct snug__scan {
  snug_ctx *ctx;
  const char *rest; /* of the text, after the current line */
  const char *end;  /* of the text: its NUL */
  char *buffer;     /* the current line */
  char *at;         /* what is left of it */
  int64_t line;     /* its number, from 1; 0: none yet */
} snug__scan;

/* Fails: E_MEMORY.  Release is needed in any case, and possible for a zeroed scan. */
snug_status snug__scan_init(snug__scan *s, snug_ctx *ctx, const char *text) SNUG_NODISCARD;
void snug__scan_release(snug__scan *s);

/* Go to the next line.  Fails: E_FORMAT if the text is over, the line has no end, is too long. */
snug_status snug__scan_line(snug__scan *s) SNUG_NODISCARD;
bool snug__scan_at_end(const snug__scan *s);                   /* is the text over? */
bool snug__scan_line_is_read(snug__scan *s);                   /* is nothing left of the line? */
snug_status snug__scan_line_end(snug__scan *s) SNUG_NODISCARD; /* nothing may be left of it */

/* Whether the line goes on with this (after blanks); take it if so. */
bool snug__scan_has(snug__scan *s, const char *literal);
bool snug__scan_sees(snug__scan *s, const char *literal); /* the same, but leave it there */
snug_status snug__scan_need(snug__scan *s, const char *literal) SNUG_NODISCARD;

/* A number of digits alone, at most max. */
snug_status snug__scan_number(snug__scan *s, const char *what, int64_t max,
                              int64_t *out) SNUG_NODISCARD;

/* Letters, digits and underscores, as a text of its own. */
snug_status snug__scan_word(snug__scan *s, const char *what, char *out,
                            size_t bytes) SNUG_NODISCARD;

/* What stands up to the next blank, comma or end; of a number, say. */
snug_status snug__scan_token(snug__scan *s, const char *what, char *out,
                             size_t bytes) SNUG_NODISCARD;

/* "..." with its escapes undone, and the way back: in quotes, with escapes for what would end the
 * quotes or the line. */
snug_status snug__scan_quoted(snug__scan *s, const char **out) SNUG_NODISCARD;
snug_status snug__print_quoted(const char *name, snug__text *out) SNUG_NODISCARD;

/* {...}, where quotes may hold a brace. */
snug_status snug__scan_braces(snug__scan *s, const char **out) SNUG_NODISCARD;

/* E_FORMAT, "line 3: ..., found '...'". */
snug_status snug__scan_fail(const snug__scan *s, const char *format, ...) SNUG_PRINTF(2, 3);

#endif
