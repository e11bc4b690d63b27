"""The line of snug.fit: it holds for the whole process, or is refused before step 1; plans; the largest batch."""
import contextlib
import gc
import os
import resource
import signal
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np
from common import L, peak_of_process, relative
from line_sweep import groups
from quiet_keras import BACKEND, keras

import snug
from snug import _process
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
        history = snug.fit(model, self.x, self.y, batch_size=64, epochs=2, verbose=0, memory=line, callbacks=[look])
        self.assertLessEqual(max(peak_of_process(), history.memory["process_measured"]), line)

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
        snug.fit(model, self.x, self.y, batch_size=64, memory=error.plan.least, verbose=0)

    def test_remedies_are_data_and_text(self):
        """Each was planned, is told in the words of Python, and does what it says."""
        def whole():
            keras.utils.clear_session()
            model = keras.Sequential([keras.Input((32, 32, 3)), L.Conv2D(32, 3, padding="same"),
                                      L.BatchNormalization(),  # which asks for all samples at once
                                      L.Conv2D(32, 3, activation="relu"), L.GlobalAveragePooling2D(),
                                      L.Dense(4, activation="softmax")])
            model.compile("sgd", "sparse_categorical_crossentropy")
            return model

        many, few = (snug.plan(whole(), self.x, self.y, batch_size=n, memory="64GiB").least for n in (64, 2))
        self.assertGreater(many - few, 4 * MIB)
        line = (many + few) // 2
        with self.assertRaises(snug.DoesNotFit) as caught:
            snug.fit(whole(), self.x, self.y, batch_size=64, memory=line, verbose=0)
        error = caught.exception
        by_name = {next(iter(remedy.arguments)): remedy for remedy in error.remedies}
        self.assertLessEqual({"memory", "batch_size"}, set(by_name), error)
        for remedy in error.remedies:
            self.assertIsInstance(remedy, snug.Remedy)
            self.assertEqual(len(remedy.arguments), 1)
            self.assertEqual(remedy.call, "snug.fit(..., %s=%r)" % next(iter(remedy.arguments.items())))
            self.assertIn(str(remedy), str(error))
            if "memory" not in remedy.arguments:
                self.assertLessEqual(remedy.bytes, line)
            arguments = dict(batch_size=64, memory=line, verbose=0)
            snug.fit(whole(), self.x, self.y, **{**arguments, **remedy.arguments})
        self.assertEqual(by_name["memory"].bytes, error.plan.least)
        self.assertLess(by_name["batch_size"].arguments["batch_size"], 64)
        for word in ("--", "snug plan", "snug_"):
            self.assertNotIn(word, str(error))

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
        self.assertEqual(plan.snug + plan.interpreter + plan.memory["tables"] + plan.memory["reserve"] + plan.room,
                         plan.process)
        self.assertEqual([layer.name for layer in plan.layers if layer.weights][-1], "dense")
        self.assertIn("16", str(plan))
        self.assertIn("<td style=\"text-align:left\">activations</td>", plan._repr_html_())
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


def wide():
    """Most of its memory are weights and what Adam keeps of them: 2.1 million numbers, three times."""
    keras.utils.clear_session()
    model = keras.Sequential([keras.Input((1000,)), L.Dense(2000, activation="tanh"), L.Dropout(0.1, seed=3),
                              L.Dense(4, activation="softmax")])
    model.compile("adam", "sparse_categorical_crossentropy")
    return model


class Hoarder(keras.callbacks.Callback):
    """Keeps so much more after each epoch."""

    def __init__(self, size):
        super().__init__()
        self.size, self.kept = size, []

    def on_epoch_end(self, epoch, logs=None):
        self.kept.append(np.ones(self.size, "u1"))


class Holder(keras.callbacks.Callback):
    """Keeps what the variables held after each epoch, as the back end has it."""

    def __init__(self):
        super().__init__()
        self.kept = []

    def on_epoch_end(self, epoch, logs=None):
        self.kept.append([v.value.value() if BACKEND == "tensorflow" else v.value for v in self.model.trainable_variables])


class BackInTheModelTest(unittest.TestCase):
    """What goes back into the live model, and what callbacks take on the way, stays under the line."""

    @classmethod
    def setUpClass(cls):
        keras.config.set_floatx("float32")
        rng = np.random.default_rng(5)
        cls.x, cls.y = rng.normal(size=(64, 1000)).astype("float32"), rng.integers(0, 4, 64)
        snug.fit(wide(), cls.x, cls.y, verbose=0)

    def fit(self, model, **options):
        return snug.fit(model, self.x, self.y, verbose=0, **options)

    def test_weights_and_slots_of_the_optimizer(self):
        model = wide()
        line = snug.plan(model, self.x, self.y, memory="64GiB").least
        history = self.fit(model, epochs=2, memory=line)
        self.assertLessEqual(peak_of_process(), line)
        self.assertLessEqual(history.memory["process_measured"], history.memory["process"])
        self.assertEqual(history.memory["planned"], history.memory["measured"])
        self.assertGreater(history.memory["staging"], 7 * MIB, "one kernel")
        self.assertEqual(int(model.optimizer.iterations), 4)
        self.assertGreater(float(keras.ops.max(keras.ops.abs(model.optimizer.variables[2]))), 0)

    def test_random_layers_go_on(self):
        """Their generators have drawn once a step, as in Keras's own fit."""
        states = []
        for train in (self.fit, lambda model: model.fit(self.x, self.y, verbose=0)):
            model = wide()
            train(model)
            states.append(keras.ops.convert_to_numpy(model.layers[1].seed_generator.state).tolist())
        self.assertEqual(states[0], states[1])

    def test_keras_callbacks_are_planned(self):
        with tempfile.TemporaryDirectory() as folder:
            def callbacks():
                return [keras.callbacks.EarlyStopping("loss", patience=1, restore_best_weights=True),
                        keras.callbacks.ModelCheckpoint(os.path.join(folder, "all.keras"))]

            line = snug.plan(wide(), self.x, self.y, memory="64GiB", callbacks=callbacks(), epochs=4).least
            with warnings.catch_warnings():
                warnings.simplefilter("error", RuntimeWarning)
                history = self.fit(wide(), epochs=4, memory=line, callbacks=callbacks())
        self.assertLessEqual(history.memory["process_measured"], line)
        self.assertEqual(history.memory["planned"], history.memory["measured"])
        self.assertGreater(history.memory["keras_callbacks"], 3 * 7 * MIB)
        self.assertEqual(history.memory["callback_memory"], 0)

    def test_own_ones_are_reserved_and_named(self):
        with self.assertWarnsRegex(RuntimeWarning, r"Hoarder.on_epoch_end took 4\d\.\d MiB \(\d+ bytes\), and 2.0 MiB"):
            history = self.fit(wide(), callbacks=[Hoarder(40 * MIB)], callback_memory="2MiB")
        self.assertEqual(history.memory["callback_memory"], 2 * MIB)
        self.assertGreater(history.memory["process_measured"], history.memory["process"])
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            history = self.fit(wide(), callbacks=[Hoarder(40 * MIB)], callback_memory="44MiB")
        self.assertLessEqual(history.memory["process_measured"], history.memory["process"])

    def test_a_line_that_would_be_passed_ends_it_with_all_saved(self):
        model, hoarder = wide(), Hoarder(6 * MIB)
        before = model.get_weights()[0].copy()
        line = snug.plan(model, self.x, self.y, memory="64GiB", callbacks=[hoarder], callback_memory="20MiB").least + MIB
        with warnings.catch_warnings(), self.assertRaisesRegex(snug.LineReached, "Hoarder.on_epoch_end") as caught:
            warnings.simplefilter("ignore", RuntimeWarning)
            self.fit(model, epochs=100, memory=line, callbacks=[hoarder], callback_memory="20MiB")
        self.assertLessEqual(peak_of_process(), line)
        self.assertIsInstance(caught.exception, MemoryError)
        self.assertIs(caught.exception.callback, hoarder)
        self.assertGreater(len(hoarder.kept), 1)
        self.assertEqual(int(model.optimizer.iterations), 2 * len(hoarder.kept))
        self.assertGreater(np.abs(model.get_weights()[0] - before).max(), 0)

    def test_one_within_its_reserve_is_not_stopped(self):
        """Nor in the last epoch, after which nothing comes; nor one that lets go before it takes again."""
        class Refills(Hoarder):
            def on_epoch_begin(self, epoch, logs=None):
                self.kept.clear()

        for callback, epochs in ((Hoarder(6 * MIB), 3), (Refills(18 * MIB), 5)):
            model = wide()
            options = dict(callbacks=[callback], callback_memory="20MiB", epochs=epochs)
            line = snug.plan(model, self.x, self.y, memory="64GiB", **options).least
            with warnings.catch_warnings():
                warnings.simplefilter("error", RuntimeWarning)
                history = self.fit(model, memory=line, **options)
            self.assertLessEqual(max(peak_of_process(), history.memory["process_measured"]), line)
            self.assertEqual(history.epoch, list(range(epochs)))
            callback.kept.clear()

    def test_what_waits_for_pythons_collector_stops_nobody(self):
        """Objects in a ring that grew old in the call, as Keras's saves leave some, are let go only when very many wait."""
        class Rings(keras.callbacks.Callback):
            def on_epoch_end(self, epoch, logs=None):
                ring = [np.ones(6 * MIB, "u1")]
                ring.append(ring)
                gc.collect(1)

        model = wide()
        options = dict(callbacks=[Rings()], callback_memory="20MiB", epochs=12)
        line = snug.plan(model, self.x, self.y, memory="64GiB", **options).least
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            history = self.fit(model, memory=line, **options)
        self.assertLessEqual(max(peak_of_process(), history.memory["process_measured"]), line)
        self.assertEqual(history.epoch, list(range(12)))

    def test_at_the_line_the_others_are_told_of_the_epoch_and_the_end(self):
        """By epochs and by batches; what was trained is in the model, in their files and in the backup."""
        class ByBatch(Hoarder):
            def on_train_batch_end(self, batch, logs=None):
                super().on_epoch_end(batch, logs)

            def on_epoch_end(self, epoch, logs=None):
                pass

        for hoarder, by_epoch in ((Hoarder(6 * MIB), True), (ByBatch(3 * MIB), False)):
            with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
                warnings.simplefilter("ignore", RuntimeWarning)
                model, ended, path = wide(), [], os.path.join(folder, "{epoch}.keras")
                backup = keras.callbacks.BackupAndRestore(os.path.join(folder, "backup"))
                options = dict(epochs=60, batch_size=16, callback_memory="20MiB", callbacks=[
                    hoarder, keras.callbacks.ModelCheckpoint(path), keras.callbacks.CSVLogger(os.path.join(folder, "log.csv")),
                    keras.callbacks.LambdaCallback(on_train_end=lambda logs: ended.append(sorted(logs))), backup])
                line = snug.plan(model, self.x, self.y, memory="64GiB", **options).least
                with self.assertRaisesRegex(snug.LineReached, r"Hoarder.on_epoch_end|ByBatch.on_train_batch_end") as caught:
                    self.fit(model, memory=line, **options)
                self.assertLessEqual(peak_of_process(), line)
                self.assertEqual(caught.exception.left_out, [])
                steps = int(model.optimizer.iterations)
                self.assertEqual(steps, len(hoarder.kept) * (4 if by_epoch else 1))
                epochs = -(-steps // 4)
                self.assertEqual(model.history.epoch, list(range(epochs)))
                self.assertEqual(ended, [["loss"]])
                with open(os.path.join(folder, "log.csv")) as log:
                    self.assertEqual(len(log.readlines()), 1 + epochs)
                saved = keras.saving.load_model(path.format(epoch=epochs))
                for a, b in zip(saved.trainable_variables, model.trainable_variables):
                    np.testing.assert_array_equal(keras.ops.convert_to_numpy(a), keras.ops.convert_to_numpy(b))
                hoarder.kept.clear()
                rest = wide()
                history = self.fit(rest, epochs=epochs + 1, batch_size=16, callbacks=[backup])
                self.assertEqual(history.epoch[-1], epochs)
                self.assertEqual(int(rest.optimizer.iterations), 4 * (epochs + 1))

    @unittest.skipIf(BACKEND == "torch", "PyTorch's variables are written where they lie: who holds them has the new values")
    def test_values_of_before_that_are_held_are_theirs_who_hold_them(self):
        """What TensorFlow's pool has left of other trainings is used up first."""
        with self.assertWarnsRegex(RuntimeWarning, r"Holder.on_epoch_end took [\d.]+ MiB \(\d+ bytes\), and 2.0 MiB"):
            self.fit(wide(), epochs=20, callbacks=[Holder()], callback_memory="2MiB")
        model, holder = wide(), Holder()
        options = dict(epochs=60, callbacks=[holder], callback_memory="20MiB")
        line = snug.plan(model, self.x, self.y, memory="64GiB", **options).least
        with warnings.catch_warnings(), self.assertRaisesRegex(snug.LineReached, "Holder") as caught:
            warnings.simplefilter("ignore", RuntimeWarning)
            self.fit(model, memory=line, **options)
        self.assertLessEqual(peak_of_process(), line)
        self.assertIs(caught.exception.callback, holder)
        self.assertGreater(len(holder.kept), 1)
        self.assertEqual(int(model.optimizer.iterations), 2 * model.history.epoch[-1] + 2)

    def test_checkpoints_are_planned_by_what_they_save(self):
        def planned(epochs, **options):
            callbacks = [keras.callbacks.ModelCheckpoint("never.keras", **options)]
            return snug.plan(wide(), self.x, self.y, batch_size=16, callbacks=callbacks, epochs=epochs).room

        each = 72 << 10 if BACKEND == "tensorflow" else 0
        self.assertEqual(planned(2000) - planned(1000), 1000 * each)
        self.assertEqual(planned(1000, save_freq=2) - planned(1000), 1000 * each, "two of them in an epoch")
        self.assertLess(planned(2, save_freq=9), planned(2) - 8 * MIB, "it has eight batches: nothing is saved")

    def test_functions_of_the_users_in_callbacks_of_keras_are_measured(self):
        kept = []

        def schedule(epoch, rate):
            kept.append(np.ones(40 * MIB, "u1"))
            return rate

        with self.assertWarnsRegex(RuntimeWarning, r"LearningRateScheduler.on_epoch_begin took 4\d\.\d MiB"):
            self.fit(wide(), callbacks=[keras.callbacks.LearningRateScheduler(schedule)], callback_memory="2MiB")

    def test_nothing_grows_from_epoch_to_epoch(self):
        """Nor do Keras's own fits grow less: tests/python/growth.py has them side by side."""
        model, seen = convolutions(), []

        def note(epoch, logs):
            model.get_weights()
            seen.append(_process.figures().anonymous)

        x, y = images(8)
        snug.fit(model, x, y, epochs=400, verbose=0, callbacks=[keras.callbacks.LambdaCallback(on_epoch_end=note)])
        self.assertLess(seen[-1] - seen[100], 300 * 1024, "a KiB an epoch; through files it was 70")


@contextlib.contextmanager
def room(size):
    """Let this process hold about so many bytes, as the system tells it."""
    with open("/proc/self/status") as status:
        told = {name: int(value.split()[0]) * 1024 for name, value in (line.split(":", 1) for line in status)
                if name in ("VmData", "VmStk", "VmRSS")}
    before = resource.getrlimit(resource.RLIMIT_DATA)
    # What is mapped and not resident is lost for a limit of addresses.
    resource.setrlimit(resource.RLIMIT_DATA, (size + max(told["VmData"] - told["VmRSS"], 0), before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)


class RoomTest(unittest.TestCase):
    """Without a line the machine's own limit decides, as it does for the command."""

    @classmethod
    def setUpClass(cls):
        keras.config.set_floatx("float32")
        cls.x, cls.y = images(512)
        snug.fit(convolutions(), cls.x, cls.y, batch_size=512, verbose=0)
        cls.free = snug.plan(convolutions(), cls.x, cls.y, batch_size=512, memory="none")

    def test_plan_says_against_which_limit_it_judges(self):
        self.assertIsNone(self.free.available)
        plan = snug.plan(convolutions(), self.x, self.y, batch_size=512)
        self.assertTrue(plan.fits)
        self.assertIsNone(plan.line)
        self.assertGreater(plan.available, plan.process)
        self.assertIn(plan.available_from, str(plan))
        with room(self.free.process - 32 * MIB):
            plan = snug.plan(convolutions(), self.x, self.y, batch_size=512)
        self.assertFalse(plan.fits)
        self.assertIsNone(plan.line)
        self.assertLess(plan.least, plan.available)
        self.assertIn("RLIMIT_DATA", plan.verdict)
        self.assertIn('memory="none"', plan.verdict)

    def test_more_than_there_is_is_refused_before_step_1(self):
        model = convolutions()
        before = [w.copy() for w in model.get_weights()]
        with room(self.free.process - 32 * MIB):
            with self.assertRaises(snug.DoesNotFit) as caught:
                snug.fit(model, self.x, self.y, batch_size=512, verbose=0)
            for a, b in zip(before, model.get_weights()):
                np.testing.assert_array_equal(a, b)
            error = caught.exception
            self.assertEqual(error.remedies[0].arguments, {"memory": "auto"}, error)
            for remedy in error.remedies:
                self.assertEqual(remedy.arguments["memory"], "auto")
                self.assertIn(str(remedy), str(error))
                history = snug.fit(convolutions(), self.x, self.y, **{"batch_size": 512, "verbose": 0, **remedy.arguments})
                self.assertTrue(history.plan.fits)
            try:
                snug.fit(model, self.x, self.y, batch_size=512, verbose=0, memory="none")
            except MemoryError as error:  # by the system, which counts what is mapped
                self.assertNotIsInstance(error, snug.DoesNotFit)

    def test_a_callback_is_stopped_at_it(self):
        """Without a line, too; and with "none" nobody is."""
        x, y = self.x[:64], self.y[:64]
        hoarder = Hoarder(24 * MIB)
        free = snug.plan(convolutions(), x, y, memory="none").process
        with room(free + 150 * MIB), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            with self.assertRaisesRegex(snug.LineReached, "Hoarder.on_epoch_end") as caught:
                snug.fit(convolutions(), x, y, epochs=60, verbose=0, callbacks=[hoarder])
            self.assertIn("what it may hold", str(caught.exception))
        hoarder.kept.clear()
        with warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            snug.fit(convolutions(), x, y, epochs=2, verbose=0, memory="none", callbacks=[hoarder])

    def test_what_is_close_is_told(self):
        with room(int(self.free.process * 1.05)), self.assertWarnsRegex(
                RuntimeWarning, r"that is 9\d % of what this process may hold, .* \(RLIMIT_DATA"):
            snug.fit(convolutions(), self.x, self.y, batch_size=512, verbose=0)
        with room(int(self.free.process * 1.05)), warnings.catch_warnings():
            warnings.simplefilter("error", RuntimeWarning)
            snug.fit(convolutions(), self.x, self.y, batch_size=512, verbose=0, memory="auto")
            with self.assertRaisesRegex(RuntimeWarning, "of what this process may hold"):
                snug.fit(convolutions(), self.x, self.y, batch_size=512, verbose=0)

    def test_a_line_above_what_there_is_is_told(self):
        with room(2 * self.free.process), self.assertWarnsRegex(
                RuntimeWarning, r"the line of 256 GiB is above what this process may hold"):
            snug.fit(convolutions(), self.x, self.y, batch_size=512, verbose=0, memory="256GiB")

    def test_evaluate_and_predict(self):
        model, x = convolutions(), np.zeros((2048, 32, 32, 3), "float32")
        y = np.zeros(2048, "int64")
        with room(_process.figures().resident + 48 * MIB):
            for call in (lambda **o: snug.evaluate(model, x, y, batch_size=2048, **o),
                         lambda **o: snug.predict(model, x, batch_size=2048, **o)):
                with self.assertRaisesRegex(snug.DoesNotFit, "a smaller batch needs less") as caught:
                    call()
                self.assertIsNone(caught.exception.plan)
            self.assertEqual(snug.predict(model, x[:8], batch_size=8).shape, (8, 4))
        with self.assertRaisesRegex(snug.DoesNotFit, "a smaller batch needs less"):
            snug.predict(model, x, batch_size=2048, memory=_process.figures().resident + 48 * MIB)
        self.assertEqual(snug.predict(model, x, batch_size=2048, memory="none").shape, (2048, 4))


_IN_A_GROUP = """
import sys
import numpy as np
from quiet_keras import keras
import snug
L = keras.layers
model = keras.Sequential([keras.Input((32, 32, 3)), *[L.Conv2D(32, 3, padding="same", activation="relu") for _ in range(8)],
                          L.GlobalAveragePooling2D(), L.Dense(4, activation="softmax")])
model.compile("sgd", "sparse_categorical_crossentropy")
x, y = np.zeros((512, 32, 32, 3), "float32"), np.zeros(512, "int64")
memory = sys.argv[1] if len(sys.argv) > 1 else None
try:
    history = snug.fit(model, x, y, batch_size=512, verbose=0, memory=memory)
    print("TRAINED", history.plan.process)
except snug.DoesNotFit as error:
    print("REFUSED", error.plan.available_from, [remedy.call for remedy in error.remedies])
"""


class GroupTest(unittest.TestCase):
    """In a memory cgroup nobody is killed without a word."""

    def setUp(self):
        reason = groups.cgroup_reason()
        if reason:
            self.skipTest(reason)

    def run_in(self, group, *arguments):
        return subprocess.run(["sh", "-c", f"echo $$ >{group.path}/cgroup.procs; exec \"$@\"", "sh", sys.executable, "-B", "-W",
                               "ignore", "-c", _IN_A_GROUP, *arguments], capture_output=True, text=True,
                              cwd=os.path.dirname(os.path.abspath(__file__)))

    @unittest.skipIf(BACKEND == "torch", "most of PyTorch are pages of files, which such a group is not charged with")
    def test_refused_and_not_killed(self):
        with groups.cgroup(720 * MIB) as group:
            done = self.run_in(group)
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])
            self.assertRegex(done.stdout, r"REFUSED cgroup .*memory='auto'")
            done = self.run_in(group, "auto")
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])
            self.assertIn("TRAINED", done.stdout)
            self.assertEqual(group.kills(), 0)
            self.assertEqual(self.run_in(group, "none").returncode, -signal.SIGKILL, "who insists")


    def test_no_room_for_the_state_of_the_optimizer(self):
        """It is the first to take memory, before there is a plan."""
        script = """
import sys
import numpy as np
from line_sweep import groups
from quiet_keras import keras
import snug
from snug import _process
L = keras.layers
model = keras.Sequential([keras.Input((4000,)), L.Dense(8000), L.Dense(4, activation="softmax")])  # 122 MiB
x, y = np.zeros((64, 4000), "float32"), np.zeros(64, "int64")
model.compile("sgd", "sparse_categorical_crossentropy")
snug.plan(model, x, y)
model.compile("adam", "sparse_categorical_crossentropy")
groups.at(sys.argv[1]).limit(_process.figures().resident + (200 << 20))
for call in (snug.plan, snug.fit):
    try:
        call(model, x, y)
        print("DONE")
    except snug.DoesNotFit as error:
        print("REFUSED", error)
"""
        with groups.cgroup(1 << 40) as group:
            done = subprocess.run(["sh", "-c", f"echo $$ >{group.path}/cgroup.procs; exec \"$@\"", "sh", sys.executable, "-B", "-W",
                                   "ignore", "-c", script, group.path], capture_output=True, text=True,
                                  cwd=os.path.dirname(os.path.abspath(__file__)))
            self.assertEqual(done.returncode, 0, done.stderr[-2000:])
            self.assertEqual(done.stdout.count("REFUSED making the state of the optimizer 'adam' takes "), 2, done.stdout)


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
