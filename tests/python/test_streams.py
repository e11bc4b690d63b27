"""Generators and keras.utils.PyDataset in snug.fit: the same batches in the same order as from arrays."""
import unittest

import numpy as np
from common import compiled, data, relative
from quiet_keras import BACKEND, keras

import snug

ROWS, BATCH = 44, 8


def batches(x, y, more=()):
    many = isinstance(x, list)
    for at in range(0, ROWS, BATCH):
        cut = slice(at, at + BATCH)
        take = (lambda a: [part[cut] for part in a]) if many else (lambda a: a[cut])
        yield (take(x), take(y), *[m[cut] for m in more])


class Rows(keras.utils.PyDataset):
    def __init__(self, x, y, more=()):
        super().__init__()
        self.list = list(batches(x, y, more))
        self.asked, self.epochs = [], []

    def __len__(self):
        return len(self.list)

    def __getitem__(self, i):
        self.asked.append(i)
        return self.list[i]

    def on_epoch_end(self):
        self.epochs.append(len(self.asked))


class StreamTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        keras.config.set_floatx("float32")

    def pair(self, name="mlp"):
        one, two = compiled(name), compiled(name)
        return one, two, *data(one, ROWS, "float32")

    def same(self, one, two):
        for a, b in zip(one.get_weights(), two.get_weights()):
            self.assertLess(relative(a, b, 1e-3), 1e-5)

    def test_dataset_is_as_arrays(self):
        for name in ("mlp", "two_in_two_out"):
            one, two, x, y = self.pair(name)
            want = snug.fit(one, x, y, batch_size=BATCH, epochs=2, shuffle=False, verbose=0, validation_data=(x, y))
            rows = Rows(x, y)
            got = snug.fit(two, rows, epochs=2, shuffle=False, verbose=0, validation_data=Rows(x, y))
            self.same(one, two)
            for key, values in want.history.items():
                self.assertLess(relative(got.history[key], values), 1e-5, key)
            self.assertEqual(rows.epochs, [8, 14], "it is told of its ends; the first and the last were looked at")

    def test_dataset_with_weights_equals_keras(self):
        one, two, x, y = self.pair()
        weight = np.random.default_rng(4).uniform(0.5, 2, ROWS).astype("float32")
        one.run_eagerly = BACKEND == "tensorflow"
        one.fit(Rows(x, y, [weight]), epochs=2, shuffle=False, verbose=0)
        snug.fit(two, Rows(x, y, [weight]), epochs=2, shuffle=False, verbose=0)
        self.same(one, two)

    def test_shuffled_batches_stay_together_and_the_short_one_is_last(self):
        _, two, x, y = self.pair()
        rows = Rows(x, y)
        snug.fit(two, rows, epochs=2, verbose=0)
        asked = rows.asked[2:]  # the first and the last were looked at
        self.assertEqual(sorted(asked[:6]), list(range(6)))
        self.assertEqual((asked[5], asked[11]), (5, 5))
        self.assertNotEqual(asked[:6], asked[6:])

    def test_generator_goes_on(self):
        one, two, x, y = self.pair()

        def endless(n):
            while True:
                for batch in list(batches(x, y))[:5]:
                    n.append(len(batch[0]))
                    yield batch

        drawn = []
        one.run_eagerly = BACKEND == "tensorflow"
        want = one.fit(endless([]), steps_per_epoch=3, epochs=3, verbose=0, validation_data=endless([]), validation_steps=2)
        got = snug.fit(two, endless(drawn), steps_per_epoch=3, epochs=3, verbose=0, validation_data=endless([]),
                       validation_steps=2)
        self.same(one, two)
        self.assertLess(relative(got.history["loss"], want.history["loss"]), 1e-5)
        self.assertEqual(len(drawn), 9, "no batch is drawn that is not used")

    def test_evaluate_and_predict(self):
        one, _, x, y = self.pair()
        self.assertLess(relative(snug.evaluate(one, Rows(x, y)), snug.evaluate(one, x, y, batch_size=BATCH)), 1e-6)
        self.assertLess(relative(snug.predict(one, Rows(x, y)), snug.predict(one, x)), 1e-6)
        with self.assertRaisesRegex(ValueError, "how many samples"):
            snug.predict(one, batches(x, y))

    def test_what_it_raises_comes_out(self):
        _, two, x, y = self.pair()

        def broken():
            yield next(batches(x, y))
            raise ZeroDivisionError("mine")

        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            snug.fit(two, broken(), steps_per_epoch=3, verbose=0)

    def test_bad_streams(self):
        _, two, x, y = self.pair()
        first = next(batches(x, y))

        def of(*items):
            return (item for item in items)

        for stream, options, why in (
                (of(first), {}, "steps_per_epoch is missing"),
                (of(first), dict(steps_per_epoch=3), "ended after 1 batches"),
                (of(), dict(steps_per_epoch=1), "gives no batch"),
                (of((x[:8],)), dict(steps_per_epoch=1), r"tuple \(x, y\)"),
                (of((x[:8], y[:7])), dict(steps_per_epoch=1), "7, 8"),
                (of(first, (x[:5], y[:5])), dict(steps_per_epoch=2), "batch 1 has 5 samples and the first has 8"),
                (of(first, (x[:8, :3], y[:8])), dict(steps_per_epoch=2), r"samples of \(3,\) float32"),
                (of(first), dict(steps_per_epoch=1, batch_size=4), "batch_size is 4"),
                (of(first), dict(steps_per_epoch=1, validation_split=0.5), "validation_split"),
                (of(first), dict(steps_per_epoch=1, y=y), "leave them out"),
                (of(first), dict(steps_per_epoch=1, validation_data=of(first)), "validation_steps")):
            with self.assertRaisesRegex(ValueError, why):
                snug.fit(two, stream, verbose=0, **options)


class Loader:
    """As a DataLoader of PyTorch: gone through from the start each time, its batches are lists."""

    def __init__(self, x, y):
        self.x, self.y, self.passes = x, y, 0

    def __iter__(self):
        self.passes += 1
        return (list(batch) for batch in batches(self.x, self.y))


class PassesTest(unittest.TestCase):
    """What gives its batches anew each time: passes are counted, nothing needs to repeat."""

    def check(self, make, **options):
        one, two = compiled("mlp"), compiled("mlp")
        x, y = data(one, ROWS, "float32")
        want = snug.fit(one, x, y, BATCH, 3, shuffle=False, verbose=0, validation_data=(x, y))
        got = snug.fit(two, make(x, y), epochs=3, verbose=0, validation_data=make(x, y), **options)
        for key, values in want.history.items():
            self.assertLess(relative(got.history[key], values), 1e-5, key)
        for a, b in zip(one.get_weights(), two.get_weights()):
            self.assertLess(relative(a, b, 1e-3), 1e-5)
        self.assertLess(relative(snug.evaluate(two, make(x, y)), snug.evaluate(one, x, y, BATCH)), 1e-5)

    def test_anything_that_can_be_gone_through(self):
        self.check(Loader)
        loader = Loader(*data(compiled("mlp"), ROWS, "float32"))
        snug.fit(compiled("mlp"), loader, epochs=2, verbose=0)
        self.assertEqual(loader.passes, 1 + 2, "once to count")

    @unittest.skipUnless(BACKEND == "tensorflow", "needs TensorFlow")
    def test_tensorflow(self):
        import tensorflow as tf

        self.check(lambda x, y: tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH))
        self.check(lambda x, y: tf.data.Dataset.from_tensor_slices((x, y)), batch_size=BATCH)
        model = compiled("mlp")
        x, y = data(model, ROWS, "float32")
        endless = tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH, drop_remainder=True).repeat()
        with self.assertRaisesRegex(ValueError, "steps_per_epoch is missing"):
            snug.fit(model, endless, verbose=0)
        self.assertEqual(len(snug.fit(model, endless, epochs=2, steps_per_epoch=3, verbose=0).epoch), 2)

    @unittest.skipUnless(BACKEND == "torch", "needs PyTorch")
    def test_torch(self):
        import torch

        self.check(lambda x, y: torch.utils.data.DataLoader(
            torch.utils.data.TensorDataset(torch.from_numpy(x), torch.from_numpy(y)), BATCH))

    def test_a_model_that_has_no_shape_yet(self):
        keras.utils.clear_session()
        model = keras.Sequential([keras.layers.Dense(4, activation="softmax")])
        model.compile("sgd", "sparse_categorical_crossentropy")
        x = np.ones((16, 5), "float32")
        snug.fit(model, x, np.zeros(16, "int64"), 8, verbose=0)
        self.assertEqual(snug.predict(model, x, 4).shape, (16, 4))


if __name__ == "__main__":
    unittest.main()
