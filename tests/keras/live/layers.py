"""Every layer alone, with its options: float64, one step of SGD, and the file opens in Keras again.

A Dense layer stands before the layer, so that its gradient shows what the layer passes back.  SGD with momentum keeps
the gradients in its slots; they are compared, predictions before and after too.
"""
import itertools
import os

from common import VERSION, Refused, keras, listed, np, predictions, relative, snug_process, tree, worst
from families import slots_of, weights_of

IMAGE, SERIES, VECTOR = (6, 5, 4), (7, 4), (6,)
ROWS = 3
CASES = []


def case(name, shapes, ints=0, since=(3, 0), refused="", **options):
    """A layer on inputs of these shapes.  ints: inputs are integers below this; refused: Snug says no, with this word."""
    shapes = shapes if isinstance(shapes, list) else [shapes]
    CASES.append((name, shapes, ints, since, refused, options))


def grid(name, shapes, **choices):
    """Every combination of the lists among the choices (a value that is a list itself is a list in a list)."""
    for values in itertools.product(*choices.values()):
        case(name, shapes, **dict(zip(choices, values)))


PADDING = ["valid", "same"]
UNFROZEN = (3, 4)  # 3.0 trains the weights of layers that were made or loaded as frozen
grid("Dense", VECTOR, units=[4], use_bias=[True, False], activation=[None, "relu", "softmax"])
case("Dense", IMAGE, units=3, activation="swish")
case("Dense", SERIES, units=3, kernel_regularizer="l2", bias_regularizer="l1", kernel_constraint="max_norm",
     bias_constraint="non_neg")
case("Dense", VECTOR, units=3, kernel_initializer="he_normal", bias_initializer="ones", kernel_regularizer="l1l2",
     kernel_constraint="unit_norm", activity_regularizer="l2")
for activation in ("relu leaky_relu relu6 softmax celu elu selu softplus softsign silu gelu tanh sigmoid exponential "
                   "hard_sigmoid hard_silu linear mish log_softmax swish").split():
    since = (3, 1) if activation == "celu" else (3, 0)
    case("Activation", VECTOR, activation=activation, since=since)
for activation in ("squareplus soft_shrink sparse_plus glu tanh_shrink sparse_sigmoid hard_tanh hard_shrink "
                   "log_sigmoid").split():
    case("Activation", VECTOR, activation=activation, since=(3, 9))
grid("ReLU", VECTOR, max_value=[None, 0.5, 6.0], negative_slope=[0.0, 0.1], threshold=[0.0, 0.2])
grid("LeakyReLU", VECTOR, negative_slope=[0.3, 0.1])
grid("ELU", VECTOR, alpha=[1.0, 0.5])
grid("PReLU", IMAGE, shared_axes=[None, [1, 2]])
case("PReLU", VECTOR, alpha_initializer="ones", alpha_regularizer="l2", alpha_constraint="non_neg")
case("Softmax", VECTOR)
case("Softmax", IMAGE, axis=1)
case("Softmax", IMAGE, axis=-1)

grid("Conv2D", IMAGE, filters=[3], kernel_size=[1, 3, (2, 3)], strides=[1, 2, (2, 1)], padding=PADDING)
grid("Conv2D", IMAGE, filters=[4], kernel_size=[(3, 1), 2], dilation_rate=[2, (1, 2)], padding=PADDING,
     use_bias=[False])
grid("Conv2D", IMAGE, filters=[4, 8], kernel_size=[3], groups=[2, 4], padding=PADDING, activation=["relu"])
case("Conv2D", IMAGE, filters=3, kernel_size=3, kernel_regularizer="l2", bias_regularizer="l2",
     kernel_constraint="unit_norm", bias_constraint="max_norm", activity_regularizer="l1")
grid("Conv1D", SERIES, filters=[4], kernel_size=[2, 3], strides=[1, 2], padding=["valid", "same", "causal"])
grid("Conv1D", SERIES, filters=[4], kernel_size=[3], dilation_rate=[2], groups=[1, 2],
     padding=["valid", "same", "causal"], activation=["tanh"])
grid("DepthwiseConv2D", IMAGE, kernel_size=[3, (3, 2)], strides=[1, 2], padding=PADDING, depth_multiplier=[1, 2])
case("DepthwiseConv2D", IMAGE, kernel_size=3, dilation_rate=2, padding="same", use_bias=False, activation="relu")
case("DepthwiseConv2D", IMAGE, kernel_size=3, depthwise_regularizer="l2", depthwise_constraint="max_norm")
grid("DepthwiseConv1D", SERIES, kernel_size=[3], strides=[1, 2], padding=PADDING, depth_multiplier=[1, 2])
grid("SeparableConv2D", IMAGE, filters=[3], kernel_size=[3, (2, 3)], strides=[1, 2], padding=PADDING,
     depth_multiplier=[1, 2])
case("SeparableConv2D", IMAGE, filters=5, kernel_size=3, use_bias=False, activation="relu", dilation_rate=2,
     depthwise_regularizer="l2", pointwise_regularizer="l1")
grid("SeparableConv1D", SERIES, filters=[5], kernel_size=[3], strides=[1, 2], padding=PADDING)
grid("Conv2DTranspose", IMAGE, filters=[3], kernel_size=[2, 3, (2, 4)], strides=[1, 2, 3], padding=PADDING)
case("Conv2DTranspose", IMAGE, filters=2, kernel_size=3, use_bias=False, activation="relu", padding="same")
case("Conv2DTranspose", IMAGE, filters=2, kernel_size=3, strides=2, padding="same", output_padding=1, since=(3, 15))
grid("Conv1DTranspose", SERIES, filters=[3], kernel_size=[3], strides=[1, 2], padding=PADDING)

for kind in ("Max", "Average"):
    grid(kind + "Pooling2D", IMAGE, pool_size=[2, 3, (3, 2)], strides=[None, 1, 2], padding=PADDING)
    case(kind + "Pooling2D", IMAGE, pool_size=1, strides=2)
    grid(kind + "Pooling1D", SERIES, pool_size=[2, 3], strides=[None, 1], padding=PADDING)
    grid("Global" + kind + "Pooling2D", IMAGE, keepdims=[False, True])
    grid("Global" + kind + "Pooling1D", SERIES, keepdims=[False, True])

grid("BatchNormalization", VECTOR, center=[True, False], scale=[True, False])
grid("BatchNormalization", IMAGE, momentum=[0.9], epsilon=[1e-3, 1.001e-5])
grid("BatchNormalization", IMAGE, momentum=[0.9], epsilon=[1e-3, 1.001e-5], trainable=[False], since=[UNFROZEN])
case("BatchNormalization", SERIES, gamma_regularizer="l2", beta_regularizer="l1", gamma_constraint="non_neg",
     beta_initializer="ones")
case("BatchNormalization", IMAGE, axis=3)
grid("LayerNormalization", IMAGE, axis=[-1, [1, 2, 3], [-2, -1]], center=[True, False], scale=[True, False])
case("LayerNormalization", SERIES, epsilon=1e-6)
case("LayerNormalization", SERIES, rms_scaling=True, since=(3, 4), refused="rms_scaling")
grid("GroupNormalization", IMAGE, groups=[1, 2, 4, -1], center=[True, False])
case("GroupNormalization", SERIES, groups=2, epsilon=0.1, scale=False)
case("RMSNormalization", SERIES, since=(3, 9))
case("RMSNormalization", VECTOR, epsilon=0.1, since=(3, 9))
case("UnitNormalization", VECTOR)
case("UnitNormalization", IMAGE, axis=1)
case("UnitNormalization", IMAGE, axis=[1, 2])

for kind in ("Add", "Multiply", "Average", "Maximum", "Minimum"):
    case(kind, [VECTOR, VECTOR, VECTOR])
    case(kind, [IMAGE, (1, 1, 4)])
case("Subtract", [VECTOR, VECTOR])
grid("Concatenate", [IMAGE, IMAGE], axis=[-1, 1, 2])
# 3.0 cannot load its own files with Dot.
case("Dot", [VECTOR, VECTOR], axes=1, since=(3, 4))
case("Dot", [VECTOR, VECTOR], axes=-1, normalize=True, since=(3, 4))
case("Dot", [SERIES, SERIES], axes=2, since=(3, 4))
case("Dot", [SERIES, SERIES], axes=(1, 1), normalize=True, since=(3, 4))
case("Dot", [(3, 4), (4, 5)], axes=(2, 1), since=(3, 4))
case("CustomScaleLayer", [VECTOR, VECTOR], scale=0.25)

case("Flatten", IMAGE)
case("Flatten", VECTOR)
grid("Reshape", IMAGE, target_shape=[(5, -1), (2, 3, 20), (-1,)])
grid("Permute", IMAGE, dims=[(3, 1, 2), (2, 1, 3), (1, 3, 2)])
grid("RepeatVector", VECTOR, n=[1, 3])
grid("ZeroPadding2D", IMAGE, padding=[1, (2, 1), ((0, 1), (2, 3))])
grid("ZeroPadding1D", SERIES, padding=[2, (0, 3)])
grid("Cropping2D", IMAGE, cropping=[1, (2, 1), ((1, 0), (0, 2))])
grid("Cropping1D", SERIES, cropping=[(1, 1), (0, 3), 2])
grid("UpSampling2D", IMAGE, size=[2, (1, 3)], interpolation=["nearest", "bilinear"])
grid("UpSampling1D", SERIES, size=[2, 3])
case("Resizing", IMAGE, height=4, width=7)
case("Resizing", IMAGE, height=12, width=3, interpolation="nearest")
case("Resizing", IMAGE, height=9, width=9, crop_to_aspect_ratio=True)

grid("Embedding", (5,), ints=[7], input_dim=[7], output_dim=[3], embeddings_regularizer=[None, "l2"],
     embeddings_constraint=[None, "unit_norm"])
case("Embedding", (), ints=4, input_dim=4, output_dim=2)
case("Embedding", (5,), ints=7, input_dim=7, output_dim=3, mask_zero=True)
for name, shape, options in (("Dropout", VECTOR, dict(rate=0.0)), ("Dropout", IMAGE, dict(rate=0.0, seed=3)),
                             ("AlphaDropout", VECTOR, dict(rate=0.0)), ("SpatialDropout1D", SERIES, dict(rate=0.0)),
                             ("SpatialDropout2D", IMAGE, dict(rate=0.0)), ("GaussianNoise", VECTOR, dict(stddev=0.0)),
                             ("GaussianDropout", VECTOR, dict(rate=0.0)), ("StochasticDepth", IMAGE,
                                                                           dict(drop_path_rate=0.0))):
    case(name, shape, **options)
grid("ActivityRegularization", VECTOR, l1=[0.0, 0.1], l2=[0.0, 0.2], since=[(3, 14)])
case("Rescaling", IMAGE, scale=0.5)
case("Rescaling", (3,), scale=0.25, offset=-1.0, ints=256)
case("Rescaling", IMAGE, scale=[1.0, 2.0, 3.0, 4.0], offset=[0.5, 0.25, 0.0, -1.0])
case("Normalization", IMAGE, mean=[0.1, 0.2, 0.3, 0.4], variance=[1.0, 2.0, 0.5, 4.0])
case("Normalization", IMAGE, mean=0.5, variance=2.0, axis=None)
case("Normalization", VECTOR, mean=[0.5] * 6, variance=[2.0] * 6, invert=True)
case("Normalization", IMAGE)
case("Normalization", VECTOR, axis=None)
case("LayerScale", IMAGE, init_values=0.5, projection_dim=4)


def layer_class(name):
    if name in ("LayerScale", "StochasticDepth"):
        import keras.src.applications.convnext as convnext
        return getattr(convnext, name)
    if name == "CustomScaleLayer":
        from keras.src.applications.inception_resnet_v2 import CustomScaleLayer
        return CustomScaleLayer
    return getattr(keras.layers, name)


def build(name, shapes, ints, options, rng):
    """The model, the layer and its inputs."""
    inputs = [keras.Input(s, dtype="int32" if ints else None) for s in shapes]
    layer = layer_class(name)(**options)
    data = [rng.integers(0, ints, (ROWS,) + s).astype("int32") if ints else rng.normal(0, 1, (ROWS,) + s)
            for s in shapes]
    if name == "Normalization" and "mean" not in options:
        layer.adapt(rng.normal(1, 2, (11,) + shapes[0]))
    if ints and name != "Embedding":
        before = inputs
    else:
        before = [i if ints else keras.layers.Dense(s[-1])(i) for i, s in zip(inputs, shapes)]
    y = layer(before if len(before) > 1 else before[0])
    if not layer.trainable_weights and ints:
        y = keras.layers.Dense(2)(y)
    return keras.Model(inputs, y), data


def randomize(model, rng):
    for w in model.weights:
        if "float" not in w.dtype or "normalization" in w.path and w.name in ("mean", "variance"):
            continue
        w.assign(rng.uniform(0.5, 1.5, w.shape) if "variance" in w.name else rng.normal(0.2, 0.6, w.shape))


def alone(report, name, snug, folder, cls, shapes, ints, refused, options):
    rng = np.random.default_rng(len(name))
    keras.utils.clear_session()
    model, x = build(cls, shapes, ints, options, rng)
    randomize(model, rng)
    if refused:
        says_no(report, name, snug, folder, model, refused)
    else:
        one_step(report, name, snug, folder, model, x, rng, precision=1e-6 if resizes(cls, options) else 1e-9)


def resizes(cls, options):
    """TensorFlow resizes images in float32, whatever they are."""
    return cls == "Resizing" or options.get("interpolation") == "bilinear"


def says_no(report, name, snug, folder, model, word):
    path = os.path.join(folder, "start.keras")
    model.save(path)
    try:
        snug.load(path)
        report.fail(name, "is not refused any more: take it into the matrix")
    except Refused as e:
        report.check(name, "refusals name the argument", 0.0 if word in str(e) else 1.0, 0.0, str(e))


def one_step(report, name, snug, folder, model, x, rng, loss="mse", precision=1e-9, **options):
    """Predict, train one step, save; the same in both; and Keras opens what Snug saved."""
    start, mine, theirs = (os.path.join(folder, n + ".keras") for n in ("start", "snug", "keras"))
    y = [rng.normal(0, 1, w.shape) for w in predictions(model, x)]
    model.compile(keras.optimizers.SGD(0.125, momentum=0.5), loss, **options)
    model.save(start)
    # The file is what both have: some numbers (Normalization's mean) are not the model's to the last digit.
    model = keras.saving.load_model(start)
    want = predictions(model, x)
    snug.data(x=x, y=y)
    snug.load(start)
    for got, w in zip(snug.predict(want), want):
        report.check(name, "predictions", relative(got, w), precision)
    logs = snug.fit(batch_size=ROWS, epochs=1)[-1]
    snug.save(mine)
    model.run_eagerly = True
    expected = model.train_on_batch(x if len(x) > 1 else x[0], y if len(y) > 1 else y[0])
    model.save(theirs)
    compare_step(report, name, logs, expected, mine, theirs, max(precision, 1e-7))
    again = keras.saving.load_model(mine)
    for got, w in zip(predictions(again, x), predictions(model, x)):
        report.check(name, "predictions of what comes back", relative(got, w), max(precision, 1e-7))


def compare_step(report, name, logs, expected, mine, theirs, bound):
    report.check(name, "loss", relative([logs["loss"]], [float(listed(expected)[0])]), 1e-6)
    got, want = tree(mine), tree(theirs)
    slots = slots_of(want)
    floor = 1e-6 * max([np.abs(v).max() for v in slots.values()] + [0.0])
    value, where = worst(slots_of(got), slots, floor)
    report.check(name, "gradients", value, bound, where)
    value, where = worst(weights_of(got), weights_of(want), 1e-12)
    report.check(name, "weights", value, bound, where)


def title(cls, shapes, options):
    words = ["%s=%s" % (k, str(v).replace(" ", "")) for k, v in options.items()]
    return "%s %s %s" % (cls, "x".join(map(str, shapes[0])) or "scalar", " ".join(words))


def run(report, folder, everything):
    keras.config.set_floatx("float64")
    snug = snug_process(folder)
    seen = {}
    for cls, shapes, ints, since, refused, options in CASES:
        if VERSION < since:
            continue
        # The quick part: the first and every fifth case of a class.
        seen[cls] = seen.get(cls, -1) + 1
        if everything or report.wanted or seen[cls] % 5 == 0:
            report.run(title(cls, shapes, options), alone, snug, folder, cls, shapes, ints, refused, options)
    snug.close()
