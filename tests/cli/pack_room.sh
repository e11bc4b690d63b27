#!/bin/sh
# A problem that is more than the process may hold is refused, and never gets the command killed.
. "$SNUG_TESTS/cli/lib.sh"

ldd "$SNUG" | grep -q 'libasan' && exit 77 # a sanitizer takes more than any limit

awk 'BEGIN { print "id,lower,upper,size"; for (i = 0; i < 200000; i++) print "b" i "," i "," i + 1 + i % 7 "," 64 + i % 13 * 64 }' >m.csv

# By a limit of its own: the text does not fit, its lines do not, the search does not.  What its libraries want to come to life
# at all differs between systems.
tried=0
for limit in 1000 4000 8000 20000 60000; do
  (ulimit -d $limit && "$SNUG" --version) >/dev/null 2>&1 || continue
  tried=$((tried + 1))
  (
    ulimit -d $limit
    expect 3 pack m.csv
  ) || exit 1
  has err "m.csv: "
done
[ $tried -ge 2 ] || fail "only $tried limits were tried"

# By a control group: from the smallest to one that has room, of the version that has the memory here.
v1=/sys/fs/cgroup/memory/snug-test-$$
v2=/sys/fs/cgroup/snug-test-$$
if mkdir "$v1" 2>/dev/null; then
  group=$v1 file=$v1/memory.limit_in_bytes
elif grep -qw memory /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null && mkdir "$v2" 2>/dev/null; then
  group=$v2 file=$v2/memory.max
else
  exit 0 # none can be made here
fi
trap 'rmdir "$group"' EXIT
for mib in 4 6 8 12 16 24 32 48 64 96 384; do
  echo $((mib << 20)) >"$file" || exit 77
  sh -c "echo \$\$ >$group/cgroup.procs && exec '$SNUG' --version" >/dev/null 2>&1 || [ $mib -ge 16 ] || continue
  sh -c "echo \$\$ >$group/cgroup.procs && exec '$SNUG' pack m.csv --work 1000000" >out 2>err
  code=$?
  [ $code -eq 3 ] || [ $code -eq 0 ] || fail "in $mib MiB: exit code $code: $(cat err)"
  [ $code -eq 0 ] || has err "m.csv: "
done
[ $code -eq 0 ] || fail "in $mib MiB it does not run: $(cat err)"
[ "$(wc -l <out)" -eq 200001 ] || fail "$(wc -l <out) lines"
exit 0
