#!/bin/sh
# tools/abi.sh sees what changes in a header, and tools/abi_compare.sh whether programs break by it.
set -e
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
sh tools/abi.sh include >"$folder/before"

expect() { # breaks or works; what is changed: a header, a command of sed for it
  rm -rf "$folder/include"
  cp -r include "$folder/include"
  sed -i "$3" "$folder/include/snug/$2"
  cmp -s "include/snug/$2" "$folder/include/snug/$2" && { echo "$3 changes nothing in $2"; exit 1; }
  sh tools/abi.sh "$folder/include" >"$folder/after"
  cmp -s "$folder/before" "$folder/after" && { echo "$3 in $2 is not seen"; exit 1; }
  if sh tools/abi_compare.sh "$folder/before" "$folder/after" >"$folder/log"; then found=works; else found=breaks; fi
  test "$found" = "$1" || { echo "$3 in $2: it $found, and should be told as: $1"; cat "$folder/log"; exit 1; }
}

sh tools/abi_compare.sh "$folder/before" "$folder/before"
expect breaks train.h 's/^  int64_t batch_size; .*/  int64_t first, batch_size;/'               # members move
expect breaks train.h '/^  int64_t initial_epoch;/d'                                           # one is gone
expect breaks train.h 's/^  int64_t initial_epoch;/  double initial_epoch;/'                   # another type, the same place
expect breaks train.h 's/^\(  int64_t initial\)_epoch;/\1;/'                                  # another name
expect breaks context.h 's/^  bool whole_process;/  bool whole_process, more;/'                # new, but in what was padding
expect breaks train.h 's/^} snug_span;/  int64_t step;\n} snug_span;/'                         # a plain value does not grow
expect breaks status.h 's/X(E_DATA, -6/X(E_DATA, -60/'                                         # another number
expect breaks context.h 's/snug_version(void)/snug_version(int)/'                              # another function
expect breaks context.h '/snug_version(void)/d'                                                # none
expect works train.h 's/^} snug_fit_options;/  uint64_t more;\n} snug_fit_options;/'           # at the end
expect works train.h 's/^} snug_memory_report;/  uint64_t more;\n} snug_memory_report;/'
expect works context.h 's/^SNUG_API const char .snug_version.*/&\nSNUG_API int snug_more(void);/' # one function more

sed 's/^interface .*/interface 9/' "$folder/before" | grep -v snug_fit_options >"$folder/after" # another interface may be so
sh tools/abi_compare.sh "$folder/before" "$folder/after"
