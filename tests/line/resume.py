"""Killed at any moment and resumed, at lines where two plans meet: the bits of the uninterrupted run; the same command always
the same bits.  The lines are found by bisection over `snug plan --json`."""
import json
import os
import random
import shutil
import signal
import subprocess
import time

from common import MIB, SNUG, Failure, Net, clean, least_of, process_of, snug, table

# (network, image size, batch): taken in this order until so many have two plans.  Which do hangs on this machine's timings.
CANDIDATES = (("mlp", 100, 1024), ("cnn", 28, 64), ("unet", 32, 4), ("cnn", 28, 128), ("mobilenetv2", 32, 8), ("mlp", 100, 3072),
              ("mlp", 100, 1536), ("mlp", 100, 2048), ("mlp", 100, 4096), ("mlp", 784, 512), ("cnn", 28, 32), ("cnn", 28, 96),
              ("cnn", 28, 192), ("cnn", 28, 256), ("unet", 32, 8), ("unet", 48, 4), ("unet", 64, 4), ("unet", 64, 8),
              ("mobilenetv2", 32, 16), ("mobilenetv2", 64, 8), ("cnn", 28, 48), ("cnn", 28, 160), ("unet", 48, 8), ("unet", 96, 2),
              ("mobilenetv2", 48, 8), ("mobilenetv2", 48, 16))
QUICK, ALL = 2, 20  # networks
NEAR = 16 << 10  # how close a line is to the border
EPOCHS = 6
SECONDS = 300


def planned(net, line):
    """The plan of the command that is killed."""
    memory = ("--memory", str(line)) if line else ()
    code, out, err = call(net, "plan", *net.words(*memory, "--backup", "backup", "--json", "--quiet", epochs=EPOCHS))
    if code not in (0, 3):
        raise Failure("%s at %s: plan ended with code %d: %s" % (net, line, code, err))
    return json.loads(out)


def ways(data):
    """What a plan runs."""
    point = data["points"][data["chosen"]] if data["fits"] else None
    return point and {k: v for k, v in point.items() if k not in ("process", "seconds", "recompute_seconds", "disk_seconds")}


def border(net, numbers):
    """Two lines close to each other with different plans: (below, above); None: there is one plan."""
    begin(net)
    planned(net, None)  # times the kernels
    low, high = least_of(planned(net, None)), process_of(planned(net, None)) + MIB
    at = {line: ways(planned(net, line)) for line in (low, high)}
    if at[low] == at[high]:
        return None
    first = True
    while high - low > NEAR:
        middle = numbers.randrange(low + 1, high) if first else (low + high) // 2
        first = False
        at[middle] = ways(planned(net, middle))
        if at[middle] != at[high]:
            low = middle
        else:
            high = middle
        if at[low] == at[high]:
            return None
    return low, high


def trained(net):
    try:
        with open(net.path("w.weights.h5"), "rb") as f:
            return f.read()
    finally:
        os.remove(net.path("w.weights.h5"))


def words(net, line, *more, epochs=EPOCHS):
    """line: None for none."""
    memory = ("--memory", str(line)) if line else ()
    return net.words(*memory, "--backup", "backup", "-o", "w.weights.h5", "--force", "--json", *more, epochs=epochs)


def call(net, verb, *arguments):
    done = subprocess.run([SNUG, verb, *arguments], cwd=net.folder, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout, done.stderr


def begin(net):
    clean(net)
    shutil.rmtree(net.path("backup"), ignore_errors=True)


def whole(report, net, line):
    """(weights, seconds, the plan's word on its bits) of a run that nobody interrupts."""
    begin(net)
    done = snug(net.folder, "fit", *words(net, line))
    if not report.check(done.code == 0, "%s at %s: %s" % (net, line, done)):
        return None, 0.0, False
    return trained(net), done.seconds, done.data["same_bits"]


def start(net, line, epochs=EPOCHS):
    env = {**os.environ, "OMP_WAIT_POLICY": "passive", "LC_ALL": "C.UTF-8"}
    return subprocess.Popen([SNUG, "fit", *words(net, line, epochs=epochs)], cwd=net.folder, env=env, stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def run_once(net, line, seconds):
    """One run, killed after so many seconds; (whether it was killed, code, what it said)."""
    process = start(net, line)
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        out, err = process.communicate()
    return process.returncode == -signal.SIGKILL, process.returncode, err[-400:] + out[-200:]


def kill_and_resume(report, net, line, right, seconds, kills, numbers):
    """Kill until it has been killed so often, letting it end in between; returns (kills, kills with a backup there)."""
    done, resumed = 0, 0
    while done < kills:
        begin(net)
        for _ in range(kills - done):
            start = numbers.choice((0.02, seconds / 2))  # half of the kills come when it trains
            was_killed, code, said = run_once(net, line, numbers.uniform(start, seconds))
            if not was_killed:
                report.check(code == 0, "%s at %d: code %d: %s" % (net, line, code, said))
                break
            done += 1
            resumed += os.path.exists(net.path("backup/snug.backup"))
        else:
            _, code, said = run_once(net, line, SECONDS)
            report.check(code == 0, "%s at %d, resumed: code %d: %s" % (net, line, code, said))
        if code == 0:
            report.check(trained(net) == right, "%s at %d: other bits after %d kills" % (net, line, done))
        elif code != -signal.SIGKILL:
            return done, resumed
    return done, resumed


def at_line(report, net, line, kills, repeats, without, numbers):
    right, seconds, same = whole(report, net, line)
    if right is None:
        return 0, 0, same
    report.check(not same or right == without, "%s at %d: the plan says the same bits as without a line" % (net, line))
    for i in range(repeats):
        report.check(whole(report, net, line)[0] == right, "%s at %d: run %d has other bits" % (net, line, i + 2))
    return (*kill_and_resume(report, net, line, right, seconds, kills, numbers), same)


def stop_in_training(net, line, epochs):
    """Kill it as soon as there is a backup; how it ended if it did so before, else None."""
    begin(net)
    process = start(net, line, epochs)
    while process.poll() is None and not os.path.exists(net.path("backup/snug.backup")):
        time.sleep(0.001)
    process.send_signal(signal.SIGKILL)
    out, err = process.communicate()
    if os.path.exists(net.path("backup/snug.backup")):
        return None
    return "code %d: %s" % (process.returncode, err[-400:] + out[-200:])


def changed_options(report, net, line):
    """Refused by name, unless it is to be planned anew; what changes no result may change."""
    epochs = 20 * EPOCHS  # long enough to be stopped in
    ended = stop_in_training(net, line, epochs)
    if not report.check(ended is None, "%s: no backup was left, %s" % (net, ended)):
        return
    shutil.rmtree(net.path("kept"), ignore_errors=True)
    shutil.copytree(net.path("backup"), net.path("kept"))
    below = str(process_of(planned(net, line)) - 4 * MIB)
    for arguments, code, part in ((words(net, line, "--seed", "7", epochs=epochs), 1, "seed is 0 there and 7 here"),
                                  (words(net, line, "--learning-rate", "0.5", epochs=epochs), 1, "learning_rate is"),
                                  (words(net, line, "--threads", "1", epochs=epochs), 1, "threads is"),
                                  (words(net, line, "--no-shuffle", epochs=epochs), 1, "shuffle is yes there and no here"),
                                  (words(net, below, epochs=epochs), 3, "--replan"),
                                  (words(net, None, epochs=epochs), 0, ""),
                                  (words(net, line, epochs=epochs + 1), 0, ""),
                                  (words(net, line, "--csv-log", "log.csv", "--checkpoint", "best.keras", "--record", "r.snug",
                                         epochs=epochs), 0, ""),
                                  (words(net, line, "--early-stopping", "loss:patience=9", epochs=epochs), 1,
                                   "EarlyStopping is not given there and loss:patience=9 here"),
                                  (words(net, line, "--lr-schedule", "0:0.1", epochs=epochs), 1, "LearningRateScheduler is not given"),
                                  (words(net, line, "--seed", "7", "--replan", epochs=epochs), 0, "")):
        shutil.rmtree(net.path("backup"), ignore_errors=True)
        shutil.copytree(net.path("kept"), net.path("backup"))
        got, _, err = call(net, "fit", *arguments)
        report.check(got == code and part in err, "%s %s: code %d: %s" % (net, " ".join(arguments[10:]), got, err[-700:]))


def nets_at_borders(folder, numbers, wanted):
    """(network, two lines close to each other with different plans), as many as wanted."""
    found = 0
    for name, size, batch in CANDIDATES:
        if found == wanted:
            return
        net = Net(folder, name, size=size, batch=batch)
        lines = border(net, numbers)
        if lines is None:
            print("%s: one plan for all lines" % net, flush=True)
            continue
        found += 1
        yield net, lines


def run(report, folder, options):
    numbers = random.Random(options.seed)
    wanted = ALL if options.all else QUICK
    kills, repeats = (5, 19) if options.all else (2, 1)  # at each line, of which there are two
    rows, nets, all_kills, all_resumed, runs = [], 0, 0, 0, 0
    for net, lines in nets_at_borders(folder, numbers, wanted):
        nets += 1
        without = whole(report, net, None)[0]
        for line in lines:
            n, resumed, same = at_line(report, net, line, kills, repeats, without, numbers)
            all_kills, all_resumed, runs = all_kills + n, all_resumed + resumed, runs + 1 + repeats
            rows.append((net, line, n, resumed, 1 + repeats, "as without a line" if same else "other"))
        print("%d of %d networks" % (nets, wanted), flush=True)
        if nets == 1:
            changed_options(report, net, lines[1])
    report.check(nets == wanted, "%d networks have two plans, of %d wanted" % (nets, wanted))
    table(("network", "line", "kills", "with a backup", "whole runs", "bits"), rows)
    print("%d kills, %d of them with a backup there; %d whole runs" % (all_kills, all_resumed, runs))
