#!/bin/sh
# Run a test of the Python package.  Usage: run.sh PYTHON TEST [ARGUMENT...].      77: that Python is not there
if [ ! -x "$1" ]; then
  echo "$1 is not installed: tools/backends_venv.sh does that"
  exit 77
fi
if [ "$KERAS_BACKEND" != tensorflow ] && ! "$1" -c "import $KERAS_BACKEND" 2>/dev/null; then
  echo "$1 has no $KERAS_BACKEND: tools/backends_venv.sh installs it"
  exit 77
fi
python=$1
shift
exec "$python" -B "$@"
