#!/bin/sh
# What recording costs: a step with and without, in turns; see record.c.  SNUG is the command beside the library.
# Usage: run.sh [ROUNDS]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(dirname "${SNUG:-$root/build/snug}")
rounds=${1:-25}
cmake --build "$build" --target bench_record >"$build/bench.log" 2>&1 || {
  cat "$build/bench.log" >&2
  exit 1
}
file=$(mktemp)
trap 'rm -f "$file"' EXIT
"$build/bench/record" "$file" 1
for model in "mlp --batch 32 --batches 1000" "mlp --batch 512 --batches 100" "cnn --batch 64 --batches 50"; do
  # shellcheck disable=SC2086
  "$build/bench/record" "$file" "$rounds" --model $model --warm 5 --steps 100000 --seconds 0.2 --threads 1
done
