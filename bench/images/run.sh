#!/bin/sh
# Images to a step: Snug beside tf.data and PyTorch; README.md of bench says how it is measured.
#
#   run.sh [--rounds N] [--workers N] [--torch-workers 0,1,2,4] [--json FILE]
#   FILES=2000, SIDES=320-1600, FOLDER=build/bench/photos   how many images are made, their long sides, and where
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
build=$(dirname "${SNUG:-$root/build/snug}")
files=${FILES:-2000}
sides=${SIDES:-320-1600}
folder=${FOLDER:-$build/bench/photos}/$files-$sides
. "$root/bench/peers/venv.sh"

case ${1:-} in
  -h | --help)
    sed -n '2,5s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
esac
cmake --build "$build" --target bench_images >"$build/bench.log" 2>&1 || {
  cat "$build/bench.log" >&2
  exit 1
}
peers
test -e "$folder/made" || {
  rm -rf "$folder"
  "$python" "$here/folder.py" "$folder/images" --files "$files" --least "${sides%-*}" --most "${sides#*-}"
  touch "$folder/made"
}
exec "$python" "$here/table.py" "$folder/images" --snug "$build/bench/images" "$@"
