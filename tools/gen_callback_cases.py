#!/usr/bin/env python3
"""Writes tests/callbacks/cases.inc: what Keras's callbacks say, write and decide, given values per epoch.

Usage: gen_callback_cases.py > tests/callbacks/cases.inc   (needs keras 3.15 with the TensorFlow back end)

Each case drives one callback of a compiled model by hand: epoch after epoch the logs are made up, the
model's weight is set to the number of the epoch.  Recorded are the messages (warnings among them), the
epoch at which it stopped, the learning rate after each epoch, the weight at the end, the file written.
"""
import io
import json
import os
import tempfile
import warnings

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("KERAS_BACKEND", "tensorflow")
import keras  # noqa: E402
import numpy as np  # noqa: E402
from keras import callbacks as kc  # noqa: E402
from keras.src.utils import io_utils  # noqa: E402

NAN = float("nan")
FALL = [0.9, 0.7, 0.6, 0.65, 0.66, 0.59, 0.61, 0.62, 0.63, 0.64]
FLAT = [0.5, 0.5, 0.49995, 0.4998, 0.5, 0.5, 0.5, 0.4, 0.4, 0.4, 0.4, 0.4]
RISE = [0.1, 0.3, 0.5, 0.45, 0.44, 0.55, 0.54, 0.53, 0.52, 0.51]


def case(name, cls, keras_args, config, logs, path=""):
    return {"name": name, "cls": cls, "args": keras_args, "config": config, "logs": logs, "path": path}


CASES = [
    case("stops", "EarlyStopping", dict(patience=2), "val_loss:patience=2", {"loss": FALL, "val_loss": FALL}),
    case("never_at_the_first", "EarlyStopping", dict(monitor="loss"), "loss:", {"loss": [1.0, 1.0, 1.0]}),
    case("patience_0_falls", "EarlyStopping", dict(monitor="loss"), "loss:patience=0", {"loss": FALL}),
    case("min_delta", "EarlyStopping", dict(monitor="loss", min_delta=0.05, patience=1),
         "loss:min-delta=0.05,patience=1", {"loss": FALL}),
    case("min_delta_on_the_edge", "EarlyStopping", dict(monitor="loss", min_delta=0.1, patience=2),
         "loss:min_delta=0.1,patience=2", {"loss": [0.5, 0.4, 0.3, 0.2, 0.1, 0.0, 0.0]}),
    case("min_delta_below_zero", "EarlyStopping", dict(monitor="loss", min_delta=-0.05, patience=1),
         "loss:min_delta=-0.05,patience=1", {"loss": FALL}),
    case("more_is_better", "EarlyStopping", dict(monitor="val_accuracy", patience=2),
         "val_accuracy:patience=2", {"val_accuracy": RISE}),
    case("mode_max", "EarlyStopping", dict(monitor="loss", mode="max", patience=1), "loss:mode=max,patience=1",
         {"loss": RISE}),
    case("mean_absolute_error_is_less", "EarlyStopping", dict(monitor="mean_absolute_error", patience=1),
         "monitor=mean_absolute_error patience=1", {"mean_absolute_error": FALL}),
    case("baseline", "EarlyStopping", dict(monitor="loss", baseline=0.65, patience=2),
         "loss:baseline=0.65,patience=2", {"loss": FALL}),
    case("baseline_never_met", "EarlyStopping", dict(monitor="loss", baseline=0.1, patience=3),
         "loss:baseline=0.1,patience=3", {"loss": FALL}),
    case("starts_late", "EarlyStopping", dict(monitor="loss", start_from_epoch=3, patience=1),
         "loss:start-from-epoch=3,patience=1", {"loss": FALL}),
    case("restores", "EarlyStopping", dict(monitor="loss", patience=2, restore_best_weights=True),
         "loss:patience=2,restore-best", {"loss": FALL}),
    case("restores_without_stopping", "EarlyStopping", dict(monitor="loss", patience=9, restore_best_weights=True),
         "loss:patience=9,restore_best_weights=True", {"loss": FALL}),
    case("restores_with_baseline", "EarlyStopping",
         dict(monitor="loss", patience=1, baseline=0.1, restore_best_weights=True),
         "loss:patience=1,baseline=0.1,restore-best", {"loss": FALL}),
    case("not_a_number", "EarlyStopping", dict(monitor="loss", patience=2), "loss:patience=2",
         {"loss": [0.5, NAN, 0.4, NAN, NAN, NAN]}),
    case("not_a_number_first", "EarlyStopping", dict(monitor="loss", patience=2), "loss:patience=2",
         {"loss": [NAN, 0.4, 0.3, 0.2, 0.1]}),
    case("value_missing", "EarlyStopping", dict(patience=2), "patience=2", {"accuracy": RISE[:3], "loss": FALL[:3]}),
    case("reduces", "ReduceLROnPlateau", dict(patience=2, factor=0.2, monitor="loss"),
         "loss:patience=2,factor=0.2", {"loss": FLAT}),
    case("reduces_by_default", "ReduceLROnPlateau", dict(), "", {"val_loss": [1.0] * 14}),
    case("reduces_to_the_least", "ReduceLROnPlateau", dict(patience=1, factor=0.1, min_lr=0.005, monitor="loss"),
         "loss:patience=1,factor=0.1,min_lr=0.005", {"loss": [1.0] * 6}),
    case("cools_down", "ReduceLROnPlateau", dict(patience=1, factor=0.5, cooldown=2, monitor="loss"),
         "loss:patience=1,factor=0.5,cooldown=2", {"loss": FLAT}),
    case("reduces_when_accuracy_falls", "ReduceLROnPlateau",
         dict(monitor="val_accuracy", patience=2, factor=0.5, min_delta=0.0),
         "val_accuracy:patience=2,factor=0.5,min-delta=0", {"val_accuracy": RISE}),
    case("reduces_at_once", "ReduceLROnPlateau", dict(patience=0, factor=0.5, monitor="loss"),
         "loss:patience=0,factor=0.5", {"loss": FALL[:5]}),
    case("rate_value_missing", "ReduceLROnPlateau", dict(patience=2), "patience=2", {"loss": FALL[:2]}),
    case("table", "LearningRateScheduler",
         lambda epoch, lr: 0.001 if epoch >= 4 else 0.01 if epoch >= 2 else lr, "2:0.01,4:0.001",
         {"loss": FALL[:6]}),
    case("exponential", "LearningRateScheduler",
         lambda epoch, lr: float(keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)(epoch)),
         "ExponentialDecay(initial_learning_rate=0.1, decay_steps=2, decay_rate=0.5)", {"loss": FALL[:5]}),
    case("csv", "CSVLogger", dict(), "", {"accuracy": RISE, "loss": FALL, "val_accuracy": RISE, "val_loss": FALL},
         "log.csv"),
    case("csv_numbers", "CSVLogger", dict(), "",
         {"loss": [1.0, 0.0, 1e-5, 1e-4, 123456789.0, 1e16, 1e15, 1e22, -2.5e-7, NAN, float("inf"), 1e-45, 3e38]},
         "log.csv"),
    case("csv_semicolon", "CSVLogger", dict(separator=";"), "separator=';'", {"loss": FALL[:3]}, "log.csv"),
    case("csv_point", "CSVLogger", dict(separator="."), "separator='.'", {"loss": FALL[:3]}, "log.csv"),
    case("csv_val_later", "CSVLogger", dict(), "", {"loss": FALL[:4], "val_loss": [None, 0.5, None, 0.25]}, "log.csv"),
    case("csv_val_missing_later", "CSVLogger", dict(), "", {"loss": FALL[:4], "val_loss": [0.5, None, 0.25, None]},
         "log.csv"),
    case("csv_new_key_later", "CSVLogger", dict(), "", {"learning_rate": [None, 0.5, 0.5], "loss": FALL[:3]},
         "log.csv"),
    case("csv_append", "CSVLogger", dict(append=True), "append", {"loss": FALL[:2]}, "log.csv"),
    case("every_epoch", "ModelCheckpoint", dict(), "", {"loss": FALL[:3]}, "m.{epoch:02d}-{loss:.2f}.keras"),
    case("template", "ModelCheckpoint", dict(), "", {"accuracy": RISE[:3], "loss": FALL[:3]},
         "{{x}}_{epoch}_{epoch:4d}_{epoch:+d}_{epoch:.1f}_{loss}_{loss:.3e}_{loss:08.3f}_{accuracy:.1%}_{loss:g}.keras"),
    case("best_only", "ModelCheckpoint", dict(save_best_only=True), "save-best-only", {"val_loss": FALL},
         "m-{epoch:02d}.keras"),
    case("best_accuracy", "ModelCheckpoint", dict(save_best_only=True, monitor="val_accuracy"),
         "val_accuracy:save-best-only", {"val_accuracy": RISE}, "m.keras"),
    case("best_below_threshold", "ModelCheckpoint",
         dict(save_best_only=True, monitor="loss", initial_value_threshold=0.62),
         "loss:save_best_only,initial_value_threshold=0.62", {"loss": FALL}, "m-{epoch:03d}.keras"),
    case("best_missing", "ModelCheckpoint", dict(save_best_only=True), "save_best_only=true", {"loss": FALL[:2]},
         "m-{epoch}.keras"),
    case("weights_only", "ModelCheckpoint", dict(save_weights_only=True, monitor="loss", save_best_only=True),
         "loss:save-weights-only,save-best-only", {"loss": FALL[:4]}, "w.{epoch:02d}.weights.h5"),
]


def model():
    m = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, use_bias=False, name="d")])
    m.compile(keras.optimizers.SGD(0.1), "mse", metrics=["accuracy", "mean_absolute_error"])
    m.fit(np.zeros((2, 1)), np.zeros((2, 1)), verbose=0)  # metrics are built
    return m


def build(c):
    cls = getattr(kc, c["cls"])
    path = "@/" + c["path"]
    if c["cls"] == "LearningRateScheduler":
        return cls(c["args"], verbose=1)
    if c["cls"] == "CSVLogger":
        return cls(path, **c["args"])
    if c["cls"] == "ModelCheckpoint":
        return cls(path, verbose=1, **c["args"])
    return cls(verbose=1, **c["args"])


def epoch_logs(c, epoch):
    values = {k: v[epoch] for k, v in c["logs"].items()}
    return {k: float(np.float32(v)) for k, v in sorted(values.items()) if v is not None}


def run(c):
    said = io.StringIO()
    io_utils.print_msg = lambda message, line_break=True: said.write(message + ("\n" if line_break else ""))
    warnings.showwarning = lambda message, category, *rest, **kw: (
        said.write(str(message) + "\n") if category is UserWarning else None)
    warnings.simplefilter("always")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.mkdir("@")
        if c["name"] == "csv_append":
            with open("@/log.csv", "wb") as f:
                f.write(b"epoch,loss\r\n0,1.0\r\n")
        m = model()
        cb = build(c)
        cb.set_model(m)
        m.stop_training = False
        stopped, rates = -1, []
        n = max(len(v) for v in c["logs"].values())
        cb.on_train_begin()
        for epoch in range(n):
            m.layers[0].set_weights([np.full((1, 1), float(epoch))])
            cb.on_epoch_begin(epoch)
            cb.on_epoch_end(epoch, epoch_logs(c, epoch))
            rates.append(float(m.optimizer.learning_rate.numpy()))
            if m.stop_training:
                stopped = epoch
                break
        cb.on_train_end()
        content = ""
        if c["cls"] == "CSVLogger":
            content = open("@/log.csv", "rb").read().decode()
        weight = float(m.layers[0].get_weights()[0][0, 0])
        files = sorted(os.listdir("@"))
        os.chdir("/")
    return said.getvalue(), stopped, rates, weight, content, files, n


def text(s):
    """A C string, in pieces that fit a line."""
    pieces = [s[i:i + 100] for i in range(0, len(s), 100)] or [""]
    return "\n     ".join(json.dumps(p) for p in pieces)


def number(v):
    if v is None:
        return "MISSING"
    if v != v:
        return "NAN"
    short = str(np.float32(v))
    return "INFINITY" if v == float("inf") else short + ("f" if "." in short or "e" in short else ".0f")


print("/* Written by tools/gen_callback_cases.py with keras %s: not to be changed by hand. */" % keras.__version__)
print("/* clang-format off */")
for c in CASES:
    messages, stopped, rates, weight, content, files, n = run(c)
    names = sorted(c["logs"])
    print("{.name = %s, .class_name = %s, .config = %s," % (text(c["name"]), text(c["cls"]), text(c["config"])))
    print(" .path = %s," % text(c["path"]))
    print(" .n_names = %d, .names = {%s}," % (len(names), ", ".join(text(k) for k in names)))
    rows = ["{" + ", ".join(number(c["logs"][k][e]) for k in names) + "}" for e in range(n)]
    print(" .n_epochs = %d, .values = {%s}," % (n, ", ".join(rows)))
    print(" .stopped = %d, .weight = %r, .rates = {%s}," % (stopped, weight, ", ".join(map(number, rates))))
    print(" .n_files = %d, .files = {%s}," % (len(files), ", ".join(text(f) for f in files) or "0"))
    print(" .content =\n     %s," % text(content))
    print(" .messages =\n     %s}," % text(messages))
