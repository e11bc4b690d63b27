"""How long `snug plan` takes, for every model of keras.applications.

Usage: planning.py [--models ResNet50,VGG16] [--batch 32] [--memory 70%] [--most 5] [--folder DIR] [--json FILE]

Each model is made by Keras without weights (weights=None), saved, and planned three times, in processes of their own:
with nothing there, not even the file in the page cache (first; it tells as much about disk and virtual machine), with no
timings of its kernels (cold), and with those that the one before left (warm).  What counts is the whole command, from its
start to its end.  More than MOST seconds (cold) are a failure, four times that for NASNetLarge and EfficientNetV2L.
Runs in a Python with Keras; SNUG is the command (build/snug).  Exit code 1: a plan took longer, or there was none.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LONGER = {"NASNetLarge": 4, "EfficientNetV2L": 4}
OPEN = ("MobileNetV3Small", "MobileNetV3Large")  # their files leave the size of an image open
NAMES = """VGG16 VGG19 ResNet50 ResNet101 ResNet152 ResNet50V2 ResNet101V2 ResNet152V2 MobileNet MobileNetV2
MobileNetV3Small MobileNetV3Large DenseNet121 DenseNet169 DenseNet201 InceptionV3 InceptionResNetV2 Xception
NASNetMobile NASNetLarge EfficientNetB0 EfficientNetB1 EfficientNetB2 EfficientNetB3 EfficientNetB4 EfficientNetB5
EfficientNetB6 EfficientNetB7 EfficientNetV2B0 EfficientNetV2B1 EfficientNetV2B2 EfficientNetV2B3 EfficientNetV2S
EfficientNetV2M EfficientNetV2L ConvNeXtTiny ConvNeXtSmall ConvNeXtBase ConvNeXtLarge ConvNeXtXLarge""".split()


def save(name, path):
    """In a process of its own: Keras keeps what it made."""
    code = ("import os; os.environ.update(TF_CPP_MIN_LOG_LEVEL='3', CUDA_VISIBLE_DEVICES='');"
            "import keras; m = keras.applications.%s(weights=None);"
            "m.compile('adam', 'sparse_categorical_crossentropy'); m.save(%r)" % (name, path))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit("%s: Keras does not save it: %s" % (name, done.stderr[-500:]))


def plan(options, name, path, cache):
    words = [options.snug, "plan", path, "--batch-size", str(options.batch), "--memory", options.memory, "--json"]
    words += ["--input-shape", "224,224,3"] if name in OPEN else []
    start = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          env={**os.environ, "SNUG_CACHE": cache})
    seconds = time.monotonic() - start
    try:
        data = json.loads(done.stdout)
    except ValueError:
        data = None
    return seconds, done, data


def ways_of(data):
    """The points without what the process holds beside the block, which differs by some pages."""
    return [{k: v for k, v in p.items() if k != "process"} for p in data["points"]]


def measure(options, name, folder):
    path = os.path.join(folder, name + ".keras")
    if not os.path.exists(path):
        save(name, path)
    with tempfile.TemporaryDirectory(dir=folder) as cache:
        first, _, _ = plan(options, name, path, cache)
    with tempfile.TemporaryDirectory(dir=folder) as cache:
        cold, done, data = plan(options, name, path, cache)
        warm, _, again = plan(options, name, path, cache)
    if not options.folder:
        os.remove(path)
    most = options.most * LONGER.get(name, 1)
    good = data is not None and done.returncode in (0, 3) and cold <= most
    row = {"model": name, "first_s": round(first, 2), "cold_s": round(cold, 2), "warm_s": round(warm, 2), "most_s": most, "code": done.returncode,
           "points": len(data["points"]) if data else None, "least": data["least"] if data else None,
           "same": bool(data and again and ways_of(data) == ways_of(again)), "good": good}
    print("%-20s %8.2f s %8.2f s %8.2f s  of %4.0f  exit %d  %s points  least %s%s" %
          (name, first, cold, warm, most, done.returncode, row["points"], "%.0f MiB" % (row["least"] / 2**20) if data else "?",
           "" if good else "  FAILED: " + done.stderr.strip()[-200:]), flush=True)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=lambda t: t.split(","), default=NAMES)
    parser.add_argument("--batch", type=int, default=32)
    parser.add_argument("--memory", default="70%")
    parser.add_argument("--most", type=float, default=5.0)
    parser.add_argument("--folder", help="keep the models there")
    parser.add_argument("--json", help="write all figures there")
    options = parser.parse_args()
    options.snug = os.environ.get("SNUG", os.path.join(ROOT, "build", "snug"))
    folder = options.folder or tempfile.mkdtemp(prefix="snug-planning-")
    os.makedirs(folder, exist_ok=True)
    print("%-20s %10s %10s %10s" % ("model", "first", "cold", "warm"))
    rows = [measure(options, name, folder) for name in options.models]
    if not options.folder:
        shutil.rmtree(folder, ignore_errors=True)
    if options.json:
        with open(options.json, "w") as f:
            json.dump(rows, f, indent=1)
    sys.exit(0 if all(r["good"] for r in rows) else 1)


main()
