/* Raw ops: what stands between layers in the graphs of Keras's Functional models.
 *
 * Keras writes them with the module keras.src.ops.{numpy,nn,math,core} and a class name that a
 * layer may have too; here "ops." precedes it.  Their keys are those of Keras's config, and
 * what Keras puts among the arguments of the call beside tensors.  A key that is null there is left
 * out here, or written as `none` where it is a list; a null within a list (a shape's batch) is -1.
 *
 * The fields of each class are its documentation, and `snug layers` lists them.  What they do not
 * say:
 *
 *   Add, Equal, LogicalAnd, Power, ...  two inputs; or one and `constant`, with
 *       `constant_first=true` if it is the left one (see raw_values.h)
 *   Where                condition, x1, x2: inputs, or constants of these names
 *   Take                 indices: a constant; or x: a constant table in which the input looks up
 *   Dot Einsum Matmul Tensordot   one of the two factors may be `constant`
 *   Split Unstack Moments TopK    several results: a layer is the one that `output` tells
 *   Max Min              initial must be null
 *   Reshape BroadcastTo  newshape, shape: the batch (-1) first
 *   Transpose            axes, the batch (0) first
 *   Concatenate Stack    any number of inputs
 *   Cast                 dtype: the model's float, int8, uint8, int32, int64, bool
 *   GetItem              key: as in Python, a text in quotes: key="[:, 0, 1:3, ::-2, ..., None]"
 *
 * keras.src.activations.activations.ReLU (keras.activations.relu on a tensor) is the layer ReLU.
 *
 * Every axis may be used but the batch's: one sample knows nothing of another. */
#ifndef SNUG_MODEL_LAYERS_RAW_OPS_H
#define SNUG_MODEL_LAYERS_RAW_OPS_H

#include "model/layers/support.h"

#endif
