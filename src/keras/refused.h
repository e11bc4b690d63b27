/* What is refused of a file of Keras: things that there are not here, and what holds for every
 * model.  Messages end in these texts, and snug/tools/known.h tells them. */
#ifndef SNUG_KERAS_REFUSED_H
#define SNUG_KERAS_REFUSED_H

#include <stdbool.h>
#include <stddef.h>

#include "snug/tools/known.h"

typedef struct snug__refused {
  char how; /* '=': is, '<': begins, '>': ends */
  const char *part, *advice;
} snug__refused;

extern const snug__refused snug__refused_classes[];
extern const size_t snug__n_refused_classes;

/* The things of a sort that Keras has and Snug does not have: *n of them; those of layers are
 * patterns.
 */
const snug__refused *snug__refused_of(snug_known_sort sort, size_t *n);

#define SNUG__ADVICE_OPERATION "write it with sums, products, powers, means, slices or layers"

/* Whether a class is one of those that an entry means. */
bool snug__refused_fits(const snug__refused *r, const char *class_name);

/* ---- of every model ---- */

#define SNUG__RULE_MODEL                                                                       \
  "Snug builds Sequential and Functional models; what a subclass of Model computes is Python " \
  "code that the file does not hold"
#define SNUG__RULE_CUSTOM "the file does not hold what it computes"
#define SNUG__RULE_DTYPE "Snug computes in float32 and float64"
#define SNUG__RULE_INPUT "Snug takes floats, int8, int32, int64, uint8 and bool"
#define SNUG__RULE_MASK "masks are those that Embedding(mask_zero=True) makes"

/* Keys of Keras's that must be null, false, 0 or an empty list in a class that has not that option.
 */
/* clang-format off */
#define SNUG__UNSET_KEYS(X)                                                                       \
  X(renorm) X(lora_rank) X(quantization_config) X(activity_regularizer) X(rms_scaling) X(sparse)  \
  X(ragged) X(optional) X(antialias) X(crop_to_aspect_ratio) X(pad_to_aspect_ratio)               \
  X(virtual_batch_size) X(adjustment) X(noise_shape) X(shared_axes) X(output_padding) X(keepdims)
/* clang-format on */

#endif
