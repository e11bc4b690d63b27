#!/bin/sh
# Traces of training steps of other frameworks, and the table of the packer on them.
# Usage: traces.sh [FOLDER]      FOLDER: build/traces; traces that are there are not recorded again
# PYTORCH and TENSORFLOW are Pythons that have them, as tools/backends_venv.sh and tools/keras_venv.sh make; JAX comes
# with PyTorch's.  What is missing is left out.  SNUG is the command beside the library.
set -e
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
build=$(dirname "${SNUG:-$root/build/snug}")
folder=${1:-$build/traces}
torch=${PYTORCH:-$root/.cache/backends/bin/python}
keras=$(sed -n 's/^keras==//p' "$root/tests/keras/live/requirements.txt")
tensorflow=${TENSORFLOW:-$root/.cache/keras/$keras/bin/python}
mkdir -p "$folder"

record() { # record NAME COMMAND ...: COMMAND gets the file for @
  name=$1
  shift
  test ! -e "$folder/$name.csv" && test -x "$1" || return 0
  for argument; do
    shift
    test "$argument" != @ || argument=$folder/$name.part
    set -- "$@" "$argument"
  done
  "$@" >"$folder/$name.log" 2>&1 || { tail -n 3 "$folder/$name.log" >&2; return 0; }
  mv "$folder/$name.part" "$folder/$name.csv"
}

eager() { name=$1; shift; record "$name" "$torch" "$here/trace_torch.py" "$@"; }
eager torch-lstm lstm 8 40 @
eager torch-unet unet 2 96 @
eager torch-resnet50 resnet50 4 64 @
eager torch-mobilenet-weights mobilenet 8 96 @ --weights
eager torch-transformer-weights transformer 4 32 @ --weights --steps 3 --align 512
eager torch-resnet50-3-steps resnet50 8 96 @ --steps 3 --align 512
eager torch-mobilenet-4-steps mobilenet 16 128 @ --steps 4 --align 1
eager torch-mobilenet-8-steps mobilenet 16 128 @ --steps 8
eager torch-mobilenet-3-steps-weights mobilenet 32 96 @ --weights --steps 3
eager torch-densenet121-2-steps-weights densenet121 2 64 @ --weights --steps 2
eager torch-lstm-3-steps-weights lstm 64 200 @ --weights --steps 3
eager torch-resnet152-2-steps-weights resnet152 2 64 @ --weights --steps 2
eager torch-densenet201-3-steps densenet201 8 64 @ --steps 3
eager torch-resnet50-compiled resnet50 8 64 @ --compile
eager torch-transformer-compiled transformer 8 64 @ --compile
eager torch-mobilenet-compiled mobilenet 16 96 @ --compile
eager torch-densenet121-compiled densenet121 8 64 @ --compile

graph() { name=$1; shift; record "$name" "$tensorflow" "$here/trace_tf.py" "$@"; }
graph tf-resnet50 resnet50 8 64 @
graph tf-densenet121 densenet121 8 64 @
graph tf-mobilenet-weights mobilenet 16 96 @ --weights
graph tf-densenet201-6-steps densenet201 4 64 @ --steps 6
graph tf-resnet152-8-steps-weights resnet152 4 64 @ --steps 8 --weights

xla() { name=$1; shift; record "$name" "$torch" "$here/trace_xla.py" "$@"; }
xla jax-mobilenetv2 MobileNetV2 4 96 @
xla jax-densenet121-weights DenseNet121 8 64 @ --weights
xla jax-efficientnetb0 EfficientNetB0 8 64 @
xla jax-nasnetmobile NASNetMobile 4 224 @
xla jax-nasnetmobile-weights NASNetMobile 4 224 @ --weights

program=$(mktemp)
trap 'rm -f "$program"' EXIT
"${CC:-cc}" -std=c11 -O2 -I "$root/include" "$here/traces.c" "$here/exact.c" -o "$program" \
  -L "$build" -lsnug -Wl,-rpath,"$build"
"$program" "$folder"/*.csv
