/* The parts of describing a model that was built here. */
#ifndef SNUG_KERAS_DESCRIBE_PARTS_H
#define SNUG_KERAS_DESCRIBE_PARTS_H

#include "keras/keras.h"

/* An object in Keras's list of layers. */
typedef struct snug__keras_item {
  bool is_input;
  uint32_t index; /* of the model's inputs or layers */
} snug__keras_item;

/* The calls of layer i, in their order: calls[first[i]] up to calls[first[i + 1]]. */
typedef struct snug__keras_calls {
  uint32_t *first, *calls;
} snug__keras_calls;

/* Sort the calls by layer, into the arena. */
snug_status snug__keras_sort_calls(const snug_model *m, snug__arena *arena,
                                   snug__keras_calls *out) SNUG_NODISCARD;

/* Append the inputs and layers (snug__keras_item) that the outputs need, in the order that Keras
 * gives them in a Functional model. */
snug_status snug__keras_sort(const snug_model *m, snug__vec *out) SNUG_NODISCARD;

/* Append them in the order in which a config lists them: behind what they are called on. */
snug_status snug__keras_list(const snug_model *m, snug__vec *out) SNUG_NODISCARD;

/* Append the object of a layer without its closing brace.  Fails: E_UNSUPPORTED for what Keras does
 * not have. */
snug_status snug__keras_print_layer(const snug_model *m, const snug__layer *layer,
                                    snug__text *out) SNUG_NODISCARD;

#endif
