#!/bin/sh
# Lines of src/ that the tests ran, per file and in all; fails below the floor.
# Usage: coverage.sh BUILD_FOLDER FLOOR_PERCENT
set -e
root=$PWD
cd "$1"
find . -path '*snug_objects.dir*' -name '*.gcno' >gcno.txt
xargs gcov -n -r -s "$root" <gcno.txt 2>/dev/null | awk -v floor="$2" -F"[':% ]+" '
  /^File/ { file = $2 }
  /^Lines executed/ && file ~ /^src\/.*\.c$/ {
    lines = $NF; ran = lines * $3 / 100
    if ($3 < floor) printf "  %6.2f %% of %4d  %s\n", $3, lines, file
    all += lines; all_ran += ran; file = ""
  }
  END {
    percent = all ? 100 * all_ran / all : 0
    printf "coverage of src/: %.2f %% of %d lines (floor %d %%; files below it are listed)\n", percent, all, floor
    exit percent < floor
  }'
