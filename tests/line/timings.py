"""A file of timings that is corrupt, empty, cut, or another machine's: told, measured anew, nothing lost."""
import glob
import os

from common import Net, fit, plan, ways_of


def files():
    return sorted(f for f in glob.glob(os.path.join(os.environ["SNUG_CACHE"], "**"), recursive=True) if os.path.isfile(f))


def damages(text):
    """(name, other content)"""
    lines = text.split(b"\n")
    return (("empty", b""), ("cut", text[:len(text) // 2]), ("bytes", os.urandom(2000)), ("zeros", bytes(4096)),
            ("another machine", b"\n".join([lines[0].replace(b"1", b"2") + b" of another machine", *lines[1:]])),
            ("a number", text.replace(b"e-0", b"e+9")), ("a long line", text + b"x" * 100000 + b"\n"),
            ("negative", text.replace(b" ", b" -")))


def run(report, folder, options):
    net = Net(folder, "cnn")
    first = plan(net)
    report.check(ways_of(plan(net)) == ways_of(first), "asked twice, two sets of points")
    if not report.check(files(), "no file of timings was written under SNUG_CACHE"):
        return
    path = files()[0]
    with open(path, "rb") as f:
        good = f.read()
    for name, content in damages(good):
        with open(path, "wb") as f:
            f.write(content)
        done = fit(net)
        report.check(done.code == 0, "timings that are %s: %s" % (name, done))
        report.check(done.data and done.data["memory"]["planned"] == done.data["memory"]["measured"], "%s: the plan is off" % name)
        data = plan(net)
        report.check(all(0 < p["seconds"] < 1e3 for p in data["points"]), "timings that are %s: seconds %s" %
                     (name, [p["seconds"] for p in data["points"]][:4]))
    os.remove(path)
    os.mkdir(path)  # a folder in its place
    report.check(fit(net).code == 0, "a folder in the place of the timings")
    os.rmdir(path)
    os.environ["SNUG_CACHE"] = os.path.join(folder, "no", "such", "folder")
    report.check(fit(net).code == 0, "no folder for timings")
    os.environ["SNUG_CACHE"] = os.path.join(folder, "cache")
