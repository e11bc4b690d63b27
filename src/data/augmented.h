/* Data whose images are changed at random in training: as a source of float32 images over the one
 * that has them, or over arrays in memory, which stay as they are. */
#ifndef SNUG_DATA_AUGMENTED_H
#define SNUG_DATA_AUGMENTED_H

#include "base/ctx.h"
#include "graph/type.h"
#include "snug/data.h"

struct snug__augment;

/* The steps of a text, as image/augment.h has it, for the images that a value of a model takes;
 * NULL if there are none.  Owns: *out is the caller's.  Fails: E_ARGUMENT; E_UNSUPPORTED (no images
 * of floats, a crop, which would change their size); E_MEMORY, E_LIMIT. */
snug_status snug__augment_create(snug_ctx *ctx, const char *text, const snug__type *image,
                                 struct snug__augment **out) SNUG_NODISCARD;
void snug__augment_destroy(snug_ctx *ctx, struct snug__augment *augment);

typedef struct snug__augmented {
  snug_source source;
  const snug_data *data;
  const snug_source *inner; /* NULL: all arrays are in memory */
  const struct snug__augment *augment;
  bool in_memory; /* x[0] is read from there, not from `inner` */
  uint64_t seed;
} snug__augmented;

/* Like snug__augmented but for its source; *a must stay where it is as long as that is used.  Where
 * its array k is x[0], a sample is float32, whatever the array has. */
const snug_source *snug__augmented_source(snug__augmented *a);

#endif
