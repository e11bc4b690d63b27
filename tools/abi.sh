#!/bin/sh
# Print the binary interface of the public headers: structs with their size and the offset and type of each member,
# enumerators, functions.  Reads the debugging information of the compiler (readelf).  Usage: abi.sh [HEADERS]
set -e
headers=${1:-include}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

version=$(sed -n 's/^project(snug VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
case $version in 0.*) echo "interface ${version%.*}" ;; *) echo "interface ${version%%.*}" ;; esac

echo '#include <snug/tools.h>' >"$folder/abi.c"
${CC:-cc} -std=c11 -g -gdwarf-4 -fno-eliminate-unused-debug-types -I"$headers" -c "$folder/abi.c" -o "$folder/abi.o"
LC_ALL=C readelf --debug-dump=info "$folder/abi.o" | awk '
  function value() { sub(/^[^:]*: */, ""); sub(/^\(.*string[^)]*\): /, ""); sub(/[ \t]+$/, ""); return $0 }
  function text(id,   tag) { # a type as C would write it, by name where it has one
    if (id == "") return "void"
    tag = tags[id]
    if (tag == "pointer_type") return text(types[id]) "*"
    if (tag == "const_type") return text(types[id]) " const"
    if (tag == "volatile_type") return text(types[id]) # compilers differ in its place
    if (tag == "array_type") return text(types[id]) bounds[id]
    if (tag == "subroutine_type") return "function"
    return names[id]
  }
  /^ *<[0-9a-f]+><[0-9a-f]+>: Abbrev Number: [0-9]+ \(DW_TAG_/ {
    split($0, part, /[<>]/)
    depth = part[2]; id = part[4]
    tag = $0; sub(/.*DW_TAG_/, "", tag); sub(/\).*/, "", tag)
    tags[id] = tag; at[depth] = id; order[++n] = id
    if (depth > 1) { parent[id] = at[depth - 1]; children[at[depth - 1]] = children[at[depth - 1]] " " id }
    next
  }
  /DW_AT_name/ { names[id] = value() }
  /DW_AT_byte_size/ { sizes[id] = value() }
  /DW_AT_type/ { t = value(); gsub(/[<>]|0x/, "", t); types[id] = t }
  /DW_AT_data_member_location/ { places[id] = value() }
  /DW_AT_const_value/ { values[id] = value() }
  /DW_AT_count/ { bounds[parent[id]] = bounds[parent[id]] "[" value() "]" }
  /DW_AT_upper_bound/ { bounds[parent[id]] = bounds[parent[id]] "[" value() + 1 "]" }
  END {
    for (i = 1; i <= n; i++) {
      id = order[i]
      if (names[id] !~ /^snug_/ || sizes[id] == "") continue
      k = split(children[id], child, " ")
      if (tags[id] == "structure_type") {
        print names[id], 0, "struct " names[id] " " sizes[id]
        for (m = 1; m <= k; m++) print names[id], m, "member " names[id] "." names[child[m]] " " places[child[m]] " " text(types[child[m]])
      }
      if (tags[id] == "enumeration_type")
        for (m = 1; m <= k; m++) print names[id], m, "enumerator " names[child[m]] " " values[child[m]]
    }
  }' | LC_ALL=C sort -k1,1 -k2,2n | cut -d' ' -f3- # in the order of names, whatever that of the compiler is

find "$headers/snug" -name '*.h' | LC_ALL=C sort | xargs cat | sed 's|/\*.*\*/||' | tr '\n' ' ' | grep -o 'SNUG_API [^;]*;' |
  sed 's/SNUG_API //; s/SNUG_NODISCARD//; s/  */ /g; s/ *;$//; s/^/function /' | LC_ALL=C sort
