"""A cgroup that is made smaller while a training runs: v1 refuses or reclaims, or the kernel kills.  Whatever it is, the
checkpoint and the log that were written are whole, and the same command goes on from its backup."""
import os
import subprocess
import time
import zipfile

from common import MIB, Net, process_of, snug
from groups import cgroup, cgroup_reason

EPOCHS = 30


def wait_for(path, seconds=60):
    end = time.monotonic() + seconds
    while not os.path.exists(path):
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def is_whole(path):
    try:
        with zipfile.ZipFile(path) as z:
            return z.testzip() is None
    except (zipfile.BadZipFile, OSError):
        return False


def squeeze(report, net, group, shares):
    """Called while it trains: limits are lowered step by step; the kernel may refuse each."""
    def during(process):
        if not report.check(wait_for(net.path("best.keras")), "no checkpoint appears"):
            return
        for share in shares:
            try:
                group.limit(int(group.peak() * share))
                print("limit at %d %%: taken" % (100 * share), flush=True)
            except OSError as e:
                print("limit at %d %%: refused, %s" % (100 * share, e.strerror), flush=True)
            time.sleep(0.5)
    return during


def run_shares(report, net, shares):
    for name in ("best.keras", "log.csv"):
        if os.path.exists(net.path(name)):
            os.remove(net.path(name))
    subprocess.run(["rm", "-rf", net.path("backup")], check=True)
    words = net.words("--backup", "backup", epochs=EPOCHS)
    line = process_of(snug(net.folder, "plan", *words, "--json").data) + MIB
    words = ["fit", *words, "--memory", str(line), "-q"]
    with cgroup(line) as group:
        done = snug(net.folder, *words, group=group.path, during=squeeze(report, net, group, shares))
        print("tightened to %s: %s, %d kills" % (shares, "signal %d" % done.signal if done.signal else "code %d" % done.code,
                                                 group.kills()), flush=True)
        report.check(done.code == 0 or done.signal == 9 and group.kills() > 0, "ended otherwise than by the kernel: %s" % done)
    if not report.check(is_whole(net.path("best.keras")), "the checkpoint is damaged"):
        return
    loads = snug(net.folder, "evaluate", "best.keras", "--data", "test.npz")
    report.check(loads.code == 0, "the checkpoint does not load: %s" % loads)
    with open(net.path("log.csv")) as f:
        lines = f.read().split("\n")
    report.check(len(lines) > 2 and len({l.count(",") for l in lines if l}) == 1, "the log is damaged: %r" % lines[-3:])
    if done.signal:
        again = snug(net.folder, *words, "--json")
        report.check(again.code == 0 and again.data, "the backup does not go on: %s" % again)


def run(report, folder, options):
    reason = cgroup_reason()
    if reason:
        report.skip(reason)
        return
    net = Net(folder, "cnn", batch=64)
    run_shares(report, net, (0.98, 0.9))
    run_shares(report, net, (0.5, 0.2))
