"""The programs of examples/ do what they say, on the back end that KERAS_BACKEND names."""
import os
import subprocess
import sys
import tempfile
import unittest

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
QUIET = {"TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "", "MPLBACKEND": "Agg"}


class ExamplesTest(unittest.TestCase):
    def run_example(self, name, *words):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, os.path.abspath(os.path.join(EXAMPLES, name)), *words], cwd=folder,
                                  capture_output=True, text=True, env={**os.environ, **QUIET})
            files = {f: os.path.getsize(os.path.join(folder, f)) for f in os.listdir(folder)}
        self.assertEqual(done.returncode, 0, done.stderr[-2000:])
        return done.stdout, files

    def test_peak_per_epoch(self):
        out, _ = self.run_example("peak_per_epoch.py")
        self.assertIn("epoch 3:", out)
        self.assertIn("epoch 1 batch 25", out)
        self.assertIn("Peak memory:", out)

    def test_two_models(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("matplotlib is not installed; tools/backends_venv.sh has it")
        _, files = self.run_example("two_models.py", "peaks.png")
        self.assertGreater(files["peaks.png"], 1000)
        self.assertIn("distilled.snug", files)

    def test_killed_run(self):
        out, _ = self.run_example("killed_run.py")
        self.assertIn("exit code 137", out)
        self.assertIn("Cut short", out)
        self.assertIn("epoch 4", out)


if __name__ == "__main__":
    unittest.main()
