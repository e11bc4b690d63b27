#!/bin/sh
# Build a wheel that needs nothing from the system: oneDNN, libgomp and the others inside, their licences too.
# Its tag says the oldest glibc that will do: that of this machine or older.
# Usage: wheel.sh FOLDER      the wheel goes to FOLDER/dist, working files beside it
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$1"
cd "$1"
rm -rf raw repaired unpacked dist
sh "$root/tools/wheel_tools.sh" tools
PATH=$PWD/tools/bin:$PATH
python -m pip wheel --quiet --no-input --no-deps -w raw "$root"
python -m auditwheel repair -w repaired raw/*.whl >auditwheel.log 2>&1 || { cat auditwheel.log; exit 1; }
python -m wheel unpack --dest unpacked repaired/*.whl >/dev/null

# Debian keeps the licence of each package in its copyright file.
third=$(echo unpacked/*/*.dist-info)/licenses/THIRD_PARTY
mkdir -p "$third"
for library in unpacked/*/snug.libs/*; do
  name=$(basename "$library" | sed 's/-[0-9a-f]*\.so.*//')
  path=$(ldconfig -p | sed -n "s,.*=> \(.*/$name\.so\.[0-9].*\),\1,p" | head -n 1)
  package=$(dpkg-query -S "$(readlink -f "$path")" "$path" "/usr$path" "/usr$(readlink -f "$path")" 2>/dev/null | head -n 1 | cut -d: -f1)
  test -n "$package" || { echo "wheel.sh: no package has $path: its licence is not known" >&2; exit 1; }
  cp "/usr/share/doc/$package/copyright" "$third/$name.txt"
done
mkdir dist
python -m wheel pack --dest-dir dist unpacked/* >/dev/null
echo "$1/dist/$(ls dist)"
