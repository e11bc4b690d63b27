/* Things chosen by text: `name` or `name(key=value, ...)`.
 *
 * Names are compared without case and underscores, so that Keras's function names, class names and
 * aliases are one: "SparseCategoricalCrossentropy", "sparse_categorical_crossentropy". */
#ifndef SNUG_MODEL_NAMED_H
#define SNUG_MODEL_NAMED_H

#include "base/fields.h"

#define SNUG__NAMED_TEXT_BYTES 1024 /* longest text of one thing */

typedef struct snug__named {
  const char *names;         /* "mean_squared_error mse": the first is its own, the rest aliases */
  const snug__field *fields; /* of the caller's options; NULL: takes none */
} snug__named;

/* Find the thing of a text and set its options (zeroed here, of `bytes`) from the arguments.
 * `what` says what is looked for, e.g. "loss".  The table's entries lie `stride` bytes apart and
 * begin with a snug__named.
 * Fails: E_ARGUMENT naming what is known. */
snug_status snug__named_parse(snug_ctx *ctx, const char *what, const char *text, const void *table,
                              size_t stride, size_t n, void *options, size_t bytes,
                              size_t *found) SNUG_NODISCARD;

/* Take `key=Name(...)`, a thing given as an argument, out of a text: the text without it goes to
 * rest, the thing to value ("" if there is none).  Both have SNUG__NAMED_TEXT_BYTES.
 * Fails: E_ARGUMENT if the text is too long or its parentheses do not match. */
snug_status snug__named_cut(snug_ctx *ctx, const char *what, const char *text, const char *key,
                            char *rest, char *value) SNUG_NODISCARD;

/* Whether the text's name is one of the thing's. */
bool snug__named_is(const snug__named *thing, const char *text);

/* The first of the names, into out. */
void snug__named_own(const snug__named *thing, char out[SNUG__NAME_BYTES]);

/* Append "name(key=value, ...)" with the options that differ from their defaults; reads back to the
 * same. */
snug_status snug__named_print(const snug__named *thing, const void *options,
                              snug__text *out) SNUG_NODISCARD;

/* What stands before the parentheses of a text, into out (cut to fit). */
void snug__named_given(const char *text, char out[SNUG__NAME_BYTES]);

#endif
