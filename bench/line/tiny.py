"""MobileNetV2 with alpha 0.35, 10 classes, 128x128, batch 1, SGD: how few bytes its block takes, and of what they are.

Usage: tiny.py [--most-bytes 5000000] [--most-time 10] [--steps 30] [--rounds 3]

The model is Keras's own, without weights.  The fastest plan, as it is under a line with room for everything, and the
fastest point with a block of at most MOST-BYTES (the least one, if none is that small) are trained in turn, in processes
of their own; the seconds of the shortest fits are compared.  Published, for the same training: TensorFlow 652 MB, PyTorch
303, MNN 41.5, Tiny Training Engine 5.7.
Runs in a Python with Keras; SNUG is the command.  Exit code 1: more bytes, or MOST-TIME percent more time.
"""
import argparse
import json
import os
import random
import struct
import subprocess
import sys
import tempfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SNUG = os.environ.get("SNUG", os.path.join(ROOT, "build", "snug"))
ROOMY = "1GiB"  # many times what it needs
MAKE = ("import os; os.environ.update(TF_CPP_MIN_LOG_LEVEL='3', CUDA_VISIBLE_DEVICES='');"
        "import keras; m = keras.applications.MobileNetV2(weights=None, alpha=0.35, classes=10, input_shape=(128, 128, 3));"
        "m.compile('sgd', 'sparse_categorical_crossentropy'); m.save('m.keras')")


def npy(descr, shape, raw):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %r, }" % (descr, shape)
    head += " " * (63 - (10 + len(head)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + raw


def write_data(folder, rows):
    numbers = random.Random(1)
    with zipfile.ZipFile(os.path.join(folder, "d.npz"), "w") as z:
        z.writestr("x.npy", npy("|u1", (rows, 128, 128, 3), numbers.randbytes(rows * 128 * 128 * 3)))
        z.writestr("y.npy", npy("|u1", (rows,), bytes(b % 10 for b in numbers.randbytes(rows))))


def snug(folder, *words):
    done = subprocess.run([SNUG, *words], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode not in (0, 3):
        raise SystemExit("snug %s: %s" % (" ".join(words), done.stderr))
    return json.loads(done.stdout)


def fit(folder, steps, *more):
    """Seconds of a step."""
    data = snug(folder, "fit", "m.keras", "--data", "d.npz", "--batch-size", "1", "--epochs", "3", "--json", *more)
    return data["seconds"] / data["steps"], data


def find_line(folder, common, points, most):
    """The largest line, in steps of 64 KiB, whose block has at most so many bytes, and its plan."""
    small = [p for p in points if p["block"] <= most] or points[-1:]
    line = small[0]["process"]
    while True:
        plan = snug(folder, "plan", *common, "--memory", str(line))
        if not plan["fits"] or plan["points"][plan["chosen"]]["block"] <= max(most, points[-1]["block"]):
            return line, plan
        line -= 64 << 10


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most-bytes", type=int, default=5000000)
    parser.add_argument("--most-time", type=float, default=10.0)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-c", MAKE], cwd=folder, check=True, capture_output=True)
        write_data(folder, options.steps)
        common = ("m.keras", "--data", "d.npz", "--batch-size", "1", "--json")
        points = snug(folder, "plan", *common, "--memory", ROOMY, "--curve")["points"]
        line, plan = find_line(folder, common, points, options.most_bytes)
        chosen = plan["points"][plan["chosen"]]
        block = chosen["block"]
        print("fastest: block %d; of %d points: block %d, predicted %+.1f %% time" %
              (points[0]["block"], len(points), block, 100 * (chosen["seconds"] / points[0]["seconds"] - 1)))
        print("what is in it: " + ", ".join("%s %d" % (k, plan["memory"][k]) for k in
              ("weights", "gradients", "optimizer", "activations", "scratch", "data", "runtime")))
        times = [[], []]
        for _ in range(options.rounds):
            times[0].append(fit(folder, options.steps, "--memory", ROOMY)[0])
            times[1].append(fit(folder, options.steps, "--memory", str(line))[0])
        more = 100 * (min(times[1]) / min(times[0]) - 1)
        print("step: %.4f s, and %.4f s in the small block: %+.1f %%" % (min(times[0]), min(times[1]), more))
        sys.exit(0 if block <= options.most_bytes and more <= options.most_time else 1)


main()
