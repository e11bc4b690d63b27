"""What is wrong is said by the exception that people expect, with names and values; the model is as it was."""
import os
import tempfile
import unittest
from unittest import mock

import numpy as np
from common import L, compiled, data
from quiet_keras import keras

import snug


class Doubling(L.Layer):
    def call(self, x):
        return 2 * x


class BadInputTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        keras.config.set_floatx("float32")

    def refused(self, kind, why, x=None, y=None, model=None, **options):
        model = model or compiled("mlp")
        good_x, good_y = data(compiled("mlp"), 16, "float32")
        before = [w.copy() for w in model.get_weights()] if getattr(model, "built", False) else []
        with self.assertRaisesRegex(kind, why):
            snug.fit(model, good_x if x is None else x, good_y if y is None else y, verbose=0, **options)
        for a, b in zip(before, model.get_weights() if before else []):
            np.testing.assert_array_equal(a, b)

    def test_dtypes(self):
        x, y = data(compiled("mlp"), 16, "float32")
        self.refused(TypeError, "uint16", x=x.astype("uint16"))
        self.refused(TypeError, "complex64", x=x.astype("complex64"))
        self.refused(TypeError, "object", x=x.astype(object))
        self.refused(TypeError, "<U", y=y.astype(str))
        self.refused(TypeError, ">f4", x=x.astype(">f4"))

    def test_order(self):
        wide = np.zeros((16, 24), "float32")
        for bad in (wide[:, ::2], np.asfortranarray(wide[:, :12]), np.zeros((32, 12), "float32")[::2]):
            self.refused(ValueError, "np.ascontiguousarray", x=bad)

    def test_lengths_and_shapes(self):
        x, y = data(compiled("mlp"), 16, "float32")
        self.refused(ValueError, "y 'dense.*' has 15 samples", y=y[:15])
        self.refused(ValueError, "sample_weight has 3 samples", sample_weight=np.ones(3))
        self.refused(ValueError, "13", x=np.zeros((16, 13), "float32"))
        self.refused(ValueError, "2 arrays; the model wants 1", x=[x, x])
        self.refused(ValueError, "wants", x={"wrong": x})
        self.refused(ValueError, "0 axes", x=np.float32(3))
        self.refused(ValueError, "empty", x=x[:0], y=y[:0])
        self.refused(ValueError, "-1|label|class", y=np.full(16, 9))

    def test_missing(self):
        x, _ = data(compiled("mlp"), 16, "float32")
        with self.assertRaisesRegex(ValueError, "x is missing"):
            snug.fit(compiled("mlp"))
        with self.assertRaisesRegex(ValueError, "y is missing"):
            snug.fit(compiled("mlp"), x)

    def test_other_kinds_of_data(self):
        class Empty:
            def __iter__(self):
                return iter(())

        self.refused(ValueError, "y and sample_weight come with", x=Empty())
        with self.assertRaisesRegex(ValueError, "the Empty gives no batch"):
            snug.fit(compiled("mlp"), Empty())
        self.refused(TypeError, "set", x={1, 2})

    def test_numbers(self):
        self.refused(ValueError, "batch_size", batch_size=0)
        self.refused(ValueError, "epochs", epochs=0)
        self.refused(ValueError, "initial_epoch", initial_epoch=-1)
        self.refused(ValueError, "validation_split", validation_split=1.5)
        self.refused(ValueError, "class_weight", class_weight={})
        self.refused(ValueError, "class_weight", class_weight={-1: 2.0})
        self.refused(ValueError, "validation_data", validation_data=np.zeros(3))

    def test_models(self):
        self.refused(TypeError, "keras.Model", model="model.keras")
        plain = compiled("mlp")
        uncompiled = keras.Sequential([keras.Input((12,)), L.Dense(4)])
        self.refused(ValueError, "not compiled", model=uncompiled)
        unbuilt = keras.Sequential([L.Dense(4)])
        unbuilt.compile("sgd", "mse")
        with self.assertRaisesRegex(ValueError, "no input shape"):
            snug.plan(unbuilt)  # without x, whose shape it would get
        custom = keras.Sequential([keras.Input((12,)), Doubling(name="twice"), L.Dense(4, activation="softmax")])
        custom.compile("sgd", "sparse_categorical_crossentropy")
        self.refused(NotImplementedError, "Doubling", model=custom)
        self.assertTrue(plain.built)

    def test_trainable_that_changed_since_compile(self):
        """Keras would go on with the variables of before, and say nothing."""
        for frozen in (True, False):
            model = compiled("mlp")
            first = model.layers[0]
            first.trainable = not frozen
            model.compile("adam", "sparse_categorical_crossentropy")
            x, y = data(model, 16, "float32")
            model.fit(x, y, verbose=0)
            first.trainable = frozen
            said = "is trainable and its" if frozen else "is not trainable any more, and its"
            self.refused(ValueError, said + r" optimizer was made for \d variables, not for these \d: call model.compile", model=model)
            model.compile("adam", "sparse_categorical_crossentropy")
            snug.fit(model, x, y, verbose=0)

    def test_subclassed(self):
        class Mine(keras.Model):
            def __init__(self):
                super().__init__()
                self.layer = L.Dense(4)

            def call(self, x):
                return self.layer(x)

        model = Mine()
        model.compile("sgd", "mse")
        model(np.zeros((1, 12), "float32"))
        self.refused(NotImplementedError, "Mine", model=model)

    def test_own_loss(self):
        model = compiled("mlp")
        model.compile("sgd", lambda y, p: keras.ops.mean(p))
        self.refused(NotImplementedError, "loss|lambda", model=model)

    def test_advice_is_for_python(self):
        """What is refused most often names no option of the command, no struct of C and no file."""
        def sequential(*layers, shape=(12,), optimizer="sgd", loss="mse"):
            model = keras.Sequential([keras.Input(shape), *layers])
            model.compile(optimizer, loss)
            return model

        class Mine(keras.optimizers.SGD):
            pass

        flat = [L.GlobalAveragePooling2D(), L.Dense(4)]
        open_shape = dict(shape=(None, None, 3))
        for model, kind, want in (
                (sequential(Doubling(), L.Dense(4)), NotImplementedError, "Doubling"),
                (sequential(L.Lambda(lambda x: x * 2), L.Dense(4)), NotImplementedError, "Lambda"),
                (sequential(L.Solarization(), *flat, shape=(8, 8, 3)), NotImplementedError, r"keras\.layers\.Identity\(\)"),
                (sequential(L.Dense(4), loss=lambda y, p: keras.ops.mean(p)), NotImplementedError, r"model\.compile\("),
                (sequential(L.Dense(4), optimizer=Mine()), NotImplementedError, r"model\.compile\("),
                (sequential(*flat, **open_shape), ValueError, r"\(x=, an array of 4 axes\), or .* keras\.Input\("),
                (sequential(L.Dense(4)), ValueError, "the model takes"),
        ):
            with self.assertRaisesRegex(kind, want) as caught:
                if "takes" in want:
                    snug.fit(model, np.zeros((16, 9), "float32"), np.zeros((16, 4), "float32"), verbose=0)
                snug.plan(model)
            for word in ("--", "snug_", "the file", "compile_config", "/tmp"):
                self.assertNotIn(word, str(caught.exception))

    def test_own_training_step(self):
        class Mine(keras.Sequential):
            def train_step(self, *values):
                return {}

        model = Mine([keras.Input((12,)), L.Dense(4, activation="softmax")])
        model.compile("sgd", "sparse_categorical_crossentropy")
        self.refused(NotImplementedError, "Mine", model=model)

    def test_nothing_is_left_behind(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(tempfile, "tempdir", folder):  # others use /tmp too
            self.refused(TypeError, "uint16", x=np.zeros((16, 12), "uint16"))
            self.assertEqual(os.listdir(folder), [])
        self.assertEqual(snug.memory.settings.running, 0)


if __name__ == "__main__":
    unittest.main()
