/* From config.json to a model and back to the way it is compiled. */
#ifndef SNUG_KERAS_CONFIG_H
#define SNUG_KERAS_CONFIG_H

#include "keras/keras.h"

/* Build the model that a config describes, with its record (config, places).  `file` is for
 * messages.  Owns: *out is the caller's.  Fails: E_FORMAT (no JSON, or not that of a model),
 * E_UNSUPPORTED naming layer and class or argument, and as building a model does. */
snug_status snug__keras_build(snug_ctx *ctx, const char *file, const char *config, size_t bytes,
                              const char *version, const snug_load_options *options,
                              snug_model **out) SNUG_NODISCARD;

/* Compile a model as its config says; does nothing if it says nothing. */
snug_status snug__keras_compile(snug_model *m, const char *file) SNUG_NODISCARD;

/* The same for a model that may do without: what the file says of training and Snug does not have
 * stops only what needs it.  The model is then as one that was not compiled, and says why. */
snug_status snug__keras_try_compile(snug_model *m, const char *file) SNUG_NODISCARD;

#endif
