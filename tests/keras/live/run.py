"""Run a part of the tests against a live Keras.

Usage: run.py PART [--all] [--itself] [-k TEXT]       PART: a module of this folder; -k: only cases whose name holds TEXT
       --all: every case, not the quick ones alone; --itself: Keras in the place of Snug
SNUG_DRIVER is the driver, SNUG the command, SNUG_KERAS_FOLDER where tools/keras_venv.sh put the Pythons.
"""
import argparse
import importlib
import sys

parser = argparse.ArgumentParser()
parser.add_argument("part")
parser.add_argument("--all", action="store_true")
parser.add_argument("--itself", action="store_true")
parser.add_argument("-k", default="", metavar="TEXT")
options = parser.parse_args()

import common
from common import Report, keras, scratch

common.ITSELF = options.itself
report = Report("%s (Keras %s)" % (options.part, keras.__version__), options.k)
with scratch() as folder:
    importlib.import_module(options.part).run(report, folder, options.all)
sys.exit(report.finish())
