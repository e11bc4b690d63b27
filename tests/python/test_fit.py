"""snug.fit on a live model equals model.fit on its twin: losses, weights, the optimizer's state, callbacks' calls.

float64, no shuffling.  Bounds as in tests/keras/live: 1e-6 of a variable's largest element after many steps; slots that are
small beside the others are held to a share of those, as what is left of sums is no more exact than its parts.
"""
import os
import unittest
import warnings

import numpy as np
from common import MODELS, ONE_OF, Calls, L, compiled, data, numbers, relative
from quiet_keras import BACKEND, keras

import snug

BOUND = 1e-6
ROWS, BATCH, EPOCHS = 44, 8, 3  # with a short last batch, in training and validation


def fit_both(name, make=compiled, rows=ROWS, calls=False, **options):
    """Train twins; their models, histories, and the calls of callbacks."""
    theirs, ours = make(name), make(name)
    x, y = data(theirs, rows)
    given = dict(batch_size=BATCH, epochs=EPOCHS, shuffle=False, verbose=0, **options)
    spies = Calls(), Calls()
    theirs.run_eagerly = BACKEND == "tensorflow"  # building a graph takes longer than these few steps
    want = theirs.fit(x, y, callbacks=[spies[0]] if calls else None, **given)
    got = snug.fit(ours, x, y, callbacks=[spies[1]] if calls else None, **given)
    return theirs, ours, want, got, spies


class EqualTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        keras.config.set_floatx("float64")

    def assert_same(self, theirs, ours, want, got, per_output=True):
        self.assertEqual(sorted(want.history), sorted(got.history))
        for key, values in want.history.items():
            self.assertLess(relative(got.history[key], values), BOUND, key)
        self.assertEqual(want.epoch, got.epoch)
        mine, other = numbers(ours.weights), numbers(theirs.weights)
        for (path, value), wanted in zip(mine.items(), other.values()):
            self.assertLess(relative(value, wanted, 1e-3), BOUND, path)
        mine, other = numbers(ours.optimizer.variables), numbers(theirs.optimizer.variables)
        self.assertEqual(len(mine), len(other))
        most = max([np.abs(v).max() for path, v in other.items() if "iteration" not in path], default=0.0)
        for (path, value), wanted in zip(mine.items(), other.values()):
            self.assertLess(relative(value, wanted, 1e-3 * most), BOUND, path)


def equal(name, **options):
    def test(self):
        theirs, ours, want, got, spies = fit_both(name, calls=True, validation_split=0.25, **options)
        self.assertEqual(spies[0].seen, spies[1].seen)
        self.assert_same(theirs, ours, want, got)
        x, _ = data(ours, ROWS)
        for mine, other in zip(_listed(snug.predict(ours, x)), _listed(ours(x, training=False))):
            self.assertLess(relative(mine, keras.ops.convert_to_numpy(other)), BOUND)

    return test


def _listed(values):
    return values if isinstance(values, (list, tuple)) else [values]


for _name in MODELS:
    setattr(EqualTest, f"test_{_name}", equal(_name))


class MoreTest(EqualTest):
    def test_it_goes_on_where_it_stopped(self):
        """A second fit, on either side, continues the optimizer's state."""
        theirs, ours, _, _, _ = fit_both("cnn")
        x, y = data(ours, ROWS)
        want = theirs.fit(x, y, batch_size=BATCH, epochs=5, initial_epoch=3, shuffle=False, verbose=0)
        got = snug.fit(ours, x, y, batch_size=BATCH, epochs=5, initial_epoch=3, shuffle=False, verbose=0)
        self.assert_same(theirs, ours, want, got)

    def test_weights_of_classes_and_samples(self):
        rng = np.random.default_rng(5)
        for options in (dict(class_weight={0: 0.5, 3: 2.0}), dict(sample_weight=rng.uniform(0.5, 2, ROWS))):
            theirs, ours, want, got, _ = fit_both("mlp", **options)
            self.assert_same(theirs, ours, want, got)

    def test_validation_data_and_frequency(self):
        x, y = data(compiled("mlp"), 12)
        theirs, ours, want, got, spies = fit_both("mlp", calls=True, validation_data=(x, y), validation_freq=2,
                                                  validation_batch_size=5)
        self.assertEqual(spies[0].seen, spies[1].seen)
        self.assertEqual(len(got.history["val_loss"]), 1)
        self.assert_same(theirs, ours, want, got)

    def test_steps_per_epoch(self):
        theirs, ours, want, got, spies = fit_both("mlp", calls=True, rows=48, steps_per_epoch=2)
        self.assertEqual(spies[0].seen, spies[1].seen)
        self.assert_same(theirs, ours, want, got)

    def test_data_that_end_before_the_epoch(self):
        """Its epochs are as short as Keras's; both say so, Snug before the first step and at the caller's line."""
        for steps, part in ((1000000, "every epoch from 1 ends after 6"), (4, "epoch 2 ends after 2")):
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                theirs, ours, want, got, spies = fit_both("mlp", calls=True, rows=48, steps_per_epoch=steps)
            self.assertEqual(spies[0].seen, spies[1].seen)
            self.assert_same(theirs, ours, want, got)
            of_keras = [w for w in told if "ran out of data" in str(w.message)]
            of_snug = [w for w in told if part in str(w.message)]
            self.assertTrue(of_keras, [str(w.message) for w in told])
            self.assertEqual(1, len(of_snug), [str(w.message) for w in told])
            self.assertEqual(os.path.basename(__file__), os.path.basename(of_snug[0].filename))

    def test_options_without_an_effect_are_told(self):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            model = compiled("mlp")
            x, y = data(model, ROWS)
            snug.fit(model, x, y, verbose=0, validation_steps=3, class_weight={0: 2.0, 99: 5.0})
        texts = [str(w.message) for w in told]
        self.assertTrue(any("validation_steps is 3, and there are no data to validate with" in t for t in texts), texts)
        self.assertTrue(any("class_weight has a weight for class 99" in t for t in texts), texts)

    def test_other_optimizers(self):
        for optimizer in (lambda: keras.optimizers.SGD(0.0625, momentum=0.875),
                          lambda: keras.optimizers.RMSprop(0.0078125, rho=0.875),
                          lambda: keras.optimizers.SGD(keras.optimizers.schedules.ExponentialDecay(0.25, 4, 0.5)),
                          lambda: keras.optimizers.AdamW(0.015625, weight_decay=0.125, use_ema=True, ema_momentum=0.75,
                                                         beta_1=0.875, beta_2=0.9921875)):
            theirs, ours, want, got, _ = fit_both("mlp", make=lambda name: compiled(name, optimizer()))
            self.assert_same(theirs, ours, want, got)

    def test_evaluate_and_predict(self):
        for name in ("mlp", "two_in_two_out"):
            model = compiled(name)
            x, y = data(model, ROWS)
            model.run_eagerly = BACKEND == "tensorflow"
            want = model.evaluate(x, y, batch_size=BATCH, verbose=0, return_dict=True)
            got = snug.evaluate(model, x, y, batch_size=BATCH, return_dict=True)
            self.assertEqual(sorted(want), sorted(got))
            for key in want:
                self.assertLess(relative([got[key]], [want[key]]), BOUND, key)
            self.assertLess(relative(snug.evaluate(model, x, y, batch_size=BATCH),
                                     model.evaluate(x, y, batch_size=BATCH, verbose=0)), BOUND)

    def test_evaluate_lists_metrics_as_they_were_given(self):
        model = compiled("u_net")
        model.compile("sgd", "mse", metrics=["mse", keras.metrics.MeanAbsoluteError(name="far"), "cosine_similarity"])
        x, y = data(model, ROWS)
        model.run_eagerly = BACKEND == "tensorflow"
        self.assertLess(relative(snug.evaluate(model, x, y), model.evaluate(x, y, verbose=0)), BOUND)

    def test_outputs_by_name(self):
        """Nested models, outputs that are a dict, dropout (off in predict): y by name, predict by name."""
        keras.utils.clear_session()
        a = keras.Input((6,))
        inner = keras.Sequential([keras.Input((6,)), L.Dense(5), L.Dropout(0.5), L.BatchNormalization()], name="inner")
        h = keras.Sequential([L.Dense(5), L.Dense(4)], name="late")(inner(a))
        model = keras.Model(a, {"place": L.Dense(2, name="p")(h), "kind": L.Dense(4, activation="softmax", name="k")(h)})
        model.compile("sgd", {"kind": ONE_OF, "place": "mse"})
        rng = np.random.default_rng(2)
        x, y = rng.normal(size=(20, 6)), {"kind": rng.integers(0, 4, 20), "place": rng.normal(size=(20, 2))}
        seen = []
        spy = keras.callbacks.LambdaCallback(on_train_batch_end=lambda batch, logs: seen.append(model.get_weights()))
        snug.fit(model, x, y, batch_size=10, verbose=0, callbacks=[spy])
        self.assertGreater(max(np.abs(a - b).max() for a, b in zip(*seen)), 0)
        got, want = snug.predict(model, x), model.predict(x, verbose=0)
        self.assertEqual(sorted(got), sorted(want))
        for key in want:
            self.assertLess(relative(got[key], want[key]), BOUND, key)

    def test_inputs_and_labels_by_name(self):
        theirs, ours = compiled("two_in_two_out"), compiled("two_in_two_out")
        x, y = data(ours, ROWS)
        snug.fit(theirs, x, y, batch_size=BATCH, shuffle=False, verbose=0)
        snug.fit(ours, {"second": x[1], "first": x[0]}, {"place": y[1], "kind": y[0]}, batch_size=BATCH, shuffle=False,
                 verbose=0)
        for a, b in zip(theirs.get_weights(), ours.get_weights()):
            np.testing.assert_array_equal(a, b)


class AugmentationTest(unittest.TestCase):
    """Layers of random augmentation, with factors that leave nothing to chance: as in Keras, and in training alone."""

    def twin(self):
        keras.utils.clear_session()
        model = keras.Sequential([keras.Input((12, 8, 3)), L.RandomBrightness((0.25, 0.25), value_range=(0, 1)),
                                  L.RandomTranslation((0.25, 0.25), (0.0, 0.0), fill_mode="nearest"), L.Flatten(),
                                  L.Dense(4, activation="softmax")])
        rng = np.random.default_rng(7)
        model.set_weights([rng.normal(0, 0.3, w.shape) for w in model.get_weights()])
        model.compile("sgd", ONE_OF)
        return model

    def test_arrays_and_streams_are_augmented(self):
        rng = np.random.default_rng(5)
        x, y = rng.integers(0, 65, (ROWS, 12, 8, 3)) / 64.0, rng.integers(0, 4, ROWS)
        given = dict(epochs=EPOCHS, shuffle=False, verbose=0, validation_data=(x[:9], y[:9]))
        theirs = self.twin()
        want = theirs.fit(x, y, batch_size=BATCH, **given).history
        of_arrays, of_stream = self.twin(), self.twin()
        seen = of_arrays.predict(x, verbose=0)
        got = [snug.fit(of_arrays, x, y, batch_size=BATCH, **given).history]
        if BACKEND == "tensorflow":
            import tensorflow as tf
            batches = tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH)
            got.append(snug.fit(of_stream, batches, **given).history)
            self.assertLess(relative(theirs.get_weights()[0], of_stream.get_weights()[0]), BOUND)
        self.assertLess(relative(theirs.get_weights()[0], of_arrays.get_weights()[0]), BOUND)
        for history in got:
            np.testing.assert_allclose(history["loss"], want["loss"], rtol=BOUND)
            np.testing.assert_allclose(history["val_loss"], want["val_loss"], rtol=BOUND)
        np.testing.assert_array_equal(seen, self.twin().predict(x, verbose=0))


class PlanTest(unittest.TestCase):
    """Figures of one plan agree, wherever its line lies: the least, the whole process, and what that is made of."""

    def assert_agrees(self, plan):
        self.assertLessEqual(plan.least, plan.process)
        self.assertEqual(plan.process, plan.memory["process"])
        self.assertEqual(plan.snug + plan.interpreter + plan.room + sum(plan.memory[part] for part in ("tables", "reserve", "idle")),
                         plan.process)
        if plan.line and plan.fits:
            self.assertLessEqual(plan.process, plan.line)
        if plan.line and not plan.fits:
            self.assertGreater(plan.least, plan.line)

    def test_least_and_process_agree(self):
        for name in ("mlp", "cnn"):
            model = compiled(name)
            x, y = data(model, ROWS)
            snug.fit(model, x, y, verbose=0)
            free = snug.plan(model, x, y, memory="64GiB")
            self.assert_agrees(free)
            for more in (-9.0, -5.0, -3.5, -1.0, -0.25, 0.0, 1.0, 6.0):  # MiB; the spread is 0.5 to 8 of them
                self.assert_agrees(snug.plan(model, x, y, memory=free.least + int(more * 2**20)))
            history = snug.fit(model, x, y, memory=free.least, verbose=0)
            self.assertTrue(history.plan.fits)
            self.assert_agrees(history.plan)


for _name in MODELS:  # inherited, and run there
    setattr(MoreTest, f"test_{_name}", None)

if __name__ == "__main__":
    unittest.main()
