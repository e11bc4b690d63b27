/* What a model keeps of its Keras file, and the parts that loading and saving are made of.
 *
 * load:  archive -> config (builds the model and its places) -> compile -> h5 -> state
 * save:  state -> h5 writer -> archive, with the config that was found, patched
 * A model that was built in C is described first: describe makes the same record from it. */
#ifndef SNUG_KERAS_KERAS_H
#define SNUG_KERAS_KERAS_H

#include "model/model.h"
#include "snug/keras.h"

/* An object of the model that has a group of its own in the weights file: a layer, an input or a
 * nested model.  In Keras's order, nested ones behind their container: this is the order of the
 * optimizer's slots, too. */
typedef struct snug__keras_place {
  const char *path; /* of its group without "/vars": "layers/conv2d_1"; "" is the model itself */
  const char *name; /* what Keras calls it: "conv1" */
  uint32_t layer;   /* in model->layers; SNUG__NO_LAYER: it has no variables */
} snug__keras_place;

typedef struct snug__keras {
  snug__arena arena;  /* of all texts here */
  const char *config; /* config.json as it was found */
  size_t config_bytes;
  const char *version; /* Keras's that wrote the file; "" if it does not say */
  snug__vec places;    /* snug__keras_place */
  uint64_t compiles;   /* model->compiles as the file's own compile left it; 0: the file has none.
                          Another number now means that the user compiled anew */
} snug__keras;

/* Give a model an empty record; snug__keras_destroy ends it with the model. */
snug_status snug__keras_create(snug_model *m, const char *config, size_t config_bytes,
                               const char *version) SNUG_NODISCARD;

/* Append a place; the texts are copied. */
snug_status snug__keras_add_place(snug_model *m, const char *path, const char *name,
                                  uint32_t layer) SNUG_NODISCARD;

#endif
