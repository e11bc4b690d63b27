#!/bin/sh
# Make the Pythons with Keras that tests/keras/live needs: FOLDER/<version>/bin/python for the newest Keras and the
# older ones.  Says nothing when they are there.
# Usage: keras_venv.sh [--newest] [FOLDER]      FOLDER: .cache/keras; --newest: without the older ones
# SNUG_KERAS names the Python of an existing installation to use in place of the newest one.
set -eu

only_newest=
test "${1-}" != --newest || { only_newest=yes; shift; }
root=$(cd "$(dirname "$0")/.." && pwd)
list=$root/tests/keras/live
folder=${1:-$root/.cache/keras}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
log=$folder/install.log

give_up() {
  tail -n 5 "$log" >&2
  echo "keras_venv.sh: $1; the whole log is $log.  The tests of Keras files need the package index of Python" >&2
  echo "  (or SNUG_KERAS=/path/to/python of an installation that has $2)" >&2
  exit 1
}

# Two runs at once would write over each other.
exec 9>"$folder/lock"
flock 9

newest=$(sed -n 's/^keras==//p' "$list/requirements.txt")
python=${SNUG_KERAS:-$folder/$newest/bin/python}
done_mark=$folder/$newest/installed
if [ -z "${SNUG_KERAS-}" ] && ! cmp -s "$list/requirements.txt" "$done_mark"; then
  echo "keras_venv.sh: installing Keras $newest into $folder (once; about 1 GB)" >&2
  rm -rf "${folder:?}/$newest"
  python3 -m venv "$folder/$newest" >"$log" 2>&1 || give_up "python3 -m venv failed (package python3-venv)" "keras"
  "$python" -m pip install --no-input -r "$list/requirements.txt" >>"$log" 2>&1 ||
    give_up "Keras $newest could not be installed" "$(grep -v '^#' "$list/requirements.txt" | tr '\n' ' ')"
  cp "$list/requirements.txt" "$done_mark"
fi
test -z "$only_newest" || exit 0

# An older Keras is its package alone, put before the newest one on the path.
sed -n 's/^keras==//p' "$list/requirements-older.txt" | while read -r version; do
  place=$folder/$version
  test ! -e "$place/installed" || [ "$(cat "$place/installed")" != "$python" ] || continue
  rm -rf "$place"
  mkdir -p "$place/bin"
  "$python" -m pip install --no-input --no-deps --target "$place/site" "keras==$version" >>"$log" 2>&1 ||
    give_up "Keras $version could not be installed" "it"
  printf '#!/bin/sh\nPYTHONPATH="%s" exec "%s" "$@"\n' "$place/site" "$python" >"$place/bin/python"
  chmod +x "$place/bin/python"
  echo "$python" >"$place/installed"
done
