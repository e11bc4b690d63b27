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
        class Endless:
            def __iter__(self):
                return iter(())

        self.refused(TypeError, "as_numpy_iterator", x=Endless())
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
        self.refused(ValueError, "no input shape", model=unbuilt)
        custom = keras.Sequential([keras.Input((12,)), Doubling(name="twice"), L.Dense(4, activation="softmax")])
        custom.compile("sgd", "sparse_categorical_crossentropy")
        self.refused(NotImplementedError, "Doubling", model=custom)
        self.assertTrue(plain.built)

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
