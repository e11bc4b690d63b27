"""40 lines from the least to beyond the keep-everything peak: block and predicted seconds are monotone exactly, VmHWM
within 1 MiB; and asking twice gives the same plan."""
from common import MIB, NETS, Net, chosen_of, fit, least_of, mib, plan, process_of, table, ways_of

LINES = 40
QUICK = ("cnn",)
QUICK_RUNS = 8  # fits among the 40 lines


def run_net(report, net, runs):
    least = least_of(plan(net)) + MIB  # that the least itself works is another test
    top = max(process_of(plan(net)), process_of(plan(net, "--recompute", "none", "--micro-batch", str(net.batch)))) + MIB
    lines = [least + (top - least) * i // (LINES - 1) for i in range(LINES)]
    rows, before, held = [], None, 0
    for i, line in enumerate(lines):
        data = plan(net, "--memory", str(line))
        point = chosen_of(data)
        what = "%s, line %d" % (net, line)
        report.check(process_of(data) <= line, "%s: planned for %d" % (what, process_of(data)))
        if before:
            report.check(point["block"] >= before["block"], "%s: block %d after %d" % (what, point["block"], before["block"]))
            report.check(point["seconds"] <= before["seconds"],
                         "%s: %.9g s after %.9g" % (what, point["seconds"], before["seconds"]))
        before, peak = point, ""
        if i * runs // LINES != (i - 1) * runs // LINES:
            done = fit(net, "--memory", str(line))
            report.check(done.code == 0 and done.peak <= line, "%s: VmHWM %d; %s" % (what, done.peak, done))
            report.check(done.peak >= held - MIB, "%s: VmHWM %d after %d" % (what, done.peak, held))
            held, peak = max(held, done.peak), mib(done.peak)
        rows.append((mib(line), mib(point["block"]), "%.6g" % point["seconds"], mib(process_of(data)), peak))
    again = plan(net, "--memory", str(lines[LINES // 2]))
    first = plan(net, "--memory", str(lines[LINES // 2]))
    report.check(ways_of(again) == ways_of(first), "%s: asked twice, two sets of points" % net)
    print(net)
    table(("line MiB", "block MiB", "seconds", "process MiB", "VmHWM MiB"), rows)


def run(report, folder, options):
    for name in options.models or (NETS if options.all else QUICK):
        run_net(report, Net(folder, name, False), LINES if options.all else QUICK_RUNS)
