#!/bin/sh
# Whether a program that was compiled with one interface works with a library of another: what was there is there, in its
# place, and structs have grown at their ends alone (include/snug/struct_size.h).  Of another interface version anything
# may have changed.  Usage: abi_compare.sh OLD NEW      lists as tools/abi.sh prints them
awk '
  function complain(text) { print text; failed = 1 }
  function is_count(name) { return name ~ /_(COUNT|SORTS)$/ } # grows with what it counts
  NR == FNR && $1 == "interface" { interface = $2 }
  NR != FNR && $1 == "interface" && $2 != interface { other = 1; exit }
  NR == FNR && $1 == "struct" { old[$2] = $3 }
  NR == FNR && $1 == "member" { name = $2; $1 = $2 = ""; member[name] = $0; if (name ~ /[.]struct_size$/) sized[substr(name, 1, length(name) - 12)] = 1 }
  NR == FNR && $1 == "enumerator" { enumerator[$2] = $3 }
  NR == FNR && $1 == "function" { declared[$0] = 1 }
  NR == FNR { next }
  $1 == "struct" {
    seen[$2] = 1
    if ($2 in old && $3 < old[$2]) complain($2 ": it has " $3 " bytes, and had " old[$2])
    if ($2 in old && $3 > old[$2] && !sized[$2]) complain($2 ": it has " $3 " bytes, and had " old[$2] "; without struct_size it cannot grow")
  }
  $1 == "member" {
    name = $2; of = name; sub(/[.][^.]*$/, "", of)
    place = $3; $1 = $2 = ""
    seen_member[name] = 1
    if (name in member && member[name] != $0) complain(name ": it is" $0 ", and was" member[name])
    if (of in old && !(name in member) && !sized[of]) complain(name ": it is new, in a struct that cannot grow")
    if (of in old && !(name in member) && sized[of] && place < old[of]) complain(name ": it is new, and begins at " place ", inside of the " old[of] " bytes that there were")
  }
  $1 == "enumerator" { seen_enumerator[$2] = 1; if ($2 in enumerator && enumerator[$2] != $3 && !is_count($2)) complain($2 ": it is " $3 ", and was " enumerator[$2]) }
  $1 == "function" { seen_function[$0] = 1 }
  END {
    if (other) exit 0
    for (name in old) if (!(name in seen)) complain(name ": it is gone")
    for (name in member) if (!(name in seen_member)) complain(name ": it is gone")
    for (name in enumerator) if (!(name in seen_enumerator) && !is_count(name)) complain(name ": it is gone")
    for (name in declared) if (!(name in seen_function)) complain(name ": it is gone, or another")
    exit failed
  }' "$1" "$2"
