#!/bin/sh
# Includes go downward: a file of src/<room>/ may include headers of its own room and of the rooms
# below it, the command and the examples see include/snug alone, and placing knows nothing of
# graphs.  Usage: check_includes.sh [repository]
cd "${1:-.}" || exit 1

# Rooms on the same line do not see each other.
levels="base
meter
graph
device
ops
grad pass plan
exec
train data model report"

# The rooms that a room may include, itself first.
allowed_for() {
  echo "$levels" | awk -v room="$1" '
    { for (i = 1; i <= NF; i++) if ($i == room) { print room below; found = 1; exit } below = below " " $0 }
    END { if (!found) exit 1 }'
}

failed=0
complain() {
  echo "$1 includes \"$2\": $3" >&2
  failed=1
}

check_room() { # file, rooms it may include
  for header in $(sed -n 's/^#include "\([^"]*\)".*/\1/p' "$1"); do
    case " $2 snug " in
      *" ${header%%/*} "*) ;;
      *) complain "$1" "$header" "it may include: $2 snug" ;;
    esac
  done
}

for file in $(find src -name '*.[ch]'); do
  room=${file#src/}
  room=${room%%/*}
  rooms=$(allowed_for "$room") || {
    echo "$file: the room $room has no place in tools/check_includes.sh" >&2
    failed=1
    continue
  }
  case $file in
    src/plan/place*.c | src/plan/place*.h | src/plan/check.c) rooms="base plan" ;;
  esac
  check_room "$file" "$rooms"
done
for file in $(find cli examples -name '*.[ch]' 2>/dev/null); do
  for header in $(sed -n 's/^#include "\([^"]*\)".*/\1/p' "$file"); do
    case $header in
      snug/*) ;;
      */*) complain "$file" "$header" "it may include: snug/ and its neighbours" ;;
    esac
  done
done
exit $failed
