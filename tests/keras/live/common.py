"""What the tests against a live Keras share: a quiet Keras, the driver of Snug, files, measures, a report."""
import io
import json
import os
import subprocess
import sys
import tempfile
import warnings
import zipfile

os.environ["KERAS_BACKEND"] = "tensorflow"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
os.environ.setdefault("OMP_WAIT_POLICY", "passive")


def import_quietly():
    """TensorFlow writes to stderr before anyone can tell it not to."""
    sys.stderr.flush()
    kept = os.dup(2)
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 2)
    try:
        import keras
        import tensorflow as tf
        tf.zeros(1) + 1
        tf.get_logger().setLevel("ERROR")
    except BaseException:
        os.dup2(kept, 2)
        raise
    os.dup2(kept, 2)
    os.close(kept)
    os.close(nothing)
    return keras


keras = import_quietly()
# Such as that an optimizer which was not built has fewer variables in its file.
warnings.filterwarnings("ignore")
import h5py
import numpy as np

ITSELF = False  # Keras in the place of Snug
VERSION = tuple(int(n) for n in keras.__version__.split(".")[:2])


# ---- Snug ----

class Refused(Exception):
    """Snug gave a status; the message is its own."""


def listed(arrays):
    return list(arrays) if isinstance(arrays, (list, tuple)) else [] if arrays is None else [arrays]


class Snug:
    """A process of tests/keras/live/driver.c with one model in it."""

    def __init__(self, folder):
        self.folder = folder
        self.process = subprocess.Popen([os.environ["SNUG_DRIVER"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, bufsize=1)

    def ask(self, *words):
        self.process.stdin.write("\t".join(str(w) for w in words) + "\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line.startswith("ok"):
                return lines
            if line.startswith("error "):
                raise Refused(line[6:].strip())
            lines.append(line.rstrip("\n"))
        raise RuntimeError("the driver ended with code %s after: %s" % (self.process.wait(), words))

    def array(self, name, value):
        value = np.ascontiguousarray(value)
        path = os.path.join(self.folder, "array.raw")
        value.tofile(path)
        self.ask("array", name, value.dtype.name, ",".join(map(str, value.shape)), path)

    def data(self, **lists):
        """x=, y=, w=, val_x=, ...: an array or a list of them; what was there before is forgotten."""
        self.ask("clear")
        for name, arrays in lists.items():
            for a in listed(arrays):
                self.array(name, a)

    def load(self, path, *flags):
        self.ask("load", path, *flags)

    def weights(self, path):
        self.ask("weights", path)

    def freeze(self, layer):
        self.ask("freeze", layer)

    def fit(self, **options):
        """The logs of each epoch."""
        words = ["%s=%s" % (k, ",".join(map(str, v)) if isinstance(v, (list, tuple)) else v) for k, v in options.items()]
        return [logs_of(line) for line in self.ask("fit", *words)]

    def evaluate(self, batch_size=32):
        return logs_of(self.ask("evaluate", batch_size)[0])

    def predict(self, like, batch_size=32):
        """Outputs with the dtypes and shapes of `like`."""
        paths = [os.path.join(self.folder, "out%d.raw" % i) for i in range(len(like))]
        for path, a in zip(paths, like):
            self.ask("out", a.dtype.name, ",".join(map(str, a.shape)), path)
        self.ask("predict", batch_size)
        return [np.fromfile(p, a.dtype).reshape(a.shape) for p, a in zip(paths, like)]

    def save(self, path):
        self.ask("save", path)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def snug_process(folder):
    if ITSELF:
        from itself import Itself
        return Itself(folder)
    return Snug(folder)


def logs_of(line):
    return {k: float(v) for k, v in (word.rsplit("=", 1) for word in line.split("\t")[1:])}


# ---- files ----

def tree(path):
    """Every dataset of a .keras or .weights.h5 file by its path."""
    out = {}

    def visit(name, item):
        if isinstance(item, h5py.Dataset):
            value = item[()]
            if item.attrs.get("dtype") == "bfloat16":
                import ml_dtypes
                value = np.asarray(value).view(ml_dtypes.bfloat16)
            out[name] = np.asarray(value)

    if path.endswith(".keras") and not os.path.isdir(path):
        with zipfile.ZipFile(path) as z:
            whole = io.BytesIO(z.read("model.weights.h5"))  # going back in a member reads it from its beginning
        with h5py.File(whole, "r") as h:
            h.visititems(visit)
    else:
        if os.path.isdir(path):
            path = os.path.join(path, "model.weights.h5")
        with h5py.File(path, "r") as h:
            h.visititems(visit)
    return out


def config_of(path):
    with zipfile.ZipFile(path) as z:
        return json.loads(z.read("config.json"))


def predictions(model, x):
    """All outputs as a list; without a graph, which a single call would not pay for."""
    x = listed(x)
    return [np.asarray(v) for v in listed(model(x if len(x) > 1 else x[0], training=False))]


# ---- measures ----

def relative(a, b, floor=0.0):
    """The largest difference, against the largest element of b (or a floor, where b may be 0)."""
    a, b = np.asarray(a, "float64"), np.asarray(b, "float64")
    if a.shape != b.shape:
        return float("inf")
    if not a.size or np.array_equal(a, b, equal_nan=True):
        return 0.0
    if not np.isfinite(a).all() or not np.isfinite(b).all():
        return float("inf")
    return float(np.abs(a - b).max() / max(np.abs(b).max(), floor, 1e-300))


def worst(got, want, floor=0.0, only=""):
    """The largest `relative` over two trees, and where it is; a path that one of them lacks is infinite."""
    most, where = 0.0, ""
    for path in sorted(set(got) | set(want)):
        if only and not path.startswith(only):
            continue
        if path not in got or path not in want:
            return float("inf"), path + " is in one file only"
        e = relative(got[path], want[path], floor)
        if not e <= most:
            most, where = e, path
    return most, where


# ---- report ----

class Report:
    """Cases with what was measured and what is allowed.  Nothing counts as passed that was not measured."""

    def __init__(self, title, wanted=""):
        self.title, self.wanted, self.cases, self.failed = title, wanted, 0, []
        self.seen = {}

    def wants(self, name):
        return self.wanted in name

    def check(self, case, what, value, bound, where=""):
        ok = value <= bound
        count, most, _ = self.seen.get(what, (0, -1.0, ""))
        self.seen[what] = (count + 1, max(most, value), case if value >= most else self.seen[what][2])
        if not ok:
            self.fail(case, "%s: %.3g > %.3g %s" % (what, value, bound, where))
        return ok

    def fail(self, case, why):
        self.failed.append(case)
        print("FAIL %s: %s" % (case, why), flush=True)

    def run(self, name, function, *args, **options):
        """One case.  Whatever it throws is a failure of that case alone."""
        if not self.wants(name):
            return
        self.cases += 1
        try:
            function(self, name, *args, **options)
        except Refused as e:
            self.fail(name, "refused: %s" % e)
        except Exception as e:
            if os.environ.get("SNUG_TRACE"):
                raise
            self.fail(name, "%s: %s" % (type(e).__name__, str(e)[:500]))

    def finish(self):
        for what, (count, most, case) in sorted(self.seen.items()):
            print("%-34s %5d times, worst %.2e in %s" % (what, count, most, case))
        bad = len(set(self.failed))
        print("%s: %d cases, %d failed" % (self.title, self.cases, bad))
        if not self.cases:
            print("%s: no case has run" % self.title)
        return 1 if bad or not self.cases else 0


def scratch():
    return tempfile.TemporaryDirectory(prefix="snug-keras-")
