"""Lines and containers that are smaller than what a model's file holds: a refusal, never a kill, and it costs what the process
is."""
import functools
import os
import re

from common import MIB, Net, clean, mib, snug, table
from groups import cgroup, cgroup_reason

SIZES = (4, 8, 16, 24, 32, 48, 64, 96)
BORDERS = (24, 32, 48, 64, 96)  # of containers in which networks of this kind were killed
NEW = (4, 8, 12, 16, 20, 24, 32, 48, 64, 96)  # for a fresh network of 23 MiB of weights
NAMES = ("resnet50", "efficientnetb0")
OWN = 20 * MIB  # that a refusal may come to: the process, the parsed configuration and a graph; weights are 98 and 21 MiB
PARSED = 4 * MIB  # of that, what is not the process as it starts: no line of less can be held
NEEDED = r"a line of (\d+)MiB or more is needed \(--memory\)"
QUICK = 10.0  # seconds: no other plans were tried, which takes a minute


def words_of(net, verb):
    verb, *more = verb.split()
    data = () if verb in ("plan", "summary") else ("--data", "test.npz")
    return (verb, "model.keras", *more, *data)


def said(done):
    """The first line of a refusal, without the file."""
    return re.sub(r"^.*: ", "", done.err.splitlines()[0])[:40] if done.err else ""


def starts(folder, size):
    """Whether a group of so many MiB lets the libraries of the command come to life: newer ones want more than 4."""
    if size >= 16:
        return True
    with cgroup(size * MIB) as group:
        return snug(folder, "--version", group=group.path).code == 0


@functools.lru_cache
def started(folder):
    """What the process comes to that does nothing: its libraries."""
    return snug(folder, "--version").peak


def check_refused(report, what, done):
    """That it ended with a refusal while it loaded, or soon after; whether that was while it loaded."""
    early = "needed at the least to load it" in done.err
    report.check(not done.signal, "%s: killed: %s" % (what, done))
    report.check(done.code == 3, "%s: not exit code 3: %s" % (what, done))
    report.check(not early or done.peak <= OWN, "%s: the refusal came to %d bytes: %s" % (what, done.peak, done.err))
    report.check(not early or done.seconds < QUICK, "%s: the refusal took %.1f s" % (what, done.seconds))
    return early


def check_group(report, net, verb, size, *more):
    """In a group of so many MiB; the row of the table."""
    clean(net)
    with cgroup(size * MIB) as group:
        done = snug(net.folder, *words_of(net, verb), *more, group=group.path)
        peak, kills = group.peak(), group.kills()
    what = "%s %s in a group of %d MiB" % (net, " ".join((verb, *more)), size)
    report.check(not kills, "%s: killed: %s" % (what, done))
    check_refused(report, what, done)
    report.check(done.err.startswith("snug: ") and "may hold" in done.err, "%s: says %s" % (what, done.err))
    return (net.name, " ".join((verb, *more)), "group %d" % size, mib(peak), mib(done.peak), said(done))


def check_borders(report, net, size):
    """In a group of so many MiB, which may be enough to load the model: refused, or trained, but never killed."""
    clean(net)
    with cgroup(size * MIB) as group:
        done = snug(net.folder, *words_of(net, "fit"), "--memory", "auto", "--quiet", group=group.path)
        kills, peak = group.kills(), group.peak()
    what = "%s in a group of %d MiB" % (net, size)
    report.check(not kills and not done.signal, "%s: killed: %s" % (what, done))
    report.check(done.code in (0, 3), "%s: neither trained nor refused: %s" % (what, done))
    return (net.name, "fit --memory auto", "group %d" % size, mib(peak), mib(done.peak), said(done) if done.code else "trained")


def check_new(report, folder, size):
    """snug init: a network that is made is held to what the process may hold, too."""
    with cgroup(size * MIB) as group:
        done = snug(folder, "init", "vgg", "--input-shape", "64,64,3", "-o", "new.keras", "--force", group=group.path)
        kills, peak = group.kills(), group.peak()
    what = "init in a group of %d MiB" % size
    report.check(not kills and not done.signal, "%s: killed: %s" % (what, done))
    report.check(done.code in ((3,) if size < 24 else (0, 3) if size < 64 else (0,)), "%s: %s" % (what, done))
    report.check(done.code == 0 or "may hold" in done.err, "%s: says %s" % (what, done.err))
    return ("vgg", "init", "group %d" % size, mib(peak), mib(done.peak), said(done) if done.code else "written")


def check_line(report, net, verb, size, **how):
    """Under a line of so many MiB, in whatever is around us."""
    clean(net)
    line = () if how else ("--memory", "%dMiB" % size)
    done = snug(net.folder, *words_of(net, verb), *line, **how)
    what = "%s %s under %d MiB%s" % (net, verb, size, " of SNUG_MEMORY" if how else "")
    report.check(check_refused(report, what, done), "%s: not while it loaded: %s" % (what, done))
    report.check(size * MIB < started(net.folder) + PARSED or done.peak <= size * MIB, "%s: came to %d bytes" % (what, done.peak))
    found = re.search(NEEDED, done.err)
    report.check(found and int(found.group(1)) > size, "%s: names no larger line: %s" % (what, done.err))
    return (net.name, verb, "line %d" % size, "-", mib(done.peak), said(done)), int(found.group(1)) if found else 0


def check_named(report, net, verb, named):
    """The line that a refusal names loads it: what is said then is of a plan.  The first one knows the file alone, not how the
    kernels want the weights, and is a bound."""
    done = snug(net.folder, *words_of(net, verb), "--memory", "%dMiB" % named, "--quiet")
    again = re.search(NEEDED, done.err)
    if again:
        done = snug(net.folder, *words_of(net, verb), "--memory", again.group(1) + "MiB", "--quiet")
    report.check("to load it" not in done.err, "%s %s under the named %d MiB: %s" % (net, verb, named, done))


def run(report, folder, options):
    rows = []
    reason = cgroup_reason()
    if reason:
        report.skip(reason)
    sizes = [s for s in sorted({*SIZES, *NEW}) if reason or starts(folder, s)]
    for name in options.models or NAMES:
        net = Net(folder, name, size=224, batch=8)
        below = [s for s in SIZES if s in sizes and s * MIB < os.path.getsize(net.path("model.keras"))]
        for size in below if not reason else ():
            rows += [check_group(report, net, "fit", size, "--memory", "auto"), check_group(report, net, "fit", size)]
            rows += [check_group(report, net, verb, size) for verb in ("plan", "evaluate", "predict", "summary")]
        for size in (s for s in BORDERS if s not in below) if not reason else ():
            rows.append(check_borders(report, net, size))
        for verb in ("fit", "plan", "evaluate", "predict"):
            row, named = check_line(report, net, verb, below[-1])
            rows += [row, check_line(report, net, verb, 16)[0]]
            check_named(report, net, verb, named)
        rows.append(check_line(report, net, "plan --find-batch", below[-1])[0])
        rows.append(check_line(report, net, "fit", below[-1], environment={"SNUG_MEMORY": "%dMiB" % below[-1]})[0])
    rows += [check_new(report, folder, size) for size in NEW if size in sizes and not reason]
    table(("network", "command", "under", "group's peak", "process's peak", "message"), rows)
