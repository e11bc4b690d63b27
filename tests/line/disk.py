"""--allow disk: a lower line holds, a refusal names it, no file is left behind; a disk that is full is told before step 1
with bytes and folder, and nothing is lost."""
import contextlib
import os
import signal
import subprocess
import time

from common import MIB, Net, clean, fit, least_of, plan, snug
from groups import cgroup, cgroup_reason
from matrix import check_run


@contextlib.contextmanager
def small_disk(folder, size):
    """A file system of so many bytes; None where it cannot be made."""
    image, at = os.path.join(folder, "small.img"), os.path.join(folder, "small")
    os.makedirs(at, exist_ok=True)
    with open(image, "wb") as f:
        f.truncate(size)
    steps = (["mkfs.ext4", "-q", "-F", image], ["mount", "-o", "loop", image, at])
    made = all(subprocess.run(s, capture_output=True).returncode == 0 for s in steps)
    try:
        yield at if made else None
    finally:
        if made:
            subprocess.run(["umount", at], check=True)


def saves_by_disk(net):
    """(line, bytes on disk): one that holds with the disk alone."""
    without, along = least_of(plan(net)), plan(net, "--allow", "disk")
    return without, least_of(along)


def runs_under(report, net, folder, line):
    """A fit with the disk at a line holds it, also inside of a cgroup."""
    words = ("--memory", str(line), "--allow", "disk", "--disk-folder", folder)
    check_run(report, net, line, fit(net, *words))
    reason = cgroup_reason()
    if reason:
        report.skip("a run with the disk inside of a cgroup: " + reason)
        return
    with cgroup(line) as group:
        done = fit(net, *words, group=group.path)
        report.check(done.code == 0 and not group.kills(), "%s with the disk in a cgroup of %d: %d kills; %s" %
                     (net, line, group.kills(), done))


def slots_live_there(report, folder):
    """A network that is mostly weights: its optimizer slots go to the file, and checkpoints have them."""
    net = Net(folder, "resnet50")
    data = plan(net, "--allow", "disk")
    report.check(data["points"][-1]["slots"] > 0, "%s: no slots on disk: %s" % (net, data["points"][-1]))
    runs_under(report, net, folder, least_of(data))


def is_offered(report, net, line, without):
    """Without it the same line is refused; a little above the least, a refusal names it."""
    refused = fit(net, "--memory", str(line))
    report.check(refused.code == 3, "%s at %d without --allow disk: %s" % (net, line, refused))
    refused = fit(net, "--memory", str((line + without) // 2))
    report.check(refused.code == 3 and "--allow disk" in refused.err, "%s: the disk is no remedy: %s" % (net, refused))


def is_gone_when_killed(report, net, folder, line):
    """A process that is killed in its first epochs leaves no file behind."""
    at = os.path.join(folder, "killed")
    os.makedirs(at, exist_ok=True)

    def kill(process):
        while process.poll() is None and not os.path.exists(net.path("best.keras")):
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)

    clean(net)
    words = net.words("--memory", str(line), "--allow", "disk", "--disk-folder", at, epochs=1000)
    with contextlib.suppress(FileNotFoundError):  # its watch was killed, too, and reports nothing
        snug(net.folder, "fit", *words, during=kill)
    report.check(os.path.exists(net.path("best.keras")) and not os.listdir(at), "killed: left %s" % os.listdir(at))


def run(report, folder, options):
    net = Net(folder, "unet")
    without, line = saves_by_disk(net)
    if not report.check(line < without, "%s: the disk saves nothing, least %d with and %d without" % (net, line, without)):
        return
    runs_under(report, net, folder, line)
    slots_live_there(report, folder)
    is_offered(report, net, line, without)
    is_gone_when_killed(report, net, folder, line)
    missing = fit(net, "--memory", str(line), "--allow", "disk", "--disk-folder", os.path.join(folder, "none"))
    report.check(missing.code in (1, 2) and "none" in missing.err, "a disk folder that is not there: %s" % missing)
    with small_disk(folder, 4 * MIB) as at:
        if not at:
            report.skip("a full disk: no file system can be mounted here")
            return
        full = fit(net, "--memory", str(line), "--allow", "disk", "--disk-folder", at, "-o", "trained.keras")
        report.check(full.code in (1, 3) and at in full.err, "a full disk: %s" % full)
        report.check(not os.path.exists(net.path("log.csv")), "a full disk: training was begun")
        report.check(not os.path.exists(net.path("trained.keras")), "a full disk: something was saved")
        report.check(os.listdir(at) in ([], ["lost+found"]), "a full disk: left %s" % os.listdir(at))
