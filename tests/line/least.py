"""The stated least works, and 1 MiB less is refused before step 1, with nothing touched."""
import os
import re

from common import MIB, NETS, Net, fit, least_of, plan, stated_least

MARGIN = 384 << 10  # by which two runs of the same process may differ
QUICK = ("mlp", "cnn", "unet")


def check_refused(report, net, line, what):
    with open(net.path("model.keras"), "rb") as f:
        before = f.read()
    done = fit(net, "--memory", str(line), "-o", "trained.keras", "-q")  # quiet: remedies.py tries what would do
    report.check(done.code == 3, "%s: not refused with exit code 3: %s" % (what, done))
    report.check("least" in done.err or "at least" in done.err, "%s: the least is not named: %s" % (what, done.err))
    for name in ("best.keras", "log.csv", "trained.keras"):
        report.check(not os.path.exists(net.path(name)), "%s: left a %s" % (what, name))
    with open(net.path("model.keras"), "rb") as f:
        report.check(f.read() == before, "%s: the model's file was touched" % what)
    return done


UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}


def check_named(report, net, refused):
    """The number in the message, as a user would type it."""
    named = re.search(r"least[^0-9\n]*([0-9.]+) ?([KMGT]iB)", refused.err)
    if report.check(named, "%s: no number for the least in: %s" % (net, refused.err)):
        text = "".join(named.groups())
        bytes_named = float(named.group(1)) * UNITS[named.group(2)]
        report.check(bytes_named >= least_of(refused.data), "%s: %s is less than the least of %d" % (net, text, least_of(refused.data)))
        done = fit(net, "--memory", text)
        report.check(done.code == 0, "%s: the least that the message names, %s, does not do: %s" % (net, text, done))


def run(report, folder, options):
    for name in options.models or (NETS if options.all else QUICK):
        net = Net(folder, name, options.all)
        least = stated_least(net)
        done = fit(net, "--memory", str(least))
        report.check(done.code == 0, "%s: the least of %d does not work: %s" % (net, least, done))
        report.check(done.peak <= least, "%s: VmHWM %d at the least of %d" % (net, done.peak, least))
        refused = check_refused(report, net, least - MIB, "%s, 1 MiB below the least of %d" % (net, least))
        check_named(report, net, refused)
        below = plan(net, "--memory", str(least - MIB), ok=(3,))
        report.check(below["fits"] is False, "%s: the plan of less than the least says that it fits" % net)
        apart = abs(least_of(below) - least)
        report.check(apart <= MARGIN, "%s: two leasts, %d and %d" % (net, least, least_of(below)))
        print("%s: least %d, VmHWM %d" % (net, least, done.peak), flush=True)
