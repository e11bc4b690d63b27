"""Every call that writes a file of a fit fails once: the trained weights are on disk in a file that the message names,
or the fit had not begun and the user's files are as they were.

    faults.py [--all]       SNUG, MAKE_DATA and FILE_FAULTS (the library to preload) are in the environment

Without --all, a part of the calls fails, of each kind of failure another one; with it, every call in every way.
"""
import collections
import errno
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

SNUG = os.environ["SNUG"]
LIBRARY = os.environ["FILE_FAULTS"]
STRIDE = 61
# A call that fails alone, and one from which on all fail.
KINDS = [(errno.ENOSPC, True), (errno.ENOSPC, False), (errno.EIO, False), (errno.EROFS, True), (errno.EIO, True),
         (errno.EROFS, False)]
OLD = {"a.keras": None, "l.csv": b"old log\n", "c.keras": b"old checkpoint\n"}


def weights_of(path):
    with zipfile.ZipFile(path) as archive:
        return archive.read("model.weights.h5")


class Sweep:
    """One command, run again and again in a fresh folder."""

    least_calls = 500

    def __init__(self, root, options, faulty="run"):
        self.root = root
        self.options = options
        self.folder = os.path.join(root, "run")
        self.faulty = os.path.join(root, faulty)
        self.elsewhere = os.path.join(root, "elsewhere")
        self.report = os.path.join(root, "report")
        self.outcomes = collections.Counter()
        self.calls = collections.Counter()
        self.fresh()
        code, text, self.n_calls, _ = self.run(0, errno.ENOSPC, False)
        assert code == 0, text
        assert self.n_calls > self.least_calls, "only %d calls are seen" % self.n_calls
        self.expected = weights_of(os.path.join(self.folder, "a.keras")) if "-o" in options else \
            weights_of(os.path.join(self.folder, "c.keras"))

    def fresh(self):
        for folder in {self.folder, self.elsewhere, self.faulty}:
            shutil.rmtree(folder, ignore_errors=True)
            os.mkdir(folder)
        shutil.copy(os.path.join(self.root, "m.keras"), os.path.join(self.folder, "a.keras"))
        for name, content in OLD.items():
            if content:
                with open(os.path.join(self.folder, name), "wb") as out:
                    out.write(content)

    def run(self, at, code, later):
        environment = dict(os.environ, LD_PRELOAD=LIBRARY, FILE_FAULTS_FOLDER=self.faulty, FILE_FAULTS_AT=str(at),
                           FILE_FAULTS_ERROR=str(int(code)), FILE_FAULTS_REPORT=self.report, TMPDIR=self.elsewhere,
                           OMP_WAIT_POLICY="passive", LC_ALL="C.UTF-8", COLUMNS="400",
                           ASAN_OPTIONS="verify_asan_link_order=0")
        environment.pop("FILE_FAULTS_LATER", None)
        if later:
            environment["FILE_FAULTS_LATER"] = "1"
        done = subprocess.run([SNUG, "fit", *self.given(), "--epochs", "2", "--seed", "1", "--threads", "1", "--verbose", "2",
                               "--force", *self.options],
                              cwd=self.root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=900)  # also on a machine that others keep busy
        with open(self.report) as report:
            n, failed = report.read().split()
        return done.returncode, done.stdout.decode(), int(n), failed

    def given(self):
        return ["m.keras", "--data", "train.csv", "--batch-size", "32"]

    # ---- what must hold ----

    def named(self, text):
        """The files that a message names and that hold what was trained."""
        found = []
        for path in set(re.findall(r"[\w./-]+\.keras", text)):
            try:
                if weights_of(os.path.join(self.root, path)) == self.expected:
                    found.append(path)
            except (OSError, KeyError, zipfile.BadZipFile):
                pass
        return found

    def is_untouched(self):
        for name, content in OLD.items():
            with open(os.path.join(self.folder, name), "rb") as file:
                old = file.read()
            if content is None:
                with open(os.path.join(self.root, "m.keras"), "rb") as file:
                    content = file.read()
            if old != content:
                return name
        return None

    def judge(self, code, text):
        """The outcome, or what is wrong."""
        if code == 0:
            good = self.named("run/a.keras run/c.keras")
            return ("all written", None) if good else ("", "exit code 0 and no weights")
        if code != 1:
            return "", "exit code %d" % code
        if "snug: " not in text and "failed" not in text:
            return "", "nothing is said"
        if "Epoch 1/" not in text:
            touched = self.is_untouched()
            return "refused before step 1", touched and "%s was touched by a fit that had not begun" % touched
        named = self.named(text)
        if not named:
            return "", "the trained weights are in no file that the message names"
        if "run/a.keras" in named:
            return "trained, -o written, another file failed", None
        return "trained, the model is in another file", None

    def left_over(self, failed):
        if failed in ("unlink", "-"):
            return None
        names = [n for n in os.listdir(self.folder) if n.startswith(".snug-")]
        return names and "left behind: %s" % names

    def once(self, at, code, later):
        self.fresh()
        exit_code, text, _, failed = self.run(at, code, later)
        outcome, wrong = self.judge(exit_code, text)
        if not wrong and not later:
            wrong = self.left_over(failed)
        if wrong:
            print("call %d (%s) fails with %s%s: %s\n%s" % (at, failed, errno.errorcode[code],
                                                             " from then on" if later else "", wrong, text))
        self.outcomes[outcome or "WRONG"] += 1
        self.calls[failed] += 1
        return not wrong

    def all(self, stride):
        good = True
        for i, (code, later) in enumerate(KINDS):
            for at in range(1 + 10 * i % stride, self.n_calls + 1, stride):
                good = self.once(at, code, later) and good
        return good


class SlotsSweep(Sweep):
    """The optimizer's slots are in a file, on a disk that fails: the weights are saved without them."""

    least_calls = 200

    def __init__(self, root):
        self.data = os.path.join(root, "v.npz")
        self.model = os.path.join(root, "v.keras")
        subprocess.run([SNUG, "init", "vgg", "--input-shape", "8,8,3", "--classes", "3", "-o", self.model], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run([os.environ["MAKE_DATA"], self.data, "x=real:24,8,8,3", "y=label3:24"], check=True)
        least, without = (self.least_line(root, *words) for words in (("--allow", "disk"), ()))
        super().__init__(root, ["--memory", str((least + without) // 2), "--allow", "disk", "--disk-folder", "disk", "-o",
                                "run/a.keras"], "disk")
        self.whole = self.predicted("run/a.keras")

    def given(self):
        return [self.model, "--data", self.data, "--batch-size", "8", "--micro-batch", "8"]

    def least_line(self, root, *words):
        done = subprocess.run([SNUG, "plan", *self.given(), "--threads", "1", "--json", *words], cwd=root, check=True,
                              stdout=subprocess.PIPE)
        return json.loads(done.stdout)["least"]

    def predicted(self, path):
        out = os.path.join(self.root, "found.npy")
        subprocess.run([SNUG, "predict", path, "--data", self.data, "-q", "-f", "-o", out], cwd=self.root, check=True)
        with open(out, "rb") as file:
            return file.read()

    def judge(self, code, text):
        if code == 0:
            return super().judge(code, text)
        if code != 1 or "Input/output error" not in text:
            return "", "exit code %d" % code
        if "Epoch 1/" not in text:
            return super().judge(code, text)
        said = re.search(r"failed: Input/output error; the model is in (\S+) without the optimizer's state", text)
        if not said:
            return "", "the trained weights are in no file that the message names"
        found = self.predicted(said.group(1))
        if found == self.predicted(self.model):
            return "", "%s holds the weights of before" % said.group(1)
        return "whole weights" if found == self.whole else "weights so far", None

    def all(self, stride):
        """From the second step on, and while it saves: the last calls of all."""
        first = self.n_calls // 3
        good = all([self.once(at, errno.EIO, later) for later in (False, True)
                    for at in range(first + later, self.n_calls + 1, max(1, stride // 2))])
        good = self.once(1, errno.EIO, True) and self.once(self.n_calls - 2, errno.EIO, False) and good
        return good and self.outcomes["whole weights"] > 0 and self.outcomes["weights so far"] > 0


def write_table(path):
    with open(path, "w") as out:
        out.write("a,b,c,d,label\n")
        for i in range(96):
            out.write(",".join("%.3f" % ((i * k * 7919 % 1000) / 1000) for k in (1, 2, 3, 5)) + ",%d\n" % (i % 3))


ALL = ["--csv-log", "run/l.csv", "--memory-log", "run/m.csv", "--record", "run/r.snug", "--checkpoint", "run/c.keras",
       "--backup", "run/b"]


def main():
    stride = 1 if "--all" in sys.argv else STRIDE
    good = True
    with tempfile.TemporaryDirectory() as root:
        root = os.path.realpath(root)
        subprocess.run([SNUG, "init", "mlp", "--input-shape", "4", "--classes", "3", "-o", root + "/m.keras"],
                       check=True, stdout=subprocess.DEVNULL)
        write_table(root + "/train.csv")
        for name, make in (("every output", lambda: Sweep(root, ["-o", "run/a.keras"] + ALL)),
                           ("no -o", lambda: Sweep(root, ALL)), ("slots on disk", lambda: SlotsSweep(root))):
            sweep = make()
            good = sweep.all(stride) and good
            print("%s: %d calls, %d faults: %s" % (name, sweep.n_calls, sum(sweep.outcomes.values()),
                                                   dict(sweep.outcomes)))
            print("  failed: %s" % dict(sweep.calls))
    sys.exit(0 if good else 1)


main()
