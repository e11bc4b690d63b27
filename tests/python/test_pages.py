"""The blocks of Python on the pages of docs/questions, with a model and data of the reader's."""
import contextlib
import glob
import io
import os
import re
import unittest

import numpy as np
from common import mlp
from quiet_keras import keras

PAGES = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "questions", "*.md")


def blocks_of(path):
    with open(path, encoding="utf-8") as page:
        return re.findall(r"^```python\n(.*?)^```$", page.read(), re.M | re.S)


def reader():
    """What stands before a block: `import snug`, and what it is about."""
    import snug
    import snug.keras  # noqa: F401
    keras.utils.set_random_seed(1)
    model = mlp()
    model.compile("adam", "sparse_categorical_crossentropy")
    numbers = np.random.default_rng(1)
    x = numbers.random((960, 12), dtype=np.float32)
    return {"snug": snug, "model": model, "x": x, "y": numbers.integers(0, 4, 960)}


class PagesTest(unittest.TestCase):
    def test_blocks_run(self):
        n = 0
        for path in sorted(glob.glob(PAGES)):
            for block in blocks_of(path):
                with self.subTest(page=os.path.basename(path)), contextlib.redirect_stdout(io.StringIO()):
                    exec(compile(block, path, "exec"), reader())
                n += 1
        self.assertGreater(n, 3)


if __name__ == "__main__":
    unittest.main()
