#!/bin/sh
# The public headers in C++17 with strict warnings, and every function that they declare in use.
# Usage: whole_api.sh LIBSNUG.so
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
source=tests/api/cpp/whole_api.cpp

missing=0
for name in $(cat include/snug/*.h include/snug/tools/*.h | tr '\n' ' ' | grep -o 'SNUG_API [^(;]*(' | grep -o 'snug_[a-z_]* *($' | tr -d ' (')
do
  grep -q "\b$name\b" "$source" || { echo "$source: $name is not used"; missing=1; }
done
test "$missing" = 0

$CXX -std=c++17 -Wall -Wextra -Wpedantic -Werror -Wold-style-cast -Wconversion -Wshadow \
  -Wcast-qual -Wnon-virtual-dtor -Iinclude "$source" -o "$folder/whole_api" "$1" \
  -Wl,-rpath,"$(dirname "$1")"
"$folder/whole_api"
