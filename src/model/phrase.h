/* Phrases: the small calls that stand as texts in a configuration, e.g. "l2(0.01)",
 * "max_norm(max_value=2, axis=0)", "glorot_uniform".
 *
 * Names are compared without case, underscores and the ending "Initializer", so that Keras's
 * function and class names are one; arguments stand in the order of the fields or by name. */
#ifndef SNUG_MODEL_PHRASE_H
#define SNUG_MODEL_PHRASE_H

#include "base/fields.h"

typedef struct snug__phrase {
  const char *name;          /* "glorot_uniform" */
  const snug__field *fields; /* of the caller's parameter struct; NULL: takes no arguments */
} snug__phrase;

/* Find the phrase of a text among n and set params (zeroed by the caller) from its arguments.
 * `where` begins messages, `what` says what is looked for ("initializer").
 * Fails: E_ARGUMENT naming the known ones, or the argument that is wrong. */
snug_status snug__phrase_parse(snug_ctx *ctx, const char *where, const char *what, const char *text,
                               const snug__phrase *table, int32_t n, void *params,
                               int32_t *found) SNUG_NODISCARD;

/* Whether a text stands for nothing: "" or "none". */
bool snug__phrase_is_none(const char *text);

#endif
