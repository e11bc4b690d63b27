/* JSON as Python's json.dumps writes it: pieces that are appended to a text. */
#ifndef SNUG_KERAS_JSON_PRINT_H
#define SNUG_KERAS_JSON_PRINT_H

#include "model/named.h"

/* A text in quotes, all of it ASCII. */
snug_status snug__json_print_text(const char *text, snug__text *out) SNUG_NODISCARD;

/* A float, always with a point or an exponent: Keras asks for floats in places. */
snug_status snug__json_print_float(double value, snug__text *out) SNUG_NODISCARD;

/* A number, without a point if it is whole. */
snug_status snug__json_print_number(double value, snug__text *out) SNUG_NODISCARD;

/* "key": behind a comma unless *first, which is then false. */
snug_status snug__json_print_key(const char *key, bool *first, snug__text *out) SNUG_NODISCARD;

/* The value of a field: numbers and texts as they are, a list of one as its element, an empty list
 * as null. */
snug_status snug__json_print_field(const snug__field *f, const void *params,
                                   snug__text *out) SNUG_NODISCARD;

/* Whether a field has its default. */
snug_status snug__json_is_default(snug_ctx *ctx, const snug__field *f, const void *params,
                                  bool *out) SNUG_NODISCARD;

/* Keras's class of a name: "glorot_uniform" -> "GlorotUniform", "kl_divergence" -> "KLDivergence".
 */
void snug__json_class_name(const char *name, char out[SNUG__NAME_BYTES]);

/* The beginning of an object, up to where the members of its config stand, and what follows them;
 * more members of the object may come, then a brace. */
snug_status snug__json_print_open(const char *module, const char *class_name,
                                  snug__text *out) SNUG_NODISCARD;
snug_status snug__json_print_close(const char *registered_name, snug__text *out) SNUG_NODISCARD;

/* A named thing as an object, with the options that differ from their defaults. */
snug_status snug__json_print_named(const char *module, const snug__named *thing,
                                   const void *options, snug__text *out) SNUG_NODISCARD;

#endif
