"""0 violations: VmHWM at or under the line, and alive in a memory cgroup of exactly that size."""
import os

from common import MIB, NETS, Net, chosen_of, fit, least_of, mib, plan, process_of, table
from groups import cgroup, cgroup_reason

FRACTIONS = (100, 75, 50, 33, 25)
QUICK = ("cnn", "unet", "mobilenetv2")
HEAD = ("model", "line", "MiB", "seconds/step", "planned", "measured", "process", "VmHWM", "cgroup", "verdict")


def untold():
    """What VmHWM may lack.  From Linux 6.2 on each CPU counts so many pages on its own before it adds them to the sum that the
    peak is taken of: 16 threads that touched 67.9 MB had a VmHWM of 66.9."""
    release = tuple(int(n) for n in os.uname().release.split(".")[:2])
    cpus = os.cpu_count()
    return cpus * max(32, 2 * cpus) * os.sysconf("SC_PAGE_SIZE") if release >= (6, 2) else 0


def check_run(report, net, line, done):
    """One fit that ended: nothing above the line, nothing but what was planned."""
    what = "%s, line %d" % (net, line)
    if not report.check(done.code == 0 and done.data, "%s: %s" % (what, done)):
        return None
    m = done.data["memory"]
    report.check(done.peak <= line, "%s: VmHWM %d is above it" % (what, done.peak))
    report.check(m["planned"] == m["measured"], "%s: planned %d, measured %d" % (what, m["planned"], m["measured"]))
    report.check(m["process"] <= line, "%s: planned for %d" % (what, m["process"]))
    resident = m["process"] - m["tables"]  # VmHWM does not count page tables, cgroups do
    report.check(done.peak <= resident, "%s: VmHWM %d, predicted %d" % (what, done.peak, resident))
    off = resident - done.peak
    report.check(off <= max(resident // 100, MIB) + untold(),
                 "%s: predicted %d too much of %d: %s" % (what, off, resident, m))
    return m


def in_group(report, net, line):
    """The same inside of a cgroup; returns what stands in the table."""
    with cgroup(line) as group:
        done = fit(net, "--memory", str(line), group=group.path)
        report.check(done.code == 0 and not group.kills(), "%s in a cgroup of %d: %d kills; %s" %
                     (net, line, group.kills(), done))
        return "alive" if done.code == 0 else "DEAD"


def row(report, net, label, line, has_groups):
    done = fit(net, "--memory", str(line))
    m = check_run(report, net, line, done)
    alive = in_group(report, net, line) if has_groups else "-"
    if not m:
        return (net, label, mib(line), "", "", "", "", mib(done.peak), alive, "FAILED")
    step = "%.3f" % chosen_of(plan(net, "--memory", str(line)))["seconds"]
    held = done.peak <= line and alive != "DEAD"
    return (net, label, mib(line), step, mib(m["planned"]), mib(m["measured"]), mib(m["process"]), mib(done.peak),
            alive, "held" if held else "VIOLATED")


def lines_of(net):
    """The lines of a network: (label, bytes), and those that are below the least."""
    peak = process_of(plan(net, "--recompute", "none", "--micro-batch", str(net.batch)))
    least = least_of(plan(net))
    lines = [("%d %%" % f, peak * f // 100) for f in FRACTIONS]
    return [l for l in lines if l[1] >= least] + [("least", least)], [l for l in lines if l[1] < least]


def run(report, folder, options):
    reason = cgroup_reason()
    rows = []
    if reason:
        report.skip("runs inside of a cgroup: " + reason)
    for name in options.models or (NETS if options.all else QUICK):
        net = Net(folder, name, options.all)
        lines, below = lines_of(net)
        rows += [row(report, net, label, line, not reason) for label, line in lines]
        rows += [(net, label, mib(line), "", "", "", "", "", "", "below the least") for label, line in below]
        table(HEAD, rows[-len(lines) - len(below):])
    print()
    table(HEAD, rows)
