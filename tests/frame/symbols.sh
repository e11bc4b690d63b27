#!/bin/sh
# The library exports what tools/symbols.txt lists and nothing else.  Usage: symbols.sh LIBRARY
sh tools/symbols.sh "$1" | diff -u tools/symbols.txt - && exit 0
echo "if this is meant: make symbols" >&2
exit 1
