#!/bin/sh
# Includes go downward: a file of src/<room>/ may include headers of its own room and of the rooms
# below it, the command and the examples see include/snug alone, and placing knows nothing of
# graphs.  Neighbours may see each other in one direction.  Usage: check_includes.sh [repository]
cd "${1:-.}" || exit 1

# From the bottom up; rooms on one line are neighbours.  The kernels of a device (src/device/cpu/)
# stand higher than the interface in src/device/ itself: they are the "tables".
levels="base
image
meter
graph
device
ops
grad pass plan
tables
exec
planning
data model
train report
record
keras
callbacks
watch"

# The rooms that a room may include: those of its line and of the lines below.
allowed_for() {
  echo "$levels" | awk -v room="$1" '
    { rooms = rooms $0 " "; for (i = 1; i <= NF; i++) if ($i == room) { print rooms; found = 1; exit } }
    END { if (!found) exit 1 }'
}

failed=0
complain() {
  echo "$1 includes \"$2\": $3" >&2
  failed=1
}

seen= # pairs "from>to" of rooms
check_room() { # file, its room, rooms it may include
  for header in $(sed -n 's/^#include "\([^"]*\)".*/\1/p' "$1"); do
    to=${header%%/*}
    case " $3 snug " in
      *" $to "*) ;;
      *) complain "$1" "$header" "it may include: $3 snug" ;;
    esac
    case " $seen " in
      *" $to>$2 "*) test "$to" = "$2" || complain "$1" "$header" "and $to includes $2: a ring" ;;
    esac
    seen="$seen $2>$to"
  done
}

# The part of plan/ that knows intervals only, and never graphs.
is_packing() {
  case $1 in plan/place* | plan/check* | plan/pack* | plan/sort*) return 0 ;; esac
  return 1
}

check_packing() {
  for header in $(sed -n 's/^#include "\([^"]*\)".*/\1/p' "$1"); do
    case $header in
      base/* | snug/*) ;;
      *) is_packing "$header" || complain "$1" "$header" "it may include: base snug, and its like" ;;
    esac
  done
}

for file in $(find src -name '*.[ch]'); do
  room=${file#src/}
  case $room in device/*/*) room=tables ;; *) room=${room%%/*} ;; esac
  rooms=$(allowed_for "$room") || {
    echo "$file: the room $room has no place in tools/check_includes.sh" >&2
    failed=1
    continue
  }
  check_room "$file" "$room" "$rooms"
  if is_packing "${file#src/}"; then check_packing "$file"; fi
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
