"""The curves of bench/line/run.sh --curves FOLDER as a table: what a step takes at parts of the block that keeps everything.

Usage: curves.py FOLDER [--markdown]
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--markdown", action="store_true")
    options = parser.parse_args()
    head = ["model", "everything kept", *["%g %%" % part for part in PARTS], "least"]
    rows = [head, *([["---"] * len(head)] if options.markdown else []), *rows_of(options.folder)]
    widths = [max(len(row[i]) for row in rows) for i in range(len(head))]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths)]
        print("| " + " | ".join(cells) + " |" if options.markdown else "  ".join(cells).rstrip())


main()
