"""`snug fit` with callbacks beside Keras's fit with the same: CSV log, History, early stopping, learning rates,
checkpoints.  Same data, not shuffled, float32: values within 1e-5, decisions the same."""
import csv
import glob
import json
import os
import re
import subprocess

from common import Refused, keras, np, relative, tree, worst
from families import weights_of

C = keras.callbacks
ROWS, BATCH, EPOCHS = 24, 8, 8


def network(outputs=1):
    keras.utils.clear_session()
    keras.utils.set_random_seed(3)
    a = keras.Input((6,))
    h = keras.layers.Dense(16, activation="tanh")(a)
    out = [keras.layers.Dense(3, activation="softmax", name="kind%d" % i)(h) for i in range(outputs)]
    model = keras.Model(a, out if outputs > 1 else out[0])
    # Labels are noise and the rate is high, so that validation soon gets worse.
    model.compile(keras.optimizers.SGD(0.5, momentum=0.9), ["sparse_categorical_crossentropy"] * outputs
                  if outputs > 1 else "sparse_categorical_crossentropy",
                  metrics=[["accuracy"]] * outputs if outputs > 1 else ["accuracy"])
    return model


def data(outputs=1):
    rng = np.random.default_rng(8)
    x = rng.normal(0, 1, (ROWS, 6)).astype("float32")
    return x, [rng.integers(0, 3, ROWS).astype("int64") for _ in range(outputs)]


def snug(folder, *words):
    """Run the command; its output and its messages."""
    done = subprocess.run([os.environ["SNUG"], *words], cwd=folder, capture_output=True, text=True)
    if done.returncode:
        raise Refused("exit code %d: %s" % (done.returncode, done.stderr[-600:]))
    return done.stdout, done.stderr


def rows(path):
    with open(path, newline="") as f:
        return f.read(), list(csv.reader(open(path, newline="")))


def same_csv(report, name, mine, theirs):
    """Keras's columns and values; behind them stands the memory of the process, which Keras has not."""
    (text, got), (want_text, want) = rows(mine), rows(theirs)
    memory = [row.pop() for row in got]
    bad = memory[:1] != ["peak_memory"] or min(map(float, memory[1:])) <= 0
    report.check(name, "csv: peak_memory", float(bad), 0.0, str(memory))
    report.check(name, "csv: columns", 0.0 if got[:1] == want[:1] else 1.0, 0.0, "%s / %s" % (got[:1], want[:1]))
    report.check(name, "csv: epochs", float(abs(len(got) - len(want))), 0.0)
    report.check(name, "csv: line ends", float(abs(text.count("\r\n") - want_text.count("\r\n"))), 0.0)
    for g, w in zip(got[1:], want[1:]):
        for a, b, column in zip(g, w, want[0]):
            if b == "NA" or column == "epoch":
                report.check(name, "csv: words", 0.0 if a == b else 1.0, 0.0, "%s: %s / %s" % (column, a, b))
            else:
                report.check(name, "csv: values", relative([float(a)], [float(b)], 1e-3), 1e-5, column)


def with_callbacks(report, name, folder, words, callbacks, outputs=1, epochs=EPOCHS, validation=True):
    start, mine = os.path.join(folder, "start.keras"), os.path.join(folder, "mine")
    theirs = os.path.join(folder, "theirs")
    for d in (mine, theirs):
        os.makedirs(d, exist_ok=True)
        for old in glob.glob(d + "/*"):
            os.remove(old)
    model = network(outputs)
    x, y = data(outputs)
    model.save(start)
    arrays = dict(x=x, y=y[0]) if outputs == 1 else dict(x=x, **{"kind%d" % i: a for i, a in enumerate(y)})
    np.savez(os.path.join(folder, "data.npz"), **arrays)
    split = ["--validation-split", "0.25"] if validation else []
    words = [w.replace("@", "mine/") for w in words]
    _, said = snug(folder, "fit", "start.keras", "--data", "data.npz", "--batch-size", str(BATCH), "--epochs", str(epochs),
                   "--no-shuffle", "--csv-log", "mine/log.csv", "-o", "mine/out.keras", *split, *words)
    model.run_eagerly = True
    at = os.getcwd()
    os.chdir(folder)
    try:
        made = callbacks("theirs/")
        history = model.fit(x, y if outputs > 1 else y[0], batch_size=BATCH, epochs=epochs, shuffle=False, verbose=0,
                            validation_split=0.25 if validation else 0.0,
                            callbacks=made + [C.CSVLogger("theirs/log.csv")])
    finally:
        os.chdir(at)
    model.save(os.path.join(theirs, "out.keras"))
    same_csv(report, name, os.path.join(mine, "log.csv"), os.path.join(theirs, "log.csv"))
    files = [sorted(os.path.basename(p) for p in glob.glob(d + "/*")) for d in (mine, theirs)]
    report.check(name, "the same files", 0.0 if files[0] == files[1] else 1.0, 0.0, str(files))
    for file in files[1]:
        if file.endswith(".keras"):
            value, where = worst(weights_of(tree(os.path.join(mine, file))), weights_of(tree(os.path.join(theirs, file))))
            report.check(name, "weights", value, 1e-4, file + " " + where)
    return said


CASES = {
    "log": ([], lambda at: [], {}),
    "log without validation": ([], lambda at: [], dict(validation=False)),
    "log of two outputs": ([], lambda at: [], dict(outputs=2)),
    "early stopping": (["--early-stopping", "val_loss:patience=2"],
                       lambda at: [C.EarlyStopping("val_loss", patience=2)], {}),
    "early stopping, best restored": (["--early-stopping", "val_loss:patience=2,restore-best"],
                                      lambda at: [C.EarlyStopping("val_loss", patience=2, restore_best_weights=True)],
                                      {}),
    "early stopping by accuracy": (["--early-stopping", "val_accuracy:patience=1"],
                                   lambda at: [C.EarlyStopping("val_accuracy", patience=1)], {}),
    "plateau": (["--reduce-lr", "val_loss:factor=0.5,patience=1"],
                lambda at: [C.ReduceLROnPlateau("val_loss", factor=0.5, patience=1)], {}),
    "plateau in training": (["--reduce-lr", "loss:factor=0.25,patience=1,min-delta=0.5"],
                            lambda at: [C.ReduceLROnPlateau("loss", factor=0.25, patience=1, min_delta=0.5)], {}),
    "checkpoint": (["--checkpoint", "@m-{epoch:02d}-{val_loss:.2f}.keras"],
                   lambda at: [C.ModelCheckpoint(at + "m-{epoch:02d}-{val_loss:.2f}.keras")], {}),
    "best checkpoint": (["--checkpoint", "@m-{epoch:02d}.keras", "--save-best-only", "--monitor", "val_accuracy"],
                        lambda at: [C.ModelCheckpoint(at + "m-{epoch:02d}.keras", monitor="val_accuracy",
                                                      save_best_only=True)], {}),
}


def one(report, name, folder, words, callbacks, options):
    with_callbacks(report, name, folder, words, callbacks, **options)


def history_in_json(report, name, folder):
    """--json tells what History does."""
    model = network()
    x, y = data()
    model.save(os.path.join(folder, "start.keras"))
    np.savez(os.path.join(folder, "data.npz"), x=x, y=y[0])
    out, _ = snug(folder, "fit", "start.keras", "--data", "data.npz", "--batch-size", str(BATCH), "--epochs", "3",
                  "--no-shuffle", "--validation-split", "0.25", "--json", "-o", "json.keras", "--force")
    model.run_eagerly = True
    want = model.fit(x, y[0], batch_size=BATCH, epochs=3, shuffle=False, verbose=0, validation_split=0.25).history
    got = json.loads(out)["history"]
    for key, values in want.items():
        report.check(name, "history", relative(got[key], values), 1e-5, key)
    keys = sorted([*want, "peak_memory"])
    report.check(name, "keys of the history", 0.0 if sorted(got) == keys else 1.0, 0.0, str(sorted(got)))
    trained = os.path.join(folder, "json.keras")
    out, _ = snug(folder, "evaluate", trained, "--data", "data.npz", "--json")
    again = keras.saving.load_model(trained)
    again.run_eagerly = True
    for key, value in again.evaluate(x, y[0], verbose=0, return_dict=True).items():
        report.check(name, "evaluate", relative([json.loads(out)["metrics"][key]], [value]), 1e-5, key)
    snug(folder, "predict", trained, "--data", "data.npz", "-o", "out.npy")
    want = np.asarray(again(x, training=False))
    report.check(name, "predict", relative(np.load(os.path.join(folder, "out.npy")), want), 1e-5)


def run(report, folder, everything):
    keras.config.set_floatx("float32")
    for name, (words, callbacks, options) in CASES.items():
        report.run(name, one, folder, words, callbacks, options)
    report.run("json", history_in_json, folder)
