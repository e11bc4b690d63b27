"""The curves of bench/line/run.sh --curves FOLDER as a table: what a step takes at parts of the block that keeps everything.

Usage: curves.py FOLDER [--markdown] [--svg FILE]

FILE gets a picture of them.
"""
import argparse
import csv
import glob
import os

PARTS = (100, 75, 50, 33.3, 25, 15)


def read(path):
    with open(path) as f:
        return [{k: v if k == "model" else float(v) for k, v in row.items()} for row in csv.DictReader(f)]


def at(points, part):
    """The fastest point within this part, as percent more time than the fastest of all."""
    line = points[0]["kept_block"] * part / 100
    fitting = [p for p in points if p["block"] <= line]
    if not fitting:
        return "-"
    best = min(fitting, key=lambda p: p["seconds"])
    micro = "" if best["micro_batch"] == best["batch"] else " (%d at a time)" % best["micro_batch"]
    return "%+.1f %%%s" % (100 * (best["seconds"] / min(p["seconds"] for p in points) - 1), micro)


def rows_of(folder):
    for path in sorted(glob.glob(os.path.join(folder, "*.csv"))):
        points = read(path)
        least = min(p["block"] for p in points)
        yield ["%s, batch %d" % (points[0]["model"], points[0]["batch"]), "%.0f MiB" % (points[0]["kept_block"] / 2**20),
               *[at(points, part) for part in PARTS], "%.0f MiB" % (least / 2**20)]


# ---- the picture ----

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 780, 380, 76, 18, 170, 46
MOST = 40  # percent more time: what is above is not drawn
COLOURS = ("#2a6fb0", "#c8553d", "#3b8a5a", "#8a5fa8", "#b08a1e")


def place(part, more):
    return (LEFT + part / 100 * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - min(more, MOST) / MOST * (HEIGHT - TOP - BOTTOM))


def steps(points):
    """From the fastest to the least: parts of the block that keeps everything, and percent more time."""
    fastest = min(p["seconds"] for p in points)
    for p in sorted(points, key=lambda p: -p["block"]):
        yield min(100 * p["block"] / p["kept_block"], 100), 100 * (p["seconds"] / fastest - 1)


def line_of(points, colour, name, row):
    ends, last = ["%.1f,%.1f" % place(100, 0)], 0
    for part, more in steps(points):
        if more > MOST:
            break
        ends += ["%.1f,%.1f" % place(part, last), "%.1f,%.1f" % place(part, more)]
        last = more
    y = TOP + 16 + 22 * row
    return ('<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/><path d="M%d %dh22" stroke="%s" stroke-width="2"/>'
            '<text x="%d" y="%d">%s</text>' % (" ".join(ends), colour, WIDTH - RIGHT + 14, y, colour, WIDTH - RIGHT + 42, y + 4, name))


def grid():
    for part in range(0, 101, 25):
        x, y = place(part, 0)
        yield '<path d="M%.1f %dV%.1f" stroke="#ddd"/><text x="%.1f" y="%d" text-anchor="middle">%d %%</text>' % (
            x, TOP, y, x, y + 18, part)
    for more in range(0, MOST + 1, 10):
        x, y = place(0, more)
        yield '<path d="M%.1f %.1fH%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">+%d %%</text>' % (
            x, y, WIDTH - RIGHT, x - 8, y + 4, more)
    yield '<text x="%d" y="%d" text-anchor="middle">the block, as part of one that keeps everything</text>' % (
        (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8)
    yield '<text x="14" y="%d" text-anchor="middle" transform="rotate(-90 14 %d)">step time</text>' % (HEIGHT / 2, HEIGHT / 2)


def write_picture(folder, path):
    lines = []
    for row, name in enumerate(sorted(glob.glob(os.path.join(folder, "*.csv")))):
        points = read(name)
        lines.append(line_of(points, COLOURS[row % len(COLOURS)], "%s, %d" % (points[0]["model"], points[0]["batch"]), row))
    with open(path, "w") as f:
        f.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12" fill="#444">'
                '<rect width="100%%" height="100%%" fill="white"/>\n%s\n</svg>\n' % (WIDTH, HEIGHT, "\n".join([*grid(), *lines])))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--svg")
    options = parser.parse_args()
    if options.svg:
        write_picture(options.folder, options.svg)
    head = ["model", "everything kept", *["%g %%" % part for part in PARTS], "least"]
    rows = [head, *([["---"] * len(head)] if options.markdown else []), *rows_of(options.folder)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths)]
        print("| " + " | ".join(cells) + " |" if options.markdown else "  ".join(cells).rstrip())


main()
