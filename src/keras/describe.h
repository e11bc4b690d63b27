/* The Keras config of a model: of one that was built here, and what has changed in one that was
 * loaded. */
#ifndef SNUG_KERAS_DESCRIBE_H
#define SNUG_KERAS_DESCRIBE_H

#include "keras/keras.h"

/* The version that new files say they are from: the order of the optimizer's states is that of
 * 3.10 and later, losses and metrics are those of 3.14 (see snug__habits); the config is of the
 * oldest kind. */
#define SNUG__KERAS_VERSION "3.14.0"

/* Make the record (config and places) of a model that has none.  Fails: E_UNSUPPORTED. */
snug_status snug__keras_describe(snug_model *m) SNUG_NODISCARD;

/* Append the config to be saved: the model's, with learning rate, trainable flags and
 * compile_config as they are now.  Everything else stays as it was found, byte by byte. */
snug_status snug__keras_patched(snug_model *m, snug__text *out) SNUG_NODISCARD;

#endif
