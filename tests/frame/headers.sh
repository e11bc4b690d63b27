#!/bin/sh
# Every public header compiles alone, as C11 and as C++11; every header of src/ alone as C11.  (A
# file of src/ without an include guard is a template, included several times with macros set.)
strict="-Wall -Wextra -Wpedantic -Werror -fsyntax-only"
failed=0
for header in include/snug/*.h include/snug/tools/*.h; do
  name=${header#include/}
  echo "#include \"$name\"" | $CC -std=c11 $strict -Iinclude -x c - || failed=1
  echo "#include \"$name\"" | $CXX -std=c++11 $strict -Iinclude -x c++ - || failed=1
done

# What a program embeds needs none of the tools.
for header in include/snug/*.h; do
  case $header in include/snug/tools.h) continue ;; esac
  grep -l '#include "snug/tools' "$header" && { echo "$header includes a header for tools"; failed=1; }
done
for header in $(find src -name '*.h' ! -path '*/cuda/*' -exec grep -l '^#ifndef SNUG_' {} +); do
  echo "#include \"${header#src/}\"" |
    $CC -std=c11 -D_GNU_SOURCE= $strict -Iinclude -Isrc -x c - || failed=1
done
exit $failed
