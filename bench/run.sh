#!/bin/sh
# The bench of training; README.md beside this file says what it measures.
#
#   run.sh [--models a,b] [--peers a,b] [--repeats N] ...   the table (run.sh --help)
#   run.sh --check [MODEL...]                                are the networks Keras's?
#   run.sh --profile MODEL [options]                         where a step's time goes, by op
#   run.sh --op MODEL [options]                              single ops beside oneDNN's best
#   run.sh --start MODEL [options]                           where the time before step 1 goes
#   run.sh --alone MODEL [options]                           the step in oneDNN's primitives alone
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/.." && pwd)
build=$(dirname "${SNUG:-$root/build/snug}")
. "$here/peers/venv.sh"

build() {
  cmake --build "$build" --target "$1" >"$build/bench.log" 2>&1 || {
    cat "$build/bench.log" >&2
    exit 1
  }
}

case ${1:-} in
  --profile | --alone | --op)
    build bench_inside
    what=$1
    shift
    test $# -gt 0 || {
      echo "run.sh: $what: which model?" >&2
      exit 2
    }
    exec "$build/bench/inside" "$what" --model "$@"
    ;;
  --start)
    build bench_start
    shift
    exec env OMP_WAIT_POLICY=passive "$build/bench/start" --model "$@"
    ;;
  --check)
    shift
    build bench_train
    peers
    exec "$venv/bin/python" "$here/check.py" "$build/bench/train" "$@"
    ;;
  *)
    case " $* " in
      *" --peers none "* | *" --help "*) python=python3 ;;
      *) peers ;;
    esac
    build bench_train
    build bench_inside
    exec "$python" "$here/table.py" --build "$build" --python "$python" "$@"
    ;;
esac
