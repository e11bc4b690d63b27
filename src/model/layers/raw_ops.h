/* Raw ops: what stands between layers in the graphs of Keras's Functional models.
 *
 * Keras writes them with the module keras.src.ops.{numpy,nn,math,core} and a class name that a
 * layer may have too; here "ops." stands before it.  Their keys are those of Keras's config, and
 * what Keras puts among the arguments of the call beside tensors.  A key that is null there is left
 * out here, or written as `none` where it is a list; a null within a list (a shape's batch) is -1.
 *
 *   Add Subtract Multiply Divide TrueDivide Power Maximum Minimum
 *       two inputs; or one and `constant`, a number or a list of numbers along the last axis
 *       (__numpy__ and __tensor__ of rank 1), and `constant_first=true` if it is the left one
 *   Matmul                                          two inputs
 *   Absolute Copy Exp HardSigmoid HardSilu HardTanh Log LogSigmoid Negative Reciprocal Relu Relu6
 *   Rsqrt Selu Sigmoid Sign Silu Softplus Softsign SparsePlus SparseSigmoid Sqrt Square Tanh
 *   TanhShrink                                      no keys
 *   Celu Elu             alpha(1)
 *   Gelu                 approximate(true)
 *   HardShrink SoftShrink  threshold(0.5)
 *   LeakyRelu            negative_slope(0.2)
 *   Squareplus           b(4)
 *   Threshold            threshold, default_value
 *   Glu                  axis(-1)
 *   LogSoftmax Softmax   axis(-1): a number or a list
 *   Sum Mean Amax Amin   axis: a number or a list; keepdims(false)
 *   Max Min              the same, and initial, which must be null
 *   Reshape              newshape, the batch (-1) first
 *   Transpose            axes, the batch (0) first
 *   Swapaxes             axis1, axis2
 *   Moveaxis             source, destination: numbers or lists
 *   ExpandDims Squeeze   axis: a number or a list
 *   Repeat               repeats, axis
 *   Concatenate Stack    axis; any number of inputs
 *   Clip                 x_min, x_max
 *   Cast                 dtype: the model's float
 *   GetItem              key: as in Python, a text in quotes: key="[:, 0, 1:3, ::2, ..., None]"
 *
 * keras.src.activations.activations.ReLU (keras.activations.relu on a tensor) is the layer ReLU.
 *
 * Every axis may be used but the batch's: one sample knows nothing of another. */
#ifndef SNUG_MODEL_LAYERS_RAW_OPS_H
#define SNUG_MODEL_LAYERS_RAW_OPS_H

#include "model/layers/support.h"

#endif
