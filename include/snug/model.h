/* Building a model layer by layer: sequential or functional.
 *
 *   snug_model *m;
 *   snug_model_create(ctx, NULL, &m);
 *   snug_tensor x = snug_model_input(m, "image", SNUG_FLOAT32, (int64_t[]){28, 28, 1}, 3);
 *   x = snug_model_layer(m, "Conv2D", "filters=8 kernel_size=3 activation=relu", &x, 1);
 *   x = snug_model_layer(m, "Flatten", NULL, &x, 1);
 *   x = snug_model_layer(m, "Dense", "units=10 activation=softmax", &x, 1);
 *   snug_status s = snug_model_outputs(m, &x, 1);
 *
 * Classes and keys are Keras's: "Conv2D" takes filters, kernel_size, strides, padding, activation,
 * ...; every layer takes name and trainable.  Keys are written `key=value`, separated by blanks or
 * commas; lists as [1,2].
 *
 * A building call that fails returns SNUG_NO_TENSOR.  The model remembers the first failure and its
 * message; later building calls do nothing, and snug_model_outputs, snug_model_compile and all that
 * follow return it.  Intermediate calls need no checks.
 *
 * Building ends with the first compile, prediction, or access to a weight: a building call after
 * that fails with E_STATE, and the model can no longer be used.
 *
 * Strings and shapes that are passed in are copied.  A model belongs to its context, and may be
 * used by one thread at a time. */
#ifndef SNUG_MODEL_H
#define SNUG_MODEL_H

#include <stdbool.h>

#include "snug/context.h"
#include "snug/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct snug_model snug_model;
typedef int32_t snug_tensor; /* a symbolic value of one model */
#define SNUG_NO_TENSOR (-1)

typedef struct snug_model_options {
  size_t struct_size;
  const char *name; /* NULL: "model" */
  snug_dtype dtype; /* of weights and activations; SNUG_NO_DTYPE: float32 */
  uint64_t seed;    /* of the initial weights, dropout and shuffling */
} snug_model_options;

/* Create an empty model. options may be NULL.  Owns: the caller destroys *out with
 * snug_model_destroy.  Fails: E_MEMORY, E_LIMIT, E_ARGUMENT (a dtype that is not a float). */
SNUG_API snug_status snug_model_create(snug_ctx *ctx, const snug_model_options *options,
                                       snug_model **out) SNUG_NODISCARD;

/* Destroy a model with its weights; not from a callback of its own fit.  Its histories and plans
 * stay valid.  NULL is allowed. */
SNUG_API void snug_model_destroy(snug_model *model);

/* Add an input.  The shape has no batch axis, and 0 to 5 axes of size 1 or more.  A float input has
 * the dtype of the model.  Names of inputs and layers have 1 to 127 bytes and are unique.  Fails:
 * SNUG_NO_TENSOR, and snug_model_status says E_ARGUMENT (name, dtype, number of axes), E_SHAPE
 * (sizes), E_DTYPE (another float), E_STATE, E_MEMORY, E_LIMIT. */
SNUG_API snug_tensor snug_model_input(snug_model *model, const char *name, snug_dtype dtype,
                                      const int64_t *shape, int32_t rank);

/* Add a layer of a class, called on n tensors. config may be NULL.  If it has no name, the layer is
 * named after its class ("conv2d", "conv2d_1", ...).  Operations of keras.ops are classes as well:
 * "ops.Add", "ops.GetItem".  Fails: SNUG_NO_TENSOR, and
 * snug_model_status says E_UNSUPPORTED (no such class), E_ARGUMENT (a key, a value, a tensor or
 * their number), E_SHAPE, E_DTYPE (the tensors do not fit), E_STATE, E_MEMORY, E_LIMIT. */
SNUG_API snug_tensor snug_model_layer(snug_model *model, const char *class_name, const char *config,
                                      const snug_tensor *in, int32_t n);

/* Call an existing layer again on other tensors; the weights are shared.  Fails as
 * snug_model_layer; E_ARGUMENT for an unknown name. */
SNUG_API snug_tensor snug_model_again(snug_model *model, const char *layer_name,
                                      const snug_tensor *in, int32_t n);

/* Add a layer after the last one: sequential building.  Fails as snug_model_layer; E_STATE
 * if there is no input yet. */
SNUG_API snug_tensor snug_model_add(snug_model *model, const char *class_name, const char *config);

/* Set the model's outputs.  Without this call the last tensor is the one output.
 * Fails: the first failure of building; E_ARGUMENT for an unknown tensor or an input that no output
 * needs; E_STATE after compile. */
SNUG_API snug_status snug_model_outputs(snug_model *model, const snug_tensor *out,
                                        int32_t n) SNUG_NODISCARD;

/* The first failure of building, or SNUG_OK.  Does not change snug_message. */
SNUG_API snug_status snug_model_status(const snug_model *model);

/* Shape of a tensor without the batch axis; returns its rank, or -1 for an unknown tensor.  shape
 * may be NULL. */
SNUG_API int32_t snug_model_shape(const snug_model *model, snug_tensor tensor,
                                  int64_t shape[SNUG_MAX_RANK]);

/* The i-th input in the order they were added, and the i-th output; SNUG_NO_TENSOR past the last.
 */
SNUG_API snug_tensor snug_model_input_at(const snug_model *model, int32_t i);
SNUG_API snug_tensor snug_model_output_at(const snug_model *model, int32_t i);

/* The name of the input or layer that a tensor comes from ("" for an unknown tensor; valid as long
 * as the model), and the dtype of its elements (SNUG_NO_DTYPE for an unknown tensor). */
SNUG_API const char *snug_model_tensor_name(const snug_model *model, snug_tensor tensor);
SNUG_API snug_dtype snug_model_tensor_dtype(const snug_model *model, snug_tensor tensor);

/* Layers of random augmentation (RandomFlip and its like) hand on what they get.  What they stand
 * for in training a fit does to samples on their way: *steps is that as snug_fit_options.augment
 * has it, "flip=horizontal,rotation(factor=0.1)", or NULL if there are none; it lives as long as
 * the model.
 * Fails: E_UNSUPPORTED (a layer stands where images that are augmented as they are read would come
 * out otherwise), E_MEMORY, E_LIMIT, and as building did. */
SNUG_API snug_status snug_model_augmentation(snug_model *model, const char **steps) SNUG_NODISCARD;

/* The data of fits come augmented, such as by snug_image_options.augment: no fit does it by itself.
 * Of NULL: nothing. */
SNUG_API void snug_model_set_augmented(snug_model *model);

/* Freeze or unfreeze a layer ("*": all).  Takes effect at the next compile.  Fails: E_ARGUMENT for
 * an unknown name. */
SNUG_API snug_status snug_model_set_trainable(snug_model *model, const char *layer_name,
                                              bool trainable) SNUG_NODISCARD;

/* ---- weights ---- */

typedef struct snug_weight_info {
  size_t struct_size;
  const char *name;  /* "conv1/kernel"; valid as long as the model */
  const char *layer; /* "conv1"; likewise */
  snug_dtype dtype;
  int32_t rank;
  int64_t shape[SNUG_MAX_RANK];
  bool trainable;
  size_t bytes;
} snug_weight_info;

/* Number of weights, and what the i-th is.  Fails: E_ARGUMENT when i is out of range. */
SNUG_API size_t snug_model_weights(const snug_model *model);
SNUG_API snug_status snug_model_weight_info(const snug_model *model, size_t i,
                                            snug_weight_info *out) SNUG_NODISCARD;

/* Copy a weight out or in, in its own dtype.  Creates the weights and their initial values if
 * necessary, which ends building.  Fails: E_ARGUMENT for an unknown name or a wrong number of
 * bytes; the first failure of building; E_MEMORY, E_LIMIT. */
SNUG_API snug_status snug_model_weight_get(snug_model *model, const char *name, void *data,
                                           size_t bytes) SNUG_NODISCARD;
SNUG_API snug_status snug_model_weight_set(snug_model *model, const char *name, const void *data,
                                           size_t bytes) SNUG_NODISCARD;

#ifdef __cplusplus
}
#endif
#endif
