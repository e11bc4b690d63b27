"""Numbers that agree: over random models, every figure of one command that names the same thing is the same, as text and as
JSON.  Bytes are rounded up wherever they are told.  The arguments are the first seed, how many models, and after how many
seconds no further one is begun."""
import json
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile

SNUG, RANDOM_MODEL = os.environ["SNUG"], os.environ["RANDOM_MODEL"]
SIZE = r"([0-9.]+ (?:B|[KMGT]iB))"
ROW = r"^([> ]) +%s +[0-9.]+ [mun]?s +(?:\+[0-9]|[a-z0-9])" % SIZE  # of the table of plans
failures = []


def check(good, what):
    if not good:
        failures.append(what)
        print("FAILED: " + what, flush=True)


def text_of(size):
    """As snug_bytes_text writes it: the first unit in which it is at most 1023, three digits or so, never less than it is."""
    unit = next(u for u in range(5) if size <= 1023 << 10 * u)
    for digits in (2, 1, 0) if unit > 2 else (1, 0) if unit else (0,):
        whole = -(-size * 10 ** digits // (1 << 10 * unit))
        if whole < (100 if digits == 1 else 10) * 10 ** digits:
            break
    return "%.*f %s" % (digits, whole / 10 ** digits, ("B", "KiB", "MiB", "GiB", "TiB")[unit])


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
    check_axis(what, out, data)
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
    rows = re.findall(ROW, out, re.M)
    if len(d["points"]) < 2:
        return
    if len(d["points"]) <= 16:
        check([r[1] for r in rows] == [text_of(p["process"]) for p in d["points"]], "%s: table %s" % (what, rows))
    check(rows and rows[-1][1] == text_of(d["least"]), "%s: the table ends at %s, the least is %d" %
          (what, rows[-1:], d["least"]))
    marked = [r for r in rows if r[0] == ">"]
    if d["chosen"] < len(d["points"]):
        check(len(marked) == 1 and marked[0][1] == text_of(d["process"]), "%s: %s is marked" % (what, marked))


def check_axis(what, out, d):
    """The ends of the picture are the least plan and the fastest one."""
    if len(d["points"]) > 1:
        ends = one(r"^ {11}%s +%s$" % (SIZE, SIZE), out, what)
        told = (text_of(d["least"]), text_of(d["points"][0]["process"]))
        check(ends == told, "%s: the axis goes from %s, the plans from %s" % (what, ends, told))


def check_unlined(what, words):
    out, d = plan(what, *words)
    needs = text_of(d["process"])
    check(out.startswith("needs %s" % needs), "%s: needs %s: %s" % (what, needs, out))
    check(one(r"^  in all +%s$" % SIZE, out, what) == needs, "%s: in all is not %s" % (what, needs))
    if d["least"] < d["process"]:
        check(one(r"fits in as little as %s" % SIZE, out, what) == text_of(d["least"]), "%s: as little as" % what)
    else:
        check("there is no smaller plan" in out, "%s: %s" % (what, out))
    for part in ("weights", "gradients", "activations", "runtime", "code", "reserve"):
        check(one(r"^  %s +%s" % (part, SIZE), out, what) == text_of(d["memory"][part]), "%s: %s" % (what, part))
    return d


def check_lined(what, words, line):
    out, d = plan(what, *words, "--memory", str(line), ok=(0, 3))
    needs = text_of(d["process"])
    if d["fits"]:
        check(d["process"] <= line, "%s: %d is above the line" % (what, d["process"]))
        check(out.startswith("fits: %s of %s" % (needs, text_of(line))), "%s: %s" % (what, out.split("\n")[0]))
        fastest = re.findall(r"^Against the fastest plan \(%s" % SIZE, out, re.M)
        check(fastest in ([], [text_of(d["points"][0]["process"])]), "%s: the fastest is %s" % (what, fastest))
    else:
        least = text_of(d["least"])
        check(out.startswith("does not fit in %s: the least that would do is %s\n" % (text_of(line), least)),
              "%s: %s" % (what, out.split("\n")[0]))
        check(d["least"] > line, "%s: refused at a line above the least" % what)
        offers = re.findall(r"--memory (\d+)MiB.*\n +%s" % SIZE, out)
        for size, told in offers:
            check(int(size) << 20 >= d["least"], "%s: %s MiB are offered, the least is %d" % (what, size, d["least"]))
            check(float(told.split()[0]) <= float(size), "%s: %s under %s MiB" % (what, told, size))


def check_html(what, words):
    """The page, and what the same command prints: another one may measure a page more of the process."""
    out, _ = snug("plan", *words, "--curve", "-o", "curve.html", "-f")
    with open("curve.html") as f:
        page = f.read()
    full, least = re.search(r"At full speed %s; fits in as little as %s\." % (SIZE, SIZE), page).groups()
    rows = re.findall(r"<tr[^>]*><td>([^<]*)</td>", page)
    check(rows[0] == full and rows[-1] == least, "%s: the page says %s and %s, its table %s" % (what, full, least, rows))
    check(rows[0] == one(r"^needs %s" % SIZE, out, what), "%s: the page says %s: %s" % (what, rows[0], out))
    shown = [row[1] for row in re.findall(ROW, out, re.M)]
    check(shown == rows if 1 < len(rows) <= 16 else set(shown) <= set(rows), "%s: %s are printed, the page has %s" %
          (what, shown, rows))
    points = re.findall(r"<title>%s, " % SIZE, page)
    check(points == rows, "%s: the page's picture has %s, its table %s" % (what, points, rows))


def check_fit(what, words):
    shutil.rmtree("kept", ignore_errors=True)
    out, err = snug("fit", *words, "--record", "run.snug", "-f")
    told = one(r"takes %s\.?" % SIZE, err, what)
    check(out.startswith("+- peak ") or " peak " in out.split("\n")[0], "%s: %s" % (what, out))
    check(re.findall(r"planned %s" % SIZE, out)[:2] == [told, told], "%s: %s is announced, the box says %s" % (what, told, out))
    check("equal to the byte" in out, "%s: %s" % (what, out))
    for planned, measured, how in re.findall(r"planned %s[^0-9]+measured %s(.*)" % (SIZE, SIZE), out):
        check("equal" not in how or planned == measured, "%s: %s and %s are equal" % (what, planned, measured))
    check_report(what, out, told)


def check_report(what, box, told):
    """What is shown of the recording, against the box that the fit ended with."""
    shown, _ = snug("report", "run.snug")
    data = json.loads(snug("report", "run.snug", "--json")[0])
    snug("report", "run.snug", "--html", "-o", "report.html", "-f")
    with open("report.html") as f:
        page = f.read()
    peak = re.findall(r"peak %s" % SIZE, box)[0]
    plan, most = data["plan"], data["peak"]["bytes"]
    check(text_of(plan["process"]) == told, "%s: %d is recorded, %s was told" % (what, plan["process"], told))
    check(text_of(most) == peak, "%s: a peak of %d is recorded, %s was told" % (what, most, peak))
    for text in (shown, re.sub(r"(<style.*</style>|<[^>]*>|\n)+", " ", page)):
        planned, peaks = set(re.findall(r"planned +%s" % SIZE, text)), set(re.findall(r"(?:peak|the most,) +%s" % SIZE, text))
        check(told in planned and planned <= {told, text_of(plan["snug"])}, "%s: %s was planned, reported are %s" %
              (what, told, planned))
        check(peaks == {peak}, "%s: the peak is %s, reported are %s" % (what, peak, peaks))
    sizes = re.findall(SIZE, re.search(r"^.*peak .*planned.*$", shown, re.M)[0])
    check(sizes == re.findall(SIZE, box.split("\n")[0]), "%s: the title of the report has %s: %s" % (what, sizes, box))


def check_batches(what, words, line):
    words = words[:-2]
    out, err = snug("plan", *words, "--find-batch", "--memory", str(line), ok=(0, 3))
    found = re.search(r"^largest +(\d+) +%s" % SIZE, out, re.M)
    if found:
        told = re.findall(r"^batch %s: %s" % (found.group(1), SIZE), err, re.M)
        check(told[-1:] == [found.group(2)], "%s: batch %s needs %s, and %s" % (what, found.group(1), told, found.group(2)))


def options_of(seed):
    """Some are validated, some read a stream, some keep a backup."""
    words = ["--validation-split", "0.25"] if seed % 2 else []
    words += ["--backup", "kept"] if seed % 4 > 1 else []
    if seed % 3 == 0:  # what is deflated is read from front to back
        with zipfile.ZipFile("d.npz") as plain, zipfile.ZipFile("stream.npz", "w", zipfile.ZIP_DEFLATED) as deflated:
            for name in plain.namelist():
                deflated.writestr(name, plain.read(name))
    return ["--data", "stream.npz" if seed % 3 == 0 else "d.npz", *words]


def check_model(seed):
    batch = subprocess.run([RANDOM_MODEL, str(seed), "m.keras", "d.npz"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    words = ("m.keras", *options_of(seed), "--batch-size", batch)
    name = "seed %d: snug plan %s" % (seed, " ".join(words))
    print(name, flush=True)
    snug("plan", *words, "-q")  # kernels are timed
    d = check_unlined(name, words)
    span = d["process"] - d["least"]
    for line in (d["least"] - (2 << 20), d["least"] + span // 3, d["process"] + (1 << 20)):
        check_lined("%s, line %d" % (name, line), words, line)
    check_html(name, words)
    check_fit(name, words)
    if seed % 3 == 1:
        check_batches(name, words, d["process"])


def main(first, most, seconds):
    began = time.monotonic()
    n = 0
    while n < most and (n < 4 or time.monotonic() - began < seconds):
        check_model(first + n)
        n += 1
    print("%d models, %d failures" % (n, len(failures)))
    return 1 if failures else 0


sys.exit(main(*map(int, sys.argv[1:])))
