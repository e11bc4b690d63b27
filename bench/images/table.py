"""Images per second of Snug, tf.data and PyTorch's DataLoader, in turn, with the memory of each beside it.

Usage: table.py --snug build/bench/images FOLDER [--rounds 3] [--workers N] [--torch-workers 0,1,2,4] [--json FILE]

Every measurement is a process of its own, all on the same folder, whose files are read once before (so that all find them in
memory); a round runs each contender once, and its fastest pass counts.  Figures are medians of the rounds.  PyTorch counts with the number of workers
that was fastest.  Exit code 1: slower than tf.data, than 1.3 times PyTorch, or with fast decoding than 1.5 times tf.data.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def measure(words):
    done = subprocess.run(words, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise SystemExit("%s: %s" % (" ".join(words), done.stderr[-2000:]))
    return json.loads(done.stdout.strip().splitlines()[-1])


def contenders(o):
    peer = [sys.executable, os.path.join(HERE, "peer.py")]
    for name, more in (("snug", []), ("snug, accurate", ["--decode", "accurate"]), ("snug, fast", ["--decode", "fast"])):
        yield name, [o.snug, o.folder, "--workers", str(o.workers), *more]
    # AUTOTUNE takes one thread or all in a pass, as it happens: of so many passes one is with all of them.
    yield "tf.data", [*peer, "tf", o.folder, "--passes", "6"]
    for n in o.torch_workers.split(","):
        yield "torch, %s workers" % n, [*peer, "torch", o.folder, "--workers", n]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--snug", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--workers", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--torch-workers", default=",".join(str(n) for n in (0, 1, 2, 4) if n <= 2 * len(os.sched_getaffinity(0))))
    parser.add_argument("--json")
    o = parser.parse_args()
    for at, _, files in os.walk(o.folder):
        for f in files:
            with open(os.path.join(at, f), "rb") as file:
                file.read()
    seen = {}
    for _ in range(o.rounds):
        for name, words in contenders(o):
            seen.setdefault(name, []).append(measure(words))
    speed = {name: statistics.median(r["images_per_second"] for r in rounds) for name, rounds in seen.items()}
    print("%-18s %9s %19s %11s %9s" % ("", "images/s", "min..max", "peak MiB", "mean"))
    for name, rounds in seen.items():
        all_speeds = [r["images_per_second"] for r in rounds]
        print("%-18s %9.0f %9.0f..%-8.0f %11.0f %9.5f" % (name, speed[name], min(all_speeds), max(all_speeds), max(
            r["peak_bytes"] for r in rounds) / 2**20, rounds[0]["mean"]))
    torch = max(v for name, v in speed.items() if name.startswith("torch"))
    aims = [("to tf.data", speed["snug"] / speed["tf.data"], 1.0), ("to PyTorch", speed["snug"] / torch, 1.3),
            ("fast decoding to tf.data", speed["snug, fast"] / speed["tf.data"], 1.5)]
    for what, ratio, least in aims:
        print("%-26s %.2f (at least %.1f)" % (what, ratio, least))
    if o.json:
        with open(o.json, "w") as f:
            json.dump(seen, f, indent=1)
    return any(ratio < least for _, ratio, least in aims)


sys.exit(main())
