#!/bin/sh
# The tables of the packer; see bench_pack.c and problems.h.  SNUG is the command beside the library.
set -e
here=$(cd "$(dirname "$0")" && pwd)
build=$(dirname "${SNUG:-$here/../../build/snug}")
program=$(mktemp)
trap 'rm -f "$program"' EXIT
"${CC:-cc}" -std=c11 -O2 -I "$here/../../include" "$here/bench_pack.c" -o "$program" \
  -L "$build" -lsnug -Wl,-rpath,"$build"
"$program" "$@"
cmake --build "$build" --target bench_networks >/dev/null
"$build/bench/networks"
