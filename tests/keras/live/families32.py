"""The networks of keras.applications in float32: against the spread of Keras against itself.

Keras runs twice, with oneDNN and without; what the two differ by is how well float32 determines the answer at all.
SGD with momentum at a learning rate of 1 keeps minus the gradient in its slot, letter by letter.

Measured in relative L2 per tensor: |snug - keras| <= 3 |keras - keras'| + floor.  A spread can be small by luck, or
because both runs use the same code for one sum, so there is a floor, from what float32 must lose:
- gradients: the last sum alone rounds each element by about eps = 2^-23 of what is summed, which is not less than the
  element itself; and what it sums carries the rounding of the layers behind.  We allow 4 eps of the tensor.  Tensors
  whose gradient is 0 but for rounding (the bias before a batch normalization) have a spread as large as themselves,
  and are judged by it: they must not be larger noise than three times Keras's.
- weights after the step: w - g rounds to eps/2 of w, in each of the two.
Both Kerases may share what float32 did to them: an activation that lies within rounding of the bend of a ReLU takes the
other side in both, and the spread says nothing about it.  So a tensor that is beyond the bound is held against a third
Keras, the same step in float64: its distance from that may be 3 times that of the two in float32.  An activation may
also take the other side in Snug alone, which is chance.  So what is still beyond is run four times more in both, on
pixels that are moved by one unit in the last place: Snug may be off from float64, in the middle of its five runs, by 3
times what Keras is in any of its six.  What is wrong is wrong in all of them.
"""
import os
import subprocess
import sys

if __name__ == "__main__":
    os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"

from common import keras, np, relative, snug_process, tree
from families import FAMILIES, QUICK, make, quick_groups, weights_of

EPS = 2.0 ** -23


def step(model, x, y, out):
    """Predict, train one step, save."""
    want = np.asarray(model(x, training=False))
    model.run_eagerly = True
    model.train_on_batch(x, y)
    model.save(out)
    return want


def other_keras():
    """The same steps on files, as lines ask for them."""
    quick_groups()
    for line in sys.stdin:
        start, data, out = line.rstrip("\n").split("\t")
        arrays = np.load(data)
        want = step(keras.saving.load_model(start), arrays["x"], arrays["y"], out)
        np.save(out + ".npy", want)
        print("done", flush=True)


def norm(a):
    return float(np.linalg.norm(np.asarray(a, "float64").ravel()))


def gradients(t):
    """Slots by their index, minus the gradients; behind iteration and learning rate."""
    return {p: v for p, v in t.items() if p.startswith("optimizer/vars/") and p not in
            ("optimizer/vars/0", "optimizer/vars/1")}


def distance(a, b):
    return norm(np.asarray(a, "float64") - np.asarray(b, "float64"))


class Truth:
    """The same step in float64, made when it is first asked for."""

    def __init__(self, name, start, x, y, out):
        self.parts, self.name, self.start, self.x, self.y, self.out = None, name, start, x, y, out

    def __getitem__(self, path):
        if self.parts is None:
            values = keras.saving.load_model(self.start).get_weights()
            model, _, _ = make(self.name, "float64")
            model.set_weights(values)
            model.compile(sgd(), "sparse_categorical_crossentropy")
            step(model, self.x.astype("float64"), self.y, self.out)
            self.parts = tree(self.out)
            keras.config.set_floatx("float32")
        return self.parts[path]


class Moved:
    """Results of Snug and of Keras on pixels that are moved by a unit in the last place, made when first asked for."""

    def __init__(self, snug, start, x, y, out):
        self.pairs, self.snug, self.start, self.x, self.y, self.out = None, snug, start, x, y, out

    def of(self, path):
        """Those of Snug, and those of Keras."""
        if self.pairs is None:
            self.pairs = [self.run(np.random.default_rng(k)) for k in range(4)]
        return [s[path] for s, _ in self.pairs], [k[path] for _, k in self.pairs]

    def run(self, rng):
        by = rng.integers(-1, 2, self.x.shape).astype("float32") * np.float32(EPS)
        x = (self.x * (1 + by)).astype("float32")
        self.snug.data(x=x, y=self.y)
        self.snug.load(self.start)
        self.snug.fit(batch_size=len(x), epochs=1)
        self.snug.save(self.out)
        mine = tree(self.out)
        step(keras.saving.load_model(self.start), x, self.y, self.out)
        return mine, tree(self.out)


def judge(report, name, what, got, one, two, floor, truth, moved):
    """The largest ratio of the difference to what is allowed, and how many tensors float64 decided."""
    most, where, decided = 0.0, "", 0
    if set(got) != set(one):
        report.fail(name, "%s: %s are in one file only" % (what, sorted(set(got) ^ set(one))[:3]))
        return
    for path, a in one.items():
        allowed = 3 * distance(a, two[path]) + floor(path)
        ratio = distance(got[path], a) / max(allowed, 1e-300)
        if not ratio <= 1.0:
            decided += 1
            spread = max(distance(a, truth[path]), distance(two[path], truth[path]))
            ratio = distance(got[path], truth[path]) / max(3 * spread, 1e-300)
        if not ratio <= 1.0:
            snugs, kerases = moved.of(path)
            off = sorted(distance(g, truth[path]) for g in [got[path]] + snugs)
            theirs = sorted(distance(g, truth[path]) for g in [a, two[path]] + kerases)
            ratio = off[2] / max(3 * theirs[-1], 1e-300)
            lists = [" ".join("%.1e" % d for d in l) for l in (off, theirs)]
            print("%s: %s: off from float64: Snug %s, Keras %s" % (name, path, *lists))
        if not ratio <= most:
            most, where = ratio, "%s: snug %.2e, spread %.2e" % (path, distance(got[path], a) / norm(a),
                                                              distance(a, two[path]) / norm(a))
    report.check(name, what, most, 1.0, where)
    if decided:
        print("%s: %s: %d of %d tensors were decided by float64" % (name, what, decided, len(one)))


def sgd():
    return keras.optimizers.SGD(1.0, momentum=0.5)


def family(report, name, snug, other, folder):
    start, mine, one, two, exact = (os.path.join(folder, n + ".keras") for n in
                                    ("start", "snug", "one", "two", "exact"))
    data = os.path.join(folder, "data.npz")
    model, x, y = make(name, "float32")
    model.compile(sgd(), "sparse_categorical_crossentropy")
    model.save(start)
    np.savez(data, x=x, y=y)
    other.stdin.write("\t".join((start, data, two)) + "\n")
    other.stdin.flush()
    want = step(model, x, y, one)
    snug.data(x=x, y=y)
    snug.load(start)
    got = snug.predict([want], len(x))[0]
    snug.fit(batch_size=len(x), epochs=1)
    snug.save(mine)
    if other.stdout.readline() != "done\n":
        raise RuntimeError("the other Keras ended")
    report.check(name, "predictions", relative(got, want), 1e-4)
    print("%s: predictions of the two Kerases differ by %.2e" % (name, relative(np.load(two + ".npy"), want)))
    truth = Truth(name, start, x, y, exact)
    moved = Moved(snug, start, x, y, os.path.join(folder, "moved.keras"))
    trees = [tree(p) for p in (mine, one, two)]
    slots = [gradients(t) for t in trees]
    judge(report, name, "gradients against the spread", *slots, lambda p: 4 * EPS * norm(slots[1][p]), truth, moved)
    weights = [weights_of(t) for t in trees]
    judge(report, name, "weights against the spread", *weights, lambda p: EPS * norm(weights[1][p]), truth, moved)
    for path in os.listdir(folder):
        os.remove(os.path.join(folder, path))


def run(report, folder, everything):
    quick_groups()
    other = subprocess.Popen([sys.executable, os.path.abspath(__file__)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             text=True, env=dict(os.environ, TF_ENABLE_ONEDNN_OPTS="0"))
    for name in FAMILIES if everything or report.wanted else QUICK[:2]:
        snug = snug_process(folder)
        report.run(name, family, snug, other, folder)
        snug.close()
    other.stdin.close()
    other.wait()


if __name__ == "__main__":
    other_keras()
