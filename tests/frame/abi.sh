#!/bin/sh
# The binary interface is what tools/abi.txt says: structs, members, enumerators, functions.
list=$(mktemp)
trap 'rm -f "$list"' EXIT
case $($CC -dumpmachine) in
  x86_64-* | aarch64-*) ;;
  *) echo "the list is for processors of 64 bits; left out"; exit 0 ;;
esac
sh tools/abi.sh >"$list" && diff -u tools/abi.txt "$list" && exit 0
sh tools/abi_compare.sh tools/abi.txt "$list" || echo "programs that were compiled before would break, see above" >&2
echo "if this is meant: make abi" >&2
exit 1
