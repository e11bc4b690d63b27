#!/bin/sh
# What the line costs; README.md of bench says how it is measured.  SNUG is the command beside the library.
#
#   run.sh [--models a,b] [--rounds N] [--steps N] [--curves FOLDER]   the price at a third of the activation memory
#   run.sh --rules [--models a,b]                                      our points beside known rules, over 40 lines
#   run.sh --planning [--models A,B] ...                               seconds of a plan, all of keras.applications
#   run.sh --tiny ...                                                  MobileNetV2 0.35 in as few bytes as can be
# The last two run in a Python with Keras: SNUG_KERAS, or the one that tools/keras_venv.sh made.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
SNUG=${SNUG:-$root/build/snug}
build=$(dirname "$SNUG")
export SNUG

usage() {
  sed -n '2,8s/^# \{0,1\}//p' "$0"
  exit "$1"
}

make_target() {
  cmake --build "$build" --target "$1" >"$build/bench.log" 2>&1 || {
    cat "$build/bench.log" >&2
    exit 1
  }
}

keras() {
  if test -n "${SNUG_KERAS:-}"; then
    echo "$SNUG_KERAS"
  else
    sh "$root/tools/keras_venv.sh" "$root/.cache/keras" >&2
    ls -d "$root"/.cache/keras/*/bin/python | sort -V | tail -1
  fi
}

# What is promised: percent more time with recompute alone, or with micro-batches.  Pieces of few samples are slower than
# large ones in any case (weights are read and transformed for each), so these batches are such as one would cut.
price() { # model
  case $1 in
    vgg16) echo "--batch 32 --micro 1 --most 6" ;;
    unet) echo "--batch 32 --micro 1 --most 6" ;;
    *) echo "--most 12" ;;
  esac
}

models=
rounds=3
steps=3
curves=
what=price
case ${1:-} in
  --rules | --planning | --tiny)
    what=${1#--}
    shift
    ;;
esac
case $what in
  planning | tiny) exec "$(keras)" "$here/$what.py" "$@" ;;
esac
while test $# -gt 0; do
  case $1 in
    --help | -h) usage 0 ;;
    --models) models=$(echo "$2" | tr , ' ') ;;
    --rounds) rounds=$2 ;;
    --steps) steps=$2 ;;
    --curves) curves=$2 ;;
    *) usage 2 ;;
  esac
  shift 2
done
failed=0
if test "$what" = rules; then
  make_target bench_rules
  for model in ${models:-mlp cnn unet vgg16 resnet50 mobilenetv2 densenet121 efficientnetb0}; do
    "$build/bench/rules" --model "$model" || failed=1
  done
  exit $failed
fi
make_target bench_price
test -z "$curves" || mkdir -p "$curves"
for model in ${models:-resnet50 mobilenetv2 densenet121 vgg16 unet}; do
  # shellcheck disable=SC2046 # words, not one word
  "$build/bench/price" --model "$model" --rounds "$rounds" --steps "$steps" $(price "$model") \
    ${curves:+--curve "$curves/$model.csv"} || failed=1
done
test -z "$curves" || python3 "$here/curves.py" "$curves"
exit $failed
