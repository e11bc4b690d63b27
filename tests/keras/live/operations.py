"""Everything of keras.ops that makes sense in a Functional model, on tensors, numbers and arrays: what a file may hold is
read and computes the same (predictions, one step of SGD, what comes back opens in Keras), or is refused by its own name.
float64, as in layers.py."""
from common import VERSION, keras, np, snug_process
from layers import ROWS, one_step, randomize, says_no

O = keras.ops
SERIES, IMAGE, VECTOR = (4, 6), (5, 4, 3), (6,)
CASES = {}
REFUSED = {}
rng = np.random.default_rng(7)


def array(*shape):
    return np.round(rng.uniform(0.5, 2.0, shape), 3)


def case(name, function, shape=SERIES, bound=1e-9):
    """A model with this function behind a Dense layer: it takes what that makes, and gives what is trained."""
    CASES[name] = (function, shape, bound)


def refused(name, says, function, shape=SERIES):
    """Snug says no, with these words."""
    REFUSED[name] = (function, shape, says)


# ---- two operands: tensor, scalar, array, on either side ----

PAIRS = ("add subtract multiply divide true_divide maximum minimum power mod floor_divide arctan2").split()
COMPARISONS = "equal not_equal greater greater_equal less less_equal".split()
LOGICAL = "logical_and logical_or logical_xor".split()
OPERANDS = {
    "int": 2, "float": 1.5, "NumPy scalar": np.float32(0.75), "row": array(6), "sample": array(4, 6),
    "batch of one": array(1, 4, 6), "column": array(4, 1), "one of all axes": array(1, 1, 1),
    "float32": array(1, 1, 6).astype("float32"), "whole numbers": np.arange(1, 7, dtype="int32"),
    "int64": np.arange(1, 7), "bool": np.array([True, False] * 3), "float16": np.array([0.5, 1.5] * 3, "float16"),
}


def positive(x):
    return O.sigmoid(x) + 0.5


def pairs():
    """One model for each function and side: an output for each operand."""
    for name in PAIRS + COMPARISONS + LOGICAL:
        f = getattr(O, name)
        end = (lambda y, x: O.where(y, x, -x)) if name in COMPARISONS + LOGICAL else lambda y, x: O.cast(y, "float64") + x
        case(name + " of tensors", lambda x, f=f, e=end: e(f(positive(x), positive(x * x)), x))
        right = [v for k, v in OPERANDS.items() if k != "bool" or "div" not in name and name != "mod"]
        case(name + " with constants", lambda x, f=f, e=end, r=right: [e(f(positive(x), v), x) for v in r])
        case(name + " of constants", lambda x, f=f, e=end: [e(f(v, positive(x)), x) for v in OPERANDS.values()])
    case("a backend's tensor", lambda x: x + O.convert_to_tensor(array(4, 6)))
    case("a backend's scalar", lambda x: x * O.convert_to_tensor(2.5))
    case("by their names", lambda x: O.subtract(x1=x, x2=array(1, 4, 6)))
    case("preprocess", lambda x: (x + np.array([[[[-1.0, 2.0, 3.0]]]])) / np.array([0.5, 2.0, 4.0]), IMAGE)
    case("of an image by pixel", lambda x: x * array(5, 4, 3), IMAGE)
    case("of an image by row", lambda x: x - array(1, 5, 1, 1), IMAGE)
    refused("an array beside the batch", "without mixing samples", lambda x: x + array(3, 4, 6))
    refused("an array with more axes", "without mixing samples", lambda x: x + array(2, 1, 4, 6))


pairs()

# ---- one operand ----

FUNCTIONS = ("abs exp expm1 floor ceil trunc round sign square negative sin cos tan tanh sigmoid relu relu6 silu softplus "
             "softsign arcsinh arctan sinh cosh erf exp2 elu selu gelu leaky_relu hard_sigmoid hard_silu log_sigmoid "
             "stop_gradient isnan isinf isfinite logical_not zeros_like ones_like squareplus soft_shrink hard_shrink "
             "tanh_shrink sparse_plus sparse_sigmoid hard_tanh celu arcsin arccos arctanh").split()
for begin in range(0, len(FUNCTIONS), 13):  # an output for each
    names = FUNCTIONS[begin:begin + 13]
    case(" ".join(names), lambda x, names=names: [O.cast(getattr(O, n)(x * 0.75), "float64") + x for n in names])
names = "log log1p log2 log10 sqrt rsqrt reciprocal arccosh".split()
case(" ".join(names), lambda x, names=names: [getattr(O, n)(positive(x) + 1.0) for n in names])
case("round to decimals", lambda x: O.round(x, 1) + x)
case("clip", lambda x: O.clip(x, -0.5, 0.75))
case("full_like", lambda x: x + O.full_like(x, 2.5))
case("ones_like int32", lambda x: x + O.cast(O.ones_like(x, dtype="int32"), "float64"))
case("softmax", lambda x: O.softmax(x, axis=1))
case("log_softmax", lambda x: O.log_softmax(x))
case("threshold", lambda x: O.threshold(x, 0.1, -3.0))
case("glu", lambda x: O.glu(x))
case("array", lambda x: O.array(x) * 2)
case("copy", lambda x: O.copy(x) * 2)

# ---- where ----

case("where, a number", lambda x: O.where(x > 0, x, 0.0))
case("where, two numbers", lambda x: O.where(x > 0, 1.0, -1.0) * x)
case("where, an infinity", lambda x: O.softmax(O.where(np.tri(4, 6) > 0, x, -np.inf), axis=-1))
case("where, an array", lambda x: O.where(x > array(6), x, array(1, 4, 6)))
case("where, by name", lambda x: O.where(condition=x < 0.5, x1=x * 2, x2=1))
case("where, a condition of another shape", lambda x: O.where(O.mean(x, axis=-1, keepdims=True) > 0, x, -x))
case("where, a condition of numbers", lambda x: O.where(O.floor(x), x, 2.0))

# ---- reductions ----

for name in "sum mean max min amax amin prod var std logsumexp".split():
    f = getattr(O, name)
    case(name, lambda x, f=f: f(x, axis=-1))
    case(name + " of two axes", lambda x, f=f: f(x, axis=(1, 2), keepdims=True) + x, IMAGE)
    refused(name + " of all", "samples would be mixed", lambda x, f=f: f(x) + x)
for name in "argmax argmin".split():
    f = getattr(O, name)
    case(name, lambda x, f=f: O.one_hot(f(x, axis=-1), 6) * x)
    case(name + " keepdims", lambda x, f=f: O.cast(f(x, axis=1, keepdims=True), "float64") * x)
case("any", lambda x: O.where(O.any(x > 0.5, axis=-1, keepdims=True), x, -x))
case("all", lambda x: O.where(O.all(x > -0.75, axis=-1, keepdims=True), x, -x))
case("count_nonzero", lambda x: O.expand_dims(O.cast(O.count_nonzero(x > 0, axis=1), "float64"), 1) * x)
case("norm", lambda x: O.norm(x, axis=-1))
for order in (1, 2, 3, np.inf, -np.inf):
    case("norm of order %s" % order, lambda x, p=order: O.norm(x, ord=p, axis=-1, keepdims=True) + x)
case("norm of two axes", lambda x: O.norm(x, axis=(1, 2), keepdims=True) * x)
refused("nuclear norm", "ord=", lambda x: O.norm(x, ord="nuc", axis=(1, 2), keepdims=True) * x)
refused("spectral norm", "ord=2", lambda x: O.norm(x, ord=2, axis=(1, 2), keepdims=True) * x)
case("normalize", lambda x: O.normalize(x, axis=-1))
case("normalize of order 1", lambda x: O.normalize(x, axis=1, order=1))
case("moments", lambda x: O.subtract(*O.moments(x, axes=[1])))
case("moments, the second", lambda x: O.moments(x, axes=[1, 2], keepdims=True)[1] + x)
case("average", lambda x: O.average(x, axis=1))
case("average with weights", lambda x: O.average(x, axis=1, weights=np.array([1.0, 2, 3, 4])))
case("cumsum", lambda x: O.cumsum(x, axis=1))
case("sum of a mask", lambda x: O.expand_dims(O.cast(O.sum(x > 0, axis=1), "float64"), 1) * x)

# ---- shapes ----

case("reshape", lambda x: O.reshape(x, (-1, 24)))
case("transpose", lambda x: O.transpose(x, (0, 2, 1)))
case("swapaxes", lambda x: O.swapaxes(x, 1, -1))
case("moveaxis", lambda x: O.moveaxis(x, -1, 1))
case("expand_dims", lambda x: O.expand_dims(x, (1, -1)))
case("squeeze", lambda x: O.squeeze(O.expand_dims(x, 2), 2))
case("repeat", lambda x: O.repeat(x, 3, axis=1))
case("tile", lambda x: O.tile(x, (1, 2, 3)))
case("tile by one number", lambda x: O.tile(x, 2))
refused("tile of the batch", "the batch", lambda x: O.tile(x, (2, 1, 1)))
case("flip", lambda x: O.flip(x, axis=1))
case("flip of two axes", lambda x: O.flip(x, axis=(1, 2)))
refused("flip of all", "name the axes", lambda x: O.flip(x))
case("roll", lambda x: O.roll(x, 2, axis=1))
case("roll back", lambda x: O.roll(x, (-1, 7), axis=(1, 2)))
case("pad", lambda x: O.pad(x, ((0, 0), (1, 2), (0, 3))))
case("pad with a value", lambda x: O.pad(x, ((0, 0), (1, 2), (0, 0)), constant_values=1.5))
case("pad reflect", lambda x: O.pad(x, ((0, 0), (1, 2), (3, 0)), mode="reflect"))
case("pad symmetric", lambda x: O.pad(x, ((0, 0), (4, 2), (3, 1)), mode="symmetric"))
refused("pad of the batch", "the batch", lambda x: O.pad(x, 1))
case("split", lambda x: O.split(x, 2, axis=-1)[1])
case("split, all", lambda x: O.multiply(*O.split(x, 2, axis=1)))
case("split at places", lambda x: O.concatenate(O.split(x, [1, 4], axis=2)[::-1], axis=2))
case("split at one place", lambda x: O.split(x, [2], axis=2)[1])
case("unstack", lambda x: O.add(*O.unstack(x, axis=1)[1:3]))
case("stack", lambda x: O.stack([x, x * 2], axis=1))
case("concatenate", lambda x: O.concatenate([x, x * 2], axis=1))
refused("concatenate with an array", "a constant in a list of tensors",
        lambda x: O.concatenate([x, np.ones((1, 1, 6))], axis=1), shape=(4, 6))
case("diff", lambda x: O.diff(x, axis=1))
case("diff twice", lambda x: O.diff(x, n=2))
case("slices", lambda x: x[:, 1:, None, ::2])
case("slices backwards", lambda x: x[:, ::-1, -2:0:-2])

# ---- taking, order ----

case("take", lambda x: O.take(x, np.array([2, 0, 0, -1], "int32"), axis=1))
case("take one", lambda x: O.take(x, 3, axis=2))
case("take a list", lambda x: O.take(x, [0, 5], axis=-1))
case("take a table", lambda x: O.take(x, np.array([[0, 1], [2, 3]]), axis=1))
case("look up", lambda x: O.take(array(6, 3), O.argmax(x, axis=-1), axis=0) * O.mean(x, axis=-1, keepdims=True))
refused("take of all", "name the axes", lambda x: O.take(x, 3) + x)
refused("take too far", "is not one of 4", lambda x: O.take(x, [4], axis=1))
case("take_along_axis", lambda x: O.take_along_axis(x, O.argsort(x, axis=1), axis=1))
case("argsort", lambda x: O.cast(O.argsort(x, axis=-1), "float64") * x)
case("sort", lambda x: O.sort(x, axis=1))
case("top_k", lambda x: O.top_k(x, 3)[0])
case("top_k, numbers", lambda x: O.one_hot(O.top_k(x, 1)[1][..., 0], 6) * x)
case("one_hot", lambda x: O.one_hot(O.argmax(x, axis=-1), 7, axis=1) * O.sum(x, axis=(1, 2), keepdims=True))

# ---- products ----

case("matmul with an array", lambda x: O.matmul(x, array(6, 3)))
case("matmul with a vector", lambda x: O.matmul(x, array(6)))
case("matmul with an array on the left", lambda x: O.matmul(array(3, 4), x))
case("matmul of tensors", lambda x: x @ O.transpose(x, (0, 2, 1)))
case("dot", lambda x: O.dot(x, array(6, 2)))
case("tensordot", lambda x: O.tensordot(x, array(6, 2), axes=1))
case("tensordot of two axes", lambda x: O.tensordot(x, array(4, 6, 2), axes=2))
case("tensordot by lists", lambda x: O.tensordot(x, array(2, 4, 3), axes=[[1], [1]]))
refused("dot of tensors", "a batch that is not the first axis", lambda x: O.dot(x, O.transpose(x, (0, 2, 1))))
case("einsum", lambda x: O.einsum("bij,bkj->bik", x, x * 2))
case("einsum with an array", lambda x: O.einsum("bij,jk->bik", x, array(6, 2)))
case("einsum of the same axes", lambda x: O.einsum("bij,bij->bi", x, x))
case("einsum, outer", lambda x: O.einsum("bij,bk->bkij", x, x[:, 0]))
case("einsum of one", lambda x: O.einsum("bij->bj", x))
case("einsum, other order", lambda x: O.einsum("bij->bji", x))
case("einsum, an ellipsis", lambda x: O.einsum("...ij,...ik->...jk", x, x))
case("einsum with heads", lambda x: O.einsum("bij,jhd->bihd", x, array(6, 2, 3)))
refused("einsum of a diagonal", "twice in one", lambda x: O.einsum("bii->bi", O.concatenate([x, x[:, :2]], axis=1)))
refused("einsum over the batch", "a batch that is not the first axis", lambda x: O.expand_dims(O.einsum("bij,bik->jk", x, x), 0))

# ---- of whole numbers ----

case("cast", lambda x: O.cast(O.cast(x * 3, "int32"), "float64") * x)
case("whole numbers", lambda x: O.cast((O.argmax(x, axis=-1) * 5 + 3) % 7 // 2, "float64")[..., None] * x)
case("bool to float", lambda x: O.cast(x > 0, "float64") * x)
refused("cast to another float", "float16", lambda x: O.cast(O.cast(x, "float16"), "float64"))

# ---- what Snug has not ----

for name, says, function in (
        ("rfft", "'RFFT' is not supported", lambda x: O.rfft(x)[0]),
        ("bincount", "'Bincount' is not supported", lambda x: O.cast(O.bincount(O.cast(x, "int32")), "float64")),
        ("outer", "'Outer' is not supported", lambda x: O.outer(x, x)),
        ("nan_to_num", "'NanToNum' is not supported", lambda x: O.nan_to_num(x)),
        ("extract_patches", "'ExtractPatches' is not supported",
         lambda x: O.image.extract_patches(O.expand_dims(x, -1), 2))):
    refused(name, says, function)


def model_of(function, shape):
    i = keras.Input(shape)
    return keras.Model(i, function(keras.layers.Dense(shape[-1], activation="tanh")(i)))


def operation(report, name, snug, folder, function, shape, bound):
    keras.utils.clear_session()
    noise = np.random.default_rng(len(name))
    model = model_of(function, shape)
    randomize(model, noise)
    losses = ["mse"] * len(model.outputs) if len(model.outputs) > 1 else "mse"
    one_step(report, name, snug, folder, model, [noise.normal(0, 1, (ROWS,) + shape)], noise, loss=losses,
             precision=bound)


def no(report, name, snug, folder, function, shape, says):
    keras.utils.clear_session()
    says_no(report, name, snug, folder, model_of(function, shape), says)


def run(report, folder, everything):
    keras.config.set_floatx("float64")
    snug = snug_process(folder)
    for i, (name, (function, shape, bound)) in enumerate(CASES.items()):
        if everything or report.wanted or i % 3 == 0:
            report.run(name, operation, snug, folder, function, shape, bound)
    for name, (function, shape, says) in REFUSED.items():
        report.run(name, no, snug, folder, function, shape, says)
    snug.close()
