"""Tests of the line: what `--memory N` promises, seen from outside of the command.

Usage: run.py PART... [--all] [--models a,b] [--folder DIR]
  PART      matrix: the networks of the bench at lines from the keep-everything peak down to the stated least
            least: the stated least works, 1 MiB less is refused with exit code 3
            monotone: 40 lines; a smaller one never gives a larger block, a larger one never a slower plan
            remedies: what a refusal names is tried, and holds
            bad_input: lines that are none, a line below the process, one that fits training alone
            load: groups smaller than a model's weights: refused, never killed
            tighten: a cgroup is made smaller while a training runs
            disk: --allow disk goes lower and leaves nothing behind; a disk that is full is told
            timings: a file of timings that is corrupt or another machine's
            room: without a line, in cgroups that are too small
            resume: killed and resumed where two plans meet, the bits are those of an uninterrupted run
            bits: recompute, lines and the disk change no bit
  --all     every network at its real size, 40 runs where the quick one has fewer
  --models  these networks alone
  --seed    of what is random: where lines and kills are
  --folder  keep networks and data there, for the next time
SNUG is the command, SNUG_WATCH and SNUG_SAVE_NET are the programs of watch.c and save_net.c beside this file.
Exit code: 0 all held, 1 something did not, 77 some of it could not be tried here.
"""
import argparse
import importlib
import sys

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("part", nargs="+")
parser.add_argument("--all", action="store_true")
parser.add_argument("--models", type=lambda text: text.split(","))
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--folder")
options = parser.parse_args()

from common import Failure, Report, scratch

codes = []
with scratch(options.folder) as folder:
    for part in options.part:
        report = Report(part)
        try:
            importlib.import_module(part).run(report, folder, options)
        except Failure as failure:
            report.check(False, str(failure))
        codes.append(report.finish())
sys.exit(1 if 1 in codes else max(codes))
