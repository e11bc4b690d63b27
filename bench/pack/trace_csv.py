"""What the recorders of traces have in common: their arguments, and packing problems as CSV, from buffers (lower, upper,
bytes)."""

import argparse


def arguments(models=None):
    """A parser; models: the names that there are, None for any."""
    parser = argparse.ArgumentParser()
    parser.add_argument("model", choices=models)
    parser.add_argument("batch", type=int)
    parser.add_argument("side", type=int)
    parser.add_argument("out")
    parser.add_argument("--weights", action="store_true")
    parser.add_argument("--align", type=int, default=64)
    return parser


def write_problem(path, buffers, align):
    """Sizes are rounded up to the alignment, as the frameworks do.  Buffers of no bytes are left out."""
    with open(path, "w", encoding="ascii") as out:
        out.write("id,lower,upper,size,alignment\n")
        for i, (lower, upper, size) in enumerate(b for b in buffers if b[2] > 0 and b[1] > b[0]):
            out.write(f"{i},{lower},{upper},{-(-size // align) * align},{align}\n")
