#!/usr/bin/env python3
"""Write tests/model/layer_cases.inc: what a real Keras makes of single layers.

Usage: gen_layer_cases.py > tests/model/layer_cases.inc   (needs keras with the tensorflow backend)

Inputs and weights follow a formula that the test knows too, so that only outputs are stored: in full
where they are few, else the first ones and two sums of all of them.  Of the gradients, of each input
and then of each trained weight, two such sums are stored.  All is computed in float64.
"""
import os

os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import keras
import numpy as np
import tensorflow as tf
from keras.src.ops import core, math, nn
from keras.src.ops import image as kimage
from keras.src.ops import linalg
from keras.src.ops import numpy as knumpy
from keras.src.applications.convnext import LayerScale, StochasticDepth
from keras.src.applications.inception_resnet_v2 import CustomScaleLayer

keras.config.set_floatx("float64")
OWN = {c.__name__: c for c in (LayerScale, StochasticDepth, CustomScaleLayer)}
IMAGE = (2, 6, 5, 4)
SERIES = (2, 7, 4)
VECTOR = (3, 6)


def noise(k, shape):
    """The formula: element i of the k-th array."""
    i = np.arange(int(np.prod(shape)), dtype=np.int64)
    return (((i * 7919 + (k + 1) * 104729) % 2003) / 1001.5 - 1.0).reshape(shape)


def text(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "none"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(text(v) for v in value) + "]"
    if isinstance(value, str) and not value.isidentifier():
        return "'" + value + "'"
    return repr(value) if isinstance(value, float) else str(value)


CASES = []


def case(name, shapes, training=False, ints=0, floats=0, positive=False, keys="", shaped=None, **config):
    """ints: the input holds integers below this; floats: the same as floats; positive: it is 0.5 or more, "above": 1.5 or more; keys: further
    text for our side alone; shaped: the shape in which Keras gets mean and variance."""
    if isinstance(shapes, tuple):
        shapes = [shapes]
    kind = ("int32<%d" % ints if ints else "float64<%d" % floats if floats else "above" if positive == "above"
            else "positive" if positive else "float64")
    CASES.append((name, shapes, training, kind, keys, shaped, config))


case("Dense", VECTOR, units=4)
case("Dense", VECTOR, units=4, use_bias=False, activation="softmax")
case("Dense", (2, 3, 2, 5), units=3, activation="swish")
for activation in ("relu leaky_relu relu6 softmax celu elu selu softplus softsign squareplus soft_shrink sparse_plus "
                   "silu gelu glu tanh tanh_shrink sigmoid sparse_sigmoid exponential hard_sigmoid hard_silu "
                   "hard_swish hard_tanh hard_shrink linear mish log_softmax log_sigmoid swish").split():
    case("Activation", VECTOR, activation=activation)
case("ReLU", VECTOR)
case("ReLU", VECTOR, max_value=0.5, negative_slope=0.1, threshold=0.2)
case("ReLU", VECTOR, max_value=6.0)
case("LeakyReLU", VECTOR)
case("LeakyReLU", VECTOR, negative_slope=0.1)
case("ELU", VECTOR, alpha=0.5)
case("PReLU", IMAGE)
case("PReLU", IMAGE, shared_axes=[1, 2])
case("Softmax", VECTOR)
case("Softmax", IMAGE, axis=1)

case("Conv2D", IMAGE, filters=3, kernel_size=3)
case("Conv2D", IMAGE, filters=3, kernel_size=3, strides=2, padding="same", activation="relu")
case("Conv2D", IMAGE, filters=6, kernel_size=[2, 3], padding="same", groups=2, use_bias=False)
case("Conv2D", IMAGE, filters=4, kernel_size=[3, 1], dilation_rate=2, padding="same")
case("Conv2D", IMAGE, filters=4, kernel_size=3, groups=4, padding="same")
case("Conv2D", IMAGE, filters=5, kernel_size=1, strides=[2, 1])
case("Conv1D", SERIES, filters=3, kernel_size=3)
case("Conv1D", SERIES, filters=4, kernel_size=2, strides=2, padding="same", groups=2, activation="tanh")
case("Conv1D", SERIES, filters=3, kernel_size=3, padding="causal", dilation_rate=2)
case("DepthwiseConv2D", IMAGE, kernel_size=3)
case("DepthwiseConv2D", IMAGE, kernel_size=3, strides=2, padding="same", depth_multiplier=2)
case("DepthwiseConv2D", IMAGE, kernel_size=[2, 3], use_bias=False, dilation_rate=[2, 1])
case("DepthwiseConv1D", SERIES, kernel_size=3, depth_multiplier=2, strides=2, padding="same")
case("SeparableConv2D", IMAGE, filters=3, kernel_size=3, padding="same", depth_multiplier=2)
case("SeparableConv2D", IMAGE, filters=5, kernel_size=3, strides=2, use_bias=False, activation="relu")
case("SeparableConv1D", SERIES, filters=5, kernel_size=3, padding="same")
case("SeparableConv1D", SERIES, filters=3, kernel_size=2, depth_multiplier=2)
case("Conv2DTranspose", IMAGE, filters=3, kernel_size=3, strides=2, padding="same")
case("Conv2DTranspose", IMAGE, filters=2, kernel_size=3, strides=2)
case("Conv2DTranspose", IMAGE, filters=2, kernel_size=[2, 4], strides=[3, 1], padding="same", activation="relu")
case("Conv2DTranspose", IMAGE, filters=2, kernel_size=2, strides=3)
case("Conv2DTranspose", IMAGE, filters=2, kernel_size=3, strides=2, padding="same", output_padding=1)
case("Conv1DTranspose", SERIES, filters=3, kernel_size=3, strides=2, padding="same")

case("MaxPooling2D", IMAGE)
case("MaxPooling2D", IMAGE, pool_size=3, strides=2, padding="same")
case("MaxPooling2D", IMAGE, pool_size=1, strides=2)
case("AveragePooling2D", IMAGE, pool_size=[3, 2], strides=1, padding="same")
case("AveragePooling2D", IMAGE, pool_size=2)
case("MaxPooling1D", SERIES, pool_size=3, strides=2, padding="same")
case("MaxPooling1D", SERIES)
case("AveragePooling1D", SERIES, pool_size=3, strides=2, padding="same")
for kind in ("GlobalAveragePooling", "GlobalMaxPooling"):
    case(kind + "2D", IMAGE)
    case(kind + "2D", IMAGE, keepdims=True)
    case(kind + "1D", SERIES)
    case(kind + "1D", SERIES, keepdims=True)

case("BatchNormalization", IMAGE)
case("BatchNormalization", IMAGE, training=True, momentum=0.9, epsilon=0.01)
case("BatchNormalization", VECTOR, training=True, scale=False)
case("BatchNormalization", SERIES, center=False, axis=2)
case("BatchNormalization", VECTOR, training=True, center=False, scale=False)
case("BatchNormalization", IMAGE, training=True, trainable=False)
case("LayerNormalization", IMAGE)
case("LayerNormalization", IMAGE, axis=[1, 2, 3], epsilon=1e-6)
case("LayerNormalization", SERIES, center=False, axis=[-2, -1])
case("LayerNormalization", VECTOR, scale=False, center=False)
case("GroupNormalization", IMAGE, groups=2)
case("GroupNormalization", IMAGE, groups=-1, scale=False)
case("GroupNormalization", SERIES, groups=1, epsilon=0.1)
case("RMSNormalization", SERIES)
case("RMSNormalization", VECTOR, epsilon=0.1)
case("UnitNormalization", VECTOR)
case("UnitNormalization", IMAGE, axis=1)

for kind in ("Add", "Multiply", "Average", "Maximum", "Minimum"):
    case(kind, [VECTOR, VECTOR, VECTOR])
    case(kind, [IMAGE, (2, 1, 1, 4)])
case("Add", [IMAGE, (2, 4)])
case("Subtract", [VECTOR, VECTOR])
case("Concatenate", [IMAGE, (2, 6, 5, 2), (2, 6, 5, 1)])
case("Concatenate", [IMAGE, (2, 2, 5, 4)], axis=1)
case("Dot", [VECTOR, VECTOR], axes=1)
case("Dot", [VECTOR, VECTOR], axes=-1, normalize=True)
case("CustomScaleLayer", [VECTOR, VECTOR], scale=0.25)

case("Flatten", IMAGE)
case("Flatten", VECTOR)
case("Reshape", IMAGE, target_shape=[5, -1])
case("Reshape", VECTOR, target_shape=[1, 2, 3])
case("Permute", IMAGE, dims=[3, 1, 2])
case("RepeatVector", VECTOR, n=3)
case("ZeroPadding2D", IMAGE)
case("ZeroPadding2D", IMAGE, padding=[2, 1])
case("ZeroPadding2D", IMAGE, padding=[[0, 1], [2, 3]])
case("ZeroPadding1D", SERIES, padding=2)
case("ZeroPadding1D", SERIES, padding=[0, 3])
case("Cropping2D", IMAGE, cropping=[[1, 0], [0, 2]])
case("Cropping2D", IMAGE, cropping=1)
case("Cropping2D", IMAGE, cropping=[2, 1])
case("Cropping1D", SERIES)
case("Cropping1D", SERIES, cropping=[0, 3])
case("UpSampling2D", IMAGE)
case("UpSampling2D", IMAGE, size=[1, 3])
case("UpSampling2D", (2, 3, 2, 2), size=[2, 3], interpolation="bilinear")
case("UpSampling1D", SERIES, size=3)

case("Embedding", (2, 5), ints=7, input_dim=7, output_dim=3)
case("Embedding", (3,), ints=4, input_dim=4, output_dim=2)
case("Dropout", VECTOR, rate=0.5)
case("Dropout", IMAGE, rate=0.5, keys="noise_shape=[-1,1,1,1] seed=3")
case("Dropout", VECTOR, training=True, rate=0.0)
case("AlphaDropout", VECTOR, rate=0.5)
case("SpatialDropout1D", SERIES, rate=0.5)
case("SpatialDropout2D", IMAGE, rate=0.5)
case("GaussianNoise", VECTOR, stddev=0.5)
case("GaussianDropout", VECTOR, rate=0.5)
case("StochasticDepth", IMAGE, drop_path_rate=0.5)
case("Rescaling", IMAGE, scale=0.5)
case("Rescaling", (2, 3), scale=0.25, offset=-1.0, ints=256)
case("Rescaling", IMAGE, scale=[1.0, 2.0, 3.0, 4.0], offset=0.5)
case("Rescaling", IMAGE, scale=[1.0, 2.0, 3.0, 4.0], offset=[0.5, 0.25, 0.0, -1.0])
case("Normalization", IMAGE, mean=[0.1, 0.2, 0.3, 0.4], variance=[1.0, 2.0, 0.5, 4.0])
case("Normalization", IMAGE, mean=0.5, variance=2.0, axis=None)
case("Normalization", VECTOR, mean=[0.5] * 6, variance=[2.0] * 6, invert=True)
case("Normalization", IMAGE)
case("LayerScale", IMAGE, init_values=1e-6, projection_dim=4)


for kind in ("Add", "Subtract", "Multiply", "Divide", "TrueDivide", "Maximum", "Minimum"):
    case("ops." + kind, [VECTOR, VECTOR])
    case("ops." + kind, [IMAGE, (2, 1, 5, 1)])
    case("ops." + kind, VECTOR, constant=0.25)
    case("ops." + kind, SERIES, constant=-2, constant_first=True)
case("ops.Multiply", VECTOR, constant=[0.5, -1.0, 2.0, 0.0, 1.5, 3.0])
case("ops.Subtract", (2, 20), constant=[0.125 * i for i in range(20)], constant_first=True)
case("ops.Power", VECTOR, constant=2)
case("ops.Power", [VECTOR, VECTOR], positive=True)
case("ops.Power", VECTOR, constant=-0.5, positive=True)
case("ops.Power", VECTOR, constant=2.5, constant_first=True)
case("ops.Matmul", [(2, 3, 4), (2, 4, 2)])
case("ops.Matmul", [(2, 3, 2, 4), (2, 1, 4, 3)])
for kind in ("Absolute Copy Exp HardSigmoid HardSilu HardTanh LogSigmoid Negative Reciprocal Relu Relu6 Selu Sigmoid "
             "Sign Silu Softplus Softsign SparsePlus SparseSigmoid Square Tanh TanhShrink Celu Elu HardShrink SoftShrink "
             "LeakyRelu Squareplus Softmax LogSoftmax Glu Gelu").split():
    case("ops." + kind, VECTOR)
for kind in ("Log", "Sqrt", "Rsqrt"):
    case("ops." + kind, (2, 3), positive=True)
case("ops.Celu", VECTOR, alpha=0.5)
case("ops.Elu", VECTOR, alpha=0.5)
case("ops.Gelu", VECTOR, approximate=False)
case("ops.HardShrink", VECTOR, threshold=0.25)
case("ops.SoftShrink", VECTOR, threshold=0.25)
case("ops.LeakyRelu", VECTOR, negative_slope=0.1)
case("ops.Squareplus", VECTOR, b=2)
case("ops.Threshold", VECTOR, threshold=0.1, default_value=-3.0)
case("ops.Clip", VECTOR, x_min=-0.5, x_max=0.25)
case("ops.Softmax", IMAGE, axis=1)
case("ops.Softmax", IMAGE, axis=[1, 3])
case("ops.LogSoftmax", SERIES, axis=[1, 2])
case("ops.Glu", IMAGE, axis=1)
for kind in ("Sum", "Mean", "Max", "Min", "Amax", "Amin"):
    case("ops." + kind, IMAGE, axis=[1, 2])
    case("ops." + kind, IMAGE, axis=-1, keepdims=True)
case("ops.Max", SERIES, axis=1, initial=None)
case("ops.Reshape", IMAGE, newshape=[-1, 10, 12])
case("ops.Reshape", VECTOR, newshape=[-1, 2, 3])
case("ops.Transpose", IMAGE, axes=[0, 3, 1, 2])
case("ops.Swapaxes", IMAGE, axis1=1, axis2=-1)
case("ops.Moveaxis", IMAGE, source=-1, destination=1)
case("ops.Moveaxis", IMAGE, source=[1, 2], destination=[3, 1])
case("ops.ExpandDims", VECTOR, axis=1)
case("ops.ExpandDims", VECTOR, axis=[-1, 1])
case("ops.Squeeze", (2, 1, 3, 1), axis=1)
case("ops.Squeeze", (2, 1, 3, 1), axis=[-1, 1])
case("ops.Squeeze", (2, 1, 3, 1))
case("ops.Repeat", SERIES, repeats=2, axis=1)
case("ops.Concatenate", [IMAGE, (2, 6, 5, 2)], axis=-1)
case("ops.Concatenate", [SERIES, (2, 2, 4)], axis=1)
case("ops.Stack", [VECTOR, VECTOR, VECTOR], axis=1)
case("ops.Stack", [SERIES, SERIES], axis=-1)
case("ops.Multiply", IMAGE, constant=[0.5, -1.0, 2.0, 0.25], constant_shape=[1, 1, 1, 4])
case("ops.Add", SERIES, constant=[0.5 * i for i in range(7)], constant_shape=[7, 1], constant_first=True)
for kind in ("Arctan2", "FloorDivide", "Mod"):
    case("ops." + kind, [VECTOR, VECTOR])
    case("ops." + kind, SERIES, constant=0.75)
for kind in "Equal Greater GreaterEqual Less LessEqual NotEqual LogicalAnd LogicalOr LogicalXor".split():
    case("ops." + kind, [VECTOR, VECTOR])
    case("ops." + kind, (2, 3), ints=4, constant=1)
for kind in ("Arcsinh Arctan Cos Cosh Erf Exp2 Expm1 Sin Sinh Tan Ceil Floor Trunc Round Array StopGradient "
             "LogicalNot Isfinite Isinf Isnan OnesLike ZerosLike").split():
    case("ops." + kind, VECTOR)
for kind in "Log10 Log1p Log2".split():
    case("ops." + kind, (2, 3), positive=True)
case("ops.Arccosh", (2, 3), positive="above")
for kind in "Arccos Arcsin Arctanh".split():
    case("ops." + kind, (1, 2))
case("ops.Round", VECTOR, decimals=1)
case("ops.FullLike", VECTOR, fill_value=2.5)
case("ops.Where", [(2, 3), (2, 3), (2, 3)])
case("ops.OneHot", (2, 3), ints=4, num_classes=4)
case("ops.OneHot", (2, 3), ints=4, num_classes=5, axis=1)
case("ops.Einsum", [SERIES, SERIES], subscripts="bij,bkj->bik")
case("ops.Einsum", IMAGE, subscripts="bhwc->bch")
case("ops.Dot", SERIES, constant=[0.5, -1.0, 2.0, 0.25])
case("ops.Tensordot", SERIES, constant=[0.5, -1.0, 2.0, 0.25, 1.0, 1.5, -0.5, 0.75], constant_shape=[4, 2], axes=1)
for kind in "All Any CountNonzero".split():
    case("ops." + kind, IMAGE, axis=[1, 3])
for kind in "Std Var Logsumexp Prod Norm".split():
    case("ops." + kind, IMAGE, axis=[1, 3])
    case("ops." + kind, SERIES, axis=-1, keepdims=True)
case("ops.Norm", SERIES, ord=1, axis=1)
case("ops.Normalize", SERIES)
case("ops.Average", SERIES, axis=1)
for kind in "Argmax Argmin".split():
    case("ops." + kind, IMAGE, axis=2)
    case("ops." + kind, SERIES, axis=-1, keepdims=True)
for kind in "Cumsum Sort Argsort Flip".split():
    case("ops." + kind, SERIES, axis=1)
case("ops.TakeAlongAxis", [SERIES, (2, 3, 4)], floats=3, axis=1)
case("ops.Roll", SERIES, shift=3, axis=1)
case("ops.Tile", SERIES, repeats=[1, 2, 2])
case("ops.Pad", SERIES, pad_width=[[0, 0], [1, 2], [0, 3]])
case("ops.Pad", SERIES, pad_width=[[0, 0], [1, 2], [0, 3]], mode="reflect")
case("ops.Split", SERIES, indices_or_sections=2, axis=-1)
case("ops.Split", SERIES, indices_or_sections=[2, 5], axis=1)
case("ops.Unstack", SERIES, axis=1)
case("ops.Moments", IMAGE, axes=[1, 2])
case("ops.TopK", SERIES, k=2)
case("ops.Diff", SERIES, n=2, axis=1)
case("ops.Take", SERIES, axis=1, indices=[2.0, 0.0, 6.0])
case("ops.BroadcastTo", (2, 1, 4), shape=[-1, 7, 4])
for kind in ("Conjugate", "Deg2rad", "Erfc", "Fabs", "NanToNum", "Rad2deg", "Real"):
    case("ops." + kind, VECTOR)
for kind in ("Isneginf", "Isposinf"):
    case("ops." + kind, (1, 2))
for kind in ("DivideNoNan", "Hypot", "Logaddexp", "Logaddexp2"):
    case("ops." + kind, [VECTOR, VECTOR])
    case("ops." + kind, VECTOR, constant=0.75)
for kind in ("Tril", "Triu"):
    case("ops." + kind, SERIES)
    case("ops." + kind, SERIES, k=-2)
case("ops.NanToNum", VECTOR, nan=1.0, posinf=2.0, neginf=-2.0)
case("ops.Select", [(2, 3), (2, 3), (2, 3), (2, 3)], floats=2)
case("ops.Select", [(2, 3), (2, 3)], floats=2, default=0.25)
case("ops.MultiHot", (2, 3), ints=4, num_classes=4)
case("ops.Ptp", SERIES, axis=1)
case("ops.Ptp", IMAGE, axis=[1, 2], keepdims=True)
case("ops.Hstack", [SERIES, (2, 2, 4)])
case("ops.Dstack", [SERIES, (2, 7, 2)])
case("ops.MaxPool", SERIES, pool_size=2)
case("ops.MaxPool", IMAGE, pool_size=[2, 3], strides=1, padding="same")
case("ops.AveragePool", SERIES, pool_size=3, strides=2)
case("ops.AveragePool", IMAGE, pool_size=2)
case("ops.LayerNorm", IMAGE, epsilon=0.01)
case("ops.LayerNorm", IMAGE, axis=[1, 3])
case("ops.RMSNorm", SERIES, axis=1)
case("ops.Resize", IMAGE, size=[9, 4], interpolation="nearest")
case("ops.Cast", (2, 3), ints=9, dtype="float64")
case("ops.Cast", VECTOR, dtype="float64")
for key in ("[:, 0]", "[:, -1, 1:3]", "[:, ::2, ..., None]", "[..., 1:]", "[:, None, :-2, 3:9]", "[...]", "[:, 1:-1:2, :, -3::2]"):
    case("ops.GetItem", IMAGE, key=key)
case("Identity", VECTOR)
case("RandomFlip", IMAGE, mode="vertical")
case("RandomRotation", IMAGE, factor=0.25, fill_mode="nearest")
case("RandomTranslation", IMAGE, height_factor=0.1, width_factor=[-0.2, 0.1])
case("RandomZoom", IMAGE, height_factor=0.5, interpolation="nearest")
case("RandomContrast", IMAGE, factor=0.5)
case("RandomBrightness", IMAGE, factor=[-0.1, 0.3], value_range=[0, 1])
case("BatchNormalization", IMAGE, axis=1)
case("BatchNormalization", SERIES, axis=1, training=True, synchronized=True)
case("LayerNormalization", IMAGE, axis=1)
case("LayerNormalization", IMAGE, axis=[1, 3])
case("LayerNormalization", IMAGE, axis=[-1, -3], scale=False)
case("LayerNormalization", SERIES, axis=[1])
case("GroupNormalization", IMAGE, groups=3, axis=1)
case("GroupNormalization", VECTOR, groups=2)
case("GroupNormalization", VECTOR, groups=6, center=False)
case("RMSNormalization", IMAGE, axis=[1, 2, 3])
case("UnitNormalization", IMAGE, axis=[1, 2])
case("UnitNormalization", IMAGE, axis=[-1, 1])
case("Normalization", IMAGE, axis=1)
case("Normalization", IMAGE, axis=[1, 3])
case("Normalization", IMAGE, axis=None)
case("Normalization", SERIES, axis=[1, -1], mean=[0.25 * i for i in range(28)], variance=[1.0 + i for i in range(28)],
     shaped=(7, 4))
case("Normalization", SERIES, axis=1, mean=[0.5] * 7, variance=[0.25 * i for i in range(7)], invert=True)
case("Normalization", (2, 100), mean=[0.01 * i for i in range(100)], variance=[1.0 + 0.5 * i for i in range(100)])
case("Rescaling", (2, 100), scale=[0.01 * i for i in range(100)], offset=1.0)
case("Dot", [(2, 3, 4), (2, 5, 4)], axes=2)
case("Dot", [(2, 3, 4), (2, 5, 3)], axes=[1, 2], normalize=True)
case("Dot", [(2, 3, 4), (2, 4)], axes=[2, 1])
case("Dot", [(2, 4), (2, 4, 3)], axes=1)
case("Dot", [(2, 3, 4, 2), (2, 5, 2)], axes=-1)
case("Embedding", (2, 5), input_dim=7, output_dim=3, floats=7)
case("Embedding", (2, 5), ints=4, input_dim=4, output_dim=3, mask_zero=True)
case("Conv1DTranspose", SERIES, filters=2, kernel_size=4, strides=3, output_padding=1)
case("SeparableConv2D", IMAGE, filters=3, kernel_size=2, dilation_rate=2, padding="same")
case("SeparableConv1D", SERIES, filters=3, kernel_size=3, strides=2, activation="relu")
case("DepthwiseConv1D", SERIES, kernel_size=2, dilation_rate=2, activation="tanh")
case("Conv1D", SERIES, filters=4, kernel_size=3, padding="causal", strides=2, groups=2)
case("AveragePooling1D", SERIES, pool_size=2)
case("MaxPooling2D", IMAGE, pool_size=[2, 1], strides=[1, 2], padding="same")
case("Concatenate", [SERIES, (2, 2, 4)], axis=-2)
case("PReLU", SERIES, shared_axes=[1])
case("ReLU", VECTOR, max_value=None, negative_slope=0.25)
case("Reshape", (2, 6), target_shape=[-1, 3])
case("Flatten", (3,))
case("Multiply", [SERIES, (2, 4)])
case("Average", [SERIES, (2, 1, 4), (2, 7, 1)])
case("ActivityRegularization", VECTOR, l1=0.5, l2=0.25)
case("Resizing", IMAGE, height=9, width=4)
case("Resizing", IMAGE, height=3, width=13, interpolation="nearest")
case("Resizing", IMAGE, height=4, width=8, crop_to_aspect_ratio=True)
case("Resizing", IMAGE, height=8, width=3, crop_to_aspect_ratio=True, interpolation="nearest")
case("Resizing", IMAGE, height=4, width=8, pad_to_aspect_ratio=True, fill_value=0.5)
case("Resizing", IMAGE, height=7, width=3, pad_to_aspect_ratio=True, fill_mode="constant", antialias=False)
case("Resizing", IMAGE, height=4, width=8, ints=256, interpolation="nearest")
case("Softmax", IMAGE, axis=[1, 2])
case("Softmax", IMAGE, axis=[-1, 1])


def weight_value(k, name, shape):
    v = noise(50 + k, shape)
    if "variance" in name:
        v = np.abs(v) + 0.5
    return np.zeros(shape) if name == "count" else v


def shape_text(shape):
    return "[" + ",".join(str(d) for d in shape) + "]"


def array(values):
    return "(const double[]){" + ",".join("%.10g" % v for v in values) + "}"


def sums(k, values):
    """Two numbers that every element has its part in."""
    values = np.ravel(np.asarray(values))
    return [float(np.sum(values * noise(k + i, values.shape))) for i in (0, 100)]


FEW = 24    # so many are stored in full
FIRST = 8   # of more, these


def outline(values):
    values = np.ravel(values)
    return list(values) if len(values) <= FEW else list(values[:FIRST]) + sums(200, values)


def make_op(name, config):
    """A raw op as a function of its inputs."""
    kind = next(getattr(m, name) for m in (knumpy, nn, math, core, linalg, kimage) if hasattr(m, name))
    config = dict(config)
    if name == "GetItem":
        key = eval("np.s_" + config["key"])
        return lambda x: kind().call(x[0], key)
    constant = config.pop("constant", None)
    first = config.pop("constant_first", False)
    if constant is not None:
        constant = np.reshape(np.array(constant, "float64"), config.pop("constant_shape", np.shape(constant)))
        op = kind(**config)
        return lambda x: op.call(constant, x[0]) if first else op.call(x[0], constant)
    if name == "Take":
        indices = np.array(config.pop("indices"), "int32")
        return lambda x: kind(**config).call(x[0], indices)
    if name == "TakeAlongAxis":
        return lambda x: kind(**config).call(x[0], tf.cast(x[1], "int32"))
    if name == "Select":
        half = lambda x: [tf.cast(v, "bool") for v in x[: len(x) // 2]]
        return lambda x: kind().call(half(x), x[len(x) // 2 :], config.get("default", 0))
    if name == "FullLike":
        return lambda x: kind().call(x[0], config["fill_value"])
    if name == "BroadcastTo":
        return lambda x: kind([len(x[0])] + config["shape"][1:]).call(x[0])
    if isinstance(config.get("axis"), list) and "oftmax" in name:
        function = keras.ops.softmax if name == "Softmax" else keras.ops.log_softmax
        return lambda x: function(x[0], axis=tuple(config["axis"]))
    op = kind(**config)
    if name in ("Split", "Unstack", "Moments", "TopK"):
        return lambda x: op.call(*x)[0]
    return lambda x: op.call(x) if name in ("Concatenate", "Stack", "Hstack", "Dstack") else op.call(*x)


def make_layer(name, config, inputs):
    """A function of inputs and `training`, and its layer."""
    layer = OWN[name](**config) if name in OWN else getattr(keras.layers, name)(**config)
    layer.build([i.shape for i in inputs] if len(inputs) > 1 else inputs[0].shape)
    for k, w in enumerate(layer.weights):
        w.assign(weight_value(k, w.name, w.shape))
    if name == "Normalization":
        layer.finalize_state()

    def call(x, training):
        x = x if len(x) > 1 or name == "Add" else x[0]
        try:
            return layer(x, training=training)
        except TypeError:
            return layer(x)

    return call, layer


def input_value(k, shape, kind):
    v = noise(k, shape)
    if "<" in kind:
        dtype, limit = kind.split("<")
        return np.floor((v + 1) * 0.5 * int(limit)).astype(dtype)
    return np.abs(v) + {"positive": 0.5, "above": 1.5}[kind] if kind in ("positive", "above") else v


def run(name, shapes, training, kind, keys, shaped, config):
    inputs = [input_value(k, s, kind) for k, s in enumerate(shapes)]
    layer = None
    if name.startswith("ops."):
        op = make_op(name[4:], config)
        call = lambda x, training: op(x)
    else:
        given = dict(config)
        if shaped:
            given.update({key: np.reshape(config[key], shaped) for key in ("mean", "variance")})
        call, layer = make_layer(name, given, inputs)
    weights = layer.weights if layer else []
    # LayerScale gives its gamma no name.
    weights_text = " ".join(w.name.replace("variable", "gamma") + shape_text(w.shape) for w in weights)
    x = [tf.constant(i) for i in inputs]
    trained = [w.value for w in layer.trainable_weights] if layer else []
    wanted = [i for i in x if i.dtype == tf.float64] + trained
    weight_of = lambda y: noise(100, y.shape) if y.dtype == tf.float64 else 0
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(wanted)
        y = call(x, training)
        loss = tf.reduce_sum(tf.cast(y, tf.float64) * weight_of(y))
    slopes = []
    for k, (v, g) in enumerate(zip(wanted, tape.gradient(loss, wanted))):
        g = tf.zeros(v.shape, tf.float64) if g is None else tf.convert_to_tensor(g)
        slopes += sums(300 + 10 * k, g)
    after = np.concatenate([np.ravel(np.asarray(w)) for w in layer.non_trainable_weights if w.name != "count"]) \
        if training and layer and layer.non_trainable_weights else None
    words = " ".join("%s=%s" % (k, text(v)) for k, v in config.items()) + (" " + keys if keys else "")
    print('{"%s", "%s", "%s", "%s", "%s", %s, %s, %s, %s},' % (
        name, words, "; ".join(kind + shape_text(i.shape) for i in inputs), weights_text, shape_text(y.shape),
        "true" if training else "false", array(outline(y)), array(after) if after is not None else "NULL",
        array(slopes) if slopes else "NULL"))


print("/* Made by tools/gen_layer_cases.py with Keras %s; do not edit. */" % keras.__version__)
print("/* clang-format off */")
for c in CASES:
    run(*c)
