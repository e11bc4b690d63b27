#!/bin/sh
# What `snug watch` costs: its share of a core, as the kernel counts it, over 10 seconds of a tree of 50
# processes.  PROCESSES and SECONDS_EACH are other numbers of them.
set -e
here=$(cd "$(dirname "$0")" && pwd)
snug=${SNUG:-$here/../../build/snug}
n=${PROCESSES:-50}
seconds=${SECONDS_EACH:-10}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${CC:-cc}" -std=gnu11 -O2 "$here/breathe.c" -o "$folder/breathe"

ran() { cut -d ' ' -f 1 "/proc/$1/schedstat"; } # nanoseconds

measure() { # what it is called, command that is started n times
  echo "for i in \$(seq $n); do $2 & done; wait" >"$folder/tree"
  "$snug" watch --json -- timeout $((seconds + 3)) sh "$folder/tree" >/dev/null 2>"$folder/said" &
  pid=$!
  sleep 2 # they have come
  before=$(ran $pid)
  sleep "$seconds"
  after=$(ran $pid)
  wait $pid || true
  looks=$(tail -n 1 "$folder/said" | sed 's/.*"seconds":\([0-9.]*\).*"samples":\([0-9]*\).*"most_processes":\([0-9]*\).*/\1 \2 \3/')
  echo "$before $after $seconds $looks" | awk -v name="$1" '
    { printf "%-28s %5.2f %% of a core, %4.1f samples a second, up to %d processes\n", name, ($2 - $1) / $3 / 1e7, $5 / $4, $6 }'
}

measure "$n that sleep" "sleep 1000"
measure "$n that take and let go" "$folder/breathe"
measure "$n that begin others" "sh -c 'while :; do sleep 0.5; done'"
