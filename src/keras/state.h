/* The variables of a model in a weights file: which dataset holds which weight or slot. */
#ifndef SNUG_KERAS_STATE_H
#define SNUG_KERAS_STATE_H

#include "keras/h5.h"
#include "keras/h5_write.h"
#include "keras/keras.h"

/* Check that a file holds the weights of this model, all of them, before one is read; then read
 * them.  Fails: E_SHAPE, E_FORMAT with file, layer and both shapes; after E_IO in the middle some
 * weights are new. */
snug_status snug__keras_read_weights(snug_model *m, snug__h5 *h5) SNUG_NODISCARD;

/* The same of a legacy file (root attribute layer_names). */
snug_status snug__keras_read_legacy(snug_model *m, snug__h5 *h5) SNUG_NODISCARD;

/* Read iteration, learning rate and slots of a compiled model.  As in Keras, a file with another
 * number of them leaves the optimizer as it is (*found false). */
snug_status snug__keras_read_optimizer(snug_model *m, snug__h5 *h5, bool *found) SNUG_NODISCARD;

/* Whether a file has as many of them as the model: whether they would be read. */
snug_status snug__keras_has_optimizer(const snug_model *m, snug__h5 *h5,
                                      bool *found) SNUG_NODISCARD;

/* Write every group, weight and slot; without slots as before the first step, which leaves the
 * optimizer of whoever loads them at its start. */
snug_status snug__keras_write_state(snug_model *m, snug__h5_writer *w,
                                    bool with_slots) SNUG_NODISCARD;

#endif
