"""What tests of training share: models, their twins, measures."""
import numpy as np
from quiet_keras import keras

L = keras.layers
# Exact in float32: Keras takes them through it, also where weights are float64.
BETAS = dict(beta_1=0.875, beta_2=0.9921875)


def mlp():
    return keras.Sequential([keras.Input((12,)), L.Dense(16, activation="tanh"), L.Dense(4, activation="softmax")])


def cnn():
    return keras.Sequential([keras.Input((12, 12, 2)), L.Conv2D(6, 3, activation="relu"), L.MaxPooling2D(),
                             L.Conv2D(8, 3, padding="same", activation="relu"), L.Flatten(),
                             L.Dense(4, activation="softmax")])


def normalized():
    a = keras.Input((10, 10, 3))
    h = L.Conv2D(6, 3, padding="same", use_bias=False)(a)
    h = L.ReLU()(L.BatchNormalization()(h))
    h = L.Add()([h, L.BatchNormalization()(L.Conv2D(6, 3, padding="same")(h))])
    return keras.Model(a, L.Dense(4, activation="softmax")(L.GlobalAveragePooling2D()(h)))


def depthwise():
    a = keras.Input((10, 10, 3))
    h = L.Conv2D(8, 3, strides=2, padding="same", activation="relu")(a)
    h = L.BatchNormalization()(L.DepthwiseConv2D(3, padding="same")(h))
    h = L.Conv2D(12, 1, activation="relu")(h)
    return keras.Model(a, L.Dense(4, activation="softmax")(L.GlobalAveragePooling2D()(h)))


def two_in_two_out():
    a, b = keras.Input((6,), name="first"), keras.Input((5,), name="second")
    shared = L.Dense(7, activation="tanh", name="shared")
    h = L.Concatenate()([shared(L.Dense(4)(a)), shared(L.Dense(4)(b))])
    return keras.Model([a, b], [L.Dense(4, activation="softmax", name="kind")(h), L.Dense(2, name="place")(h)])


def u_net():
    a = keras.Input((16, 16, 1))
    down = L.Conv2D(4, 3, padding="same", activation="relu")(a)
    low = L.Conv2D(8, 3, padding="same", activation="relu")(L.MaxPooling2D()(down))
    up = L.Conv2DTranspose(4, 2, strides=2)(low)
    h = L.Conv2D(4, 3, padding="same", activation="relu")(L.Concatenate()([down, up]))
    return keras.Model(a, L.Conv2D(1, 1, activation="sigmoid")(h))


MODELS = {f.__name__: f for f in (mlp, cnn, normalized, depthwise, two_in_two_out, u_net)}
ONE_OF = "sparse_categorical_crossentropy"


def compiled(name, optimizer=None):
    """A model whose weights are the same each time."""
    keras.utils.clear_session()
    model = MODELS[name]()
    rng = np.random.default_rng(7)
    model.set_weights([rng.uniform(0.2, 1.0, w.shape) if "moving" in v.path else rng.normal(0, 0.3, w.shape)
                       for v, w in zip(model.weights, model.get_weights())])
    optimizer = optimizer or keras.optimizers.Adam(0.015625, **BETAS)
    if name == "two_in_two_out":
        model.compile(optimizer, [ONE_OF, "mse"], loss_weights=[1.0, 0.5], metrics=[["accuracy"], ["mae"]])
    elif name == "u_net":
        model.compile(optimizer, "binary_crossentropy", metrics=["mae"])
    else:
        model.compile(optimizer, ONE_OF, metrics=["accuracy"])
    return model


def data(model, rows, dtype="float64"):
    """x and y for a model, as arrays or lists of them."""
    rng = np.random.default_rng(3)
    x = [rng.normal(size=(rows, *t.shape[1:])).astype(dtype) for t in model.inputs]
    y = []
    for t in model.outputs:
        if t.shape[-1] == 4:
            y.append(rng.integers(0, 4, rows))
        elif t.shape[-1] == 1:
            y.append(rng.integers(0, 2, (rows, *t.shape[1:])).astype(dtype))
        else:
            y.append(rng.normal(size=(rows, *t.shape[1:])).astype(dtype))
    return (x, y) if len(x) > 1 else (x[0], y[0])


def relative(got, want, floor=1e-300):
    """The largest difference, against the largest element of what is wanted."""
    got, want = np.asarray(got, "float64"), np.asarray(want, "float64")
    assert got.shape == want.shape, (got.shape, want.shape)
    if not got.size:
        return 0.0
    return float(np.abs(got - want).max() / max(np.abs(want).max(), floor))


def numbers(variables):
    return {v.path: np.asarray(keras.ops.convert_to_numpy(v), "float64") for v in variables}


def peak_of_process():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM:"))


class Calls(keras.callbacks.Callback):
    """Writes down every call: hook, number, names of logs."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def set_params(self, params):
        super().set_params(params)
        self.seen.append(("set_params", dict(params)))


def _noting(hook):
    def note(self, *values, **named):
        logs = named.get("logs", values[-1] if values and isinstance(values[-1], dict) else None)
        number = values[0] if values and isinstance(values[0], int) else None
        self.seen.append((hook, number, sorted(logs or {})))

    return note


for _hook in ("on_train_begin", "on_train_end", "on_epoch_begin", "on_epoch_end", "on_train_batch_begin",
              "on_train_batch_end", "on_test_begin", "on_test_end", "on_test_batch_begin", "on_test_batch_end"):
    setattr(Calls, _hook, _noting(_hook))
