#!/bin/sh
# The way of a model through the command: a fresh .keras file, trained on Fashion-MNIST, measured on
# images it has not seen.  Keras opens both files.  Usage: demo.sh [FOLDER]   (SNUG: the command)
set -eu
snug=${SNUG:-snug}
data=/usr/share/datasets/fashion-mnist
if [ ! -r "$data/train-images-idx3-ubyte.gz" ]; then
  echo "demo.sh: there is no Fashion-MNIST in $data; install Debian's dataset-fashion-mnist (./setup.sh)" >&2
  exit 1
fi
mkdir -p "${1:-.}"
cd "${1:-.}"

run() {
  echo "+ snug $*"
  "$snug" "$@"
}

run init cnn --force -o cnn.keras
run fit cnn.keras --data $data/train-images-idx3-ubyte.gz $data/train-labels-idx1-ubyte.gz \
  --validation-split 0.1 --epochs 3 --batch-size 64 --force -o trained.keras
run evaluate trained.keras --data $data/t10k-images-idx3-ubyte.gz $data/t10k-labels-idx1-ubyte.gz
