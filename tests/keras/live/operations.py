"""Everything of keras.ops that makes sense in a Functional model, on tensors, numbers and arrays: what a file may hold is
read and computes the same (predictions, one step of SGD, what comes back opens in Keras), or is refused by its own name.
float64, as in layers.py."""
from common import VERSION, keras, np, snug_process
from layers import ROWS, one_step, randomize, says_no


class Recorder:
    """keras.ops, of which is known afterwards what was used."""

    def __init__(self, module, name, used):
        self._module, self._name, self._used = module, name, used

    def __getattr__(self, name):
        if name == "image":
            return Recorder(self._module.image, "image.", self._used)
        self._used.add(self._name + name)
        return getattr(self._module, name)


USED = set()
O = Recorder(keras.ops, "", USED)
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

FUNCTIONS = ("abs absolute conjugate exp expm1 floor ceil trunc round sign square negative sin cos tan tanh sigmoid relu relu6 silu softplus "
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
case("get_item", lambda x: O.get_item(x, (slice(None), 0)))
refused("broadcast_to of the batch", "the batch", lambda x: O.broadcast_to(x[:, :1], (ROWS, 4, 6)))
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

# ---- made of others ----

case("hypot", lambda x: O.hypot(positive(x), x))
case("logaddexp", lambda x: [O.logaddexp(x, x * x), O.logaddexp(x, array(6)), O.logaddexp2(x, 0.5)])
case("divide_no_nan", lambda x: O.divide_no_nan(x, O.relu(x * x - 0.1)))
case("deg2rad", lambda x: [O.deg2rad(x), O.rad2deg(x), O.fabs(x), O.erfc(x)])
case("conj", lambda x: [O.conj(x) * 2, O.real(x) * 2, O.swish(x), O.hard_swish(x)])
case("isposinf", lambda x: [O.where(f(x / O.relu(x)), x, -x) for f in (O.isposinf, O.isneginf)])
case("nan_to_num", lambda x: O.nan_to_num(O.where(x > 0, x, O.zeros_like(x) / O.zeros_like(x)), nan=0.5) * x)
case("nan_to_num of infinities", lambda x: O.nan_to_num(O.where(x > 0, np.inf, O.where(x < -0.5, -np.inf, x)), posinf=2.0, neginf=-3.0))
case("tril", lambda x: [O.tril(x), O.triu(x), O.tril(x, k=-1), O.triu(x, k=2)])
refused("tril of the batch", "a batch of matrices has 3 or more", lambda x: O.tril(x), shape=VECTOR)
case("select", lambda x: O.select([x > 0.25, x > -0.25], [x * 2, x * x], 0.5))
case("select without a default", lambda x: O.select([x > 0], [x]))
refused("select of constants", "a constant in a list of tensors", lambda x: O.select([x > 0, x < -1], [x, array(1, 4, 6)]))
case("multi_hot", lambda x: O.multi_hot(O.argmax(x, axis=-1), 6) * O.mean(x, axis=1))
case("ptp", lambda x: O.ptp(x, axis=1))
refused("ptp of all", "samples would be mixed", lambda x: O.ptp(x) * x)
case("hstack", lambda x: O.hstack([x, x * 2]))
case("dstack", lambda x: O.dstack([x, x * 2]))
case("max_pool", lambda x: O.max_pool(x, 2))
case("max_pool of images", lambda x: O.max_pool(x, (2, 3), strides=1, padding="same"), IMAGE)
case("average_pool", lambda x: O.average_pool(x, 2, padding="same"))
case("average_pool of images", lambda x: O.average_pool(x, 2), IMAGE)
case("layer_normalization", lambda x: O.layer_normalization(x, gamma=array(6), beta=array(6)))
case("layer_normalization of two axes", lambda x: O.layer_normalization(x, axis=(1, 2), epsilon=1e-3))
case("rms_normalization", lambda x: O.rms_normalization(x, scale=array(6)))
case("rms_normalization alone", lambda x: O.rms_normalization(x, axis=1))
case("resize", lambda x: O.image.resize(x, (7, 3), interpolation="nearest"), IMAGE)
case("resize by lines", lambda x: O.image.resize(x, (10, 8)), IMAGE, 1e-6)

# ---- what Snug has not: each is refused by its own name ----

# Calls of those that (x), (x, x), (x, 2) or (x, x, x) do not fit.
SQUARE = (4, 4)
CALLS = {
    "adaptive_average_pool": (lambda x: O.adaptive_average_pool(x, (2, 2)), IMAGE),
    "adaptive_max_pool": (lambda x: O.adaptive_max_pool(x, (2, 2)), IMAGE),
    "batch_normalization": (lambda x: O.batch_normalization(x, array(6), array(6), axis=-1), SERIES),
    "cholesky": (lambda x: O.cholesky(x), SQUARE),
    "cholesky_inverse": (lambda x: O.cholesky_inverse(x), SQUARE),
    "conv": (lambda x: O.conv(x, array(3, 6, 2)), SERIES),
    "conv_transpose": (lambda x: O.conv_transpose(x, array(3, 2, 6), 2), SERIES),
    "cross": (lambda x: O.cross(x, x), (4, 3)),
    "ctc_loss": (lambda x: O.ctc_loss(O.argmax(x, axis=-1), x, O.argmax(x[:, :, 0], axis=-1), O.argmax(x[:, :, 1], axis=-1)),
                 SERIES),
    "depth_to_space": (lambda x: O.depth_to_space(x, 2), (4, 4, 4)),
    "depthwise_conv": (lambda x: O.depthwise_conv(x, array(3, 6, 1)), SERIES),
    "det": (lambda x: O.det(x), SQUARE),
    "diag": (lambda x: O.diag(x), VECTOR),
    "digitize": (lambda x: O.digitize(x, np.array([0.0, 1.0])), SERIES),
    "eig": (lambda x: O.eig(x)[0], SQUARE),
    "eigh": (lambda x: O.eigh(x)[0], SQUARE),
    "extract_sequences": (lambda x: O.extract_sequences(x, 2, 1), VECTOR),
    "fft": (lambda x: O.fft((x, x))[0], SERIES),
    "fft2": (lambda x: O.fft2((x, x))[0], SERIES),
    "fold": (lambda x: O.fold(x, (3, 3), 2), (12, 4)),
    "ifft2": (lambda x: O.ifft2((x, x))[0], SERIES),
    "in_top_k": (lambda x: O.in_top_k(O.argmax(x, axis=-1), x, 2), VECTOR),
    "inv": (lambda x: O.inv(x), SQUARE),
    "irfft": (lambda x: O.irfft((x, x)), SERIES),
    "istft": (lambda x: O.istft((x, x), 10, 2, 10), SERIES),
    "psnr": (lambda x: O.psnr(x, x, 1.0), SERIES),
    "saturate_cast": (lambda x: O.saturate_cast(x, "int32"), SERIES),
    "searchsorted": (lambda x: O.searchsorted(np.array([0.0, 1.0]), x), SERIES),
    "segment_max": (lambda x: O.segment_max(x, O.cast(x[:, 0], "int32"), 3), (1,)),
    "segment_min": (lambda x: O.segment_min(x, O.cast(x[:, 0], "int32"), 3), (1,)),
    "segment_prod": (lambda x: O.segment_prod(x, O.cast(x[:, 0], "int32"), 3), (1,)),
    "segment_sum": (lambda x: O.segment_sum(x, O.cast(x[:, 0], "int32"), 3), (1,)),
    "separable_conv": (lambda x: O.separable_conv(x, array(3, 6, 1), array(1, 6, 2)), SERIES),
    "slice": (lambda x: O.slice(x, (0, 1, 1), (1, 2, 2)), SERIES),
    "solve": (lambda x: O.solve(x, x), SQUARE),
    "solve_triangular": (lambda x: O.solve_triangular(x, x), SQUARE),
    "space_to_depth": (lambda x: O.space_to_depth(x, 2), (4, 4, 3)),
    "sparse_categorical_crossentropy": (lambda x: O.sparse_categorical_crossentropy(O.argmax(x, axis=-1), x), SERIES),
    "stft": (lambda x: O.stft(x, 4, 2, 4)[0], VECTOR),
    "unfold": (lambda x: O.unfold(x, 2), IMAGE),
    "unravel_index": (lambda x: O.unravel_index(O.argmax(x, axis=-1), (2, 3))[0], SERIES),
    "vstack": (lambda x: O.vstack([x, x]), SERIES),
    "image.affine_transform": (lambda x: O.image.affine_transform(x, array(1, 8)), IMAGE),
    "image.map_coordinates": (lambda x: O.image.map_coordinates(x, array(2, 3), 1), (4,)),
    "image.perspective_transform": (lambda x: O.image.perspective_transform(x, array(1, 4, 2), array(1, 4, 2)), IMAGE),
}
A_CONSTANT = "makes a constant, which stands in the file as one"
A_FUNCTION = "is called on a function of Python, which no file holds"
NO_BATCH = "is of vectors or matrices without a batch"
# Not operations of a model, and why.
NOT_FOR_A_MODEL = {
    **dict.fromkeys("arange bartlett blackman empty eye full hamming hanning identity kaiser ones tri zeros".split(), A_CONSTANT),
    **dict.fromkeys("associative_scan cond custom_gradient fori_loop jvp map scan switch vectorize vectorized_map "
                    "while_loop".split(), A_FUNCTION),
    **dict.fromkeys("correlate lstsq vander scatter".split(), NO_BATCH),
    **dict.fromkeys("convert_to_numpy convert_to_tensor dtype is_tensor shape".split(), "tells of a value in Python"),
    "rearrange": "is written as reshape and transpose",
    "image.crop_images": "is written as slices", "image.pad_images": "is written as pad",
    "image.scale_and_translate": "is called on sizes, which are numbers",
}


def first_of(result):
    while isinstance(result, (list, tuple)):
        result = result[0]
    return result


def call_of(name):
    """A call of an operation, and the shape that it is for; None if none fits."""
    if name in CALLS:
        return CALLS[name]
    shape = IMAGE if name.startswith("image.") else SERIES
    f = keras.ops
    for part in name.split("."):
        f = getattr(f, part)
    for arguments in (lambda x: (x,), lambda x: (x, x), lambda x: (x, 2), lambda x: (x, x, x)):
        call = lambda x, a=arguments: first_of(f(*a(x)))
        try:
            if keras.backend.is_keras_tensor(call(keras.Input(shape))):
                return call, shape
        except Exception:
            continue
    return None


def public():
    """The names of keras.ops, and those of its modules that stand there alone."""
    names = {n for n, f in vars(keras.ops).items() if callable(f) and not n.startswith("_")}
    for module in ("numpy", "nn", "linalg", "math"):
        names |= {n for n, f in vars(getattr(keras.ops, module, None) or keras.ops.numpy).items()
                  if callable(f) and not n.startswith("_")}
    return sorted(names) + sorted("image." + n for n, f in vars(keras.ops.image).items()
                                  if callable(f) and not n.startswith("_"))


def by_its_name(report, name, snug, folder, found):
    if found is None:
        return report.fail(name, "no call is known, and it is not in NOT_FOR_A_MODEL")
    keras.utils.clear_session()
    model = model_of(lambda x: first_of(found[0](x)), found[1])
    own = model.outputs[0]._keras_history.operation
    says_no(report, name, snug, folder, model, "'%s' is not supported" % type(own).__name__)


def leaves(name):
    """What works, or is refused for another reason than its name, has a case above."""
    return name in USED or name in NOT_FOR_A_MODEL


def use_all():
    for function, shape, _ in list(CASES.values()) + list(REFUSED.values()):
        function(keras.Input(shape))


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
    use_all()
    for name in [n for n in public() if not leaves(n)]:
        report.run("keras.ops." + name, by_its_name, snug, folder, call_of(name))
    snug.close()
