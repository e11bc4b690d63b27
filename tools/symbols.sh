#!/bin/sh
# Print the symbols that a shared library exports, one per line, sorted.
nm -D --defined-only "$1" | awk '{ print $3 }' | LC_ALL=C sort
