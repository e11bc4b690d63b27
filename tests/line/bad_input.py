"""Lines that are none, a line below the process itself, and one that fits training but not validation."""
import os

from common import MIB, Net, fit, least_of, plan, snug
from least import check_refused

WRONG = ("0", "-1", "1e30", "abc", "110%", "0%", "-5%", "1.2.3G", "nan", "inf", "70%%", "12Q")


def run_wrong(report, net):
    for verb in ("fit", "plan"):
        for text in WRONG:
            done = snug(net.folder, verb, *net.words("--memory", text))
            what = "%s --memory %s" % (verb, text)
            report.check(done.code == 2, "%s: not a usage error: %s" % (what, done))
            report.check("memory" in done.err and "\n" not in done.err.strip()[:1], "%s: says %s" % (what, done.err))
        done = snug(net.folder, verb, *net.words(), environment={"SNUG_MEMORY": "abc"})
        report.check(done.code == 2 and "SNUG_MEMORY" in done.err, "%s, SNUG_MEMORY=abc: %s" % (verb, done))


def run_tiny(report, net):
    """10 bytes, and what the process has before it has done anything."""
    for line in (10, MIB, 4 * MIB):
        done = check_refused(report, net, line, "%s --memory %d" % (net, line))
        report.check(not done.signal, "%s --memory %d: %s" % (net, line, done))
    done = snug(net.folder, "fit", *net.words(), environment={"SNUG_MEMORY": "10"})
    report.check(done.code == 3, "SNUG_MEMORY=10: %s" % done)


def run_validation(report, folder):
    """A batch of validation that is far larger than one of training, where pieces are not wanted."""
    net = Net(folder, "cnn", batch=16)
    whole_batches = ("--micro-batch", "16")
    large = ("--validation-batch-size", "3000", *whole_batches)
    small = ("--validation-batch-size", "16", *whole_batches)
    from common import write_npz
    write_npz(net.path("test.npz"), 3000, (28, 28, 1), (), 10, 2)
    little = least_of(plan(net, *small))
    much = least_of(plan(net, *large))
    if not report.check(much > little + 4 * MIB, "validation of 3000 samples at a time is not dearer: %d, %d" % (much, little)):
        return
    line = (little + much) // 2
    done = fit(net, "--memory", str(line), *large)
    report.check(done.code == 3, "a line that fits training but not validation: %s" % done)
    report.check("validation" in done.err, "it does not say that validation is what does not fit: %s" % done.err)
    report.check(not os.path.exists(net.path("log.csv")), "training was begun")
    done = fit(net, "--memory", str(line), *small)
    report.check(done.code == 0 and done.peak <= line, "the same with less validation at a time: %s" % done)


def run_percent(report, net):
    done = fit(net, "--memory", "90%")
    report.check(done.code == 0, "--memory 90%%: %s" % done)
    done = fit(net, "--memory", "auto")
    report.check(done.code == 0, "--memory auto: %s" % done)
    done = fit(net, environment={"SNUG_MEMORY": "2GiB"})
    report.check(done.code == 0 and done.data["memory"].get("line") == 2 << 30, "SNUG_MEMORY=2GiB: %s" % done)


def run(report, folder, options):
    net = Net(folder, "mlp", True)
    run_wrong(report, net)
    run_tiny(report, net)
    run_percent(report, net)
    run_validation(report, folder)
