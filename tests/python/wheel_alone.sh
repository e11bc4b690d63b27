#!/bin/sh
# The wheel of tools/wheel.sh on a machine that has Python with venv and nothing else: it trains, plans and watches.
# Usage: wheel_alone.sh WHEEL      in an empty folder
set -eu

wheel=$1
unset SNUG SNUG_LIBRARY PYTHONPATH LD_LIBRARY_PATH
for name in libdnnl libgomp libjansson; do
  if ldconfig -p 2>/dev/null | grep -q "$name"; then echo "note: this machine has a $name of its own"; fi
done
python3 -m venv alone
alone/bin/pip install --quiet --no-input "$wheel"
PATH=$PWD/alone/bin:$PATH

python - <<'END'
import os
import numpy as np
import snug
from snug._library import library
library().snug_version()
folder = os.path.dirname(os.path.dirname(snug.__file__))
with open("/proc/self/maps") as maps:
    opened = {line.split()[-1] for line in maps if ".so" in line}
for name in ("libsnug", "libdnnl", "libgomp", "libjansson", "libjpeg", "libpng"):
    found = [path for path in opened if os.path.basename(path).startswith(name)]
    assert found and all(path.startswith(folder) for path in found), (name, found)
random = np.random.default_rng(1)
y = random.integers(0, 10, 512)
x = random.random((512, 28, 28, 1)) * 0.1
x[np.arange(512), y, y] += 1.0
np.savez("train.npz", x=x.astype("float32"), y=y)
END
snug init cnn -o cnn.keras

# Threads that wait sleep soon, in the package and in the command: nobody has set that outside.
unset OMP_WAIT_POLICY GOMP_SPINCOUNT OMP_PROC_BIND OMP_PLACES GOMP_CPU_AFFINITY
export OMP_DISPLAY_ENV=VERBOSE
python -c 'from snug._library import library; library()' 2>package.env
snug plan cnn.keras --batch-size 32 --data train.npz 2>command.env >/dev/null
unset OMP_DISPLAY_ENV
for told in package.env command.env; do
  grep 'GOMP_SPINCOUNT' $told | tail -n 1 | grep -q "'1000'" || { echo "threads spin: $(cat $told)"; exit 1; }
done

snug plan cnn.keras --batch-size 32 --data train.npz | grep -q MiB
snug fit cnn.keras --data train.npz --batch-size 32 --epochs 3 --record run.snug -o trained.keras --json >fit.json
snug evaluate trained.keras --data train.npz
snug report run.snug | grep -q 'planned'
snug watch -o watched.snug -- python -c 'x = bytearray(50 << 20); x[::4096] = x[::4096]' 2>watch.txt || { cat watch.txt; exit 1; }
grep -q 'MiB' watch.txt
python - <<'END'
import glob, os, sysconfig
import snug
with snug.peak() as p:
    held = bytearray(20 << 20)
assert p.peak - p.start > 15 << 20, p
info = glob.glob(os.path.join(sysconfig.get_paths()["purelib"], "snug-*.dist-info", "licenses", "THIRD_PARTY", "*"))
names = {os.path.basename(path) for path in info}
libraries = os.listdir(os.path.join(os.path.dirname(os.path.dirname(snug.__file__)), "snug.libs"))
for library in libraries:
    name = library.split("-")[0]
    assert any(name in text for text in names), f"no licence of {library} among {names}"
print("alone:", len(libraries), "libraries inside,", len(names), "licences")
END
