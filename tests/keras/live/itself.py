"""Keras in the place of Snug: whatever the tests say here is wrong with the tests.  run.py --itself uses it."""
from common import keras, listed, predictions


class Itself:
    def __init__(self, folder):
        self.lists = {}

    def data(self, **lists):
        self.lists = {k: listed(v) for k, v in lists.items() if v is not None}

    def one(self, name):
        found = self.lists.get(name)
        return None if not found else found[0] if len(found) == 1 else found

    def load(self, path, *flags):
        self.model = keras.saving.load_model(path, compile="no_compile" not in flags)
        self.model.run_eagerly = True

    def weights(self, path):
        self.model.load_weights(path)

    def freeze(self, layer):
        self.model.get_layer(layer).trainable = False

    def fit(self, class_weight=None, **options):
        validation = (self.one("val_x"), self.one("val_y")) if "val_x" in self.lists else None
        if validation and "val_w" in self.lists:
            validation += (self.one("val_w"),)
        weights = dict(enumerate(class_weight)) if class_weight else None
        history = self.model.fit(self.one("x"), self.one("y"), sample_weight=self.one("w"), validation_data=validation,
                                 class_weight=weights, shuffle=False, verbose=0, **options).history
        return [{k: v[e] for k, v in history.items()} for e in range(len(history["loss"]))]

    def evaluate(self, batch_size=32):
        return self.model.evaluate(self.one("x"), self.one("y"), sample_weight=self.one("w"), batch_size=batch_size,
                                   verbose=0, return_dict=True)

    def predict(self, like, batch_size=32):
        return predictions(self.model, self.one("x"))

    def save(self, path):
        self.model.save_weights(path) if path.endswith(".weights.h5") else self.model.save(path)

    def close(self):
        pass
