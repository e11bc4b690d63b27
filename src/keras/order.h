/* The order in which Keras counts a model's variables.
 *
 * In a layer: the trainable ones first, then the others, each in the order they were made; freezing
 * a layer changes nothing there.  In a model: as its places stand. */
#ifndef SNUG_KERAS_ORDER_H
#define SNUG_KERAS_ORDER_H

#include "keras/keras.h"

typedef struct snug__keras_order {
  snug_ctx *ctx;
  snug__id *weights; /* layer by layer */
  uint32_t *first;   /* of each layer in `weights`; one more at the end */
  size_t n_weights, n_layers;
} snug__keras_order;

/* Sort the model's weights by layer.  Fails: E_MEMORY, E_LIMIT; there is then nothing to release.
 */
snug_status snug__keras_order_init(snug__keras_order *o, const snug_model *m) SNUG_NODISCARD;
void snug__keras_order_release(snug__keras_order *o);

/* The weights of a place, and their number. */
const snug__id *snug__keras_order_of(const snug__keras_order *o, const snug__keras_place *place,
                                     size_t *n);

#endif
