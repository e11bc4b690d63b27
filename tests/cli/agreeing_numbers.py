"""Numbers that agree: over random models, every figure of one command that names the same thing is the same, as text and as
JSON.  What a process needs is rounded up wherever it is told, all else to the nearest.  The argument is how many models."""
import json
import math
import os
import re
import subprocess
import sys

SNUG, RANDOM_MODEL = os.environ["SNUG"], os.environ["RANDOM_MODEL"]
SIZE = r"([0-9.]+ (?:B|[KMGT]iB))"
failures = []


def check(good, what):
    if not good:
        failures.append(what)
        print("FAILED: " + what, flush=True)


def text_of(size, up):
    """As snug_least_text and snug_bytes_text write it."""
    value, unit = float(size), 0
    while value >= (1023.0 if up else 1023.5) and unit < 4:
        value, unit = value / 1024, unit + 1
    digits = 2 if unit > 2 and value < 9.995 else 1 if unit and value < 99.95 else 0
    value = math.ceil(value * 10 ** digits) / 10 ** digits if up else value
    return "%.*f %s" % (digits, value, ("B", "KiB", "MiB", "GiB", "TiB")[unit])


def snug(*words, ok=(0,)):
    done = subprocess.run([SNUG, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode not in ok:
        raise SystemExit("snug %s: %d: %s" % (" ".join(words), done.returncode, done.stderr))
    return done.stdout, done.stderr


def one(pattern, text, what):
    found = re.findall(pattern, text, re.M)
    check(len(found) == 1, "%s: %d of %s in:\n%s" % (what, len(found), pattern, text))
    return found[0] if found else None


def plan(what, *words, ok=(0,)):
    """The text and the JSON of one plan."""
    out, _ = snug("plan", *words, "--curve", "-o", "curve.json", "-f", ok=ok)
    with open("curve.json") as f:
        data = json.load(f)
    check_json(what, data)
    check_table(what, out, data)
    return out, data


def check_json(what, d):
    m, points = d["memory"], [p["process"] for p in d["points"]]
    chosen = min(d["chosen"], len(points) - 1)
    check(d["process"] == m["process"] == points[chosen], "%s: process %d, memory %d, point %d" %
          (what, d["process"], m["process"], points[chosen]))
    check(d["least"] == points[-1], "%s: least %d, last point %d" % (what, d["least"], points[-1]))
    check(all(a > b for a, b in zip(points, points[1:])), "%s: the points do not go down: %s" % (what, points))
    check(d["least"] <= d["process"], "%s: process %d is below the least %d" % (what, d["process"], d["least"]))
    check(d["step_seconds"] == d["points"][chosen]["seconds"], "%s: two times of a step" % what)
    inside = ("weights", "gradients", "optimizer", "activations", "scratch", "data", "callbacks", "runtime")
    check(sum(m[p] for p in inside) == m["planned"], "%s: parts and planned" % what)
    around = ("planned", "code", "outside", "tables", "reserve", "idle")
    check(sum(m[p] for p in around) == m["process"], "%s: parts and process" % what)
    check(m["line"] == d["line"], "%s: two lines" % what)


def check_table(what, out, d):
    rows = re.findall(r"^([> ]) +%s +([0-9.]+ [mu]?s)" % SIZE, out[out.find("seconds of a step"):], re.M)
    if len(d["points"]) < 2:
        return
    if len(d["points"]) <= 16:
        check([r[1] for r in rows] == [text_of(p["process"], True) for p in d["points"]], "%s: table %s" % (what, rows))
    check(rows and rows[-1][1] == text_of(d["least"], True), "%s: the table ends at %s, the least is %d" %
          (what, rows[-1:], d["least"]))
    marked = [r for r in rows if r[0] == ">"]
    if d["chosen"] < len(d["points"]):
        check(len(marked) == 1 and marked[0][1] == text_of(d["process"], True), "%s: %s is marked" % (what, marked))


def check_unlined(what, words):
    out, d = plan(what, *words)
    needs = text_of(d["process"], True)
    check(out.startswith("needs %s" % needs), "%s: needs %s: %s" % (what, needs, out))
    check(one(r"^  in all +%s$" % SIZE, out, what) == needs, "%s: in all is not %s" % (what, needs))
    if d["least"] < d["process"]:
        check(one(r"fits in as little as %s" % SIZE, out, what) == text_of(d["least"], True), "%s: as little as" % what)
    else:
        check("there is no smaller plan" in out, "%s: %s" % (what, out))
    for part in ("weights", "gradients", "activations", "runtime", "code", "reserve"):
        check(one(r"^  %s +%s" % (part, SIZE), out, what) == text_of(d["memory"][part], False), "%s: %s" % (what, part))
    return d


def check_lined(what, words, line):
    out, d = plan(what, *words, "--memory", str(line), ok=(0, 3))
    needs = text_of(d["process"], True)
    if d["fits"]:
        check(d["process"] <= line, "%s: %d is above the line" % (what, d["process"]))
        check(out.startswith("fits: %s of %s" % (needs, text_of(line, False))), "%s: %s" % (what, out.split("\n")[0]))
        fastest = re.findall(r"^Against the fastest plan \(%s" % SIZE, out, re.M)
        check(fastest in ([], [text_of(d["points"][0]["process"], True)]), "%s: the fastest is %s" % (what, fastest))
    else:
        least = text_of(d["least"], True)
        check(out.startswith("does not fit in %s: the least that would do is %s\n" % (text_of(line, False), least)),
              "%s: %s" % (what, out.split("\n")[0]))
        check(d["least"] > line, "%s: refused at a line above the least" % what)
        offers = re.findall(r"--memory (\d+)MiB.*\n +%s" % SIZE, out)
        for size, told in offers:
            check(int(size) << 20 >= d["least"], "%s: %s MiB are offered, the least is %d" % (what, size, d["least"]))
            check(float(told.split()[0]) <= float(size), "%s: %s under %s MiB" % (what, told, size))


def check_html(what, words):
    snug("plan", *words, "--curve", "-o", "curve.html", "-f")
    with open("curve.html") as f:
        page = f.read()
    full, least = re.search(r"At full speed %s; fits in as little as %s\." % (SIZE, SIZE), page).groups()
    rows = re.findall(r"<tr[^>]*><td>([^<]*)</td>", page)
    check(rows[0] == full and rows[-1] == least, "%s: the page says %s and %s, its table %s" % (what, full, least, rows))


def check_fit(what, words):
    out, err = snug("fit", *words)
    told = one(r"takes %s\.?" % SIZE, err, what)
    check(out.startswith("+- peak ") or " peak " in out.split("\n")[0], "%s: %s" % (what, out))
    check(re.findall(r"planned %s" % SIZE, out)[:2] == [told, told], "%s: %s is announced, the box says %s" % (what, told, out))
    check("equal to the byte" in out, "%s: %s" % (what, out))


def check_batches(what, words, line):
    words = words[:-2]
    out, err = snug("plan", *words, "--find-batch", "--memory", str(line), ok=(0, 3))
    found = re.search(r"^largest +(\d+) +%s" % SIZE, out, re.M)
    if found:
        told = re.findall(r"^batch %s: %s" % (found.group(1), SIZE), err, re.M)
        check(told[-1:] == [found.group(2)], "%s: batch %s needs %s, and %s" % (what, found.group(1), told, found.group(2)))


for seed in range(1, int(sys.argv[1]) + 1):
    batch = subprocess.run([RANDOM_MODEL, str(seed), "m.keras", "d.npz"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    words = ("m.keras", "--data", "d.npz", "--batch-size", batch)
    name = "model %d, batch %s" % (seed, batch)
    snug("plan", *words, "-q")  # kernels are timed
    d = check_unlined(name, words)
    span = d["process"] - d["least"]
    for line in (d["least"] - (2 << 20), d["least"] + span // 3, d["process"] + (1 << 20)):
        check_lined("%s, line %d" % (name, line), words, line)
    check_html(name, words)
    check_fit(name, words)
    if seed % 3 == 1:
        check_batches(name, words, d["process"])
print("%d models, %d failures" % (int(sys.argv[1]), len(failures)))
sys.exit(1 if failures else 0)
