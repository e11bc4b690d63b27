"""A disk that is full, with --allow disk: told before step 1 with bytes and folder, and nothing lost."""
import contextlib
import os
import subprocess

from common import MIB, Net, fit, least_of, plan


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


def run(report, folder, options):
    net = Net(folder, "unet")
    without, line = saves_by_disk(net)
    if not report.check(line < without, "%s: the disk saves nothing, least %d with and %d without" % (net, line, without)):
        return
    done = fit(net, "--memory", str(line), "--allow", "disk", "--disk-folder", folder)
    report.check(done.code == 0 and done.peak <= line, "%s at %d with the disk: VmHWM %d; %s" % (net, line, done.peak, done))
    refused = fit(net, "--memory", str(line))
    report.check(refused.code == 3, "%s at %d without --allow disk: %s" % (net, line, refused))
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
