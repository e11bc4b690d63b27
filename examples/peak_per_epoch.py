"""The peak of memory per epoch and after chosen batches, on a CPU or a GPU, with any back end.

    KERAS_BACKEND=tensorflow python examples/peak_per_epoch.py      # or jax, or torch
"""
import keras
import numpy as np

import snug

x = np.random.default_rng(0).normal(size=(2048, 28, 28, 1)).astype("float32")
y = np.random.default_rng(1).integers(0, 10, 2048)

model = keras.Sequential([
    keras.Input((28, 28, 1)),
    keras.layers.Conv2D(16, 3, activation="relu"),
    keras.layers.MaxPooling2D(),
    keras.layers.Flatten(),
    keras.layers.Dense(10, activation="softmax"),
])
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])

monitor = snug.keras.MemoryMonitor(target_batches=[5, 10, 25])
history = model.fit(x, y, batch_size=64, epochs=3, validation_split=0.1, callbacks=[monitor], verbose=2)

for epoch, peak in enumerate(history.history["peak_memory"], start=1):
    print(f"epoch {epoch}: {peak / 2**20:.1f} MiB at the most so far")
print(monitor.report())
