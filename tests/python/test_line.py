"""The line of snug.fit: it holds for the whole process, or is refused before step 1; plans; the largest batch."""
import unittest

import numpy as np
from common import L, peak_of_process, relative
from quiet_keras import keras

import snug
from snug.memory import settings

MIB = 1 << 20


def convolutions():
    """Most of its memory are activations: a line has something to choose."""
    keras.utils.clear_session()
    model = keras.Sequential([keras.Input((32, 32, 3))])
    for _ in range(6):
        model.add(L.Conv2D(16, 3, padding="same", activation="relu"))
    model.add(L.GlobalAveragePooling2D())
    model.add(L.Dense(4, activation="softmax"))
    rng = np.random.default_rng(1)
    model.set_weights([rng.normal(0, 0.1, w.shape) for w in model.get_weights()])
    model.compile("sgd", "sparse_categorical_crossentropy")
    return model


def images(rows=128):
    rng = np.random.default_rng(2)
    return rng.normal(size=(rows, 32, 32, 3)).astype("float32"), rng.integers(0, 4, rows)


class LineTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        keras.config.set_floatx("float32")
        cls.x, cls.y = images()
        # What a first training takes once is resident then.
        snug.fit(convolutions(), cls.x, cls.y, batch_size=64, verbose=0)

    def test_holds_with_the_same_result(self):
        free = snug.plan(convolutions(), self.x, self.y, batch_size=64)
        self.assertGreater(free.parts["activations"], 20 * MIB)
        line = free.process - 16 * MIB
        one, two = convolutions(), convolutions()
        want = snug.fit(one, self.x, self.y, batch_size=64, shuffle=False, verbose=0)
        got = snug.fit(two, self.x, self.y, batch_size=64, shuffle=False, verbose=0, memory=line)
        self.assertLessEqual(peak_of_process(), line)
        self.assertLessEqual(got.memory["process_measured"], line)
        self.assertTrue(got.plan.fits)
        self.assertLessEqual(got.plan.process, line)
        self.assertEqual(got.plan.line, line)
        self.assertLess(relative(got.history["loss"], want.history["loss"]), 1e-5)
        self.assertEqual(got.memory["planned"], got.memory["measured"], "to the byte")

    def test_holds_with_callbacks_that_take_the_weights(self):
        model = convolutions()
        line = snug.plan(model, self.x, self.y, batch_size=64).process
        look = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: model.get_weights())
        snug.fit(model, self.x, self.y, batch_size=64, epochs=2, verbose=0, memory=line, callbacks=[look])
        self.assertLessEqual(peak_of_process(), line)

    def test_is_refused_before_step_1(self):
        model = convolutions()
        before = [w.copy() for w in model.get_weights()]
        with self.assertRaises(MemoryError) as caught:
            snug.fit(model, self.x, self.y, batch_size=64, memory="64MiB", verbose=0)
        error = caught.exception
        self.assertIsInstance(error, snug.DoesNotFit)
        self.assertEqual(str(error).count("least"), 1, "one line and one least, those of the whole process: %s" % error)
        self.assertFalse(error.plan.fits)
        self.assertIn("interpreter and frameworks", str(error))
        self.assertIn(str(error.plan.least), str(error))
        for a, b in zip(before, model.get_weights()):
            np.testing.assert_array_equal(a, b)
        # And the least that it names will do.
        snug.fit(model, self.x, self.y, batch_size=64, memory=error.plan.least + 4 * MIB, verbose=0)

    def test_arrays_are_not_copied(self):
        x, y = np.ones((16384, 2048), "float32"), np.zeros(16384, "int64")
        model = keras.Sequential([keras.Input((2048,)), L.Dense(4, activation="softmax")])
        model.compile("sgd", "sparse_categorical_crossentropy")
        snug.fit(model, x[:64], y[:64], verbose=0)
        with snug.peak() as p:
            snug.fit(model, x, y, batch_size=64, verbose=0)
            snug.evaluate(model, x, y)
            snug.predict(model, x)
        self.assertLess(p.peak - p.start, x.nbytes // 4)

    def test_plan_needs_no_data(self):
        plan = snug.plan(convolutions(), batch_size=16)
        larger = snug.plan(convolutions(), batch_size=64)
        self.assertTrue(plan.fits)
        self.assertIsNone(plan.line)
        self.assertGreater(larger.snug, 2 * plan.snug)
        self.assertEqual(sum(plan.parts.values()), plan.snug)
        self.assertEqual(plan.snug + plan.interpreter + plan.memory["tables"] + plan.memory["reserve"], plan.process)
        self.assertEqual([layer.name for layer in plan.layers if layer.weights][-1], "dense")
        self.assertIn("16", str(plan))
        self.assertFalse(snug.plan(convolutions(), batch_size=64, memory="32MiB").fits)

    def test_largest_batch(self):
        model = convolutions()
        line = snug.plan(model, batch_size=64).process + 2 * MIB
        found = snug.find_batch_size(model, memory=line)
        self.assertGreaterEqual(found, 32)
        self.assertTrue(snug.plan(model, batch_size=found, memory=line + MIB).fits)
        self.assertEqual(snug.find_batch_size(model, memory=line, samples=7), 7)
        with self.assertRaises(snug.DoesNotFit):
            snug.find_batch_size(model, memory="16MiB")

    def test_lines_as_people_write_them(self):
        plan = snug.plan(convolutions(), batch_size=4, memory="50%")
        self.assertGreater(plan.line, 64 * MIB)
        for memory in ("0%", "101%", "%", "x%", "lots", 0):
            with self.assertRaises(ValueError, msg=memory):
                snug.plan(convolutions(), memory=memory)


class LimitTest(unittest.TestCase):
    def tearDown(self):
        settings.limit, settings.growth = None, True

    def test_limit_of_snug(self):
        x, y = images(64)
        snug.set_memory_limit("cpu", "4MiB")
        with self.assertRaises(MemoryError):
            snug.fit(convolutions(), x, y, batch_size=64, verbose=0)
        snug.set_memory_limit("cpu", "256MiB")
        snug.set_memory_growth("cpu", False)
        history = snug.fit(convolutions(), x, y, batch_size=64, verbose=0)
        self.assertGreater(history.memory["idle"], 100 * MIB, "all of it was taken ahead")

    def test_settings_are_fixed_while_a_training_runs(self):
        x, y = images(64)
        with self.assertRaisesRegex(RuntimeError, "too late"):
            snug.fit(convolutions(), x, y, verbose=0, callbacks=[keras.callbacks.LambdaCallback(
                on_epoch_begin=lambda epoch, logs: snug.set_memory_limit("cpu", "1GiB"))])
        snug.set_memory_limit("cpu", "1GiB")


if __name__ == "__main__":
    unittest.main()
