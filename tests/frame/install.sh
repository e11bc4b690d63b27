#!/bin/sh
# Install into a fresh prefix, then build and run a program of a user's against it: in C and C++
# with pkg-config, and with find_package.  Usage: install.sh BUILD_FOLDER
set -e
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
consumer=$PWD/tests/frame/consumer

cmake --install "$1" --prefix "$prefix" >/dev/null
lib=$(dirname "$(find "$prefix" -name libsnug.so)")
export PKG_CONFIG_PATH="$lib/pkgconfig" LD_LIBRARY_PATH="$lib"

# One version everywhere, and in the name of the library what programs must agree on.
version=$(pkg-config --modversion snug)
readelf -d "$lib/libsnug.so" | grep -q "SONAME.*\[libsnug.so.${version%.*}\]"
grep -q "^version = \"$version\"" pyproject.toml
grep -q "^__version__ = \"$version\"" python/snug/_version.py

$CC -std=c11 -Wall -Werror "$consumer/consumer.c" -o "$prefix/c" $(pkg-config --cflags --libs snug)
"$prefix/c"
$CXX -std=c++17 -Wall -Werror -x c++ "$consumer/consumer.c" -o "$prefix/cxx" \
  $(pkg-config --cflags --libs snug)
"$prefix/cxx"

cmake -S "$consumer" -B "$prefix/build" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$prefix/build" >/dev/null
if cmake -S "$consumer" -B "$prefix/other" -DCMAKE_PREFIX_PATH="$prefix" -DWANTED=0.99 >"$prefix/log" 2>&1; then
  echo "version 0.99 was asked for, and $version was found"
  exit 1
fi
unset LD_LIBRARY_PATH
"$prefix/build/consumer"

if test -e "$1/snug"; then
  "$prefix/bin/snug" --version
  share=$prefix/share
  for page in docs/*.1; do test -s "$share/man/man1/${page#docs/}"; done
  for file in bash-completion/completions/snug zsh/site-functions/_snug fish/vendor_completions.d/snug.fish; do
    test -s "$share/$file"
  done
fi
