/* Random augmentation as layers of a model: in inference they hand on what they get, and in
 * training they stand for steps that change images as they are read. */
#ifndef SNUG_MODEL_AUGMENTATION_H
#define SNUG_MODEL_AUGMENTATION_H

#include "model/model.h"

typedef struct snug__augmentation_config {
  snug__layer_common common;
  snug_floats factor, height_factor, width_factor, value_range;
  int32_t mode, fill_mode, interpolation; /* in the lists below */
  double fill_value;
} snug__augmentation_config;

extern const char *const snug__augmentation_modes[], *const snug__augmentation_fills[],
                                                         *const snug__augmentation_interpolations[];

/* What augmentation calls a layer class of it, "flip"; NULL: it is none. */
const char *snug__augmentation_step(const snug__layer_class *class_);

#endif
