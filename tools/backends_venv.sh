#!/bin/sh
# Make a Python with Keras, JAX and PyTorch, for the tests of the Python package that run on those back ends:
# FOLDER/bin/python.  They are left out while it is not there.  Says nothing when it is.
# Usage: backends_venv.sh [FOLDER]      FOLDER: .cache/backends
# The index of Python has PyTorch with all of CUDA, several GB; PIP_INDEX_URL may name one that has it without.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
list=$root/tests/python/requirements-backends.txt
folder=${1:-$root/.cache/backends}
test ! -e "$folder/installed" || ! cmp -s "$list" "$folder/installed" || exit 0

echo "backends_venv.sh: installing JAX and PyTorch into $folder (once)" >&2
rm -rf "$folder"
python3 -m venv "$folder"
"$folder/bin/python" -m pip install --no-input --quiet -r "$list"
cp "$list" "$folder/installed"
