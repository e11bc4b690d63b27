"""A small network trained in all ways: losses x optimizers x what is done to gradients and weights, schedules, weights
of samples and classes, frozen layers.  float64, five steps; weights and slots after the first and after the fifth.

Keras takes betas, rho and momentum through float32, also where weights are float64, and 1 - beta_2^t shows it: by 1e-5
of a step with the usual values.  So most cases have values that are exact in float32.  Those with the usual ones are
held to 1e-7 of the weights' own size (1), as every weight is, not of the step's.
"""
import os

from common import VERSION, keras, listed, np, predictions, relative, snug_process, tree, worst
from families import slots_of, weights_of

ROWS, STEPS = 6, 5
L, O = keras.losses, keras.optimizers
BETAS = dict(beta_1=0.875, beta_2=0.9921875)

# name: loss, activation of the output, kind of labels, first Keras that has it
LOSSES = {
    "sparse": ("sparse_categorical_crossentropy", "softmax", "class"),
    "sparse_logits": (lambda: L.SparseCategoricalCrossentropy(from_logits=True), None, "class"),
    "sparse_ignore": (lambda: L.SparseCategoricalCrossentropy(ignore_class=1), "softmax", "class"),
    "categorical": ("categorical_crossentropy", "softmax", "onehot"),
    "smoothed": (lambda: L.CategoricalCrossentropy(label_smoothing=0.125), "softmax", "onehot"),
    "categorical_linear": ("categorical_crossentropy", "softplus", "onehot"),
    "binary": ("binary_crossentropy", "sigmoid", "bits"),
    "binary_logits": (lambda: L.BinaryCrossentropy(from_logits=True, label_smoothing=0.25), None, "bits"),
    "binary_focal": (lambda: L.BinaryFocalCrossentropy(apply_class_balancing=True), "sigmoid", "bits"),
    "categorical_focal": (lambda: L.CategoricalFocalCrossentropy(gamma=1.5), "softmax", "onehot"),
    "mse": ("mse", None, "real"),
    "mse_sum": (lambda: L.MeanSquaredError(reduction="sum"), None, "real"),
    "mae": ("mae", None, "real"),
    "mape": ("mape", None, "real"),
    "msle": ("msle", "softplus", "positive"),
    "huber": (lambda: L.Huber(), None, "real"),
    "log_cosh": ("log_cosh", None, "real"),
    "kld": ("kl_divergence", "softmax", "positive"),
    "poisson": ("poisson", "softplus", "positive"),
    "hinge": ("hinge", "tanh", "bits"),
    "squared_hinge": ("squared_hinge", "tanh", "bits"),
    "categorical_hinge": ("categorical_hinge", "softmax", "onehot"),
    "cosine": ("cosine_similarity", None, "real"),
}
if VERSION >= (3, 4):
    LOSSES["dice"] = (lambda: L.Dice(), "sigmoid", "bits")
    LOSSES["tversky"] = (lambda: L.Tversky(alpha=0.25, beta=0.75), "sigmoid", "bits")

OPTIMIZERS = {
    "sgd": (O.SGD, dict(learning_rate=0.125)),
    "momentum": (O.SGD, dict(learning_rate=0.0625, momentum=0.875)),
    "nesterov": (O.SGD, dict(learning_rate=0.0625, momentum=0.875, nesterov=True)),
    "adam": (O.Adam, dict(learning_rate=0.03125, **BETAS)),
    "amsgrad": (O.Adam, dict(learning_rate=0.03125, amsgrad=True, **BETAS)),
    "adamw": (O.AdamW, dict(learning_rate=0.03125, weight_decay=0.125, **BETAS)),
    "rmsprop": (O.RMSprop, dict(learning_rate=0.015625, rho=0.875)),
    "rmsprop_centered": (O.RMSprop, dict(learning_rate=0.015625, rho=0.875, centered=True, momentum=0.5)),
    "adagrad": (O.Adagrad, dict(learning_rate=0.125, initial_accumulator_value=0.125)),
    "adadelta": (O.Adadelta, dict(learning_rate=1.0, rho=0.9375)),
    "adamax": (O.Adamax, dict(learning_rate=0.03125, **BETAS)),
    "nadam": (O.Nadam, dict(learning_rate=0.03125, **BETAS)),
    "lion": (O.Lion, dict(learning_rate=0.015625, **BETAS)),
    "ftrl": (O.Ftrl, dict(learning_rate=0.125, l1_regularization_strength=0.03125, l2_regularization_strength=0.0625)),
}
MUON = dict(adam_beta_1=0.875, adam_beta_2=0.9921875, adam_weight_decay=0.0625, weight_decay=0.125, momentum=0.875)
if hasattr(O, "Lamb"):
    OPTIMIZERS["lamb"] = (O.Lamb, dict(learning_rate=0.03125, **BETAS))
if hasattr(O, "Muon"):
    OPTIMIZERS["muon"] = (O.Muon, dict(learning_rate=0.03125, **MUON))

EXTRAS = {
    "plain": {},
    "clipnorm": dict(clipnorm=0.125),
    "global_clipnorm": dict(global_clipnorm=0.25),
    "clipvalue": dict(clipvalue=0.0625),
    "decay": dict(weight_decay=0.015625),
    "ema": dict(use_ema=True, ema_momentum=0.75),
    "ema_overwrite": dict(use_ema=True, ema_momentum=0.75, ema_overwrite_frequency=2),
    "accumulate": dict(gradient_accumulation_steps=2),
    "accumulate_clip_decay": dict(gradient_accumulation_steps=2, global_clipnorm=0.25, weight_decay=0.015625),
    "accumulate_ema": dict(gradient_accumulation_steps=2, use_ema=True, ema_momentum=0.75),
}
# A power of 0.96 has a share in every step of Nadam, and goes through float32.
BOUND = {"nadam": 3e-6}
# Before 3.5 clipping and decay ran in every micro step, and steps were counted in another way.
NEW_ACCUMULATION = (3, 5)


def labels(kind, rng, width=3):
    if kind == "class":
        return rng.integers(0, width, ROWS)
    if kind == "onehot":
        return np.eye(width)[rng.integers(0, width, ROWS)]
    if kind == "bits":
        return rng.integers(0, 2, (ROWS, width)).astype("float64")
    return rng.normal(0, 1, (ROWS, width)) if kind == "real" else rng.uniform(0.1, 1, (ROWS, width))


def network(activation, **options):
    """Two layers, all weights random."""
    keras.utils.clear_session()
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(5, activation="tanh", name="hidden", **options),
                              keras.layers.Dense(3, activation=activation, name="out")])
    rng = np.random.default_rng(11)
    model.set_weights([rng.normal(0, 0.5, w.shape) for w in model.get_weights()])
    return model


def trained(report, name, snug, folder, model, x, y, optimizer, loss, bound=1e-7, floor=0.0, steps=STEPS, w=None,
            compile_options={}, snug_fit={}, keras_fit={}, freeze=None):
    """One step and four more in both; files and losses compared; Keras loads what Snug saved."""
    start, one, mine, theirs = (os.path.join(folder, n + ".keras") for n in ("start", "one", "snug", "keras"))
    model.compile(optimizer, loss, **compile_options)
    model.save(start)
    snug.data(x=x, y=y, w=w)
    snug.load(start)
    for got, want in zip(snug.predict(predictions(model, x)), predictions(model, x)):
        report.check(name, "predictions", relative(got, want), 1e-9)
    logs = snug.fit(batch_size=ROWS, epochs=1, **snug_fit)
    snug.save(one)
    logs += snug.fit(batch_size=ROWS, epochs=steps - 1, **snug_fit)
    snug.save(mine)

    model.run_eagerly = True
    history = keras_steps(model, x, y, w, 1, keras_fit)
    model.save(theirs)
    compare(report, name, "after a step", one, theirs, bound, floor)
    history += keras_steps(model, x, y, w, steps - 1, keras_fit)
    model.save(theirs)
    compare(report, name, "after five steps", mine, theirs, max(bound, 1e-6), floor)
    for key in history[0]:
        report.check(name, "losses" if "loss" in key else "metrics",
                     relative([l[key] for l in logs], [h[key] for h in history]), max(bound, 1e-6), key)
    again = keras.saving.load_model(mine)
    for got, want in zip(predictions(again, x), predictions(model, x)):
        report.check(name, "predictions of what comes back", relative(got, want), max(bound, 1e-6))


def keras_steps(model, x, y, w, steps, options):
    history = model.fit(x, y, sample_weight=w, batch_size=ROWS, epochs=steps, shuffle=False, verbose=0,
                        **options).history
    return [{k: v[e] for k, v in history.items()} for e in range(steps)]


def compare(report, name, when, mine, theirs, bound, floor):
    got, want = tree(mine), tree(theirs)
    value, where = worst(weights_of(got), weights_of(want), floor)
    report.check(name, "weights " + when, value, bound, where)
    slots = slots_of(want)
    least = 1e-6 * max([np.abs(v).max() for v in slots.values() if v.size] + [0.0])
    value, where = worst(slots_of(got), slots, max(least, floor))
    report.check(name, "slots " + when, value, bound, where)
    for path in ("optimizer/vars/0", "optimizer/vars/1"):
        if want[path].ndim == 0:
            report.check(name, "iteration and learning rate", relative(got[path], want[path]), 1e-7, path)


def one_of_matrix(report, name, snug, folder, loss, optimizer, extra):
    make, activation, kind = LOSSES[loss]
    cls, options = OPTIMIZERS[optimizer]
    rng = np.random.default_rng(len(name))
    trained(report, name, snug, folder, network(activation), rng.normal(0, 1, (ROWS, 4)), labels(kind, rng),
            cls(**{**options, **EXTRAS[extra]}), make() if callable(make) else make,
            bound=BOUND.get(optimizer, 1e-7))


def matrix(everything):
    """All combinations; or so many that every loss, optimizer and extra occurs."""
    losses, optimizers, extras = list(LOSSES), list(OPTIMIZERS), list(EXTRAS)
    if everything:
        return [(l, o, e) for l in losses for o in optimizers for e in extras]
    n = max(len(losses), len(optimizers), len(extras))
    return [(losses[i % len(losses)], optimizers[i % len(optimizers)], extras[(i * 3) % len(extras)]) for i in range(n)]


# ---- schedules, the usual betas, weights, frozen layers ----

def schedules():
    S = keras.optimizers.schedules
    return {
        "exponential": S.ExponentialDecay(0.25, decay_steps=2, decay_rate=0.5),
        "staircase": S.ExponentialDecay(0.25, decay_steps=2, decay_rate=0.5, staircase=True),
        "inverse_time": S.InverseTimeDecay(0.25, decay_steps=2, decay_rate=0.5),
        "polynomial": S.PolynomialDecay(0.25, decay_steps=4, end_learning_rate=0.0625, power=2.0),
        "polynomial_cycle": S.PolynomialDecay(0.25, decay_steps=2, end_learning_rate=0.0625, cycle=True),
        "piecewise": S.PiecewiseConstantDecay([1, 3], [0.25, 0.125, 0.0625]),
        "cosine": S.CosineDecay(0.25, decay_steps=4, alpha=0.125),
        "cosine_warmup": S.CosineDecay(0.0, decay_steps=4, warmup_target=0.25, warmup_steps=2),
        "cosine_restarts": S.CosineDecayRestarts(0.25, first_decay_steps=2, t_mul=2.0, m_mul=0.5),
    }


def by_schedule(report, name, snug, folder, schedule):
    rng = np.random.default_rng(3)
    # Schedules are computed in float32, in both: a unit in the last place of the rate is 6e-8 of a step.
    trained(report, name, snug, folder, network("softmax"), rng.normal(0, 1, (ROWS, 4)), labels("class", rng),
            keras.optimizers.SGD(schedule, momentum=0.5), "sparse_categorical_crossentropy", bound=1e-6)


def by_default(report, name, snug, folder, optimizer):
    rng = np.random.default_rng(3)
    trained(report, name, snug, folder, network("softmax"), rng.normal(0, 1, (ROWS, 4)), labels("class", rng),
            optimizer, "sparse_categorical_crossentropy", floor=1.0)


def weighted(report, name, snug, folder, how):
    rng = np.random.default_rng(3)
    x, y = rng.normal(0, 1, (ROWS, 4)), labels("class", rng)
    metrics = dict(metrics=["accuracy"], weighted_metrics=["sparse_categorical_crossentropy"])
    common = (report, name, snug, folder, network("softmax"), x, y, keras.optimizers.SGD(0.125, momentum=0.5),
              "sparse_categorical_crossentropy")
    if how == "samples":
        trained(*common, w=rng.uniform(0, 2, ROWS), compile_options=metrics)
    elif how == "classes":
        trained(*common, snug_fit=dict(class_weight=[0.5, 2.0, 1.25]),
                keras_fit=dict(class_weight={0: 0.5, 1: 2.0, 2: 1.25}), compile_options=metrics)
    else:
        trained(*common, snug_fit=dict(validation_split=0.34), keras_fit=dict(validation_split=0.34),
                compile_options=metrics)


# ---- metrics with options, and Muon's options ----

def metrics():
    M = keras.metrics
    kinds = {
        "f1": ("onehot", [M.F1Score(average=a, name=a) for a in ("micro", "macro", "weighted")]),
        "f1 of a threshold": ("bits", [M.F1Score(average=a, threshold=0.5, name=a) for a in ("micro", "macro", "weighted")]),
        "f beta": ("bits", [M.FBetaScore(average="macro", beta=2.0, threshold=0.25), M.FBetaScore(average="weighted", beta=0.5)]),
        "r2": ("real", [M.R2Score(), M.R2Score("variance_weighted_average", name="v"), M.R2Score(num_regressors=2, name="n"),
                        M.R2Score(num_regressors=17, name="p"), M.R2Score("variance_weighted_average", 30, name="q")]),
        "binary iou": ("bits", [M.BinaryIoU(), M.BinaryIoU([0], 0.25, name="z"), M.BinaryIoU([1], name="o")]),
        "one-hot iou": ("onehot", [M.OneHotIoU(3, [0, 2]), M.OneHotMeanIoU(3)]),
        "iou": ("class", [M.IoU(3, [1], sparse_y_pred=False), M.IoU(3, [0, 1], ignore_class=0, sparse_y_pred=False, name="i")]),
    }
    return {name: (kind, of) for name, (kind, of) in kinds.items()}


def by_metrics(report, name, snug, folder, kind, of, has_weights):
    """The weights of samples are whole numbers: counts of pairs are."""
    rng = np.random.default_rng(5)
    loss = "sparse_categorical_crossentropy" if kind == "class" else "mse"
    trained(report, name, snug, folder, network("softmax" if kind in ("class", "onehot") else "sigmoid"),
            rng.normal(0, 1, (ROWS, 4)), labels(kind, rng), keras.optimizers.SGD(0.125, momentum=0.5), loss,
            w=rng.integers(1, 4, ROWS).astype("float64") if has_weights else None,
            compile_options=dict(weighted_metrics=of) if has_weights else dict(metrics=of))


def without_average(report, name, snug, folder):
    """Keras gives a score per class, and shows their mean; Snug has the mean."""
    M = keras.metrics
    rng = np.random.default_rng(5)
    x, y, model = rng.normal(0, 1, (ROWS, 4)), labels("onehot", rng), network("softmax")
    model.compile("sgd", "mse", metrics=[M.F1Score(), M.R2Score(None)])
    start = os.path.join(folder, "start.keras")
    model.save(start)
    snug.data(x=x, y=y)
    snug.load(start)
    got = snug.fit(batch_size=ROWS, epochs=1)[0]
    model.run_eagerly = True
    want = keras_steps(model, x, y, None, 1, {})[0]
    for key in ("f1_score", "r2_score"):
        report.check(name, "metrics", relative(got[key], np.mean(want[key])), 1e-6, key)


MUON_OPTIONS = {
    "no layer": dict(exclude_layers=["hidden", "ou"]),
    "one layer": dict(exclude_layers=["out"], adam_lr_ratio=0.5),
    "steps": dict(ns_steps=2, muon_a=3.0, muon_b=-4.5, muon_c=2.0, nesterov=False),
    "no steps": dict(ns_steps=0, rms_rate=None, weight_decay=None, adam_weight_decay=None),
    "clipped": dict(clipnorm=0.125, gradient_accumulation_steps=2, use_ema=True),
}


def muon(report, name, snug, folder, options):
    rng = np.random.default_rng(3)
    trained(report, name, snug, folder, network("softmax"), rng.normal(0, 1, (ROWS, 4)), labels("class", rng),
            keras.optimizers.Muon(0.03125, **{**MUON, **options}), "sparse_categorical_crossentropy")


def muon_of_embeddings(report, name, snug, folder, excluded):
    """No row is looked up twice: Keras on TensorFlow squares the parts of such a gradient one by one."""
    rng = np.random.default_rng(3)
    keras.utils.clear_session()
    model = keras.Sequential([keras.Input((4,), dtype="int32"), keras.layers.Embedding(30, 5), keras.layers.Flatten(),
                              keras.layers.Dense(3, activation="softmax")])
    model.set_weights([rng.uniform(0.2, 1, w.shape) for w in model.get_weights()])
    trained(report, name, snug, folder, model, rng.permutation(30)[:4 * ROWS].reshape(ROWS, 4).astype("int32"),
            labels("class", rng), keras.optimizers.Muon(0.03125, exclude_embeddings=excluded, **MUON), "sparse_categorical_crossentropy")


def frozen(report, name, snug, folder, what):
    rng = np.random.default_rng(3)
    keras.utils.clear_session()
    D = keras.layers.Dense
    model = keras.Sequential([keras.Input((4,)), D(5, name="first"), keras.layers.BatchNormalization(name="norm"),
                              D(5, activation="relu", name="second"), D(3, activation="softmax", name="third")])
    model.set_weights([rng.uniform(0.2, 1, w.shape) for w in model.get_weights()])
    for layer in what:
        model.get_layer(layer).trainable = False
    trained(report, name, snug, folder, model, rng.normal(0, 1, (ROWS, 4)), labels("class", rng),
            keras.optimizers.Adam(0.0625, **BETAS), "sparse_categorical_crossentropy")


def run(report, folder, everything):
    keras.config.set_floatx("float64")
    snug = snug_process(folder)
    for loss, optimizer, extra in matrix(everything):
        if "accumulate" in extra and VERSION < NEW_ACCUMULATION:
            continue
        report.run("%s %s %s" % (loss, optimizer, extra), one_of_matrix, snug, folder, loss, optimizer, extra)
    for name, schedule in schedules().items():
        report.run("schedule " + name, by_schedule, snug, folder, schedule)
    usual = [O.SGD, O.Adam, O.AdamW, O.RMSprop, O.Nadam, O.Adamax, O.Adagrad, O.Adadelta, O.Lion, O.Ftrl]
    for optimizer in [make() for make in usual + [getattr(O, n) for n in ("Lamb", "Muon") if hasattr(O, n)]]:
        report.run("usual " + type(optimizer).__name__, by_default, snug, folder, optimizer)
    for how in ("samples", "classes", "split"):
        report.run("weighted " + how, weighted, snug, folder, how)
    for metric, (kind, of) in metrics().items():
        report.run("metrics " + metric, by_metrics, snug, folder, kind, of, False)
    for metric, (kind, of) in metrics().items():
        if metric != "binary iou":  # Keras does not weigh it where a sample has several labels
            report.run("weighted metrics " + metric, by_metrics, snug, folder, kind, of, True)
    report.run("metrics without an average", without_average, snug, folder)
    for options in MUON_OPTIONS if "muon" in OPTIMIZERS else ():
        report.run("muon " + options, muon, snug, folder, MUON_OPTIONS[options])
    for excluded in (True, False) if "muon" in OPTIMIZERS else ():
        report.run("muon of embeddings %s" % excluded, muon_of_embeddings, snug, folder, excluded)
    for what in (["first"], ["norm"], ["first", "norm"], ["third"]):
        report.run("frozen " + " ".join(what), frozen, snug, folder, what)
    snug.close()
