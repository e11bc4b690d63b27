#!/bin/sh
# `pip install .` into a fresh Python: the package has its library and its command inside.
# Usage: wheel.sh ROOT      in an empty folder
set -eu

root=$1
unset SNUG SNUG_LIBRARY PYTHONPATH
python3 -m venv fresh
fresh/bin/python -m pip install --quiet --no-input "$root"
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/pyproject.toml")
for command in "fresh/bin/python -m snug" fresh/bin/snug; do
  test "$($command --version)" = "snug $version"
done
fresh/bin/python - "$version" <<'END'
import os, sys
import snug
from snug._library import command, library
assert snug.__version__ == library().snug_version().decode() == sys.argv[1]
inside = os.path.dirname(snug.__file__)
assert command().startswith(inside), command()
with open("/proc/self/maps") as maps:
    assert any(inside in line and "libsnug" in line for line in maps), "another libsnug was opened"
assert snug.get_memory_info()["current"] > 0
assert not {"keras", "tensorflow", "torch", "jax"} & set(sys.modules)
END
fresh/bin/python -m snug init mlp -o mlp.keras
fresh/bin/python -m snug plan mlp.keras --batch-size 8 >plan.txt
grep -q "takes" plan.txt || grep -q "MiB" plan.txt
