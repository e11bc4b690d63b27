"""Callbacks of Keras in snug.fit: they see the weights, what they change takes effect, what they raise comes out."""
import os
import signal
import tempfile
import threading
import unittest

import numpy as np
from common import compiled, data, numbers, relative
from quiet_keras import BACKEND, keras

import snug

C = keras.callbacks
ROWS, BATCH = 32, 8


def snug_fit(model, *callbacks, epochs=4, **options):
    x, y = data(model, ROWS, "float32")
    return snug.fit(model, x, y, batch_size=BATCH, epochs=epochs, shuffle=False, verbose=0, callbacks=list(callbacks),
                    **options)


def keras_fit(model, *callbacks, epochs=4, **options):
    x, y = data(model, ROWS, "float32")
    model.run_eagerly = BACKEND == "tensorflow"
    return model.fit(x, y, batch_size=BATCH, epochs=epochs, shuffle=False, verbose=0, callbacks=list(callbacks),
                     **options)


def now(model):
    """The model, with all that it has; Keras's own fit on JAX brings it over when it is asked to."""
    if BACKEND == "jax":
        model.jax_state_sync()
    return model


class CallbackTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        keras.config.set_floatx("float32")

    def same(self, got, want, bound=1e-4):
        for key, values in want.history.items():
            self.assertLess(relative(got.history[key], values, 1e-3), bound, key)

    def test_weights_are_those_of_the_moment(self):
        """After each batch and each epoch the model has what training made of it."""
        seen = {"keras": [], "snug": []}
        for which, fit in (("keras", keras_fit), ("snug", snug_fit)):
            note = C.LambdaCallback(
                on_train_batch_end=lambda batch, logs: seen[which].append(now(model).get_weights()[0].copy()),
                on_epoch_end=lambda epoch, logs: seen[which].append(numbers(now(model).optimizer.variables)))
            model = compiled("mlp")
            fit(model, note, epochs=2)
        self.assertEqual(len(seen["keras"]), len(seen["snug"]))
        for got, want in zip(seen["snug"], seen["keras"]):
            pairs = zip(got.values(), want.values()) if isinstance(got, dict) else [(got, want)]
            for a, b in pairs:
                self.assertLess(relative(a, b, 1e-3), 1e-4)

    def test_early_stopping_restores_the_best(self):
        models = []
        for fit in (keras_fit, snug_fit):
            stop = C.EarlyStopping("val_loss", patience=1, restore_best_weights=True)
            model = compiled("mlp", keras.optimizers.SGD(1.0, momentum=0.9))
            models.append((model, fit(model, stop, epochs=8, validation_split=0.25)))
        (theirs, want), (ours, got) = models
        self.assertLess(len(got.epoch), 8)
        self.assertEqual(got.epoch, want.epoch)
        self.same(got, want)
        for a, b in zip(ours.get_weights(), theirs.get_weights()):
            self.assertLess(relative(a, b, 1e-3), 1e-4)

    def test_learning_rates_that_are_set(self):
        for make in (lambda: C.LearningRateScheduler(lambda epoch, rate: rate * 0.5),
                     lambda: C.ReduceLROnPlateau("loss", factor=0.25, patience=0, min_delta=10.0)):
            want, got = keras_fit(compiled("mlp"), make()), snug_fit(compiled("mlp"), make())
            self.assertEqual(got.history["learning_rate"], want.history["learning_rate"])
            self.same(got, want)

    def test_a_metric_is_watched_in_the_direction_that_it_tells(self):
        """Also in the first fit of a model, whose metrics nobody has built."""
        falls = "sparse_categorical_crossentropy"
        with tempfile.TemporaryDirectory() as folder:
            for make in (lambda: C.EarlyStopping("val_accuracy", patience=1, baseline=2.0),
                         lambda: C.ReduceLROnPlateau("accuracy", factor=0.25, patience=0, min_delta=10.0),
                         lambda: C.ModelCheckpoint(os.path.join(folder, "a.keras"), "val_" + falls, save_best_only=True)):
                models = []
                for fit in (keras_fit, snug_fit):
                    model = compiled("mlp")
                    model.compile("sgd", "sparse_categorical_crossentropy", metrics=["accuracy", falls])
                    watch = make()
                    models.append((watch.monitor, fit(model, watch, validation_split=0.25), watch.monitor_op,
                                   [type(m) for m in model._compile_metrics.metrics]))
                (name, want, theirs, kinds), (_, got, ours, built) = models
                self.assertEqual(got.epoch, want.epoch)
                self.assertIs(ours, theirs, name)
                self.assertEqual(built, kinds)

    def test_metrics_of_several_outputs(self):
        model = compiled("two_in_two_out")
        snug_fit(model, epochs=1)
        self.assertEqual([m.name for m in model._compile_metrics.metrics], ["accuracy", "mae"])

    def test_optimizer_at_each_batch(self):
        """A checkpoint between two epochs holds weights and state of one moment."""
        with tempfile.TemporaryDirectory() as folder:
            for name, fit in (("keras", keras_fit), ("snug", snug_fit)):
                fit(compiled("mlp"), C.ModelCheckpoint(os.path.join(folder, name + "{epoch}-{batch}.keras"), save_freq=3), epochs=2)
            names = sorted(name[4:] for name in os.listdir(folder) if name.startswith("snug"))
            self.assertEqual(names, ["1-3.keras", "2-2.keras"])
            for name in names:
                theirs, ours = (keras.saving.load_model(os.path.join(folder, who + name)) for who in ("keras", "snug"))
                self.assertEqual(int(ours.optimizer.iterations), int(theirs.optimizer.iterations))
                for a, b in zip(ours.weights + ours.optimizer.variables, theirs.weights + theirs.optimizer.variables):
                    self.assertLess(relative(keras.ops.convert_to_numpy(a), keras.ops.convert_to_numpy(b), 1e-3), 1e-4)

    def test_every_hook_sees_the_weights_of_its_moment(self):
        seen = {"keras": [], "snug": []}
        for which, fit in (("keras", keras_fit), ("snug", snug_fit)):
            model = compiled("mlp")

            def look(hook):
                seen[which].append((hook, now(model).get_weights()[0].copy(), int(model.optimizer.iterations)))

            hooks = {hook: lambda self, *values, hook=hook, **named: look(hook) for hook in (
                "on_train_batch_begin", "on_test_begin", "on_test_batch_begin", "on_test_batch_end", "on_test_end",
                "on_epoch_begin")}
            fit(model, type("Look", (C.Callback,), hooks)(), epochs=2, validation_split=0.25)
        self.assertEqual([one[::2] for one in seen["snug"]], [one[::2] for one in seen["keras"]])
        for (hook, got, _), (_, want, _) in zip(seen["snug"], seen["keras"]):
            self.assertLess(relative(got, want, 1e-3), 1e-4, hook)

    def test_validation_with_averaged_weights(self):
        for swaps_at_epochs in (False, True):
            found = []
            for fit in (keras_fit, snug_fit):
                model = compiled("mlp", keras.optimizers.SGD(0.5, use_ema=True, ema_momentum=0.75))
                history = fit(model, C.SwapEMAWeights(swap_on_epoch=swaps_at_epochs), epochs=3, validation_split=0.25)
                found.append((history, model))
            (want, theirs), (got, ours) = found
            self.same(got, want)
            for a, b in zip(ours.weights + ours.optimizer.variables, theirs.weights + theirs.optimizer.variables):
                self.assertLess(relative(keras.ops.convert_to_numpy(a), keras.ops.convert_to_numpy(b), 1e-3), 1e-4, a.path)

    def test_what_the_end_restored_stays_when_another_one_fails_there(self):
        best = []

        class Broken(C.Callback):
            def on_train_end(self, logs=None):
                best.append(self.model.get_weights())
                raise ZeroDivisionError("mine")

        model = compiled("mlp", keras.optimizers.SGD(1.0, momentum=0.9))
        stop = C.EarlyStopping("val_loss", patience=1, restore_best_weights=True)
        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            snug_fit(model, stop, Broken(), epochs=8, validation_split=0.25)
        self.assertGreater(stop.stopped_epoch, 0)
        for a, b in zip(model.get_weights(), best[0]):
            np.testing.assert_array_equal(a, b)

    def test_weights_that_are_set(self):
        def halve(model):
            model.set_weights([0.5 * w for w in model.get_weights()])

        histories = []
        for fit in (keras_fit, snug_fit):
            model = compiled("mlp")
            histories.append(fit(model, C.LambdaCallback(on_epoch_end=lambda epoch, logs: halve(model))))
        self.same(histories[1], histories[0])

    def test_checkpoints_are_whole(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "{epoch}.keras")
            model = compiled("mlp")
            history = snug_fit(model, C.ModelCheckpoint(path), epochs=3)
            again = keras.saving.load_model(os.path.join(folder, "2.keras"))
        x, y = data(model, ROWS, "float32")
        more = again.fit(x, y, batch_size=BATCH, epochs=1, shuffle=False, verbose=0)
        self.assertLess(relative(more.history["loss"], history.history["loss"][2:]), 1e-4)

    def test_stop_training_after_a_batch(self):
        seen = []

        class Stop(C.Callback):
            def on_train_batch_end(self, batch, logs=None):
                seen.append(batch)
                self.model.stop_training = batch == 1

        history = snug_fit(compiled("mlp"), Stop(), validation_split=0.25)
        self.assertEqual(seen, [0, 1])
        self.assertEqual(history.epoch, [0])
        self.assertIn("val_loss", history.history)

    def test_what_a_callback_raises_comes_out(self):
        for hook in ("on_train_begin", "on_epoch_begin", "on_train_batch_end", "on_test_batch_end", "on_epoch_end",
                     "on_train_end"):
            def broken(self, *values, **named):
                raise ZeroDivisionError("mine")

            with self.assertRaisesRegex(ZeroDivisionError, "mine", msg=hook):
                snug_fit(compiled("mlp"), type("Broken", (C.Callback,), {hook: broken})(), validation_split=0.25)

    def test_monitor_sees_the_fit(self):
        monitor = snug.keras.MemoryMonitor(target_batches=[1])
        history = snug_fit(compiled("cnn"), monitor, epochs=2)
        self.assertEqual(len(monitor.samples), 6)
        self.assertEqual(len(history.history["peak_memory"]), 2)
        self.assertGreaterEqual(monitor.peak, history.history["peak_memory"][-1])

    def test_scopes_keep_their_peak_over_a_fit(self):
        """The library sets the kernel's mark back when a fit begins."""
        with snug.peak() as scope:
            np.ones(96 << 20, "u1").sum()
            snug_fit(compiled("mlp"), epochs=1)
        self.assertGreaterEqual(scope.peak - scope.start, 90 << 20)


class InterruptTest(unittest.TestCase):
    def test_control_c(self):
        """KeyboardInterrupt, after the batch; the model has the weights so far; Python has its handler back."""
        model = compiled("mlp")
        before = model.get_weights()[0].copy()
        done = []

        class Press(C.Callback):
            def on_train_batch_end(self, batch, logs=None):
                done.append(batch)
                if len(done) == 6:
                    signal.raise_signal(signal.SIGINT)

        with self.assertRaises(KeyboardInterrupt):
            snug_fit(model, Press())
        self.assertEqual(len(done), 6)
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)
        twin = compiled("mlp")
        x, y = data(twin, ROWS, "float32")
        snug.fit(twin, x, y, batch_size=BATCH, epochs=1, shuffle=False, verbose=0)
        snug.fit(twin, x, y, batch_size=BATCH, epochs=1, steps_per_epoch=2, shuffle=False, verbose=0)
        self.assertGreater(np.abs(model.get_weights()[0] - before).max(), 0)
        for a, b in zip(model.get_weights(), twin.get_weights()):
            self.assertLess(relative(a, b, 1e-3), 1e-6)
        self.assertEqual(int(model.optimizer.iterations), 6)

    def test_control_c_from_outside(self):
        """While the library computes, in the midst of many batches."""
        model = compiled("u_net")
        x, y = data(model, 512, "float32")
        began = threading.Event()
        press = threading.Thread(target=lambda: (began.wait(60), os.kill(os.getpid(), signal.SIGINT)))
        press.start()
        begin = C.LambdaCallback(on_epoch_begin=lambda epoch, logs: began.set())
        with self.assertRaises(KeyboardInterrupt):
            snug.fit(model, x, y, batch_size=4, epochs=10000, verbose=0, callbacks=[begin])
        press.join()

    def test_in_another_thread(self):
        errors = []

        def work():
            try:
                snug_fit(compiled("mlp"), epochs=1)
            except BaseException as error:
                errors.append(error)

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        self.assertEqual(errors, [])


if __name__ == "__main__":
    unittest.main()
