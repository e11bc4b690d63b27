"""keras.callbacks.BackupAndRestore in snug.fit: a training that was killed goes on, bit for bit, by the plan that it had."""
import os
import signal
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from common import L
from quiet_keras import keras

import snug

C = keras.callbacks
MIB = 1 << 20


def model(filters=8):
    """With all that is random in a training."""
    keras.utils.clear_session()
    keras.utils.set_random_seed(11)
    made = keras.Sequential([keras.Input((16, 16, 3)), L.Conv2D(filters, 3, activation="relu"), L.Dropout(0.3, seed=2),
                             L.Conv2D(filters, 3, activation="relu"), L.GlobalAveragePooling2D(), L.Dense(4, activation="softmax")])
    made.compile(keras.optimizers.Adam(0.01), "sparse_categorical_crossentropy")
    return made


def data():
    rng = np.random.default_rng(4)
    return rng.normal(size=(96, 16, 16, 3)).astype("float32"), rng.integers(0, 4, 96)


class Ends(C.Callback):
    """Ends the process, or the training, at an epoch."""

    def __init__(self, epoch, how):
        super().__init__()
        self.epoch, self.how = epoch, how

    def on_epoch_begin(self, epoch, logs=None):
        if epoch == self.epoch:
            self.how()


class Stopped(Exception):
    pass


def stop():
    raise Stopped


def variables(of):
    """With the states of random layers."""
    return [keras.ops.convert_to_numpy(v) for v in [*of.variables, *of.optimizer.variables]]


class BackupTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        keras.config.set_floatx("float32")
        cls.x, cls.y = data()

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = os.path.join(scratch.name, "backup")

    def fit(self, one, *more, **options):
        callbacks = [C.BackupAndRestore(self.folder, **options.pop("backup", {})), *more]
        options = {"batch_size": 16, "epochs": 4, "verbose": 0, **options}
        return snug.fit(one, self.x, self.y, callbacks=callbacks, **options)

    def begun(self):
        """Leave a backup of two epochs."""
        with self.assertRaises(Stopped):
            self.fit(model(), Ends(2, stop))
        self.assertTrue(os.path.exists(os.path.join(self.folder, "snug.backup")))

    def assert_same(self, got, want):
        for a, b in zip(variables(got), variables(want), strict=True):
            np.testing.assert_array_equal(a, b)

    def test_goes_on_bit_for_bit(self):
        whole = model()
        self.fit(whole)
        self.assertFalse(os.path.exists(self.folder), "what was trained is in the model")
        self.begun()
        rest = model()
        seen = []
        history = self.fit(rest, C.LambdaCallback(on_epoch_begin=lambda epoch, logs: seen.append(
            (epoch, int(rest.optimizer.iterations)))))
        self.assertEqual(seen, [(2, 12), (3, 18)], "callbacks see the model as the backup has it")
        self.assertEqual(history.epoch, [2, 3])
        self.assertTrue(history.plan.resumes)
        self.assertEqual(history.memory["planned"], history.memory["measured"])
        self.assert_same(rest, whole)
        self.assertFalse(os.path.exists(self.folder))

    def test_goes_on_after_a_kill(self):
        whole = model()
        self.fit(whole)
        script = (f"import os, signal, test_backup as t\n"
                  f"x, y = t.data()\n"
                  f"kill = t.Ends(3, lambda: os.kill(os.getpid(), signal.SIGKILL))\n"
                  f"t.snug.fit(t.model(), x, y, batch_size=16, epochs=4, verbose=0,\n"
                  f"           callbacks=[t.C.BackupAndRestore({self.folder!r}), kill])\n")
        done = subprocess.run([sys.executable, "-B", "-c", script], capture_output=True, text=True,
                              cwd=os.path.dirname(os.path.abspath(__file__)))
        self.assertEqual(done.returncode, -signal.SIGKILL, done.stderr[-2000:])
        rest = model()
        self.assertEqual(self.fit(rest).epoch, [3])
        self.assert_same(rest, whole)

    def test_ctrl_c_keeps_the_batch(self):
        whole = model()
        self.fit(whole)
        at = C.LambdaCallback(on_train_batch_end=lambda batch, logs: batch == 3 and signal.raise_signal(signal.SIGINT))
        cut = model()
        with self.assertRaises(KeyboardInterrupt):
            self.fit(cut, at)
        self.assertEqual(int(cut.optimizer.iterations), 4)
        rest, seen = model(), []
        look = C.LambdaCallback(on_epoch_begin=lambda epoch, logs: seen.append(int(rest.optimizer.iterations)))
        self.assertEqual(self.fit(rest, look).epoch, [0, 1, 2, 3])
        self.assertEqual(seen, [4, 6, 12, 18], "it goes on with the fifth batch")
        self.assertEqual(int(rest.optimizer.iterations), 24)
        self.assert_same(rest, whole)

    def test_a_changed_argument_is_named(self):
        self.begun()
        with self.assertRaisesRegex(RuntimeError, r"batch_size is 16 there and 32 here.*\(replan=True\)"):
            self.fit(model(), batch_size=32)
        self.assertEqual(self.fit(model(), batch_size=32, replan=True).epoch, [2, 3])

    def test_a_line_that_its_plan_exceeds_is_refused(self):
        def plan():
            return snug.plan(model(64), self.x, self.y, batch_size=96, callbacks=[C.BackupAndRestore(self.folder)])

        self.assertLess(plan().least, plan().process - 2 * MIB)
        with self.assertRaises(Stopped):
            self.fit(model(64), Ends(2, stop), batch_size=96)
        line = plan().least + MIB
        with self.assertRaisesRegex(snug.DoesNotFit, "by the plan of its backup") as caught:
            self.fit(model(64), batch_size=96, memory=line)
        error = caught.exception
        self.assertTrue(error.plan.resumes)
        other = error.remedies[-1]
        self.assertEqual(other.arguments, {"replan": True}, error)
        self.assertIn("replan=True", str(error))
        self.assertEqual(self.fit(model(64), batch_size=96, memory=line, replan=True).epoch, [2, 3])

    def test_stays_if_it_is_to(self):
        self.fit(model(), backup={"delete_checkpoint": False})
        self.assertTrue(os.path.exists(os.path.join(self.folder, "snug.backup")))
        again = model()
        self.assertEqual(self.fit(again, backup={"delete_checkpoint": False}).epoch, [], "all was trained")
        self.assertEqual(int(again.optimizer.iterations), 24)

    def test_one_is_enough(self):
        with self.assertRaisesRegex(ValueError, "one fit has one backup"):
            self.fit(model(), C.BackupAndRestore(self.folder))


if __name__ == "__main__":
    unittest.main()
