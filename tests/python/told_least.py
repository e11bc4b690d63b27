"""The least line that a plan tells is accepted and holds: in the process that planned, and in another one that did not.

    told_least.py [--fits 10] [--seed 1]         run by run.sh, with the back end in KERAS_BACKEND
"""
import argparse
import os
import subprocess
import sys
import tempfile

import line_sweep

MIB = 1 << 20


def prepared(seed, folder):
    """A model with its data, and the arguments that plan and fit share."""
    import numpy as np
    from quiet_keras import keras

    rng = np.random.default_rng(seed)
    model = line_sweep.build(rng, keras)
    callbacks, reserve = line_sweep.make_callbacks(rng, keras, folder)
    options = dict(callbacks=callbacks, callback_memory=reserve, epochs=int(rng.integers(2, 5)),
                   batch_size=int(rng.integers(4, 64)))
    return model, line_sweep.arrays(rng, model), options


def work(what, seed, line):
    """Plan ("plan"), fit under a line ("fit") or one after the other ("both"), and print what came of it."""
    with tempfile.TemporaryDirectory() as folder:
        model, (x, y), options = prepared(seed, folder)
        import snug
        from common import peak_of_process

        if what != "fit":
            line = snug.plan(model, x, y, memory="64GiB", **options).least
            print("LEAST", line)
        if what != "plan":
            with open("/proc/self/clear_refs", "w") as mark:
                mark.write("5")
            try:
                history = snug.fit(model, x, y, memory=line, shuffle=False, verbose=0, **options)
            except snug.DoesNotFit as error:
                print("REFUSED", error.plan.least)
                return
            print("PEAK", max(peak_of_process(), history.memory["process_measured"]))


def told(what, seed, line=0):
    """What such a process said, as numbers by word."""
    done = subprocess.run([sys.executable, "-B", "-W", "ignore", os.path.abspath(__file__), "--work", what, str(seed),
                           str(line)], capture_output=True, text=True)
    found = dict(words.split() for words in done.stdout.splitlines() if words[:1].isupper() and words.count(" ") == 1)
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return {word: int(number) for word, number in found.items()}


def judge(name, line, found):
    """Whether a fit under its told least went as it should; says how it went."""
    if "REFUSED" in found:
        print("%s: least %.2f MiB REFUSED, %.0f KiB more are asked for" % (name, line / MIB, (found["REFUSED"] - line) / 1024),
              flush=True)
        return False
    over = found["PEAK"] - line
    print("%s: least %.2f MiB, peak %.2f MiB%s" % (name, line / MIB, found["PEAK"] / MIB, "  OVER" if over > 0 else ""),
          flush=True)
    return over <= 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fits", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--work", nargs=3)
    a = parser.parse_args()
    if a.work:
        work(a.work[0], int(a.work[1]), int(a.work[2]))
        return 0
    failures = 0
    for seed in range(a.seed, a.seed + a.fits):
        both = told("both", seed)
        failures += not judge("seed %d, the same process" % seed, both["LEAST"], both)
        line = told("plan", seed)["LEAST"]
        failures += not judge("seed %d, another process" % seed, line, told("fit", seed, line))
    print("%d of %d fits failed" % (failures, 2 * a.fits))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
