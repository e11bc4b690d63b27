#!/bin/sh
# What a training step asks of memory; see bench_step.c.  SNUG is the command beside the library.
set -e
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
build=$(dirname "${SNUG:-$root/build/snug}")
program=$(mktemp)
trap 'rm -f "$program"' EXIT
"${CC:-cc}" -std=gnu11 -O2 -I "$root/include" -I "$root/tests" "$here/bench_step.c" \
  "$root/tests/lib/mallocs.c" -o "$program" -L "$build" -lsnug -Wl,-rpath,"$build"
"$program"
