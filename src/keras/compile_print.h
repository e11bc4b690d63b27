/* How a model is trained, as Keras's compile_config. */
#ifndef SNUG_KERAS_COMPILE_PRINT_H
#define SNUG_KERAS_COMPILE_PRINT_H

#include "train/training.h"

/* Append the compile_config of a compiled model.  Fails: E_UNSUPPORTED for a metric or loss that
 * Keras does not have. */
snug_status snug__keras_print_compile(const snug_model *m, snug__text *out) SNUG_NODISCARD;

/* The learning rate as Keras reports it.  A rate that was never set is as it was given where Keras
 * keeps doubles, else what a float32 makes of it. */
double snug__keras_learning_rate(const snug_model *m);

#endif
