"""`python -m snug ...` is the command `snug ...`."""
import os
import sys

from ._library import command


def main() -> None:
    try:
        path = command()
    except OSError as why:
        sys.exit(f"snug: {why}")
    try:
        os.execv(path, [path, *sys.argv[1:]])
    except OSError as why:
        sys.exit(f"snug: {path}: {why.strerror}")


if __name__ == "__main__":
    main()
