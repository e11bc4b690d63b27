"""What 2 000 epochs with callbacks leave in the process, in Keras's own fit and in snug.fit, side by side.

    growth.py [--epochs 2000] [--keras 0]      run by run.sh; each training in a process of its own
"""
import argparse
import gc
import os
import subprocess
import sys
import tempfile

KINDS = ("nothing", "weights", "stopping", "checkpoint", "whole", "batches", "validation", "line")
# What a process's heap comes to take over so many epochs, whoever trains.
NOISE = 256 << 10


def train(who, kind, epochs):
    """Print how much more anonymous memory there was after the last epoch than after a fifth of them."""
    import numpy as np
    from quiet_keras import keras

    import snug
    from snug import _elements, _process

    seen = []

    class Note(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            if epoch + 1 in (epochs // 5, epochs):
                gc.collect()  # each of Keras's saves leaves rings of objects, which wait for very many others
                _elements.free_heap()
                seen.append(_process.figures().anonymous)

    class Weights(keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            self.model.get_weights()

    class Batches(keras.callbacks.Callback):
        def on_train_batch_end(self, batch, logs=None):
            self.model.get_weights()

    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.Input((16,)), keras.layers.Dense(64, activation="tanh"), keras.layers.Dense(4)])
    model.compile("adam", "mse")
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(32, 16)).astype("float32"), rng.normal(size=(32, 4)).astype("float32")
    with tempfile.TemporaryDirectory() as folder:
        callbacks = {"nothing": [], "weights": [Weights()], "batches": [Batches()],
                     "stopping": [keras.callbacks.EarlyStopping("loss", patience=epochs, restore_best_weights=True)],
                     "checkpoint": [keras.callbacks.ModelCheckpoint(os.path.join(folder, "a.weights.h5"),
                                                                    save_weights_only=True)],
                     "whole": [keras.callbacks.ModelCheckpoint(os.path.join(folder, "a.keras"))],
                     "validation": [Weights()], "line": [Weights()]}[kind] + [Note()]
        options = dict(batch_size=16, epochs=epochs, callbacks=callbacks,
                       validation_split=0.5 if kind == "validation" else 0.0)
        if who == "keras":
            model.fit(x, y, verbose=0, shuffle=False, **options)
        else:
            line = snug.plan(model, x, y, memory="64GiB", **options).least if kind == "line" else None
            snug.fit(model, x, y, verbose=0, shuffle=False, memory=line, **options)
    print("GREW", seen[1] - seen[0])


def grown(who, kind, epochs):
    done = subprocess.run([sys.executable, "-B", "-W", "ignore", os.path.abspath(__file__), "--train", who, kind,
                           "--epochs", str(epochs)], capture_output=True, text=True)
    for line in done.stdout.splitlines():
        if line.startswith("GREW"):
            return int(line.split()[1])
    raise RuntimeError(done.stderr[-2000:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2000)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--train", nargs=2)
    a = parser.parse_args()
    if a.train:
        train(*a.train, a.epochs)
        return 0
    failures = 0
    for kind in a.kinds.split(","):
        theirs, ours = grown("keras", kind, a.epochs), grown("snug", kind, a.epochs)
        good = ours <= max(theirs, 0) + NOISE
        failures += not good
        print("%-11s Keras %8.1f KiB, Snug %8.1f KiB over %d epochs%s" % (
            kind, theirs / 1024, ours / 1024, a.epochs - a.epochs // 5, "" if good else "   MORE"), flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
