"""Speed beside other work: the share of its own quiet speed that each contender keeps, and whether Snug keeps at least
as much as the best of the others."""

import bisect
import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
import threading
import time

SETTLE = 0.3  # seconds until a busy process is busy, and the scheduler has found its ways


@contextlib.contextmanager
def busy_processes(n):
    """So many processes that keep a core busy each."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(n)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


def steps_at(marks, time_):
    """How many steps were done at a time, between two marks as much of them as has passed."""
    i = bisect.bisect(marks, [time_])
    if not 0 < i < len(marks):
        return None
    (a, n), (b, m) = marks[i - 1], marks[i]
    return n + (m - n) * (time_ - a) / (b - a)


def duration(order, seconds):
    return len(order) * (SETTLE + seconds) + 1


def go_through(order, seconds):
    """Let so many busy processes run, one number after the other; from when to when each was there."""
    windows = []
    for n in order:
        with busy_processes(n):
            time.sleep(SETTLE)
            begin = time.monotonic()
            time.sleep(seconds)
            windows.append((begin, time.monotonic()))
    return windows


def speeds_beside(words, env, limit, order, seconds):
    """The speeds of one process beside so many busy ones, in examples/s; and why there are none."""
    windows = []
    with tempfile.TemporaryFile("w+") as errors, subprocess.Popen(
            words, env=env, stdout=subprocess.PIPE, stderr=errors, text=True) as process:
        timer = threading.Timer(limit, process.kill)
        timer.start()
        if process.stdout.readline() == "begin\n":
            windows = go_through(order, seconds)
        lines = process.stdout.read().splitlines()
        timer.cancel()
        process.wait()
        errors.seek(0)
        last = " ".join(errors.read().strip().splitlines()[-1:])
    if process.returncode or not windows or not lines:
        return [], f"exit {process.returncode}: {last[:200]}"
    found = json.loads(lines[-1])
    steps = [(steps_at(found["marks"], begin), steps_at(found["marks"], end)) for begin, end in windows]
    if any(None in pair for pair in steps):
        return [], "it ended too early"
    return [(b - a) * found["batch"] / (end - begin) for (a, b), (begin, end) in zip(steps, windows)], ""


def shares_in(runs, model, who, busy):
    """Per round: the speed beside so many busy processes to the one alone."""
    speeds = {(r["round"], r["busy"]): r.get("examples_per_s") for r in runs if (r["model"], r["who"]) == (model, who)}
    pairs = [(speeds.get((round_, busy)), speeds.get((round_, 0))) for round_, n in speeds if n == 0]
    return [beside / alone for beside, alone in pairs if beside and alone]


def verdict_of(runs, model, whos, busy):
    """One model beside so many busy processes; "held" is None where there is no peer to compare with."""
    shares = {who: shares_in(runs, model, who, busy) for who in whos}
    medians = {who: statistics.median(values) for who, values in shares.items() if values}
    snug, peers = medians.get("snug"), {who: m for who, m in medians.items() if who != "snug"}
    best = max(peers, key=peers.get, default=None)
    held = None
    if whos != ["snug"]:
        held = snug is not None and best is not None and snug >= peers[best]
    return {"model": model, "busy": busy, "shares": shares, "snug": snug, "best_peer": best,
            "best_share": peers.get(best), "held": held}


def said(verdict):
    if verdict["snug"] is None:
        return "Snug failed"
    if verdict["best_peer"] is None:
        return f"Snug keeps {verdict['snug']:.2f}; " + ("there is no peer" if verdict["held"] is None else "all peers failed")
    less = "" if verdict["held"] else "LESS than "
    at_least = "at least " if verdict["held"] else ""
    return f"Snug keeps {verdict['snug']:.2f}, {less}{at_least}the best peer's {verdict['best_share']:.2f} ({verdict['best_peer']})"


def print_verdicts(verdicts):
    """A line per model, contender and number of processes; behind them what it comes to."""
    print(f"{'model':16}{'busy':>4}  {'who':15}{'kept, median (min..max)':>26}")
    for v in verdicts:
        for who, values in v["shares"].items():
            cell = f"{statistics.median(values):.2f} ({min(values):.2f}..{max(values):.2f})" if values else "failed"
            print(f"{v['model']:16}{v['busy']:>4}  {who:15}{cell:>26}")
    print()
    for v in verdicts:
        print(f"{v['model']} beside {v['busy']} busy: {said(v)}")
