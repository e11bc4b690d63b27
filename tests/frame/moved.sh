#!/bin/sh
# A built tree that was copied or moved builds itself anew with its options, and leaves the other one alone.
# Usage: moved.sh ROOT      in an empty folder
set -eu

root=$1
mkdir -p first/tools
cp "$root/Makefile" first
cp "$root/tools/configure.sh" first/tools
cat >first/CMakePresets.json <<'END'
{"version": 5, "configurePresets": [{"name": "release", "binaryDir": "${sourceDir}/build"}]}
END
cat >first/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.24)
project(moved NONE)
option(SNUG_PART "an option" ON)
file(WRITE ${CMAKE_BINARY_DIR}/options "${SNUG_PART}, ${CMAKE_C_FLAGS}, ${CMAKE_PREFIX_PATH}")
add_custom_target(told ALL COMMAND ${CMAKE_COMMAND} -E echo ${CMAKE_SOURCE_DIR} > ${CMAKE_BINARY_DIR}/where)
END

builds_in() { # tree: the file that a build writes says where it was
  make -C "$1" release >"$1.log" 2>&1 || { cat "$1.log"; exit 1; }
  test "$(cat "$1/build/where")" = "$(pwd -P)/$1" || { echo "$1 was built in $(cat "$1/build/where")"; exit 1; }
}

builds_in first
touch first/build/kept
builds_in first
test -e first/build/kept # nothing is thrown away for nothing
cmake -DSNUG_PART=OFF "-DCMAKE_C_FLAGS=-O1 -g" "-DCMAKE_PREFIX_PATH=/one;/two" first/build >cmake.log

cp -a first copy
rm first/build/where
builds_in copy
test ! -e first/build/where || { echo "building the copy built the original"; exit 1; }
grep -q 'belongs to' copy.log
test "$(cat copy/build/options)" = "OFF, -O1 -g, /one;/two" || { echo "options were lost: $(cat copy/build/options)"; exit 1; }

mv copy moved
builds_in moved

ln -s first link # the same folder by another name
test -e first/build/kept
make -C link release >link.log 2>&1
test -e first/build/kept

# Configuring that failed half-way (here: nothing was generated) is taken up again.
rm -f first/build/build.ninja first/build/Makefile first/build/where
builds_in first
