/* Random augmentation in a model's file, as the text that augments images while they are read. */
#ifndef SNUG_KERAS_AUGMENT_H
#define SNUG_KERAS_AUGMENT_H

#include "keras/config_parts.h"

/* The steps of a container's layers of random augmentation, "flip=horizontal,rotation=0.1".  false:
 * they do not all stand first, or one has no such step. */
bool snug__config_augment_text(const snug__config_scope *scope, char *text, size_t bytes);

#endif
