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

$CC -std=c11 -Wall -Werror "$consumer/consumer.c" -o "$prefix/c" $(pkg-config --cflags --libs snug)
"$prefix/c"
$CXX -std=c++17 -Wall -Werror -x c++ "$consumer/consumer.c" -o "$prefix/cxx" \
  $(pkg-config --cflags --libs snug)
"$prefix/cxx"

cmake -S "$consumer" -B "$prefix/build" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$prefix/build" >/dev/null
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
