/* JSON as Python writes it, through jansson.
 *
 * Beyond the standard, the bare words NaN, Infinity and -Infinity are numbers; of keys that occur
 * twice the last counts.  Whole numbers fit 64 bits.  A text is refused before it is parsed if it
 * is nested too deep or would take far more memory than a config of its length does.
 *
 * A value lives as long as its document.  Questions that do not fit a value (the text of a number)
 * are answered with nothing: NULL, 0, false; so is every question to NULL. */
#ifndef SNUG_KERAS_JSON_H
#define SNUG_KERAS_JSON_H

#include <stdbool.h>

#include "base/ctx.h"

#define SNUG__JSON_DEPTH 512                /* most brackets in each other */
#define SNUG__JSON_BYTES ((size_t)64 << 20) /* longest text */

typedef struct snug__json snug__json;

/* Read a document.  `file` begins messages.  Owns: *out is the caller's, ended by snug__json_free.
 * Fails: E_FORMAT with line and column; E_MEMORY, E_LIMIT. */
snug_status snug__json_read(snug_ctx *ctx, const char *file, const char *text, size_t bytes,
                            snug__json **out) SNUG_NODISCARD;
void snug__json_free(snug__json *root);

bool snug__json_is_null(const snug__json *j); /* true for NULL, too */
bool snug__json_is_bool(const snug__json *j);
bool snug__json_is_true(const snug__json *j);
bool snug__json_is_list(const snug__json *j);
bool snug__json_is_object(const snug__json *j);
bool snug__json_is_number(const snug__json *j);

/* A text; a whole number; any number (one without a fraction, too). */
const char *snug__json_text(const snug__json *j);
bool snug__json_int(const snug__json *j, int64_t *out);
bool snug__json_number(const snug__json *j, double *out);

/* Elements of a list, or members of an object in the order of the file. */
size_t snug__json_count(const snug__json *j);
const snug__json *snug__json_at(const snug__json *list, size_t i);
const snug__json *snug__json_get(const snug__json *object, const char *key);

/* A walk over the members of an object:
 *   for (snug__json_member x = snug__json_first(o); x.key; x = snug__json_next(o, x)) */
typedef struct snug__json_member {
  const char *key; /* NULL: there is no more */
  const snug__json *value;
  void *place; /* private */
} snug__json_member;
snug__json_member snug__json_first(const snug__json *object);
snug__json_member snug__json_next(const snug__json *object, snug__json_member behind);

/* The beginning of a value as it would be written, for messages, into out (cut to fit); returns
 * out. */
const char *snug__json_show(const snug__json *j, char *out, size_t bytes);

#endif
