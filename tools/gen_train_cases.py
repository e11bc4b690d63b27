#!/usr/bin/env python3
"""Write tests/model/train_cases.c: what Keras (TensorFlow back end) makes of losses, metrics,
optimizers and schedules.  Run by hand where Keras is installed; the result is checked in.

Usage: KERAS_BACKEND=tensorflow gen_train_cases.py > tests/model/train_cases.c
"""
import math
import os

os.environ.setdefault("KERAS_BACKEND", "tensorflow")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import keras
import numpy as np
import tensorflow as tf

STEPS = 7


def text_of(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(text_of(v) for v in value) + "]"
    return repr(value) if not isinstance(value, str) else value


def call_text(name, options):
    pairs = ", ".join(f"{k}={text_of(v)}" for k, v in options.items())
    return f"{name}({pairs})" if pairs else name


def c_numbers(values):
    flat = np.asarray(values, dtype=np.float64).reshape(-1)
    return "(const double[]){" + ", ".join(f"{v:.9g}" for v in flat) + "}"


def c_type(a):
    kind = {"int32": "SNUG_INT32", "float32": "SNUG_FLOAT32"}[str(a.dtype)]
    dims = ", ".join(str(d) for d in a.shape) or "0"
    return f"{{{kind}, {a.ndim}, {{{dims}}}}}"


# ---- optimizers: two weights, gradients by a formula that the test repeats ----


def gradient(weight, step, shape):
    n = int(np.prod(shape))
    v = [0.8 * math.sin(1.0 + 0.7 * i + 1.3 * step + 2.1 * weight) for i in range(n)]
    return np.array(v, dtype=np.float32).reshape(shape)


def start(weight, shape):
    n = int(np.prod(shape))
    v = [math.cos(0.3 + 0.9 * i + weight) for i in range(n)]
    return np.array(v, dtype=np.float32).reshape(shape)


CONSTRAINTS = {
    "none": None,
    "max_norm": keras.constraints.MaxNorm(0.9, axis=0),
    "non_neg": keras.constraints.NonNeg(),
    "unit_norm": keras.constraints.UnitNorm(axis=0),
    "min_max_norm": keras.constraints.MinMaxNorm(0.5, 0.9, rate=0.7, axis=0),
}

OPTIMIZERS = [
    ("SGD", {}),
    ("SGD", dict(learning_rate=0.1, momentum=0.9)),
    ("SGD", dict(learning_rate=0.1, momentum=0.9, nesterov=True, weight_decay=0.05)),
    ("Adam", {}),
    ("Adam", dict(learning_rate=0.05, amsgrad=True, beta_1=0.8, epsilon=1e-3)),
    ("AdamW", dict(learning_rate=0.02)),
    ("RMSprop", dict(learning_rate=0.01)),
    ("RMSprop", dict(learning_rate=0.01, momentum=0.9)),
    ("RMSprop", dict(learning_rate=0.01, centered=True)),
    ("RMSprop", dict(learning_rate=0.01, centered=True, momentum=0.5, rho=0.8)),
    ("Adagrad", dict(learning_rate=0.1)),
    ("Adadelta", dict(learning_rate=1.0)),
    ("Adamax", dict(learning_rate=0.05)),
    ("Nadam", dict(learning_rate=0.05)),
    ("Lion", dict(learning_rate=0.01)),
    ("Ftrl", dict(learning_rate=0.1)),
    ("Ftrl", dict(learning_rate=0.1, l1_regularization_strength=0.02,
                  l2_regularization_strength=0.03, l2_shrinkage_regularization_strength=0.04,
                  beta=0.05, learning_rate_power=-0.6, initial_accumulator_value=0.2)),
    ("Lamb", dict(learning_rate=0.05)),
    ("Lamb", dict(learning_rate=0.05, beta_1=0.8, weight_decay=0.1, clipnorm=0.5)),
    ("Muon", dict(learning_rate=0.05)),
    ("Muon", dict(learning_rate=0.05, nesterov=False, ns_steps=3, rms_rate=0.5, adam_lr_ratio=0.5,
                  gradient_accumulation_steps=2, clipvalue=0.4)),
    ("SGD", dict(learning_rate=0.1, clipnorm=0.7)),
    ("SGD", dict(learning_rate=0.1, global_clipnorm=0.7)),
    ("SGD", dict(learning_rate=0.1, clipvalue=0.3)),
    ("Adam", dict(learning_rate=0.05, gradient_accumulation_steps=2)),
    ("Adam", dict(learning_rate=0.05, gradient_accumulation_steps=3, global_clipnorm=0.3,
                  weight_decay=0.1)),
    ("Nadam", dict(learning_rate=0.05, gradient_accumulation_steps=2, clipnorm=0.4)),
    ("SGD", dict(learning_rate=0.1, use_ema=True, ema_momentum=0.8)),
    ("Adam", dict(learning_rate=0.05, use_ema=True, ema_momentum=0.8, ema_overwrite_frequency=3)),
    ("SGD", dict(learning_rate=0.1, use_ema=True, ema_momentum=0.8,
                 gradient_accumulation_steps=2)),
    ("SGD", dict(learning_rate=0.1, loss_scale_factor=8.0)),
    ("SGD", dict(schedule=("ExponentialDecay", dict(initial_learning_rate=0.2, decay_steps=3,
                                                    decay_rate=0.5)))),
    ("Adam", dict(schedule=("CosineDecay", dict(initial_learning_rate=0.01, decay_steps=5,
                                                warmup_target=0.1, warmup_steps=2)),
                  gradient_accumulation_steps=2)),
]


def optimizer_case(name, options, constraint="none"):
    options = dict(options)
    schedule = options.pop("schedule", None)
    arguments = dict(options)
    texts = dict(options)
    if schedule:
        arguments["learning_rate"] = getattr(keras.optimizers.schedules, schedule[0])(**schedule[1])
        texts["learning_rate"] = call_text(*schedule)
    optimizer = getattr(keras.optimizers, name)(**arguments)
    shapes = [(2, 3), (4,)]
    weights = [keras.Variable(start(i, s), name=f"w{i}") for i, s in enumerate(shapes)]
    weights[0].constraint = CONSTRAINTS[constraint]
    after = []
    for step in range(STEPS):
        scale = options.get("loss_scale_factor", 1.0)
        optimizer.apply([tf.constant(scale * gradient(i, step, s)) for i, s in enumerate(shapes)],
                        weights)
        after += [np.concatenate([w.numpy().reshape(-1) for w in weights])] if step in (2, STEPS - 1) else []
    if options.get("use_ema"):
        optimizer.finalize_variable_values(weights)
    after.append(np.concatenate([w.numpy().reshape(-1) for w in weights]))
    print(f'    {{"{call_text(name, texts)}", "{constraint}", {c_numbers(np.stack(after))}}},')


# ---- losses ----

RNG = np.random.default_rng(7)
LOGITS = RNG.normal(size=(4, 3)).astype(np.float32)
PROBS = (np.exp(LOGITS) / np.exp(LOGITS).sum(-1, keepdims=True)).astype(np.float32)
UNITS = RNG.uniform(0.05, 0.95, size=(4, 3)).astype(np.float32)
REALS = RNG.normal(size=(4, 3)).astype(np.float32)
POSITIVE = np.abs(REALS) + np.float32(0.1)
CLASSES = np.array([0, 2, 1, 1], dtype=np.int32)
ONEHOT = np.eye(3, dtype=np.float32)[CLASSES]
BITS = (RNG.uniform(size=(4, 3)) > 0.5).astype(np.int32)
WEIGHTS = np.array([0.5, 2.0, 0.0, 1.0], dtype=np.float32)
EDGES = np.array([[1, 0, 0], [0, 1, 0], [0.5, 0.5, 0], [0, 0, 1]], dtype=np.float32)
LONG = RNG.normal(size=(2, 4, 3)).astype(np.float32)
LONG_CLASSES = np.array([[0, 1, 2, 9], [9, 9, 1, 0]], dtype=np.int32)
LONG_WEIGHTS = np.array([[1, 2, 0.5, 1], [0, 1, 2, 3]], dtype=np.float32)

LOSSES = [
    ("MeanSquaredError", {}, REALS, LOGITS),
    ("MeanSquaredError", dict(reduction="sum"), REALS, LOGITS),
    ("MeanSquaredError", dict(reduction="mean_with_sample_weight"), REALS, LOGITS),
    ("MeanAbsoluteError", {}, REALS, LOGITS),
    ("MeanAbsolutePercentageError", {}, REALS, LOGITS),
    ("MeanSquaredLogarithmicError", {}, POSITIVE, UNITS),
    ("Huber", dict(delta=0.5), REALS, LOGITS),
    ("LogCosh", {}, REALS, LOGITS),
    ("KLDivergence", {}, PROBS, UNITS),
    ("Poisson", {}, POSITIVE, UNITS),
    ("Hinge", {}, BITS, REALS),
    ("Hinge", {}, REALS, LOGITS),
    ("SquaredHinge", {}, BITS, REALS),
    ("CategoricalHinge", {}, ONEHOT, REALS),
    ("CosineSimilarity", {}, REALS, LOGITS),
    ("CosineSimilarity", dict(axis=1), LONG[:, :, :2].copy(), LONG[:, :, 1:].copy()),
    ("BinaryCrossentropy", {}, BITS, UNITS),
    ("BinaryCrossentropy", {}, BITS, EDGES),
    ("BinaryCrossentropy", dict(from_logits=True, label_smoothing=0.2), BITS, LOGITS),
    ("BinaryFocalCrossentropy", {}, BITS, UNITS),
    ("BinaryFocalCrossentropy", dict(apply_class_balancing=True, alpha=0.3, gamma=1.5,
                                     from_logits=True), BITS, LOGITS),
    ("CategoricalCrossentropy", {}, ONEHOT, UNITS),
    ("CategoricalCrossentropy", dict(label_smoothing=0.1), ONEHOT, EDGES),
    ("CategoricalCrossentropy", dict(from_logits=True, label_smoothing=0.1), ONEHOT, LOGITS),
    ("CategoricalFocalCrossentropy", {}, ONEHOT, UNITS),
    ("CategoricalFocalCrossentropy", dict(from_logits=True, gamma=1.5, alpha=0.4,
                                          label_smoothing=0.1), ONEHOT, LOGITS),
    ("SparseCategoricalCrossentropy", {}, CLASSES, UNITS),
    ("SparseCategoricalCrossentropy", {}, CLASSES.reshape(4, 1), EDGES),
    ("SparseCategoricalCrossentropy", dict(from_logits=True), CLASSES, LOGITS),
    ("SparseCategoricalCrossentropy", dict(from_logits=True, ignore_class=9), LONG_CLASSES, LONG),
    ("Dice", {}, BITS, UNITS),
    ("Tversky", dict(alpha=0.3, beta=0.6), BITS, UNITS),
    ("MeanSquaredError", {}, REALS[:, 0].copy(), LOGITS[:, :1].copy()),
]


def loss_case(name, options, t, y, w):
    loss = getattr(keras.losses, name)(**options)
    x = tf.constant(y)
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = loss(tf.constant(t), x, sample_weight=w)
    d = tape.gradient(value, x).numpy()
    weights = "{0}, NULL" if w is None else f"{c_type(w)}, {c_numbers(w)}"
    print(f'    {{"{call_text(name, options)}", {c_type(t)}, {c_numbers(t)}, {c_type(y)}, '
          f"{c_numbers(y)}, {weights}, {float(value)!r}, {c_numbers(d)}}},")


# ---- metrics: two batches ----

TIES = np.array([[1, 1, 0], [0, 2, 2], [3, 3, 3], [0, 1, 2]], dtype=np.float32)
COLUMN = UNITS[:, :1].copy()
COLUMN_BITS = BITS[:, :1].copy()

METRICS = [
    ("BinaryAccuracy", dict(threshold=0.4), BITS, UNITS),
    ("CategoricalAccuracy", {}, ONEHOT, LOGITS),
    ("SparseCategoricalAccuracy", {}, CLASSES, TIES),
    ("TopKCategoricalAccuracy", dict(k=2), ONEHOT, LOGITS),
    ("SparseTopKCategoricalAccuracy", dict(k=1), CLASSES, TIES),
    ("SparseTopKCategoricalAccuracy", dict(k=2), CLASSES, LOGITS),
    ("RootMeanSquaredError", {}, REALS, LOGITS),
    ("MeanAbsoluteError", {}, REALS, LOGITS),
    ("LogCoshError", {}, REALS, LOGITS),
    ("CosineSimilarity", {}, REALS, LOGITS),
    ("CategoricalCrossentropy", dict(label_smoothing=0.1), ONEHOT, UNITS),
    ("Precision", {}, BITS, UNITS),
    ("Recall", dict(thresholds=0.3), BITS, UNITS),
    ("TruePositives", {}, BITS, UNITS),
    ("FalsePositives", dict(thresholds=0.6), BITS, UNITS),
    ("TrueNegatives", {}, BITS, UNITS),
    ("FalseNegatives", {}, BITS, UNITS),
    ("AUC", {}, BITS, UNITS),
    ("AUC", dict(curve="PR"), BITS, UNITS),
    ("AUC", dict(num_thresholds=5, summation_method="minoring"), BITS, UNITS),
    ("AUC", dict(num_thresholds=5, curve="PR", summation_method="majoring"), BITS, EDGES),
    ("AUC", dict(thresholds=[0.7, 0.2, 0.4]), BITS, UNITS),
    ("MeanIoU", dict(num_classes=3), CLASSES, np.array([0, 1, 1, 2], dtype=np.int32)),
    ("MeanIoU", dict(num_classes=3, sparse_y_true=False, sparse_y_pred=False), ONEHOT, LOGITS),
    ("IoU", dict(num_classes=3, target_class_ids=[0, 2]), CLASSES, np.array([0, 1, 1, 2], dtype=np.int32)),
    ("OneHotIoU", dict(num_classes=3, target_class_ids=[1]), ONEHOT, LOGITS),
    ("OneHotMeanIoU", dict(num_classes=3), ONEHOT, LOGITS),
    ("BinaryIoU", {}, BITS, UNITS),
    ("BinaryIoU", dict(target_class_ids=[1], threshold=0.25), BITS, UNITS),
    ("F1Score", dict(average="macro"), ONEHOT, LOGITS),
    ("F1Score", dict(average="micro", threshold=0.3), BITS, UNITS),
    ("FBetaScore", dict(average="weighted", beta=2.0, threshold=0.6), BITS, UNITS),
    ("R2Score", {}, REALS, LOGITS),
    ("R2Score", dict(class_aggregation="variance_weighted_average", num_regressors=2), REALS, LOGITS),
]


def metric_case(name, options, t, y, w):
    metric = getattr(keras.metrics, name)(**options)
    for _ in range(2):
        metric.update_state(t, y, sample_weight=w)
    weights = "{0}, NULL" if w is None else f"{c_type(w)}, {c_numbers(w)}"
    print(f'    {{"{call_text(name, options)}", {c_type(t)}, {c_numbers(t)}, {c_type(y)}, '
          f"{c_numbers(y)}, {weights}, {float(metric.result())!r}, NULL}},")


# ---- schedules ----

SCHEDULES = [
    ("ExponentialDecay", dict(initial_learning_rate=0.1, decay_steps=7, decay_rate=0.9)),
    ("ExponentialDecay", dict(initial_learning_rate=0.1, decay_steps=7, decay_rate=0.9,
                              staircase=True)),
    ("InverseTimeDecay", dict(initial_learning_rate=0.1, decay_steps=4, decay_rate=0.5)),
    ("InverseTimeDecay", dict(initial_learning_rate=0.1, decay_steps=4, decay_rate=0.5,
                              staircase=True)),
    ("PolynomialDecay", dict(initial_learning_rate=0.1, decay_steps=10)),
    ("PolynomialDecay", dict(initial_learning_rate=0.1, decay_steps=10, end_learning_rate=0.01,
                             power=0.5, cycle=True)),
    ("PiecewiseConstantDecay", dict(boundaries=[3, 10], values=[0.1, 0.05, 0.01])),
    ("CosineDecay", dict(initial_learning_rate=0.1, decay_steps=12, alpha=0.1)),
    ("CosineDecay", dict(initial_learning_rate=0.0, decay_steps=12, warmup_target=0.2,
                         warmup_steps=5)),
    ("CosineDecayRestarts", dict(initial_learning_rate=0.1, first_decay_steps=3)),
    ("CosineDecayRestarts", dict(initial_learning_rate=0.1, first_decay_steps=5, t_mul=1.0,
                                 m_mul=0.8, alpha=0.05)),
    ("CosineDecayRestarts", dict(initial_learning_rate=0.1, first_decay_steps=2, t_mul=1.5,
                                 m_mul=0.9)),
]
SCHEDULE_STEPS = [0, 1, 2, 3, 4, 5, 7, 9, 10, 11, 14, 20, 21, 45, 93, 1000]


def schedule_case(name, options):
    schedule = getattr(keras.optimizers.schedules, name)(**options)
    rates = [float(schedule(tf.constant(s, dtype=tf.int64))) for s in SCHEDULE_STEPS]
    print(f'    {{"{call_text(name, options)}", {c_numbers(rates)}}},')


def main():
    print(f"/* Written by tools/gen_train_cases.py with Keras {keras.__version__} on "
          f"TensorFlow {tf.__version__}.  Do not edit. */")
    print("/* clang-format off */")
    print('#include "model/train_cases.h"\n')
    print("const optimizer_case optimizer_cases[] = {")
    for name, options in OPTIMIZERS:
        optimizer_case(name, options)
    for constraint in list(CONSTRAINTS)[1:]:
        optimizer_case("SGD", dict(learning_rate=0.2), constraint)
    print("    {NULL, NULL, NULL}};\nconst batch_case loss_cases[] = {")
    for name, options, t, y in LOSSES:
        loss_case(name, options, t, y, None)
        if y.ndim == 2 and name not in ("Dice", "Tversky"):
            loss_case(name, options, t, y, WEIGHTS)
    loss_case("SparseCategoricalCrossentropy", dict(from_logits=True, ignore_class=9),
              LONG_CLASSES, LONG, LONG_WEIGHTS)
    print("    {NULL}};\nconst batch_case metric_cases[] = {")
    for name, options, t, y in METRICS:
        metric_case(name, options, t, y, None)
        if "IoU" not in name:
            metric_case(name, options, t, y,
                        WEIGHTS if "Score" in name or y is not UNITS and y is not EDGES or "Crossentropy" in name or "BinaryAcc" in name else
                        np.broadcast_to(WEIGHTS[:, None], y.shape).copy())
    print("    {NULL}};\nconst int64_t schedule_steps[] = {"
          + ", ".join(str(s) for s in SCHEDULE_STEPS) + ", -1};")
    print("const schedule_case schedule_cases[] = {")
    for name, options in SCHEDULES:
        schedule_case(name, options)
    print("    {NULL, NULL}};")


if __name__ == "__main__":
    main()
