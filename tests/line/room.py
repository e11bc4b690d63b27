"""Without a line: in a cgroup that is too small the fit is refused before step 1 and never killed, what it names holds there,
one that comes close is warned of, and --memory none insists."""
import shlex

from common import MIB, Net, clean, fit, least_of, plan, process_of, snug
from groups import cgroup, cgroup_reason

PARTS_OF_NEED = (0.35, 0.5, 0.75, 0.9)


def need_of(net):
    plan(net)  # kernels are timed once
    return process_of(plan(net, "--memory", "none")), least_of(plan(net, "--memory", "none"))


def commands_of(err):
    return [shlex.split(l)[1:] for l in err.split("\n") if l.startswith("  snug ")]


def check_refused(report, net, size):
    what = "%s in a group of %d" % (net, size)
    with cgroup(size) as group:
        done = fit(net, group=group.path)
        report.check(done.code == 3 and not group.kills(), "%s: not refused: %s" % (what, done))
        report.check("this process may hold" in done.err, "%s: the limit is not named: %s" % (what, done.err))
        report.check(done.data and done.data["fits"] is False and done.data["available"], "%s: %s" % (what, done.out))
        commands = commands_of(done.err)
        report.check(any("auto" in c for c in commands), "%s: --memory auto is no remedy: %s" % (what, done.err))
        report.check(not any("none" in c for c in commands), "%s: %s" % (what, done.err))
        planned = snug(net.folder, "plan", *net.words("--memory", "none"), "--json", group=group.path)
        report.check(planned.code == 0, "%s: --memory none: %s" % (what, planned))
        judged = snug(net.folder, "plan", *net.words(), group=group.path)
        report.check(judged.code == 3 and judged.out.startswith("does not fit: needs "), "%s: plan: %s" % (what, judged.out))
    for command in commands:
        clean(net)
        with cgroup(size) as group:
            held = snug(net.folder, *command, group=group.path)
            report.check(held.code == 0 and not group.kills(), "%s: a remedy does not hold: %s" % (what, held))
    return len(commands)


def check_close(report, net, need):
    with cgroup(int(need / 0.95)) as group:
        done = fit(net, "-q", group=group.path)
        report.check(done.code == 0 and not group.kills(), "%s at 95 %%: %s" % (net, done))
        report.check("Warning: that is 9" in done.err, "%s at 95 %%: no warning: %s" % (net, done.err))
    with cgroup(2 * need) as group:
        done = fit(net, "-q", group=group.path)
        report.check(done.code == 0 and "Warning" not in done.err, "%s at 50 %%: %s" % (net, done.err))


def check_insisted(report, net, need):
    """The user's word: whether the kernel then kills is its affair; a line above the limit is told."""
    with cgroup(need - 16 * MIB) as group:
        done = fit(net, "--memory", "none", group=group.path)
        report.check(done.code == 0 or done.signal == 9, "%s, --memory none: %s" % (net, done))
    with cgroup(need + 32 * MIB) as group:
        done = fit(net, "--memory", str(need + 64 * MIB), group=group.path)
        report.check(done.code == 0 and "is above what this process may hold" in done.err, "%s, a line above: %s" % (net, done))


def check_others(report, net):
    """evaluate and predict know their need, too."""
    with cgroup(48 * MIB) as group:
        for verb in ("evaluate", "predict"):
            done = snug(net.folder, verb, "model.keras", "--data", "train.npz", "--batch-size", "100000", group=group.path)
            report.check(done.code == 3 and not group.kills(), "%s: %s" % (verb, done))
            report.check("may hold" in done.err, "%s: %s" % (verb, done.err))
            done = snug(net.folder, verb, "model.keras", "--data", "train.npz", "--batch-size", "8", group=group.path)
            report.check(done.code == 0, "%s in small batches: %s" % (verb, done))


def run(report, folder, options):
    reason = cgroup_reason()
    if reason:
        report.skip(reason)
        return
    net = Net(folder, "cnn", batch=512)
    need, least = need_of(net)
    print("needs %.1f MiB, %.1f at least" % (need / MIB, least / MIB))
    for part in PARTS_OF_NEED:
        size = int(need * part)
        if size > least + MIB:
            print("%d %%: %d commands" % (100 * part, check_refused(report, net, size)), flush=True)
    check_close(report, net, need)
    check_insisted(report, net, need)
    check_others(report, net)
