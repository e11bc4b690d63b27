"""There and back: Snug goes on where Keras stopped, and Keras where Snug stopped.  Runs under each version of Keras.

float64.  Five steps here and five there are ten steps there, and what goes through both unchanged is the same bit for
bit.  And the ways in which a file can be packed.
"""
import os
import shutil
import zipfile

import h5py

import common
from common import VERSION, config_of, keras, listed, np, predictions, relative, snug_process, tree, worst
from families import slots_of, weights_of

K, O = keras.layers, keras.optimizers
ROWS = 5
BETAS = dict(beta_1=0.875, beta_2=0.9921875)


# ---- models ----

def mlp():
    return keras.Sequential([keras.Input((4,)), K.Dense(6, activation="tanh"), K.Dense(3, activation="softmax")])


def cnn():
    a = keras.Input((9, 9, 2))
    x = K.Conv2D(4, 3, padding="same", use_bias=False)(a)
    x = K.ReLU(max_value=6.0)(K.BatchNormalization()(x))
    x = K.SeparableConv2D(5, 3, strides=2, padding="same", activation="silu")(x)
    x = K.MaxPooling2D(2)(K.ZeroPadding2D(1)(x))
    x = K.LayerNormalization()(K.Flatten()(x))
    return keras.Model(a, K.Dense(3, activation="softmax")(K.Dropout(0.0)(x)))


def nested():
    base = keras.Sequential([keras.Input((4,)), K.Dense(5, activation="relu"), K.BatchNormalization()])
    a, b = keras.Input((4,)), keras.Input((4,))
    both = K.Concatenate()([base(a), base(b)]) * 0.5
    return keras.Model([a, b], K.Dense(3, activation="softmax")(both))


def frozen():
    model = cnn()
    model.layers[1].trainable = False
    model.layers[2].trainable = False
    return model


MODELS = dict(mlp=mlp, cnn=cnn, nested=nested, frozen=frozen)
OPTIMIZERS = {
    "sgd": lambda: O.SGD(0.125),
    "momentum": lambda: O.SGD(0.0625, momentum=0.875, nesterov=True),
    "adam": lambda: O.Adam(0.015625, **BETAS),
    "amsgrad": lambda: O.Adam(0.015625, amsgrad=True, **BETAS),
    "adamw_clip": lambda: O.AdamW(0.015625, weight_decay=0.125, global_clipnorm=0.5, **BETAS),
    "rmsprop": lambda: O.RMSprop(0.0078125, rho=0.875, centered=True, momentum=0.5),
    "adadelta": lambda: O.Adadelta(1.0, rho=0.9375),
    "adagrad": lambda: O.Adagrad(0.0625),
    "adamax": lambda: O.Adamax(0.015625, **BETAS),
    "nadam": lambda: O.Nadam(0.015625, **BETAS),
    "lion": lambda: O.Lion(0.0078125, **BETAS),
    "ftrl": lambda: O.Ftrl(0.0625),
    "ema": lambda: O.Adam(0.015625, use_ema=True, ema_momentum=0.75, ema_overwrite_frequency=3, **BETAS),
    "schedule": lambda: O.SGD(O.schedules.ExponentialDecay(0.25, 4, 0.5), momentum=0.5),
}
if hasattr(O, "Lamb"):
    OPTIMIZERS["lamb"] = lambda: O.Lamb(0.015625, **BETAS)
if hasattr(O, "Muon"):
    OPTIMIZERS["muon"] = lambda: O.Muon(0.015625, adam_beta_1=0.875, adam_beta_2=0.9921875, momentum=0.875,
                                        exclude_layers=["out"])
if VERSION >= (3, 5):
    OPTIMIZERS["accumulate"] = lambda: O.SGD(0.125, momentum=0.5, gradient_accumulation_steps=2)
    OPTIMIZERS["accumulate_ema"] = lambda: O.Adam(0.015625, gradient_accumulation_steps=2, use_ema=True,
                                                  ema_momentum=0.75, **BETAS)
# A power of 0.96 goes through float32 in Keras's Nadam; schedules are in float32.
BOUND = {"nadam": 3e-6, "schedule": 1e-6}


def prepare(which, seed=1):
    keras.utils.clear_session()
    keras.utils.set_random_seed(seed)
    model = MODELS[which]()
    rng = np.random.default_rng(seed)
    x = [rng.normal(0, 1, (ROWS,) + tuple(i.shape[1:])) for i in model.inputs]
    return model, x, rng.integers(0, 3, ROWS)


def compiled(model, optimizer):
    model.compile(OPTIMIZERS[optimizer](), "sparse_categorical_crossentropy", metrics=["accuracy"])
    return model


def steps(model, x, y, n):
    model.run_eagerly = True
    model.fit(x if len(x) > 1 else x[0], y, batch_size=ROWS, epochs=n, shuffle=False, verbose=0)


def compare(report, name, what, mine, theirs, bound):
    value, where = worst(weights_of(mine), weights_of(theirs))
    report.check(name, what + ": weights", value, bound, where)
    slots = slots_of(theirs)
    least = 1e-6 * max([np.abs(v).max() for v in slots.values() if v.size] + [0.0])
    value, where = worst(slots_of(mine), slots, least)
    report.check(name, what + ": slots", value, bound, where)


# ---- cases ----

def there_and_on(report, name, snug, folder, which, optimizer):
    """Five steps in Snug, five in Keras: ten in Keras.  And five in Keras, five in Snug."""
    start, half, mine, whole, back = (os.path.join(folder, n + ".keras")
                                      for n in ("start", "half", "mine", "whole", "back"))
    bound = BOUND.get(optimizer, 1e-7)
    model, x, y = prepare(which)
    compiled(model, optimizer)
    model.save(start)
    steps(model, x, y, 5)
    model.save(half)
    steps(model, x, y, 5)
    model.save(whole)
    want = tree(whole)

    snug.data(x=x, y=y)
    snug.load(start)
    snug.fit(batch_size=ROWS, epochs=5)
    snug.save(mine)
    compare(report, name, "five in Snug", tree(mine), tree(half), bound)
    keeps_config(report, name, start, mine)
    again = keras.saving.load_model(mine)
    for got, p in zip(predictions(again, x), snug.predict(predictions(again, x))):
        report.check(name, "predictions of what comes back", relative(got, p), 1e-9)
    steps(again, x, y, 5)
    again.save(back)
    compare(report, name, "five in Snug, five in Keras", tree(back), want, bound)

    snug.load(half)
    snug.fit(batch_size=ROWS, epochs=5)
    snug.save(mine)
    compare(report, name, "five in Keras, five in Snug", tree(mine), want, bound)


def keeps_config(report, name, before, after):
    """The config is the one that was found, but for the learning rate.  (Keras writes its own anew.)"""
    if common.ITSELF:
        return
    one, two = config_of(before), config_of(after)
    for c in (one, two):
        rate = c.get("compile_config", {}).get("optimizer", {}).get("config", {})
        if isinstance(rate.get("learning_rate"), float):
            rate["learning_rate"] = float(np.float32(rate["learning_rate"]))
    report.check(name, "config as it was", 0.0 if one == two else 1.0, 0.0)


def bit_for_bit(report, name, snug, folder, which, optimizer):
    """Snug -> Keras -> Snug, and the next steps are the same too."""
    a, b, c, a5, c5 = (os.path.join(folder, n + ".keras") for n in "a b c a5 c5".split())
    model, x, y = prepare(which)
    compiled(model, optimizer).save(a)
    snug.data(x=x, y=y)
    snug.load(a)
    snug.fit(batch_size=ROWS, epochs=3)
    snug.save(a)
    keras.saving.load_model(a).save(b)
    snug.load(b)
    snug.save(c)
    same(report, name, "Snug, Keras", a, b)
    same(report, name, "Snug, Keras, Snug", a, c)
    snug.fit(batch_size=ROWS, epochs=2)
    snug.save(c5)
    snug.load(a)
    snug.fit(batch_size=ROWS, epochs=2)
    snug.save(a5)
    same(report, name, "Snug, Keras, Snug, two steps", a5, c5)


def same(report, name, what, one, two):
    one, two = tree(one), tree(two)
    different = [p for p in sorted(set(one) | set(two)) if p not in one or p not in two or
                 one[p].dtype != two[p].dtype or one[p].tobytes() != two[p].tobytes()]
    report.check(name, what + ": bits", float(len(different)), 0.0, " ".join(different[:3]))


# ---- ways to pack ----

def deflated(path, folder):
    out = os.path.join(folder, "deflated.keras")
    with zipfile.ZipFile(path) as z, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as o:
        for n in reversed(z.namelist()):
            o.writestr(n, z.read(n))
    return out


def zip64(path, folder):
    out = os.path.join(folder, "zip64.keras")
    with zipfile.ZipFile(path) as z, zipfile.ZipFile(out, "w") as o:
        for n in z.namelist():
            with o.open(n, "w", force_zip64=True) as f:
                f.write(z.read(n))
    return out


def unzipped(path, folder):
    out = os.path.join(folder, "unzipped")
    shutil.rmtree(out, ignore_errors=True)
    with zipfile.ZipFile(path) as z:
        z.extractall(out)
    return out


def repacked(**options):
    """The weights written anew, with other options of HDF5."""
    def pack(path, folder):
        out, h5 = os.path.join(folder, "repacked.keras"), os.path.join(folder, "repacked.h5")
        with zipfile.ZipFile(path) as z, z.open("model.weights.h5") as f, h5py.File(f, "r") as old, \
                h5py.File(h5, "w", libver=options.pop("libver", None)) as new:
            def visit(n, item):
                if isinstance(item, h5py.Group):
                    new.require_group(n)
                else:
                    dtype = options.get("dtype") if item.dtype.kind == "f" else None
                    rest = {k: v for k, v in options.items() if k != "dtype" and item.ndim}
                    new.create_dataset(n, data=item[()], dtype=dtype, **rest)
            old.visititems(visit)
            with zipfile.ZipFile(out, "w") as o:
                o.writestr("config.json", z.read("config.json"))
                new.flush()
        with zipfile.ZipFile(out, "a") as o:
            o.write(h5, "model.weights.h5")
        return out
    return pack


def pretty(path, folder):
    """Indented JSON, and members that nobody asked for."""
    import json
    out = os.path.join(folder, "pretty.keras")
    with zipfile.ZipFile(path) as z, zipfile.ZipFile(out, "w") as o:
        o.writestr("notes.txt", "a note")
        o.writestr("model.weights.h5", z.read("model.weights.h5"))
        o.writestr("config.json", json.dumps(json.loads(z.read("config.json")), indent=3))
    return out


PACKINGS = {
    "deflated": deflated, "zip64": zip64, "unzipped": unzipped, "pretty": pretty,
    "chunked": repacked(chunks=True), "gzip": repacked(compression="gzip", shuffle=True),
    "float16": repacked(dtype="float16"), "big endian": repacked(dtype=">f8"), "latest": repacked(libver="latest"),
}


def packed(report, name, snug, folder, pack):
    """A file in another packing loads as it does in Keras, trains, and what comes back opens there."""
    start, mine = (os.path.join(folder, n + ".keras") for n in ("start", "snug"))
    model, x, y = prepare("cnn")
    compiled(model, "adam")
    steps(model, x, y, 2)
    model.save(start)
    path = pack(start, folder)
    # Keras before 3.4 opens no folders; what lies in one is what lay in the file.
    theirs = keras.saving.load_model(start if os.path.isdir(path) and VERSION < (3, 4) else path)
    snug.data(x=x, y=y)
    snug.load(path)
    for got, want in zip(snug.predict(predictions(theirs, x)), predictions(theirs, x)):
        report.check(name, "predictions", relative(got, want), 1e-9)
    snug.fit(batch_size=ROWS, epochs=2)
    snug.save(mine)
    steps(theirs, x, y, 2)
    theirs.save(start)
    compare(report, name, "two steps", tree(mine), tree(start), 1e-7)
    keras.saving.load_model(mine)


def weights_alone(report, name, snug, folder, how):
    """.weights.h5 and legacy .h5, into a model with other weights."""
    start = os.path.join(folder, "start.keras")
    path = os.path.join(folder, "alone.weights.h5" if how == "weights.h5" else "alone.h5")
    model, x, y = prepare("cnn", seed=2)
    compiled(model, "adam")
    steps(model, x, y, 2)
    want = predictions(model, x)
    if how == "weights.h5":
        model.save_weights(path)
    elif how == "legacy model":
        model.save(path)
    else:
        legacy_weights(model, path)
    other, _, _ = prepare("cnn", seed=3)
    compiled(other, "adam").save(start)
    snug.data(x=x)
    snug.load(start)
    snug.weights(path)
    for got, w in zip(snug.predict(want), want):
        report.check(name, "predictions", relative(got, w), 1e-9)
    if how == "weights.h5":
        out = os.path.join(folder, "out.weights.h5")
        snug.save(out)
        other.load_weights(out)
        for got, w in zip(predictions(other, x), want):
            report.check(name, "predictions of what comes back", relative(got, w), 1e-12)


def legacy_weights(model, path):
    """As the pretrained files of keras.applications are."""
    from keras.src.legacy.saving import legacy_h5_format
    with h5py.File(path, "w") as f:
        legacy_h5_format.save_weights_to_hdf5_group(f, model)


def pretrained(report, name, snug, folder):
    """A legacy file of weights of a whole network."""
    start, path = os.path.join(folder, "start.keras"), os.path.join(folder, "pretrained.h5")
    keras.utils.clear_session()
    make = lambda: keras.applications.MobileNet(weights=None, input_shape=(32, 32, 3), alpha=0.25, classes=10)
    model, other = make(), make()
    rng = np.random.default_rng(4)
    model.set_weights([rng.uniform(0.5, 1.5, w.shape) * (0.1 if w.ndim > 2 else 1) for w in model.get_weights()])
    legacy_weights(model, path)
    other.save(start)
    x = [rng.normal(0, 1, (2, 32, 32, 3))]
    snug.data(x=x)
    snug.load(start)
    snug.weights(path)
    want = predictions(model, x)
    report.check(name, "predictions", relative(snug.predict(want)[0], want[0]), 1e-9)


def low_precision(report, name, snug, folder, dtype):
    """bfloat16 and float16 datasets, as a model of that dtype has them, in a model of float32."""
    start, low, mixed = (os.path.join(folder, n) for n in ("start.keras", "low.weights.h5", "mixed.keras"))
    keras.config.set_floatx("float32")
    try:
        model, x, _ = prepare("mlp", seed=5)
        model.save(start)
        keras.config.set_floatx(dtype)
        small, _, _ = prepare("mlp", seed=6)
        small.save_weights(low)
        keras.config.set_floatx("float32")
        with zipfile.ZipFile(start) as z, zipfile.ZipFile(mixed, "w") as o:
            o.writestr("config.json", z.read("config.json"))
            o.write(low, "model.weights.h5")
        x = [a.astype("float32") for a in x]
        want = predictions(keras.saving.load_model(mixed), x)
        snug.data(x=x)
        snug.load(mixed)
        report.check(name, "predictions, float32", relative(snug.predict(want)[0], want[0]), 1e-6)
    finally:
        keras.config.set_floatx("float64")


def run(report, folder, everything):
    keras.config.set_floatx("float64")
    snug = snug_process(folder)
    # Keras before 3.2 trains what was frozen once it has loaded its file.
    models = [m for m in MODELS if m != "frozen" or VERSION >= (3, 2)]
    for which in models:
        for optimizer in OPTIMIZERS:
            if everything or report.wanted or which == "mlp" or optimizer in ("momentum", "adam"):
                report.run("%s %s" % (which, optimizer), there_and_on, snug, folder, which, optimizer)
    for which in models:
        for optimizer in OPTIMIZERS if everything else ("momentum", "adam"):
            report.run("bits %s %s" % (which, optimizer), bit_for_bit, snug, folder, which, optimizer)
    for how, pack in PACKINGS.items():
        report.run("packed " + how, packed, snug, folder, pack)
    for how in ("weights.h5", "legacy model", "legacy weights"):
        report.run("alone " + how, weights_alone, snug, folder, how)
    report.run("alone pretrained", pretrained, snug, folder)
    for dtype in ("float16", "bfloat16"):
        report.run("stored " + dtype, low_precision, snug, folder, dtype)
    snug.close()
