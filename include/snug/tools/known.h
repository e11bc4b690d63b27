/* What Snug supports of Keras: layers, operations (keras.ops), activations, losses, metrics,
 * optimizers, schedules, initializers, regularizers and constraints, with the options of each,
 * their defaults, and what of each is not supported.
 *
 * The answers come from the tables that configurations are parsed with, so they cannot deviate from
 * what the parser does.  Strings are static; any thread may call these functions. */
#ifndef SNUG_TOOLS_KNOWN_H
#define SNUG_TOOLS_KNOWN_H

#include <stdbool.h>

#include "snug/struct_size.h"
#include "snug/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum snug_known_sort {
  SNUG_KNOWN_LAYER,
  SNUG_KNOWN_OPERATION,
  SNUG_KNOWN_ACTIVATION,
  SNUG_KNOWN_LOSS,
  SNUG_KNOWN_METRIC,
  SNUG_KNOWN_OPTIMIZER,
  SNUG_KNOWN_SCHEDULE,
  SNUG_KNOWN_INITIALIZER,
  SNUG_KNOWN_REGULARIZER,
  SNUG_KNOWN_CONSTRAINT,
  SNUG_KNOWN_SORTS
} snug_known_sort;

#define SNUG_KNOWN_NAME_BYTES 64

typedef struct snug_known {
  size_t struct_size;
  snug_known_sort sort;
  char name[SNUG_KNOWN_NAME_BYTES]; /* Keras's: "Conv2D", "take_along_axis"; of what is not
                                       supported it may stand for several: "*Attention" */
  const char *aliases;              /* other names, with blanks between them; "" */
  const char *instead; /* NULL: it is supported; otherwise why not, and what would do */
  int32_t least_inputs, most_inputs; /* of a call; 0 where it is not called */
  size_t n_options, n_limits;
} snug_known;

typedef struct snug_known_option {
  size_t struct_size;
  const char *name, *kind;    /* "a whole number", "one of" */
  const char *initial;        /* its default; "none"; NULL: it must be given */
  const char *const *choices; /* ended by NULL; NULL: none */
} snug_known_option;

/* What is not supported: any value of an option but one, or something else, told in words. */
typedef struct snug_known_limit {
  size_t struct_size;
  const char *option, *only; /* "data_format", "channels_last"; NULL both: see says */
  const char *says;          /* why, or what to do instead; NULL: nothing */
} snug_known_limit;

/* Number of things; those of a sort stand together, those that are not supported behind the others.
 */
SNUG_API size_t snug_known_count(void);

/* Thing i, and option and limit k of it.  False, with *out zeroed, when out of range. */
SNUG_API bool snug_known_get(size_t i, snug_known *out);
SNUG_API bool snug_known_option_get(size_t i, size_t k, snug_known_option *out);
SNUG_API bool snug_known_limit_get(size_t i, size_t k, snug_known_limit *out);

/* Whether thing i is meant by a name: without case and underscores, with or without "keras.ops."
 * and the like before it. */
SNUG_API bool snug_known_is(size_t i, const char *name);

/* "layer"; "" when out of range. */
SNUG_API const char *snug_known_sort_text(snug_known_sort sort);

/* Rule i of those that hold for every model; NULL when out of range. */
SNUG_API const char *snug_known_rule(size_t i);

#ifdef __cplusplus
}
#endif
#endif
