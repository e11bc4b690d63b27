"""What the tests of the line share: networks and data, the command under a watch, a table, a report."""
import contextlib
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zipfile

SNUG = os.environ["SNUG"]
WATCH = os.environ["SNUG_WATCH"]
SAVE_NET = os.environ["SNUG_SAVE_NET"]
MIB = 1 << 20
SECONDS = 900  # that one command may take

# name: (image size, batch) of the quick run, and of the whole one.  The quick ones are small but for their
# activations, so that there is something to save.
NETS = {
    "mlp": ((100, 4096), (100, 32)),
    "cnn": ((28, 256), (28, 64)),
    "unet": ((64, 8), (128, 8)),
    "mobilenetv2": ((64, 16), (224, 32)),
    "resnet50": ((64, 8), (224, 32)),
    "vgg16": ((32, 32), (224, 16)),
    "efficientnetb0": ((64, 8), (224, 16)),
    "densenet121": ((64, 8), (224, 16)),
}
CHANNELS = {"mlp": 0, "cnn": 1}
CLASSES = {"mlp": 10, "cnn": 10, "unet": 2}


# ---- data ----

def npy(descr, shape, raw):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %r, }" % (descr, tuple(shape))
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + raw


def count(shape):
    n = 1
    for d in shape:
        n *= d
    return n


def write_npz(path, rows, shape, label_shape, classes, seed=1):
    """Bytes as x, which is a quarter of float32, and labels as y."""
    numbers = random.Random(seed)
    x = numbers.randbytes(rows * count(shape))
    fold = bytes(i % classes for i in range(256)) if classes <= 256 else None
    y = numbers.randbytes(rows * count(label_shape))
    with zipfile.ZipFile(path, "w") as z:
        z.writestr("x.npy", npy("|u1", (rows, *shape), x))
        z.writestr("y.npy", npy("|u1", (rows, *label_shape), y.translate(fold) if fold else y))


class Net:
    """A network's file and data for a few steps: whole batches, a partial last one, and a validation of as much."""

    def __init__(self, folder, name, whole=False, size=None, batch=None):
        own_size, own_batch = NETS[name][1 if whole else 0]
        self.name, self.size, self.batch = name, size or own_size, batch or own_batch
        self.folder = os.path.join(folder, "%s-%d-%d" % (name, self.size, self.batch))
        os.makedirs(self.folder, exist_ok=True)
        self.path("model.keras")
        if not os.path.exists(self.path("model.keras")):
            self.make()

    def path(self, name):
        return os.path.join(self.folder, name)

    def make(self):
        subprocess.run([SAVE_NET, self.name, str(self.size), self.path("model.keras")], check=True)
        channels, classes = CHANNELS.get(self.name, 3), CLASSES.get(self.name, 1000)
        shape = (self.size, self.size, channels) if channels else (self.size,)
        label = (self.size, self.size) if self.name == "unet" else ()
        write_npz(self.path("train.npz"), self.batch + (self.batch + 1) // 2, shape, label, classes, 1)
        write_npz(self.path("test.npz"), self.batch + (self.batch + 2) // 3, shape, label, classes, 2)

    def words(self, *more, epochs=2):
        """Of fit and plan: everything on that a run may hold memory for."""
        return ["model.keras", "--data", "train.npz", "--validation-data", "test.npz", "--batch-size", str(self.batch),
                "--epochs", str(epochs), "--checkpoint", "best.keras", "--csv-log", "log.csv", *more]

    def __str__(self):
        return "%s %d b%d" % (self.name, self.size, self.batch)


# ---- the command ----

class Done:
    """How a command ended: code, signal, peak (bytes, seen from outside), out, err, seconds; data: its JSON, or None."""

    def __init__(self, words, out, err, seconds, told):
        self.words, self.out, self.err, self.seconds = words, out, err, seconds
        self.code, self.signal, self.peak, _ = (int(n) for n in told.split())
        try:
            self.data = json.loads(out)
        except ValueError:
            self.data = None

    def __str__(self):
        how = "signal %d" % self.signal if self.signal else "code %d" % self.code
        return "`snug %s` ended with %s: %s" % (" ".join(self.words), how, (self.err or self.out)[-600:].strip())


def snug(folder, *words, group=None, environment=None, during=None):
    """Run the command there.  during(process): called while it runs."""
    report = os.path.join(folder, "report.%d" % os.getpid())
    env = {**os.environ, "OMP_WAIT_POLICY": "passive", "LC_ALL": "C.UTF-8", **(environment or {})}
    start = time.monotonic()
    with open(os.path.join(folder, "out"), "w+") as out, open(os.path.join(folder, "err"), "w+") as err:
        process = subprocess.Popen([WATCH, report, group or "-", SNUG, *words], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                                   stdout=out, stderr=err, start_new_session=True)
        try:
            if during:
                during(process)
            process.wait(SECONDS)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise
        seconds = time.monotonic() - start
        out.seek(0)
        err.seek(0)
        with open(report) as told:
            done = Done(words, out.read(), err.read(), seconds, told.read())
    os.remove(report)
    return done


def plan(net, *more, ok=(0,)):
    done = snug(net.folder, "plan", *net.words(*more), "--json")
    if done.code not in ok or done.data is None:
        raise Failure(str(done))
    return done.data


def clean(net):
    """Without what a run leaves: the next one does not replace it unasked."""
    for name in ("best.keras", "log.csv", "trained.keras"):
        with contextlib.suppress(FileNotFoundError):
            os.remove(net.path(name))


def fit(net, *more, **how):
    clean(net)
    return snug(net.folder, "fit", *net.words(*more), "--json", **how)


# ---- what a plan says ----

def process_of(data):
    """The highest that the process will reach."""
    return data["memory"]["process"]


def least_of(data):
    return data["least"]


def stated_least(net):
    """The least of a plan on a machine that knows the kernels: timing them takes memory too, once."""
    plan(net)
    return least_of(plan(net))


def chosen_of(data):
    """The point that the line takes."""
    return data["points"][data["chosen"]]


def ways_of(data):
    """The points without what the process holds beside the block, which differs by some pages from run to run."""
    return [{k: v for k, v in p.items() if k != "process"} for p in data["points"]]


# ---- the report ----

class Failure(Exception):
    pass


class Skip(Exception):
    pass


def mib(n):
    return "%.1f" % (n / MIB)


class Report:
    """Counts what was looked at and prints what is wrong."""

    def __init__(self, name):
        self.name, self.checks, self.failures, self.skipped = name, 0, [], []

    def check(self, good, text):
        self.checks += 1
        if not good:
            self.failures.append(text)
            print("FAILED: " + text, flush=True)
        return good

    def skip(self, text):
        self.skipped.append(text)
        print("SKIPPED: " + text, flush=True)

    def finish(self):
        print("%s: %d checks, %d failures%s" % (self.name, self.checks, len(self.failures),
                                                ", %d left out" % len(self.skipped) if self.skipped else ""))
        if self.failures:
            return 1
        return 77 if self.skipped else 0 if self.checks else 1


def table(head, rows):
    widths = [max(len(str(r[i])) for r in [head, *rows]) for i in range(len(head))]
    for row in [head, *rows]:
        print("  ".join(str(c).ljust(w) if i == 0 else str(c).rjust(w) for i, (c, w) in enumerate(zip(row, widths))), flush=True)


@contextlib.contextmanager
def scratch(keep=None):
    """A folder on a disk, for files of some size; its timings are its own."""
    folder = keep or tempfile.mkdtemp(prefix="snug-line-", dir=os.environ.get("SNUG_SCRATCH"))
    os.makedirs(folder, exist_ok=True)
    os.environ["SNUG_CACHE"] = os.path.join(folder, "cache")
    os.makedirs(os.environ["SNUG_CACHE"], exist_ok=True)
    try:
        yield folder
    finally:
        if not keep:
            shutil.rmtree(folder, ignore_errors=True)
