"""The peaks of two models in one bar chart: a model, and a smaller one that learns from it.

    python examples/two_models.py peaks.png      # needs matplotlib; each model trains in a process of its own
"""
import multiprocessing
import sys

import numpy as np

import snug


def train(width, path):
    """Train a network of this width; the recording goes to path."""
    import keras

    x = np.random.default_rng(0).normal(size=(512, 32, 32, 3)).astype("float32")
    y = np.random.default_rng(1).integers(0, 10, 512)
    model = keras.Sequential([keras.Input((32, 32, 3))])
    for _ in range(3):
        model.add(keras.layers.Conv2D(width, 3, padding="same", activation="relu"))
    model.add(keras.layers.GlobalAveragePooling2D())
    model.add(keras.layers.Dense(10, activation="softmax"))
    model.compile("adam", "sparse_categorical_crossentropy")
    monitor = snug.keras.MemoryMonitor(record=path, overwrite=True)
    model.fit(x, y, batch_size=128, epochs=1, verbose=2, callbacks=[monitor])


def main(picture):
    import matplotlib.pyplot as plt

    peaks = {}
    for name, width in (("model", 64), ("distilled", 8)):
        # What a framework has taken it keeps: in one process the second model would be told the first one's peak.
        child = multiprocessing.get_context("spawn").Process(target=train, args=(width, f"{name}.snug"))
        child.start()
        child.join()
        peaks[name] = snug.report(f"{name}.snug").peak / 2**20
    bars = plt.bar(list(peaks), list(peaks.values()))
    plt.bar_label(bars, [f"{peak:.0f} MiB" for peak in peaks.values()])
    plt.ylabel("peak of the process, MiB")
    plt.savefig(picture)
    print("the same in the terminal: snug compare model.snug distilled.snug")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "peaks.png")
