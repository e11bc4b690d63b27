#!/bin/sh
# `make wheel` in a tree that was moved, and its wheel in a fresh Python: nothing that it opens is the system's.
# Usage: wheel_made.sh ROOT      in an empty folder
set -eu

root=$1
sh "$root/tools/wheel_tools.sh" elsewhere
rm -rf "$root/build-wheel/tools"
mkdir -p "$root/build-wheel"
mv elsewhere "$root/build-wheel/tools"
made=$(make --no-print-directory -s -C "$root" wheel)
sh "$root/tests/python/wheel_alone.sh" "$root/$made"
