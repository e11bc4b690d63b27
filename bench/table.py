"""Runs Snug and its peers on the same networks, one fresh process per measurement, in turn, and
prints one table.  Started by run.sh."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

from beside import duration, print_verdicts, speeds_beside, verdict_of
from figures import print_means, print_notes, print_table, rows_of, speed_in

HERE = os.path.dirname(os.path.abspath(__file__))

# name: (steps before timing, most steps timed, batches of data held)
NETS = {
    "mlp": (500, 40000, 64),
    "cnn": (20, 2000, 16),
    "mobilenetv2": (2, 40, 2),
    "resnet50": (1, 40, 2),
    "vgg16": (1, 40, 2),
    "efficientnetb0": (2, 40, 2),
    "densenet121": (2, 40, 2),
    "unet": (2, 40, 2),
}
SCRIPTS = {
    "tf": "keras_peer.py",
    "tf-xla": "keras_peer.py",
    "torch": "torch_peer.py",
    "torch-compile": "torch_peer.py",
    "jax": "keras_peer.py",
}
# By default a peer runs where it can be the best one: PyTorch's compiler where much lies between
# convolutions, XLA where a framework's own overhead counts.  `--peers all` runs all everywhere.
SMALL = ("mlp", "cnn")
CONVOLUTIONS = ("vgg16", "unet")
PEERS_OF_SMALL = ["tf", "tf-xla", "torch", "jax"]
PEERS = ["tf", "torch"]
ROUNDS = 3
WINDOWS = 5  # beside others: how often each number of them comes
ROUNDS_OF_LARGE = 2  # where a round takes minutes: all at 224 pixels


def read_options():
    parser = argparse.ArgumentParser(description=__doc__, prog="bench/run.sh")
    add = parser.add_argument
    add("--build", required=True, help=argparse.SUPPRESS)
    add("--python", required=True, help=argparse.SUPPRESS)
    add("--models", default=",".join(NETS), help="which, separated by commas (all)")
    add("--peers", default="", help=f"which of {','.join(SCRIPTS)}; all; none (the likely best)")
    add("--repeats", type=int, help=f"rounds ({ROUNDS}; {ROUNDS_OF_LARGE} at 224 pixels)")
    add("--near", type=float, default=0.9, help="later rounds: peers with this share of the best")
    add("--steps", type=int, help="most steps that are timed (40; small models more)")
    add("--seconds", type=float, help="time so many (5), and at least 2 steps; with --busy, at each number of them")
    add("--batch", type=int, help="another batch size")
    add("--size", type=int, help="another image size")
    add("--threads", type=int, default=os.cpu_count(), help="threads and cores (all)")
    add("--limit", type=float, default=600.0, help="seconds after which a process is ended (600)")
    add("--busy", help="in place of the table: speed beside so many busy processes, such as 1,2")
    add("--no-alone", action="store_true", help="leave out oneDNN alone")
    add("--alone-cache", help="file that keeps oneDNN's figures; read if it is there")
    add("--json", help="write everything that was measured to this file")
    add("--markdown", action="store_true", help="print the table as Markdown")
    o = parser.parse_args()
    o.models = o.models.split(",")
    for name in set(o.models) - set(NETS):
        parser.error(f"no model {name}: {', '.join(NETS)}")
    named = [] if o.peers in ("", "all", "none") else o.peers.split(",")
    for name in set(named) - set(SCRIPTS):
        parser.error(f"no peer {name}: {', '.join(SCRIPTS)}")
    o.busy = [int(n) for n in o.busy.split(",")] if o.busy else []
    o.chosen = {"": None, "all": list(SCRIPTS), "none": []}.get(o.peers, named)
    return o


def peers_of(o, model):
    if o.chosen is not None:
        return o.chosen
    if model in SMALL:
        return PEERS_OF_SMALL
    return PEERS if model in CONVOLUTIONS else [*PEERS, "torch-compile"]


def repeats_of(o, model):
    large = model not in (*SMALL, "unet")
    return o.repeats or (ROUNDS_OF_LARGE if large else ROUNDS)


# ---- one measurement ----


def command(o, who, model, steps=None, seconds=None, marks=0):
    warm, most, batches = NETS[model]
    told = ["--model", model, "--threads", o.threads, "--steps", steps or o.steps or most, "--warm", warm]
    told += ["--seconds", seconds or o.seconds or 5.0, "--batches", batches, "--marks", marks]
    told += ["--batch", o.batch] if o.batch else []
    told += ["--size", o.size] if o.size else []
    if who == "snug":
        start = [os.path.join(o.build, "bench", "train")]
    else:
        start = [o.python, os.path.join(HERE, "peers", SCRIPTS[who]), "--mode", who]
    return [str(part) for part in start + told]


def environment(o, who, cache):
    """Fixed threads; Snug's wait as those of the command and the Python package do; what PyTorch compiles is kept within
    this run of the bench, not beyond."""
    extra = {"OMP_NUM_THREADS": str(o.threads), "TORCHINDUCTOR_CACHE_DIR": cache}
    if who == "snug":
        extra |= {"GOMP_SPINCOUNT": "1000", "KMP_BLOCKTIME": "0"}
    return {**os.environ, **extra, "BENCH_START": repr(time.monotonic())}


def use_cores(o):
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: o.threads])


def reason(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "no message"


def run_json(o, words, env):
    """The JSON that a program prints in its last line, or {"failed": why}."""
    try:
        run = subprocess.run(
            words, env=env, capture_output=True, text=True, timeout=o.limit, check=False
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"not done after {o.limit:g} s"}
    if run.returncode or not run.stdout:
        return {"failed": f"exit {run.returncode}: {reason(run.stderr)}"}
    return json.loads(run.stdout.splitlines()[-1])


def measure(o, who, model, round_, cache):
    found = run_json(o, command(o, who, model), environment(o, who, cache))
    found.update(who=who, model=model, round=round_)
    told = found.get("failed") or f"{found['examples_per_s']:10.1f} examples/s"
    print(f"  {model:15} round {round_ + 1}  {who:14} {told}", file=sys.stderr, flush=True)
    return found


# ---- beside others ----


def window_of(o, model):
    """Seconds that each speed is measured over."""
    return o.seconds or (1.0 if model in SMALL else 3.0 if model == "unet" else 8.0)


def run_beside(o, cache):
    """Each contender in one process, alone and beside the busy processes in turn; returns whether Snug held everywhere."""
    found, verdicts = [], []
    for model in o.models:
        whos = ["snug", *peers_of(o, model)]
        for who in whos:
            order, seconds = [0, *o.busy] * (o.repeats or WINDOWS), window_of(o, model)
            words = command(o, who, model, steps=10**7, seconds=duration(order, seconds), marks=1)
            speeds, why = speeds_beside(words, environment(o, who, cache), o.limit, order, seconds)
            for i, (n, speed) in enumerate(zip(order, speeds)):
                found.append({"model": model, "who": who, "round": i // (1 + len(o.busy)), "busy": n, "examples_per_s": speed})
            told = " ".join(f"{n}:{speed:.1f}" for n, speed in zip(order, speeds))
            print(f"  {model:15} {who:14} {why or told}", file=sys.stderr, flush=True)
        verdicts += [verdict_of(found, model, whos, n) for n in o.busy]
    write_json(o.json, {"runs": found, "beside": verdicts})
    print_verdicts(verdicts)
    return all(v["held"] is not False for v in verdicts)


# ---- a model ----


def rounds_of(o, model, cache):
    """In the first round everybody, then Snug and those that come near the best of the others."""
    found, others = [], peers_of(o, model)
    for round_ in range(repeats_of(o, model)):
        found += [measure(o, who, model, round_, cache) for who in ["snug", *others]]
        if round_ == 0:
            best = max((speed_in(found, who, 0) for who in others), default=0.0)
            others = [w for w in others if best and speed_in(found, w, 0) >= o.near * best]
    return found


def alone_of(o, model, known):
    """oneDNN's own figures for the step; kept in `known`."""
    key = f"{model} batch={o.batch} size={o.size} threads={o.threads}"
    if not o.no_alone and key not in known:
        words = [os.path.join(o.build, "bench", "inside"), "--alone", "--model", model]
        words += ["--json", "1", "--threads", o.threads]
        words += ["--batch", o.batch] if o.batch else []
        words += ["--size", o.size] if o.size else []
        found = run_json(o, [str(word) for word in words], environment(o, "snug", ""))
        told = found.get("failed") or f"{found['examples_per_s']:10.1f} examples/s"
        print(f"  {model:15} oneDNN alone            {told}", file=sys.stderr, flush=True)
        known[key] = found
    found = known.get(key, {})
    return {} if "failed" in found else found


def read_cache(path):
    if path and os.path.exists(path):
        with open(path) as cache:
            return json.load(cache)
    return {}


def write_json(path, what):
    if path:
        with open(path, "w") as out:
            json.dump(what, out, indent=1)


def main():
    o = read_options()
    begin, load = time.monotonic(), os.getloadavg()[0]
    use_cores(o)
    alone, found, rows = read_cache(o.alone_cache), [], []
    if o.busy:
        with tempfile.TemporaryDirectory() as cache:
            sys.exit(0 if run_beside(o, cache) else 1)
    with tempfile.TemporaryDirectory() as cache:
        for model in o.models:
            of_model = rounds_of(o, model, cache)
            whos = ["snug", *peers_of(o, model)]
            rows += rows_of(model, whos, of_model, alone_of(o, model, alone))
            found += of_model
    write_json(o.alone_cache, alone)
    write_json(o.json, {"runs": found, "alone": alone})
    print_table(rows, o.markdown)
    print_means(found)
    print_notes(found, o.threads, time.monotonic() - begin, load)
    sys.exit(1 if any("failed" in f for f in found if f["who"] == "snug") else 0)


main()
