#!/bin/sh
# Configure a build folder by a preset, unless that is done.  What came here with a tree that was copied or moved
# belongs to another folder, and is made anew.
# Usage: configure.sh FOLDER PRESET [OPTION of cmake ...]      in the tree's folder
set -eu

folder=$1 preset=$2
shift 2
cached() { sed -n "s/^$1:[^=]*=//p" "$folder/CMakeCache.txt"; }
is_here() { test -n "$1" && test "$(cd "$1" 2>/dev/null && pwd -P)" = "$(cd "$2" && pwd -P)"; }

if [ -e "$folder/CMakeCache.txt" ]; then
  if ! is_here "$(cached CMAKE_HOME_DIRECTORY)" . || ! is_here "$(cached CMAKE_CACHEFILE_DIR)" "$folder"; then
    echo "$folder belongs to $(cached CMAKE_HOME_DIRECTORY): it is made anew"
    rm -rf "$folder"
  elif [ -e "$folder/build.ninja" ] || [ -e "$folder/Makefile" ]; then
    exit 0 # it keeps its generator; CMake itself looks whether its files changed
  fi
fi
exec cmake --preset "$preset" "$@" -Wno-dev >/dev/null
