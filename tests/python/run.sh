#!/bin/sh
# Run a test of the Python package.  Usage: run.sh [--needed] PYTHON TEST [ARGUMENT...]
# 77: that Python is not there; --needed: then it fails.
missing=77
test "$1" != --needed || { missing=1; shift; }
if [ ! -x "$1" ]; then
  echo "$1 is not installed: tools/backends_venv.sh does that"
  exit $missing
fi
if [ "$KERAS_BACKEND" != tensorflow ] && ! "$1" -c "import $KERAS_BACKEND" 2>/dev/null; then
  echo "$1 has no $KERAS_BACKEND: tools/backends_venv.sh installs it"
  exit $missing
fi
python=$1
shift
exec "$python" -B "$@"
