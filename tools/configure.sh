#!/bin/sh
# Configure a build folder by a preset, unless that is done.  What came here with a tree that was copied or moved
# belongs to another folder, and is made anew with the options that it had.
# Usage: configure.sh FOLDER PRESET [OPTION of cmake ...]      in the tree's folder
set -eu

folder=$1 preset=$2
shift 2
cached() { sed -n "s/^$1:[^=]*=//p" "$folder/CMakeCache.txt"; }
is_here() { test -n "$1" && test "$(cd "$1" 2>/dev/null && pwd -P)" = "$(cd "$2" && pwd -P)"; }

# What a user may have set, as cmake takes it after -D; compilers while they are there.
options() {
  sed -n -E '/^(SNUG_[A-Z_]+|BUILD_TESTING|CMAKE_(BUILD_TYPE|PREFIX_PATH|INSTALL_PREFIX|C_FLAGS|CXX_FLAGS)):/p' \
    "$folder/CMakeCache.txt"
  for language in C CXX; do
    compiler=$(cached CMAKE_${language}_COMPILER)
    test ! -x "$compiler" || echo "CMAKE_${language}_COMPILER:FILEPATH=$compiler"
  done
}

if [ -e "$folder/CMakeCache.txt" ]; then
  if ! is_here "$(cached CMAKE_HOME_DIRECTORY)" . || ! is_here "$(cached CMAKE_CACHEFILE_DIR)" "$folder"; then
    echo "$folder belongs to $(cached CMAKE_HOME_DIRECTORY): it is made anew"
    had=$(options)
    while IFS= read -r option; do
      test -z "$option" || set -- "$@" "-D$option"
    done <<END
$had
END
    rm -rf "$folder"
  elif [ -e "$folder/build.ninja" ] || [ -e "$folder/Makefile" ]; then
    exit 0 # it keeps its generator; CMake itself looks whether its files changed
  fi
fi
exec cmake --preset "$preset" "$@" >/dev/null
