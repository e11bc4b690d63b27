"""The networks of keras.applications, the smallest variant of each family, in float64.

Bounds: predictions 1e-9, every weight after one step of SGD and one of Adam 1e-7, five losses 1e-6, each relative to
the largest element of its tensor.  SGD has momentum, so that its slot is the gradient: those are compared too.  A
tensor whose gradient is 0 but for rounding (the bias of a convolution before a normalization, which takes it out
again) is compared against the largest gradient of the model times 1e-7: relative to itself it is noise in both, and
what float64 loses in long sums, some 1e-15 of the largest, is then less than 1e-7 of the floor.
"""
import os
import time

from common import keras, listed, np, relative, snug_process, tree, worst

# name: input size, range of pixels, batch.  In order of cost.  Below 107 pixels the last stages of InceptionV3 are of one
# pixel each; normalized over a few samples they multiply rounding, by a hundred in each step, until Keras itself is off
# by 1 % after five.
FAMILIES = {
    "MobileNetV3Small": (64, 255.0, 4),
    "MobileNet": (64, 1.0, 4),
    "MobileNetV2": (64, 1.0, 4),
    "EfficientNetB0": (64, 255.0, 4),
    "NASNetMobile": (64, 1.0, 4),
    "EfficientNetV2B0": (64, 255.0, 4),
    "DenseNet121": (64, 1.0, 4),
    "InceptionV3": (139, 1.0, 4),
    "ResNet50V2": (64, 1.0, 4),
    "ResNet50": (64, 1.0, 4),
    "Xception": (75, 1.0, 4),
    "VGG16": (64, 1.0, 4),
    "ConvNeXtTiny": (64, 255.0, 4),
    "InceptionResNetV2": (75, 1.0, 4),
}
QUICK = ["MobileNetV3Small", "MobileNet", "EfficientNetB0", "MobileNetV2"]
CLASSES = 10
# Keras rounds betas to float32, also where weights are float64.  These are exact, so that both compute the same.
ADAM = dict(learning_rate=1e-3, beta_1=0.875, beta_2=0.9921875)
SGD = dict(learning_rate=1e-3, momentum=0.875)
# Optimizers and how many steps of each: all of it, and what the quick run has for all families but the first.
WHOLE = ((lambda: keras.optimizers.SGD(**SGD), 5), (lambda: keras.optimizers.Adam(**ADAM), 1))
ONE_STEP = ((lambda: keras.optimizers.SGD(**SGD), 1),)


def quick_groups():
    """ConvNeXt convolves each channel alone, as groups.  Keras has groups on the CPU through XLA alone, which takes
    minutes for a step; TensorFlow's depthwise convolution is the same sum."""
    import tensorflow as tf
    from keras.src.backend.tensorflow import nn
    slow = nn.conv

    def conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
        one = kernel.shape[-2] == 1 and kernel.shape[-1] == inputs.shape[-1] > 1 and len(kernel.shape) == 4
        if not one or set(listed(strides) + listed(dilation_rate)) != {1}:
            return slow(inputs, kernel, strides, padding, data_format, dilation_rate)
        kernel = tf.transpose(tf.convert_to_tensor(kernel), (0, 1, 3, 2))
        return tf.nn.depthwise_conv2d(inputs, kernel, [1, 1, 1, 1], padding.upper())

    rng = np.random.default_rng(1)
    x, k = tf.constant(rng.normal(0, 1, (1, 6, 5, 3))), tf.constant(rng.normal(0, 1, (3, 3, 1, 3)))
    assert relative(conv(x, k, padding="same"), slow(x, k, padding="same")) < 1e-12
    nn.conv = conv


def pixels(name, rng, dtype):
    size, most, batch = FAMILIES[name]
    return (rng.random((batch, size, size, 3)) * most).astype(dtype)


def scatter(model, rng):
    """Give every weight a value that matters: what starts as 0 or 1 would hide mistakes."""
    for layer in model._flatten_layers():
        if type(layer).__name__ == "Dropout":
            layer.rate = 0.0
        if type(layer).__name__ == "Normalization" and layer.weights:
            layer.mean_var = None
        for w in layer.weights if not hasattr(layer, "layers") else []:
            kind = w.path.rsplit("/", 1)[-1]
            if kind in ("bias", "beta"):
                w.assign(rng.normal(0, 0.1, w.shape))
            elif kind == "gamma":
                w.assign(rng.normal(1, 0.1, w.shape))
            elif type(layer).__name__ == "LayerScale":
                w.assign(rng.normal(0.5, 0.1, w.shape))


def calibrate(model, x, rng):
    """Moving statistics that belong to the weights, or activations would die or grow from block to block."""
    norms = [l for l in model._flatten_layers() if type(l).__name__ == "BatchNormalization"]
    kept = [l.momentum for l in norms]
    for l in norms:
        l.momentum = 0.0
    model(x, training=True)
    for l, momentum in zip(norms, kept):
        l.momentum = momentum
        l.moving_mean.assign_add(rng.normal(0, 0.1, l.moving_mean.shape) * np.sqrt(np.asarray(l.moving_variance)))
        l.moving_variance.assign(np.asarray(l.moving_variance) * rng.uniform(0.8, 1.25, l.moving_variance.shape) + 1e-3)


def unsaturate(model, x):
    """Scale the last kernel so that logits spread by a half, as they do before a training: a softmax that is all but 0 or
    1 hides mistakes, and between that and this it multiplies what float32 has lost in 50 layers, in Keras as here."""
    last = [l for l in model._flatten_layers() if hasattr(l, "kernel")][-1]
    features = np.asarray(keras.Model(model.inputs, last.input)(x, training=False)).reshape(len(x), -1)
    kernel = np.asarray(last.kernel)
    logits = features @ kernel.reshape(features.shape[1], -1)
    last.kernel.assign(0.5 * kernel / logits.std())


def make(name, dtype):
    rng = np.random.default_rng(5)
    keras.config.set_floatx(dtype)
    keras.utils.clear_session()
    keras.utils.set_random_seed(5)
    size, _, batch = FAMILIES[name]
    model = getattr(keras.applications, name)(weights=None, input_shape=(size, size, 3), classes=CLASSES)
    x = pixels(name, rng, dtype)
    scatter(model, rng)
    calibrate(model, x, rng)
    unsaturate(model, x)
    return model, x, rng.integers(0, CLASSES, batch)


def compiled(model, optimizer, path):
    """Compile, save, and take what the file says; training itself goes step by step, without a graph, which is quicker."""
    model.compile(optimizer, "sparse_categorical_crossentropy")
    model.save(path)
    model = keras.saving.load_model(path)
    model.run_eagerly = True
    return model


def train_keras(model, x, y, steps):
    return [float(listed(model.train_on_batch(x, y))[0]) for _ in range(steps)]


def train_snug(snug, start, x, y, steps, out):
    """Losses of one step, saved, and of the others."""
    snug.data(x=x, y=y)
    snug.load(start)
    losses = [logs["loss"] for logs in snug.fit(batch_size=len(x), epochs=1)]
    snug.save(out)
    if steps > 1:
        losses += [logs["loss"] for logs in snug.fit(batch_size=len(x), epochs=steps - 1)]
    return losses


def gradient_floor(slots):
    return 1e-7 * max(np.abs(v).max() for path, v in slots.items() if v.size)


def slots_of(t):
    return {p: v for p, v in t.items() if p.startswith("optimizer/vars/") and v.ndim}


def weights_of(t):
    return {p: v for p, v in t.items() if not p.startswith("optimizer/")}


def family(report, name, snug, folder, timing, plan):
    started = time.time()
    start, mine, theirs = (os.path.join(folder, n + ".keras") for n in ("start", "snug", "keras"))
    model, x, y = make(name, "float64")
    first = model.get_weights()
    spent_snug = 0.0

    for make_optimizer, steps in plan:
        optimizer = make_optimizer()
        kind = type(optimizer).__name__
        model.set_weights(first)
        model = compiled(model, optimizer, start)
        began = time.time()
        if kind == "SGD":
            want = np.asarray(model(x, training=False))
            snug.data(x=x)
            snug.load(start)
            got = snug.predict([want], len(x))[0]
            report.check(name, "predictions", relative(got, want), 1e-9)
        losses = train_snug(snug, start, x, y, steps, mine)
        spent_snug += time.time() - began
        expected = train_keras(model, x, y, 1)
        model.save(theirs)
        expected += train_keras(model, x, y, steps - 1)
        got, want_tree = tree(mine), tree(theirs)
        slots = slots_of(want_tree)
        report.check(name, "gradients" if kind == "SGD" else "Adam's slots",
                     *bounded(worst(slots_of(got), slots, gradient_floor(slots)), 1e-7))
        report.check(name, "weights after a step of " + kind,
                     *bounded(worst(weights_of(got), weights_of(want_tree)), 1e-7))
        if steps > 1:
            report.check(name, "five losses", relative(losses, expected), 1e-6)
    timing.append("%-18s keras %5.1f s, snug %5.1f s" % (name, time.time() - started - spent_snug, spent_snug))
    for path in (start, mine, theirs):
        os.remove(path)


def bounded(measured, bound):
    value, where = measured
    return value, bound, where


def run(report, folder, everything):
    quick_groups()
    timing = []
    whole = everything or report.wanted
    for name in FAMILIES if whole else QUICK:
        snug = snug_process(folder)
        report.run(name, family, snug, folder, timing, WHOLE if whole or name == QUICK[0] else ONE_STEP)
        snug.close()
    print("\n".join(timing))
