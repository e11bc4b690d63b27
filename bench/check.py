"""Compares the networks of the bench with Keras's: parameters, and the forward with equal weights.

usage: check.py BENCH_TRAIN [MODEL...]

All weights, statistics included, get random values, so that a wrong epsilon, padding or order of
layers shows.  Small images and float32; outputs are probabilities."""

import json
import os
import subprocess
import sys
import tempfile

os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "peers"))

import keras  # noqa: E402
import numpy as np  # noqa: E402

import common  # noqa: E402
import keras_models  # noqa: E402

PARAMETERS = {
    "mlp": 7114,
    "cnn": 34826,
    "mobilenetv2": 3538984,
    "resnet50": 25636712,
    "efficientnetb0": 5330571,
    "densenet121": 8062504,
    "unet": 5400322,
    "vgg16": 37694248,  # 138 357 544 at 224 pixels
}
SIZES = {"mlp": 100, "cnn": 28, "vgg16": 32}
BATCH = 2
# Two float32 forwards of a hundred layers differ by this much of the largest output at most: each
# layer rounds to 2^-24, sums of a few thousand terms add about 2^6 of that, and errors of layers
# add up.
TOLERANCE = 100 * 2.0**6 * 2.0**-24


def made_weights(build):
    """What build() gives, and its variables in the order in which they were made."""
    made = []
    add_weight = keras.layers.Layer.add_weight

    def record(self, *args, **kwargs):
        made.append(add_weight(self, *args, **kwargs))
        return made[-1]

    keras.layers.Layer.add_weight = record
    try:
        return build(), made
    finally:
        keras.layers.Layer.add_weight = add_weight


def bench_x(count):
    """The numbers of bench/train/data.c."""
    state, x = 1, np.empty(count, np.float32)
    for i in range(count):
        state = (state * 1664525 + 1013904223) % 2**32
        x[i] = np.float32(state >> 8) * np.float32(2.0**-23) - np.float32(1)
    return x


def randomize(weights, rng):
    for w in weights:
        value = w.numpy()
        if w.name in ("moving_variance", "variance", "gamma"):
            value = rng.uniform(0.5, 1.5, value.shape)
        elif w.dtype == "float32":
            value = value + 0.05 * rng.standard_normal(value.shape)
        w.assign(value.astype(w.dtype))


def calm(model, x):
    """Shrink the last kernel until the outputs are no longer all or nothing."""
    before = keras.Model(model.input, model.layers[-1].input)
    last = model.layers[-1].kernel
    last.assign(last / np.asarray(before(x, training=False)).std())


def snug_forward(program, name, size, weights):
    with tempfile.TemporaryDirectory() as folder:
        w_path, y_path = os.path.join(folder, "weights"), os.path.join(folder, "y")
        with open(w_path, "wb") as out:
            for w in weights:
                out.write(w.numpy().tobytes() if w.dtype == "float32" else b"")
        told = ["--batch", str(BATCH), "--size", str(size), "--weights", w_path, "--output", y_path]
        run = subprocess.run([program, "--model", name, *told], stdout=subprocess.PIPE, check=True)
        return np.fromfile(y_path, np.float32), json.loads(run.stdout)["parameters"]


def torch_forward(name, size, x, weights, classes):
    """The same in PyTorch, for the networks whose layers are made in the same order there."""
    import torch
    import torch_models

    model = torch_models.build(name, size, classes).eval()
    values = [w.numpy() for w in weights if w.dtype == "float32"]
    state = {k: t for k, t in model.state_dict().items() if t.dtype == torch.float32}
    for tensor, value in zip(state.values(), values, strict=True):
        if value.ndim == 4:
            depthwise = tensor.shape[1] == 1
            value = value.transpose((2, 3, 0, 1) if depthwise else (3, 2, 0, 1))
        value = value.T if value.ndim == 2 else value
        tensor.copy_(torch.from_numpy(np.ascontiguousarray(value)).reshape(tensor.shape))
    with torch.no_grad():
        return torch.softmax(model(torch.from_numpy(x).permute(0, 3, 1, 2)), 1).numpy()


def check(program, name):
    _, _, channels, classes, _ = common.NETS[name]
    size = SIZES.get(name, 64)
    shape = (size, size, channels) if channels else (size,)
    model, weights = made_weights(lambda: keras_models.build(name, shape, classes))
    randomize(weights, np.random.default_rng(7))
    x = bench_x(BATCH * int(np.prod(shape))).reshape(BATCH, *shape)
    calm(model, x)
    wanted = np.asarray(model(x, training=False))
    found, parameters = snug_forward(program, name, size, weights)
    others = {"snug": found}
    if name in ("mobilenetv2", "resnet50", "efficientnetb0", "densenet121"):
        others["torch"] = torch_forward(name, size, x, weights, classes)
    right = parameters == PARAMETERS[name] == model.count_params()
    print(f"{name:15} {parameters:>10} parameters", "" if right else "WRONG", end="")
    for who, y in others.items():
        error = np.abs(y.reshape(wanted.shape) - wanted).max() / wanted.max()
        right = right and error < TOLERANCE
        print(f"  {who} {error:.1e}", end="")
    print("" if right else "  WRONG")
    return right


def main():
    names = sys.argv[2:] or list(common.NETS)
    print(f"greatest difference to Keras, of the greatest output (allowed: {TOLERANCE:.1e})")
    sys.exit(0 if all([check(sys.argv[1], name) for name in names]) else 1)


main()
