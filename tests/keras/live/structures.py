"""Models that are more than a chain: several inputs and outputs, shared layers, nested models, operations of the
graph.  float64; one step of SGD (layers.py), and what comes back opens in Keras."""
from common import VERSION, keras, np, snug_process
from layers import ROWS, one_step, randomize

D = keras.layers.Dense
MODELS = {}


def model(function):
    MODELS[function.__name__.replace("_", " ")] = function
    return function


@model
def two_inputs_two_outputs():
    a, b = keras.Input((3,), name="a"), keras.Input((2,), name="b")
    both = keras.layers.Concatenate()([D(4, activation="tanh")(a), D(4)(b)])
    return keras.Model([a, b], [D(3, name="kind")(both), D(1, name="amount")(both)]), dict(
        loss=["mse", "mae"], loss_weights=[0.5, 2.0])


@model
def names_for_outputs():
    a = keras.Input((3,), name="a")
    h = D(4, activation="tanh")(a)
    return keras.Model(a, [D(2, name="one")(h), D(2, name="two")(h)]), dict(
        loss={"two": "mae", "one": "mse"}, loss_weights={"one": 0.25, "two": 1.5},
        metrics={"one": ["mae"], "two": ["mse"]})


@model
def shared_layer():
    a, b = keras.Input((3,)), keras.Input((3,))
    twin = D(4, activation="tanh")
    return keras.Model([a, b], D(2)(keras.layers.Subtract()([twin(a), twin(b)])))


@model
def layer_behind_itself():
    a = keras.Input((4,))
    step = D(4, activation="tanh")
    return keras.Model(a, step(step(step(a))))


@model
def nested_functional():
    i = keras.Input((3,))
    inner = keras.Model(i, keras.layers.BatchNormalization()(D(4, activation="relu")(i)), name="inner")
    a = keras.Input((3,))
    return keras.Model(a, D(2)(inner(a)))


@model
def nested_sequential():
    inner = keras.Sequential([keras.Input((3,)), D(4, activation="tanh"), D(3)])
    a = keras.Input((3,))
    return keras.Model(a, D(2)(inner(a)))


@model
def nested_twice():
    i = keras.Input((3,))
    innermost = keras.Sequential([keras.Input((3,)), D(3, activation="tanh"), keras.layers.LayerNormalization()])
    inner = keras.Model(i, D(3)(innermost(i)) + i)
    return keras.Sequential([keras.Input((3,)), D(3), inner, D(2)])


@model
def nested_shared():
    inner = keras.Sequential([keras.Input((3,)), D(4, activation="tanh"), D(4)])
    a, b = keras.Input((3,)), keras.Input((3,))
    return keras.Model([a, b], D(2)(keras.layers.Multiply()([inner(a), inner(b)])))


@model
def nested_as_output():
    inner = keras.Model(*(lambda i: (i, D(2)(i)))(keras.Input((3,))), name="inner")
    a = keras.Input((3,))
    return keras.Model(a, [inner(D(3)(a)), inner(a)]), dict(loss=["mse", "mse"])


@model
def inner_with_two_outputs():
    i = keras.Input((3,))
    inner = keras.Model(i, [D(4, activation="tanh")(i), D(4)(i)])
    a = keras.Input((3,))
    one, two = inner(a)
    return keras.Model(a, D(2)(one * two))


@model
def arithmetic():
    a, b = keras.Input((3,)), keras.Input((3,))
    x, y = D(4)(a), D(4)(b)
    return keras.Model([a, b], D(2)((x + y * 2.0 - 3.0) * (0.5 - x) / (y * y + 1.0) + (-x)))


@model
def slices():
    a = keras.Input((6, 4))
    x = D(4)(a)
    return keras.Model(a, keras.layers.Concatenate()([x[:, 0], x[:, -1], x[:, 2, 1:3], x[:, 1:5:2, 0]]))


@model
def functions():
    o = keras.ops
    a = keras.Input((6, 4))
    x = D(4)(a)
    return keras.Model(a, o.concatenate([o.mean(o.relu(x), axis=1), o.sum(o.sigmoid(x), axis=1) * 0.25,
                                         o.max(o.tanh(x), axis=1), o.sqrt(o.square(x[:, 0]) + 1.0)], axis=-1))


@model
def shapes():
    o = keras.ops
    a = keras.Input((6, 4))
    x = o.transpose(D(4)(a), (0, 2, 1))
    y = o.expand_dims(o.reshape(x, (-1, 24)), 1)
    return keras.Model(a, D(2)(o.squeeze(y, 1)))


@model
def products():
    o = keras.ops
    a = keras.Input((3, 4))
    x = D(4)(a)
    return keras.Model(a, o.softmax(o.matmul(x, o.transpose(x, (0, 2, 1))), axis=-1) @ x)


@model
def squeeze_and_excite():
    K = keras.layers
    a = keras.Input((6, 6, 3))
    x = K.Conv2D(4, 3, padding="same", use_bias=False)(a)
    x = K.Activation("swish")(K.BatchNormalization()(x))
    s = K.Reshape((1, 1, 4))(K.GlobalAveragePooling2D()(x))
    s = K.Conv2D(4, 1, activation="sigmoid")(K.Conv2D(2, 1, activation="swish")(s))
    return keras.Model(a, D(2)(K.GlobalAveragePooling2D()(K.Multiply()([x, s]) + x)))


@model
def frozen_inner_model():
    K = keras.layers
    base = keras.Sequential([keras.Input((6, 6, 2)), K.Conv2D(3, 3), K.BatchNormalization(), K.ReLU()], name="base")
    base.trainable = False
    a = keras.Input((6, 6, 2))
    return keras.Model(a, D(2)(K.Flatten()(base(a))))


@model
def masked_embedding():
    K = keras.layers
    a = keras.Input((5,), dtype="int32")
    return keras.Model(a, D(2)(K.GlobalAveragePooling1D()(K.Embedding(7, 3, mask_zero=True)(a))))


@model
def unnamed_sequential():
    return keras.Sequential([keras.Input((3,)), D(4), keras.layers.ReLU(), D(2)])


@model
def weights_that_are_not_used():
    a = keras.Input((3,))
    inner = keras.Model(a, [D(4)(a), D(5)(a)])
    return keras.Model(a, D(2)(inner(a)[0]))


def structure(report, name, snug, folder):
    keras.utils.clear_session()
    made = MODELS[name]()
    made, options = made if isinstance(made, tuple) else (made, {})
    rng = np.random.default_rng(len(name))
    randomize(made, rng)
    x = [rng.integers(0, 7, (ROWS,) + tuple(i.shape[1:])).astype("int32") if "int" in i.dtype
         else rng.normal(0, 1, (ROWS,) + tuple(i.shape[1:])) for i in made.inputs]
    one_step(report, name, snug, folder, made, x, rng, **options)


def run(report, folder, everything):
    keras.config.set_floatx("float64")
    snug = snug_process(folder)
    for name in MODELS:
        # 3.0 and 3.1 cannot load their own files with slices, and 3.0 trains what was loaded as frozen.
        if VERSION >= (3, 3) or name not in ("slices", "functions", "nested as output", "frozen inner model"):
            report.run(name, structure, snug, folder)
    snug.close()
