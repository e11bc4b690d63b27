"""Bad files and bad data: the command says what is wrong, where, and what to do; ends with 1 or 2; the user's files are
as they were, and nothing new is left behind."""
import hashlib
import json
import os
import resource
import shutil
import struct
import subprocess
import zipfile

import h5py

from common import keras, np

K = keras.layers


def network(*layers, shape=(4,)):
    model = keras.Sequential([keras.Input(shape), *layers, K.Flatten(), K.Dense(3, activation="softmax", name="last")])
    model.compile("adam", "sparse_categorical_crossentropy")
    return model


def digest(folder):
    """All files of a folder by what is in them."""
    out = {}
    for at, _, files in os.walk(folder):
        for f in files:
            path = os.path.join(at, f)
            out[os.path.relpath(path, folder)] = hashlib.sha256(open(path, "rb").read()).hexdigest()
    return out


def limits(file_bytes=None):
    def set_limits():
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        if file_bytes is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
    return set_limits


def refused(report, name, folder, words, says, codes=(1, 2), file_bytes=None):
    """The command ends with one of the codes and a message with these words; nothing in the folder changed."""
    before = digest(folder)
    try:
        done = subprocess.run([os.environ["SNUG"], *words], cwd=folder, capture_output=True, text=True, timeout=60,
                              preexec_fn=limits(file_bytes), restore_signals=False)
    except subprocess.TimeoutExpired:
        report.fail(name, "is still running after a minute")
        return
    report.check(name, "exit code", 0.0 if done.returncode in codes else 1.0, 0.0,
                 "%d: %s" % (done.returncode, done.stderr[-300:]))
    missing = [s for s in says if s not in done.stderr]
    report.check(name, "words in the message", float(len(missing)), 0.0, "%s not in: %s" % (missing, done.stderr[-500:]))
    after = digest(folder)
    report.check(name, "files as they were", 0.0 if after == before else 1.0, 0.0,
                 str(sorted(set(before.items()) ^ set(after.items()))[:4]))


def fit_words(model="bad.keras", data="data.npz", *more):
    return ["fit", model, "--data", data, "-o", "out.keras", *more]


# ---- files ----

def members(path):
    with zipfile.ZipFile(path) as z:
        return {n: z.read(n) for n in z.namelist()}


def pack(path, content, compression=zipfile.ZIP_STORED):
    with zipfile.ZipFile(path, "w", compression) as o:
        for n, v in content.items():
            o.writestr(n, v)


def edited(content, change):
    """The same with its config changed."""
    config = json.loads(content["config.json"])
    change(config)
    return {**content, "config.json": json.dumps(config)}


def damage(good, bad):
    """Damaged files by name: what to do, words that must be said."""
    content = members(good)
    raw = open(good, "rb").read()

    def write(data):
        return lambda: open(bad, "wb").write(data)

    def deep():
        pack(bad, {**content, "config.json": '{"a":' + "[" * 1000000 + "]" * 1000000 + "}"})

    def bomb():
        pack(bad, {**content, "model.weights.h5": b"\0" * (1 << 28)}, zipfile.ZIP_DEFLATED)

    def layer(i, **changes):
        def change(config):
            config["config"]["layers"][i]["config"].update(changes)
        return lambda: pack(bad, edited(content, change))

    def lying():
        i = raw.index(b"PK\x01\x02")
        write(raw[:i + 20] + struct.pack("<II", 0xfffffff0, 0xfffffff0) + raw[i + 28:])()

    cases = {
        "empty": (write(b""), ["bad.keras"]),
        "text": (write(b"this is not a model\n"), ["bad.keras", "zip"]),
        "lying sizes": (lying, ["bad.keras"]),
        "config without weights": (lambda: pack(bad, {k: v for k, v in content.items() if "h5" not in k}),
                                   ["bad.keras", "model.weights.h5"]),
        "weights without config": (lambda: pack(bad, {k: v for k, v in content.items() if "config" not in k}),
                                   ["bad.keras", "config.json"]),
        "config is no JSON": (lambda: pack(bad, {**content, "config.json": "{"}), ["bad.keras", "config.json"]),
        "config is a list": (lambda: pack(bad, {**content, "config.json": "[]"}), ["bad.keras"]),
        "a million deep": (deep, ["bad.keras"]),
        "zip bomb": (bomb, ["bad.keras"]),
        "path upwards": (lambda: pack(bad, {"../metadata.json": "{}", "../config.json": content["config.json"],
                                            "../model.weights.h5": content["model.weights.h5"]}), ["bad.keras"]),
        "NaN units": (layer(1, units=float("nan")), ["bad.keras", "units"]),
        "huge units": (layer(1, units=1 << 60), ["bad.keras"]),
        "negative units": (layer(1, units=-3), ["bad.keras", "units"]),
        "units is a text": (layer(1, units="many"), ["bad.keras", "units"]),
        "an unknown argument": (layer(1, sparkle=3), ["bad.keras", "sparkle"]),
    }
    for part in range(1, 24):
        cases["cut at %d/24" % part] = (write(raw[:len(raw) * part // 24]), ["bad.keras"])
    for back in (1, 2, 21, 22, 23, 60):
        cases["cut %d before the end" % back] = (write(raw[:-back]), ["bad.keras"])
    return cases


def damaged(report, name, folder, make, says):
    make()
    refused(report, name, folder, fit_words(), says)


# ---- models that Snug does not have ----

def foreign():
    """Models by name: the model, words that must be said."""
    class Odd(keras.layers.Layer):
        def call(self, x):
            return x * 2

    image, series = (6, 6, 3), (5, 4)
    return {
        "lambda": (lambda: network(K.Lambda(lambda t: t * 2, name="my_lambda")), ["my_lambda", "Lambda"]),
        "custom layer": (lambda: network(Odd(name="my_layer")), ["my_layer", "Odd"]),
        "LSTM": (lambda: network(K.LSTM(3, name="memory"), shape=series), ["memory", "LSTM"]),
        "GRU": (lambda: network(K.GRU(3, name="memory"), shape=series), ["memory", "GRU"]),
        "Conv3D": (lambda: network(K.Conv3D(2, 2, name="cube"), shape=(4, 4, 4, 2)), ["cube", "Conv3D"]),
        "Solarization": (lambda: network(K.Solarization(name="sun"), shape=image), ["sun", "Solarization", "Identity"]),
        "RandomShear": (lambda: network(K.RandomShear(0.1, name="shear"), shape=image), ["shear", "RandomShear"]),
        "TimeDistributed": (lambda: network(K.TimeDistributed(K.Dense(2), name="each"), shape=series),
                            ["each", "TimeDistributed"]),
        "mixed precision": (lambda: network(K.Dense(4, dtype="mixed_float16", name="half")), ["half", "mixed_float16"]),
        "channels first": (lambda: network(K.ZeroPadding2D(1, data_format="channels_first", name="first"), shape=image),
                           ["first", "channels_first"]),
    }


def not_there(report, name, folder, make, says):
    make().save(os.path.join(folder, "bad.keras"))
    refused(report, name, folder, fit_words(), ["bad.keras", *says])


# ---- data ----

def bad_data():
    rng = np.random.default_rng(1)
    x, y = rng.normal(0, 1, (6, 4)).astype("float32"), np.array([0, 1, 2, 0, 1, 2])
    spoiled = y.copy()
    spoiled[3] = 7
    nan = x.copy()
    nan[2, 1] = np.nan
    return {
        "features too many": (dict(x=np.zeros((6, 5), "float32"), y=y), ["5", "4"]),
        "rows differ": (dict(x=x, y=y[:5]), ["6", "5"]),
        "label out of range": (dict(x=x, y=spoiled), ["7"]),
        "no rows": (dict(x=x[:0], y=y[:0]), []),
        "no labels": (dict(x=x), ["y"]),
    }


def with_data(report, name, folder, arrays, says):
    np.savez(os.path.join(folder, "odd.npz"), **arrays)
    refused(report, name, folder, fit_words("good.keras", "odd.npz"), says)


def weights_of_another(report, name, folder):
    network(K.Dense(7)).save(os.path.join(folder, "other.keras"))
    content = members(os.path.join(folder, "good.keras"))
    content["model.weights.h5"] = members(os.path.join(folder, "other.keras"))["model.weights.h5"]
    pack(os.path.join(folder, "bad.keras"), content)
    refused(report, name, folder, fit_words(), ["bad.keras", "dense"])


def output_exists(report, name, folder):
    open(os.path.join(folder, "out.keras"), "w").write("mine")
    refused(report, name, folder, fit_words("good.keras"), ["out.keras", "--force"])
    os.remove(os.path.join(folder, "out.keras"))


def disk_full(report, name, folder):
    """A limit on the size of files stands for a disk that is full (its signal is ignored, as Python leaves it)."""
    refused(report, name, folder, fit_words("good.keras"), ["out.keras"], file_bytes=2000)
    shutil.copy(os.path.join(folder, "good.keras"), os.path.join(folder, "old.keras"))
    refused(report, name, folder, ["fit", "good.keras", "--data", "data.npz", "-o", "old.keras", "--force"],
            ["old.keras"], file_bytes=2000)


def run(report, folder, everything):
    keras.config.set_floatx("float32")
    good, bad = os.path.join(folder, "good.keras"), os.path.join(folder, "bad.keras")
    network(K.Dense(5)).save(good)
    rng = np.random.default_rng(1)
    np.savez(os.path.join(folder, "data.npz"), x=rng.normal(0, 1, (6, 4)).astype("float32"),
             y=np.array([0, 1, 2, 0, 1, 2]))
    for name, (make, says) in damage(good, bad).items():
        report.run(name, damaged, folder, make, says)
    for name, (make, says) in foreign().items():
        report.run(name, not_there, folder, make, says)
    for name, (arrays, says) in bad_data().items():
        report.run(name, with_data, folder, arrays, says)
    report.run("weights of another model", weights_of_another, folder)
    report.run("output exists", output_exists, folder)
    report.run("disk full", disk_full, folder)
