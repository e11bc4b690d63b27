/* Things chosen by text: `name` or `name(value, key=value, ...)`, e.g. "mse", "l2(0.01)",
 * "SGD(0.1, momentum=0.9)".
 *
 * Names are compared without case and underscores, so that Keras's function names, class names and
 * aliases are one: "SparseCategoricalCrossentropy", "sparse_categorical_crossentropy".  Arguments
 * stand in the order of the fields, then by name, as in Python; the order of a table's fields is
 * therefore Keras's. */
#ifndef SNUG_MODEL_NAMED_H
#define SNUG_MODEL_NAMED_H

#include "base/fields.h"

#define SNUG__NAMED_TEXT_BYTES 1024 /* longest text of one thing */

typedef struct snug__named {
  const char *names;         /* "mean_squared_error mse": the first is its own, the rest aliases */
  const snug__field *fields; /* of the caller's options; NULL: takes none */
  const char *lack; /* what it is not able to do, or what it is not; NULL: nothing to say */
} snug__named;

/* The things of one sort.  The entries lie `stride` bytes apart and begin with a snug__named. */
typedef struct snug__named_set {
  const char *what;   /* "loss" */
  const char *ending; /* what a name may also end in ("initializer"), lower case; or NULL */
  const void *entries;
  size_t stride, n;
} snug__named_set;

#define SNUG_NAMED_SET(what, ending, table) \
  { (what), (ending), (table), sizeof(table)[0], SNUG_COUNT(table) }

/* Thing i of a set, i < n. */
const snug__named *snug__named_at(const snug__named_set *set, size_t i);

/* A text taken apart: which thing, and its arguments, each as key=value. */
typedef struct snug__named_call {
  const snug__named *thing;
  size_t index;                     /* of the thing in its set */
  char where[4 * SNUG__NAME_BYTES]; /* begins messages: "dense/kernel: l2", "optimizer adam" */
  char arguments[SNUG__NAMED_TEXT_BYTES];
} snug__named_call;

/* Take a text apart.  `where` begins messages, or NULL.
 * Fails: E_ARGUMENT naming what is known, or what is wrong with the arguments. */
snug_status snug__named_read(snug_ctx *ctx, const snug__named_set *set, const char *where,
                             const char *text, snug__named_call *out) SNUG_NODISCARD;

/* Take an argument that is itself a thing, `key=Name(...)`, out of a call: its text goes to value
 * (of SNUG__NAMED_TEXT_BYTES), "" if the argument is not given or begins with no letter. */
void snug__named_take(snug__named_call *call, const char *key, char *value);

/* Set options (zeroed here, of `bytes`) from the arguments of a call. */
snug_status snug__named_apply(snug_ctx *ctx, const snug__named_call *call, void *options,
                              size_t bytes) SNUG_NODISCARD;

/* Read and apply in one.  found: the index of the thing. */
snug_status snug__named_parse(snug_ctx *ctx, const snug__named_set *set, const char *where,
                              const char *text, void *options, size_t bytes,
                              size_t *found) SNUG_NODISCARD;

/* A thing with its options, for those who tell of it. */
typedef struct snug__named_value {
  const snug__named *thing;
  union {
    double aligned;
    char bytes[512];
  } options; /* what thing->fields tell of */
} snug__named_value;

/* Whether the text's name is one of the set's. */
bool snug__named_is_known(const snug__named_set *set, const char *text);

/* Whether a text stands for nothing: NULL, "" or "none". */
bool snug__named_is_none(const char *text);

/* Whether two names are the same without case and underscores. */
bool snug__named_is_same(const char *a, const char *b);

/* The first of the names, into out. */
void snug__named_own(const snug__named *thing, char out[SNUG__NAME_BYTES]);

/* Append "name(key=value, ...)" with the options that differ from their defaults; reads back to the
 * same. */
snug_status snug__named_print(const snug__named *thing, const void *options,
                              snug__text *out) SNUG_NODISCARD;

/* What stands before the parentheses of a text, into out (cut to fit). */
void snug__named_given(const char *text, char out[SNUG__NAME_BYTES]);

#endif
