/* Pieces of JSON text: where a value begins and ends, so that it can be exchanged and all around it
 * stays as it is.  The text was read before and is well-formed; pieces never leave it in any case.
 */
#ifndef SNUG_KERAS_SPAN_H
#define SNUG_KERAS_SPAN_H

#include <stdbool.h>
#include <stddef.h>

typedef struct snug__span {
  const char *at, *end; /* at NULL: there is nothing */
} snug__span;

/* The value that a text begins with, without blanks around it. */
snug__span snug__span_value(snug__span text);

/* A walk over an object or list: start with what is inside, then take member by member.  False if
 * there is no more. */
snug__span snug__span_inside(snug__span value);
bool snug__span_next_item(snug__span *rest, snug__span *item);
bool snug__span_next_member(snug__span *rest, snug__span *key, snug__span *value);

/* The value of a key; of two the last, as Python has it. */
snug__span snug__span_get(snug__span object, const char *key);

/* A text without quotes and escapes, as UTF-8.  False if it is no text or too long. */
bool snug__span_text(snug__span value, char *out, size_t bytes);

/* Whether a value is this bare word (true, null). */
bool snug__span_is(snug__span value, const char *word);

/* Whether a value is a number. */
bool snug__span_is_number(snug__span value);

#endif
