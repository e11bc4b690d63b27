"""MemoryMonitor in Keras's own fit, on the back end that KERAS_BACKEND names."""
import contextlib
import csv
import io
import json
import os
import pickle
import sys
import tempfile
import unittest
from unittest import mock

import numpy as np
from quiet_keras import BACKEND, keras

import snug
from snug.keras import MemoryMonitor, plot_peaks
from test_devices import made_up_tensorflow

MIB = 1 << 20


def network():
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(4, activation="relu"),
                              keras.layers.Dense(3, activation="softmax")])
    model.compile("sgd", "sparse_categorical_crossentropy")
    return model


def trained(monitor, *others, epochs=2, verbose=0, **options):
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(48, 8)).astype("float32"), rng.integers(0, 3, 48)
    return network().fit(x, y, batch_size=8, epochs=epochs, verbose=verbose, callbacks=[monitor, *others], **options)


class Holder(keras.callbacks.Callback):
    """Holds memory in one batch of one epoch."""

    def on_train_batch_end(self, batch, logs=None):
        if batch == 3 and self.epoch == 1:
            np.ones(64 * MIB, "u1").sum()

    def on_epoch_begin(self, epoch, logs=None):
        self.epoch = epoch


class MonitorTest(unittest.TestCase):
    def test_is_a_callback_of_keras(self):
        self.assertIsInstance(snug.keras.MemoryMonitor(), keras.callbacks.Callback)

    def test_values_go_into_history_and_csv(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "log.csv")
            history = trained(MemoryMonitor(), keras.callbacks.CSVLogger(path)).history
            with open(path, newline="") as f:
                rows = list(csv.DictReader(f))
        for key in ("memory", "peak_memory"):
            self.assertEqual([float(row[key]) for row in rows], history[key])
            self.assertTrue(all(value > 20 * MIB for value in history[key]))
        self.assertTrue(all(p >= m for p, m in zip(history["peak_memory"], history["memory"])))
        self.assertEqual(set(history), {"loss", "memory", "peak_memory"}, "a CPU has no values of GPUs")

    @unittest.skipIf(BACKEND != "tensorflow", "the event files are written by TensorFlow")
    def test_values_go_to_tensorboard(self):
        try:
            from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
        except ImportError:
            self.skipTest("tensorboard is not installed")
        with tempfile.TemporaryDirectory() as folder:
            history = trained(MemoryMonitor(), keras.callbacks.TensorBoard(folder, write_graph=False)).history
            events = EventAccumulator(os.path.join(folder, "train"))
            events.Reload()
            self.assertIn("epoch_peak_memory", events.Tags()["tensors"])
            self.assertEqual(len(events.Tensors("epoch_memory")), len(history["memory"]))

    def test_the_progress_bar_shows_sizes_and_logs_are_numbers(self):
        for verbose, update_freq in ((1, "epoch"), (2, "epoch"), (2, "batch")):
            with contextlib.redirect_stdout(io.StringIO()) as shown:
                history = trained(MemoryMonitor(update_freq=update_freq), verbose=verbose).history
            self.assertRegex(shown.getvalue(), r"- memory: [\d.]+ [MG]iB - peak_memory: [\d.]+ [MG]iB")
            self.assertRegex(shown.getvalue(), r"- loss: \d+\.\d{4}")
        value = history["memory"][-1]
        self.assertEqual(json.loads(json.dumps(value)), float(value))
        self.assertEqual("%.1f %s" % (value, value), "%.1f %s" % (float(value), float(value)))
        self.assertIs(type(value / 2**20), float)
        self.assertIs(type(pickle.loads(pickle.dumps(value))), float)

    def test_samples_and_labels(self):
        monitor = MemoryMonitor(target_batches=[0, 4])
        trained(monitor)
        self.assertEqual(monitor.labels, [f"epoch {e} {what}" for e in (1, 2)
                                          for what in ("begin", "batch 0", "batch 4", "end")])
        self.assertEqual(len(monitor.memory_usage), 8)
        self.assertEqual(monitor.device, "host")
        self.assertEqual(monitor.peaks, {"host": monitor.peak})
        self.assertGreaterEqual(monitor.peak, max(monitor.memory_usage))

    def test_a_peak_inside_of_an_epoch_is_seen_there_and_nowhere_else(self):
        monitor = MemoryMonitor(target_batches=[2, 4])
        trained(Holder(), epochs=1)  # what a first training takes once is gone before
        history = trained(monitor, Holder(), epochs=3).history
        top = max(range(len(monitor.samples)), key=lambda i: monitor.memory_usage[i])
        self.assertEqual(monitor.labels[top], "epoch 2 batch 4")
        self.assertGreaterEqual(monitor.memory_usage[top] - monitor.samples[top].current["host"], 60 * MIB)
        self.assertGreaterEqual(history["peak_memory"][2], monitor.memory_usage[top])
        self.assertLess(monitor.memory_usage[-1], monitor.memory_usage[top] - 40 * MIB)
        self.assertIn("highest before: epoch 2 batch 4", monitor.report())

    def test_batches_get_values_when_asked(self):
        for frequency, expected in (("epoch", []), ("batch", [0, 1, 2, 3, 4, 5]), (2, [1, 3, 5])):
            seen = []
            spy = keras.callbacks.LambdaCallback(
                on_train_batch_end=lambda batch, logs: seen.append(batch) if "memory" in logs else None)
            trained(MemoryMonitor(update_freq=frequency), spy, epochs=1)
            self.assertEqual(seen, expected, frequency)

    def test_used_again_it_begins_anew(self):
        monitor = MemoryMonitor()
        trained(monitor)
        trained(monitor, epochs=1)
        self.assertEqual(monitor.labels, ["epoch 1 begin", "epoch 1 end"])
        self.assertEqual(len([s for s in snug._process._open]), 1, "no scope is left open")

    def test_bad_arguments(self):
        for batches in ([1, -1], [1.5], ["2"], [True]):
            with self.assertRaises((ValueError, TypeError), msg=batches):
                MemoryMonitor(target_batches=batches)
        with self.assertRaises(TypeError):
            MemoryMonitor(target_batches=5)
        for frequency in ("step", 0, -1, 1.5, True):
            with self.assertRaises(ValueError, msg=frequency):
                MemoryMonitor(update_freq=frequency)
        with self.assertRaisesRegex(ValueError, "there is no device 'GPU:5'"):
            trained(MemoryMonitor(devices=["cpu", "GPU:5"]))

    def test_before_a_training(self):
        monitor = MemoryMonitor()
        self.assertIsNone(monitor.peak)
        self.assertEqual(monitor.memory_usage, [])
        self.assertIn("No training", str(monitor))

    @unittest.skipIf(BACKEND != "tensorflow", "GPUs are made up for TensorFlow here")
    def test_gpus_of_the_back_end(self):
        for n, key in ((1, "peak_gpu_memory"), (2, "peak_gpu_memory_1")):
            fake = made_up_tensorflow(n)
            monitor = MemoryMonitor()
            monitor_gpus = snug._gpus._tensorflow(fake)
            with mock.patch.object(snug._gpus, "of", lambda framework: monitor_gpus):
                history = trained(monitor).history
            self.assertEqual(history[key], [500.0, 500.0], "the peak was reset when training began")
            self.assertEqual(monitor.device, "GPU:0")
            self.assertEqual(monitor.peak, 500)

    def test_pictures(self):
        monitor = MemoryMonitor(target_batches=[1])
        trained(monitor)
        try:
            import matplotlib
        except ImportError:
            with self.assertRaisesRegex(ImportError, "pip install matplotlib"):
                monitor.plot()
            return
        matplotlib.use("Agg")
        self.assertEqual(len(monitor.plot().patches), 6)
        self.assertEqual(len(plot_peaks({"one": monitor, "two": monitor}).patches), 2)

    def test_without_matplotlib(self):
        with mock.patch.dict(sys.modules, {"matplotlib": None, "matplotlib.pyplot": None}):
            with self.assertRaisesRegex(ImportError, "pip install matplotlib"):
                plot_peaks({})


if __name__ == "__main__":
    unittest.main()
