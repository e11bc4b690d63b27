#!/usr/bin/env python3
"""Write tests/train/golden_<group>.inc: what Keras (TensorFlow back end) makes of whole fits.

Each case is a small model with everything that fit is told.  Data and initial weights come from a
formula that the test repeats (noise below), so only results are stored: the history, evaluate,
predictions and the weights at the end.  Run by hand where Keras is installed; the result is
checked in.

Usage: gen_fit_cases.py [group ...]     (all groups of fit_cases.py without arguments)
"""
import os
import sys

os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
import warnings

warnings.filterwarnings("ignore")
import keras
import numpy as np
import tensorflow as tf

from fit_cases import CASES, Call

MASK = np.uint64(0xFFFFFFFF)
PREDICT_ROWS = 3
PREDICT_BATCH = 2
EVALUATE_BATCH = 3
BATCHES_OF = ("dense", "metrics", "functional")  # groups for which the logs of batches are kept


# ---- numbers by formula ----


def mixed(seed, n):
    z = (np.uint64(seed * 0x9E3779B9 + 0x1234567) + np.arange(n, dtype=np.uint64) *
         np.uint64(0x85EBCA6B)) & MASK
    z ^= z >> np.uint64(16)
    z = (z * np.uint64(0x7FEB352D)) & MASK
    z ^= z >> np.uint64(15)
    z = (z * np.uint64(0x846CA68B)) & MASK
    return z ^ (z >> np.uint64(16))


def noise(seed, n):
    """Multiples of 1/512 in [-1, 1): exact in every float type."""
    return ((mixed(seed, n) >> np.uint64(22)).astype(np.float64) - 512.0) / 512.0


class Array:
    """kind: real (scale * noise + shift), class (0 .. n-1, int32), bits (0 or 1, as reals), onehot,
    bytes (0 .. n-1, uint8), steps (0 .. n-1, as reals)."""

    def __init__(self, spec, shape, seed):
        self.kind, self.n, self.scale, self.shift = spec[0], 0, 1.0, 0.0
        if self.kind in ("class", "onehot", "bytes", "steps"):
            self.n = spec[1]
        elif self.kind == "real":
            self.scale, self.shift = spec[1:] if len(spec) == 3 else (1.0, 0.0)
        self.shape, self.seed = tuple(shape), seed

    def values(self, floatx):
        if self.kind == "onehot":
            rows = int(np.prod(self.shape[:-1]))
            labels = (mixed(self.seed, rows) % np.uint64(self.n)).astype(np.int64)
            return np.eye(self.n)[labels].reshape(self.shape).astype(floatx)
        n = int(np.prod(self.shape))
        if self.kind == "real":
            v = (self.scale * noise(self.seed, n) + self.shift).astype(floatx)
        elif self.kind in ("class", "bytes", "steps"):
            kinds = {"class": np.int32, "bytes": np.uint8, "steps": floatx}
            v = (mixed(self.seed, n) % np.uint64(self.n)).astype(kinds[self.kind])
        else:
            v = (mixed(self.seed, n) % np.uint64(2)).astype(floatx)
        return v.reshape(self.shape)

    def text(self):
        dims = ", ".join(str(d) for d in self.shape)
        return (f"{{GOLDEN_{self.kind.upper()}, {self.n}, {self.scale!r}, {self.shift!r}, "
                f"{self.seed}, {len(self.shape)}, {{{dims}}}}}")


def weight_start(name):
    """(scale, shift) of the first values of a weight, by its last name."""
    last = name.split("/")[-1]
    return {"gamma": (0.25, 1.0), "moving_variance": (0.5, 1.0), "scale": (0.25, 1.0)}.get(
        last, (0.125 if last in ("bias", "beta", "moving_mean") else 0.5, 0.0))


# ---- C ----


def c_text(s):
    return "NULL" if s is None else '"' + s.replace('"', '\\"') + '"'


def c_numbers(values, digits):
    flat = np.asarray(values, dtype=np.float64).reshape(-1)
    return "(const double[]){" + ",".join("NAN" if np.isnan(v) else f"{v:.{digits}g}"
                                          for v in flat) + "}"


def c_list(kind, items):
    return f"(const {kind}[]){{" + ", ".join(items) + "}" if items else "NULL"


def c_texts(items):
    return c_list("char *const", [c_text(i) for i in items])


def value_text(v):
    if isinstance(v, bool):
        return "true" if v else "false"
    if isinstance(v, (list, tuple)):
        return "[" + ",".join(value_text(i) for i in v) + "]"
    if isinstance(v, Call):
        pairs = ", ".join(f"{k}={value_text(i)}" for k, i in v.options.items())
        return f"{v.name}({pairs})"
    return repr(v) if not isinstance(v, str) else v


# ---- Keras ----

PLACES = {
    "L1": keras.regularizers, "L2": keras.regularizers, "MaxNorm": keras.constraints,
    "NonNeg": keras.constraints, "UnitNorm": keras.constraints,
    "ExponentialDecay": keras.optimizers.schedules, "CosineDecay": keras.optimizers.schedules,
}


def resolve(v, place=None):
    if not isinstance(v, Call):
        return v
    made = getattr(PLACES.get(v.name, place), v.name)
    return made(**{k: resolve(i) for k, i in v.options.items()})


def build(case):
    tensors, inputs = {}, []
    for i, l in enumerate(case.layers):
        if l.cls == "Input":
            tensors[l.name] = keras.Input(l.shape, name=l.name, dtype=l.dtype or case.dtype)
            inputs.append(tensors[l.name])
            continue
        ins = [tensors[n] for n in l.ins]
        arg = ins if len(ins) > 1 else ins[0]
        if l.cls == "Again":
            tensors[l.name] = case.made[l.of](arg)
            continue
        options = {k: resolve(v) for k, v in l.options.items()}
        case.made[l.name] = getattr(keras.layers, l.cls)(name=l.name, **options)
        tensors[l.name] = case.made[l.name](arg)
    outs = [tensors[o] for o in case.outputs]
    return keras.Model(inputs if len(inputs) > 1 else inputs[0],
                       outs if len(outs) > 1 else outs[0])


def metric_objects(case, metrics):
    """Keras's argument for metrics: a list, or a dictionary by outputs."""
    made = [(out, m if isinstance(m, str) else resolve(m, keras.metrics)) for out, m in metrics]
    if len(case.outputs) == 1:
        return [m for _, m in made] or None
    return {o: [m for out, m in made if out in (None, o)] for o in case.outputs} if made else None


def metric_texts(metrics):
    return [(f"{out}: " if out else "") + value_text(m) for out, m in metrics]


def arrays_of(case, rows, seed):
    xs = [Array(l.data, (rows,) + l.shape, seed + i)
          for i, l in enumerate(l for l in case.layers if l.cls == "Input")]
    ys = [Array(y[0], (rows,) + tuple(y[1]), seed + 10 + i) for i, y in enumerate(case.y)]
    kind = case.sample_weight if isinstance(case.sample_weight, tuple) else ("real", 0.5, 1.0)
    return xs, ys, Array(kind, (rows,), seed + 20) if case.sample_weight else None


def whole(arrays, dtype, rows=None):
    values = [a.values(dtype)[:rows] for a in arrays]
    return values if len(values) > 1 else values[0]


def weights_for(w, ys, case):
    """A weight per sample; where labels are maps, with the axes that Keras needs to broadcast it."""
    ones = (1,) * (len(ys[0].shape) - 1) if ys[0].kind == "class" else ()
    return w.values(case.dtype).reshape(w.shape + ones)


def set_weights(model, dtype):
    starts = []
    for i, w in enumerate(model.weights):
        scale, shift = weight_start(w.path)
        starts.append((w.path, i + 1000, scale, shift))
        w.assign((scale * noise(i + 1000, int(np.prod(w.shape))) + shift).astype(dtype)
                 .reshape(w.shape))
    return starts


def with_dense_gradients(optimizer):
    """TensorFlow gives gradients of an embedding as slices, in which a word may occur twice; Keras
    squares them one by one where other back ends square their sum.  We want the latter."""
    made = keras.optimizers.get(resolve(optimizer, keras.optimizers))
    apply = made.apply
    made.apply = lambda gradients, variables=None: apply(
        [None if g is None else tf.convert_to_tensor(g) for g in gradients], variables)
    return made


def run(case):
    """Several outputs run eagerly: in a graph of TensorFlow's the batch size is not known, and
    Keras then gives the per-output losses of a partial batch the weight of a full one."""
    keras.backend.clear_session()
    keras.config.set_floatx(case.dtype)
    model = build(case)
    starts = set_weights(model, case.dtype)
    xs, ys, w = arrays_of(case, case.rows, 1)
    loss = [resolve(l, keras.losses) for l in case.loss]
    model.compile(optimizer=with_dense_gradients(case.optimizer),
                  loss=loss if len(loss) > 1 else loss[0], loss_weights=case.loss_weights,
                  metrics=metric_objects(case, case.metrics), run_eagerly=len(ys) > 1,
                  weighted_metrics=metric_objects(case, case.weighted_metrics))
    data = dict(x=whole(xs, case.dtype), y=whole(ys, case.dtype))
    if w:
        data["sample_weight"] = weights_for(w, ys, case)
    f = dict(case.fit)
    val = ([], [], None)
    if case.val_rows:
        val = arrays_of(case, case.val_rows, 51)
        val = val if case.val_weighted else val[:2] + (None,)
        f["validation_data"] = (whole(val[0], case.dtype), whole(val[1], case.dtype)) + (
            (weights_for(val[2], val[1], case),) if val[2] else ())
    if case.class_weight:
        f["class_weight"] = dict(enumerate(case.class_weight))
    batches = []
    seen = keras.callbacks.LambdaCallback(
        on_train_batch_end=lambda batch, logs: batches.append([logs[n] for n in sorted(logs)]))
    for _ in range(case.fits):
        batches.clear()
        history = model.fit(**data, **f, shuffle=False, verbose=0, callbacks=[seen])
    case.rate = float(model.optimizer.learning_rate)
    case.batches = batches if case.group in BATCHES_OF else []
    evaluated = model.evaluate(**data, batch_size=EVALUATE_BATCH, verbose=0, return_dict=True)
    predicted = model.predict(whole(xs, case.dtype, PREDICT_ROWS), batch_size=PREDICT_BATCH,
                              verbose=0)
    predicted = predicted if isinstance(predicted, list) else [predicted]
    return c_case(case, starts, (xs, ys, w), val, history, evaluated, predicted, model)


def table(history, freq, initial):
    """Rows of epochs; NaN where an epoch had no validation."""
    names = list(history.history)
    rows = []
    for e, epoch in enumerate(history.epoch):
        row = []
        for n in names:
            values = history.history[n]
            validated = [k for k in history.epoch if (k + 1) % freq == 0]
            if len(values) == len(history.epoch):
                row.append(values[e])
            else:
                row.append(values[validated.index(epoch)] if epoch in validated else np.nan)
        rows.append(row)
    return names, rows


def c_layer(l):
    if l.cls == "Input":
        kind = {"int32": "SNUG_INT32", None: "SNUG_NO_DTYPE"}[l.dtype]
        dims = ", ".join(str(d) for d in l.shape)
        return f'{{"Input", "{l.name}", NULL, "", {kind}, {len(l.shape)}, {{{dims}}}}}'
    if l.cls == "Again":
        return f'{{"Again", "{l.name}", "{l.of}", "{" ".join(l.ins)}", 0, 0, {{0}}}}'
    pairs = "".join(f" {k}={value_text(v)}" for k, v in l.options.items())
    return (f'{{"{l.cls}", "{l.name}", {c_text("name=" + l.name + pairs)}, '
            f'"{" ".join(l.ins)}", 0, 0, {{0}}}}')


def c_data(name, arrays):
    xs, ys, w = arrays
    if not xs:
        return ""
    return (f".{name} = {{{len(xs)}, {len(ys)}, {c_list('golden_array', [a.text() for a in xs])}, "
            f"{c_list('golden_array', [a.text() for a in ys])}, "
            f"{c_list('golden_array', [w.text()] if w else [])}}}")


def c_counted(name, text, items):
    """Nothing where there are none: the members are then 0 and NULL by themselves."""
    return f".n_{name} = {len(items)}, .{name} = {text(items)}" if items else ""


def c_case(case, starts, data, val, history, evaluated, predicted, model):
    digits = 9 if case.dtype == "float64" else 8
    freq = case.fit.get("validation_freq", 1)
    names, rows = table(history, freq, case.fit.get("initial_epoch", 0))
    ends = {w.path: w.numpy() for w in model.weights}
    weights = [f'{{"{n}", {seed}, {scale!r}, {shift!r}, {ends[n].size}, '
               f"{c_numbers(ends[n], digits)}}}" for n, seed, scale, shift in starts]
    fit = {k: v for k, v in case.fit.items()}
    fit_text = "".join(f", .{k} = {v!r}" for k, v in fit.items())
    lines = [
        f'.name = "{case.name}", .group = "{case.group}", .dtype = SNUG_{case.dtype.upper()}',
        f".weight_tolerance = {case.tolerance[0]!r}, .log_tolerance = {case.tolerance[1]!r}",
        f".n_layers = {len(case.layers)}, .layers = (const golden_layer[]){{" +
        ",\n      ".join(c_layer(l) for l in case.layers) + "}",
        f'.outputs = "{" ".join(case.outputs)}"',
        c_data("train", data), c_data("validation", val),
        f".optimizer = {c_text(value_text(case.optimizer))}",
        f".n_loss = {len(case.loss)}, .loss = {c_texts([value_text(l) for l in case.loss])}",
        case.loss_weights and f".loss_weights = {c_numbers(case.loss_weights, 9)}",
        c_counted("metrics", c_texts, metric_texts(case.metrics)),
        c_counted("weighted_metrics", c_texts, metric_texts(case.weighted_metrics)),
        c_counted("class_weight", lambda v: c_numbers(v, 9), case.class_weight),
        f".n_fits = {case.fits}",
        f".fit = {{.struct_size = sizeof(snug_fit_options), .no_shuffle = true{fit_text}}}",
        f".n_logs = {len(names)}, .logs = {c_texts(names)}",
        f".n_epochs = {len(rows)}, .history = {c_numbers(rows, 9)}",
        c_counted("batches", lambda v: c_numbers(v, 9), case.batches),
        f".learning_rate = {case.rate!r}",
        f".n_evaluated = {len(evaluated)}, .evaluated_names = {c_texts(list(evaluated))}, "
        f".evaluated = {c_numbers(list(evaluated.values()), 9)}",
        f".n_weights = {len(weights)}, .weights = (const golden_weight[]){{" +
        ",\n      ".join(weights) + "}",
        ".predicted = (const golden_values[]){" +
        ",\n      ".join(f"{{{p.size}, {c_numbers(p, digits)}}}" for p in predicted) + "}",
    ]
    return "    {" + ",\n     ".join(l for l in lines if l) + "},"


def main():
    folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "train")
    for group in sys.argv[1:] or sorted({c.group for c in CASES}):
        texts = [run(c) for c in CASES if c.group == group]
        with open(os.path.join(folder, f"golden_{group}.inc"), "w") as out:
            out.write(f"/* Written by tools/gen_fit_cases.py with Keras {keras.__version__} on "
                      f"TensorFlow {tf.__version__}.  Do not edit. */\n")
            out.write("\n".join(texts) + "\n")


if __name__ == "__main__":
    main()
