"""The report of a training that was killed: what it held, up to its last moment.

    python examples/killed_run.py
"""
import multiprocessing
import os
import signal

import numpy as np

import snug


def train(path):
    """Grows from epoch to epoch, until the system has enough: here, in the fourth."""
    import keras

    class Leak(keras.callbacks.Callback):
        kept = []

        def on_epoch_end(self, epoch, logs=None):
            self.kept.append(np.ones(32 << 20, "uint8"))
            if epoch == 3:
                os.kill(os.getpid(), signal.SIGKILL)  # what the kernel does to a process that takes too much

    x = np.random.default_rng(0).normal(size=(512, 16)).astype("float32")
    y = np.random.default_rng(1).integers(0, 4, 512)
    model = keras.Sequential([keras.Input((16,)), keras.layers.Dense(4, activation="softmax")])
    model.compile("adam", "sparse_categorical_crossentropy")
    monitor = snug.keras.MemoryMonitor(record=path, overwrite=True)
    model.fit(x, y, epochs=10, verbose=2, callbacks=[monitor, Leak()])


if __name__ == "__main__":
    child = multiprocessing.get_context("spawn").Process(target=train, args=("killed.snug",))
    child.start()
    child.join()
    print(f"exit code {128 - child.exitcode}: Killed")
    print(snug.report("killed.snug"))
