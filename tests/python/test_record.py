"""Recordings of a MemoryMonitor and of snug.fit, read back by the command; reports in a notebook."""
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest
import warnings
from unittest import mock

from common import compiled, data
from quiet_keras import BACKEND, keras

import snug
from snug import _library, _record, _types

ROWS, BATCH = 48, 8


class RecordTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        keras.config.set_floatx("float32")

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "run.snug")

    def trained(self, fit, epochs=2, **options):
        model = compiled("mlp")
        model.run_eagerly = BACKEND == "tensorflow"
        x, y = data(model, ROWS, "float32")
        return fit(model, x, y, batch_size=BATCH, epochs=epochs, verbose=0, validation_split=0.25, **options)

    def test_of_the_monitor(self):
        monitor = snug.keras.MemoryMonitor(target_batches=[2], record=self.path)
        history = self.trained(lambda model, *data, **options: model.fit(*data, **options), callbacks=[monitor])
        report = snug.report(self.path)
        self.assertEqual(report.data["kind"], "monitor")
        self.assertEqual(report.state, "complete")
        self.assertGreaterEqual(report.peak, max(history.history["memory"]))
        self.assertLessEqual(report.peak, monitor.peaks["host"])
        at = [moment["at"] for moment in report.data["moments"]]
        self.assertEqual(at.count("target"), 2)
        self.assertEqual(at.count("epoch_end"), 2)
        self.assertEqual(at.count("validation_begin"), 2)
        self.assertEqual(report.data["facts"]["model.name"], monitor.model.name)
        self.assertIn("2 epochs", report.verdict)

    def test_of_a_fit(self):
        history = self.trained(snug.fit, record=self.path)
        report = snug.report(self.path)
        self.assertEqual(report.data["kind"], "fit")
        self.assertEqual(report.state, "complete")
        self.assertEqual(int(report.data["facts"]["plan.planned"]), history.memory["planned"])
        self.assertIn("2 epochs", report.verdict)
        self.assertIn("peak", str(report))
        self.assertIn("run.snug", repr(report))

    def test_shows_itself_in_a_notebook(self):
        self.trained(snug.fit, record=self.path)
        page = snug.report(self.path)._repr_html_()
        self.assertTrue(page.startswith("<iframe srcdoc="))
        self.assertIn("&lt;html", page)
        self.assertNotIn("<html", page)

    def test_of_a_fit_that_failed(self):
        class Broken(keras.callbacks.Callback):
            def on_epoch_end(self, epoch, logs=None):
                raise ZeroDivisionError("mine")

        with self.assertRaises(ZeroDivisionError):
            self.trained(snug.fit, record=self.path, callbacks=[Broken()])
        report = snug.report(self.path)
        self.assertEqual(report.state, "complete")
        self.assertIn("failed: mine", report.verdict)

    def test_of_a_run_that_is_killed(self):
        script = textwrap.dedent(f"""
            import os, signal
            from common import compiled, data
            from quiet_keras import keras
            import snug
            class Kill(keras.callbacks.Callback):
                def on_epoch_end(self, epoch, logs=None):
                    if epoch == 2: os.kill(os.getpid(), signal.SIGKILL)
            model = compiled("mlp"); model.run_eagerly = {BACKEND == "tensorflow"}
            x, y = data(model, {ROWS}, "float32")
            model.fit(x, y, epochs=5, verbose=0, callbacks=[snug.keras.MemoryMonitor(record={self.path!r}), Kill()])
        """)
        here = os.path.dirname(os.path.abspath(__file__))
        path = os.pathsep.join([here, *sys.path])
        done = subprocess.run([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": path}, capture_output=True)
        self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr)
        report = snug.report(self.path)
        self.assertEqual(report.state, "cut")
        self.assertEqual([epoch["epoch"] for epoch in report.data["epochs"]][-1], 2)

    def test_a_place_that_cannot_be_written(self):
        bad = os.path.join(self.folder.name, "no", "run.snug")
        with self.assertRaisesRegex(OSError, "no/run.snug"):
            self.trained(snug.fit, record=bad)
        with self.assertRaisesRegex(OSError, "no/run.snug"):
            self.trained(lambda model, *data, **options: model.fit(*data, **options),
                         callbacks=[snug.keras.MemoryMonitor(record=bad)])

    def test_what_exists_is_not_replaced_unasked(self):
        def of_keras(model, *data, record, overwrite=False, **options):
            monitor = snug.keras.MemoryMonitor(record=record, overwrite=overwrite)
            return model.fit(*data, callbacks=[monitor, *options.pop("callbacks", [])], **options)

        class Never(keras.callbacks.Callback):
            def on_train_batch_begin(self, batch, logs=None):
                raise AssertionError("it trains")

        for fit in (snug.fit, of_keras):
            with open(self.path, "wb") as f:
                f.write(b"precious")
            with self.assertRaisesRegex(FileExistsError, "run.snug: there is such a file.*overwrite=True"):
                self.trained(fit, record=self.path, callbacks=[Never()])
            with open(self.path, "rb") as f:
                self.assertEqual(f.read(), b"precious")
            self.trained(fit, record=self.path, overwrite=True)
            self.assertEqual(snug.report(self.path).state, "complete")

    def test_a_full_disk_is_a_warning(self):
        recorder = _record.Recorder(self.path, "model")
        real = _library.library()
        full = mock.Mock(wraps=real)
        full.snug_recorder_moment = lambda *values: _types.E_IO
        full.snug_message = lambda ctx: b"disk full"
        with mock.patch.object(_record, "library", lambda: full):
            with warnings.catch_warnings(record=True) as seen:
                warnings.simplefilter("always")
                recorder.moment("sample", 0, 0)
                recorder.moment("sample", 0, 1)
        self.assertEqual(len(seen), 1)
        self.assertIn("the training goes on", str(seen[0].message))

    def test_what_is_no_recording(self):
        with self.assertRaises(FileNotFoundError):
            snug.report(self.path)
        with open(self.path, "wb") as f:
            f.write(b"\x00" * 100)
        with self.assertRaisesRegex(ValueError, "run.snug"):
            snug.report(self.path)


if __name__ == "__main__":
    unittest.main()
