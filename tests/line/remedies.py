"""What a refusal names is true when it is tried: every command that it prints is typed as it stands, and holds."""
import re
import shlex

from common import MIB, NETS, Net, clean, plan, snug, stated_least

QUICK = ("cnn", "unet")
FACTORS = (97, 60, 30)  # percent of the least


def commands_of(text):
    """The commands that a text shows, one per line, without what stands around them."""
    found = re.findall(r"(?:^|[\s`])(snug (?:fit|plan) [^`\n]+)", text, re.M)
    return [shlex.split(re.sub(r"\s+#.*", "", c))[1:] for c in found]


def bytes_of(text):
    units = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30,
             "KB": 10**3, "MB": 10**6, "GB": 10**9}
    number, unit = re.fullmatch(r"([0-9.]+)\s*([A-Za-z]*)", text).groups()
    return int(float(number) * units[unit])


def line_of(words):
    for i, word in enumerate(words):
        if word == "--memory":
            return bytes_of(words[i + 1])
        if word.startswith("--memory="):
            return bytes_of(word[9:])
    return None


def try_remedy(report, net, words, line):
    what = "%s refused at %d, remedy `snug %s`" % (net, line, " ".join(words))
    own = line_of(words)
    if not report.check(own is not None, what + ": has no --memory"):
        return
    clean(net)
    done = snug(net.folder, *words)
    report.check(done.code == 0, "%s: %s" % (what, done))
    report.check(words[0] == "plan" or done.peak <= own, "%s: VmHWM %d is above %d" % (what, done.peak, own))


def run_net(report, net):
    least = stated_least(net)
    for percent in FACTORS:
        line = min(least * percent // 100, least - MIB)
        clean(net)
        refused = snug(net.folder, "fit", *net.words("--memory", str(line)))
        report.check(refused.code == 3, "%s at %d %% of the least: %s" % (net, percent, refused))
        commands = commands_of(refused.err)
        planned = plan(net, "--memory", str(line), ok=(3,))
        told = [[w for w in r["command"][1:] if w != "--json"] for r in planned["remedies"]]
        # Two processes differ by some pages, and so may what just fits: whoever names a remedy, it has to hold.
        commands += [words for words in told if words not in commands]
        print("%s at %d %% of the least: %d remedies" % (net, percent, len(commands)), flush=True)
        report.check(percent < 90 or commands, "%s: a refusal that names no remedy: %s" % (net, refused.err))
        for words in commands:
            try_remedy(report, net, words, line)


def run(report, folder, options):
    for name in options.models or (NETS if options.all else QUICK):
        run_net(report, Net(folder, name, False))
