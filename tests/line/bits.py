"""Lines, recompute and the disk change no bit of what is trained, for the same kernels: the saved weights are compared."""
import os

from common import NETS, Net, fit, least_of, plan, process_of

QUICK = ("cnn", "mobilenetv2")


def trained(report, net, *more):
    """The bytes of the weights after two epochs."""
    path = net.path("w.weights.h5")
    if os.path.exists(path):
        os.remove(path)
    done = fit(net, "-o", "w.weights.h5", *more)
    if not report.check(done.code == 0, "%s %s: %s" % (net, " ".join(more), done)):
        return None
    with open(path, "rb") as f:
        return f.read()


def kernels_of(net):
    """The implementations of the fastest plan, as a list in a file: they are then the same everywhere."""
    plan(net, "--write-kernels", "kernels.txt", "--force")
    return ("--kernels", "kernels.txt")


def ways(net, kernels):
    least = least_of(plan(net, "--micro-batch", str(net.batch), *kernels))
    top = process_of(plan(net, "--micro-batch", str(net.batch), *kernels))
    lines = [least + (top - least) * i // 3 for i in range(3)]
    for line in lines:
        yield ("--memory", str(line), "--micro-batch", str(net.batch))
    for how in ("none", "activations", "full"):
        yield ("--recompute", how)
    disk = least_of(plan(net, "--allow", "disk", "--micro-batch", str(net.batch), *kernels))
    yield ("--memory", str(disk), "--allow", "disk", "--micro-batch", str(net.batch))


def run(report, folder, options):
    for name in options.models or (NETS if options.all else QUICK):
        net = Net(folder, name)
        kernels = kernels_of(net)
        right = trained(report, net, *kernels)
        report.check(right == trained(report, net, *kernels), "%s: the same run twice gives two results" % net)
        for way in ways(net, kernels):
            report.check(trained(report, net, *way, *kernels) == right, "%s %s: other bits" % (net, " ".join(way)))
