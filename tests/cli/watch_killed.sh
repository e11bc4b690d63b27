#!/bin/sh
# A command that the kernel kills for memory, in a control group of this test's, is told so.
. "$SNUG_TESTS/cli/lib.sh"

# A group with a limit of 48 MiB, of the version that has the memory here.
v1=/sys/fs/cgroup/memory/snug-test-$$
v2=/sys/fs/cgroup/snug-test-$$
if mkdir "$v1" 2>/dev/null; then
  group=$v1
  echo 50331648 >"$group/memory.limit_in_bytes" || exit 77
  echo 50331648 >"$group/memory.memsw.limit_in_bytes" 2>/dev/null
elif grep -qw memory /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null && mkdir "$v2" 2>/dev/null; then
  group=$v2
  echo 50331648 >"$group/memory.max" || exit 77
  echo 0 >"$group/memory.swap.max" 2>/dev/null
else
  echo "skipped: no memory control group can be made here"
  exit 77
fi
trap 'rmdir "$group"' EXIT
export COLUMNS=200 # sentences stay in one line
inside="echo \$\$ >$group/cgroup.procs || exit 77;"

# The command itself.
expect 137 watch --json -- sh -c "$inside exec '$HOLD' 200 1000 0 500" # it is seen in its group before it takes much
tail -n 1 err >json
is_json json
has json '"verdict":"killed by the kernel for memory (SIGKILL; the limit of its control group is 48.0 MiB, its peak 48.0 MiB)"'
has json '"killed_for_memory":true'
has json "\"path\":\"$group\",\"limit\":50331648,"

# A process of it: the shell lives and ends by itself.
expect 3 watch -- sh -c "$inside '$HOLD' 200 1000 0 500; exit 3"
has err "exit code 3; a process of it was killed by the kernel for memory"

has err "help "
has err "a limit above 48.0 MiB"
has err "next: snug watch -o run.snug -- sh -c "

# What helps is in its recording, too; pages that were read long before the peak are not told as the peak's.
for turn in 1 2 3; do
  expect 137 watch -fo killed.snug -- sh -c "$inside exec '$HOLD' 200 1000 0 500"
  has err "help "
  ! grep -q "what " err || grep -q "what .*anonymous 4[0-9]" err || fail "pages of another time: $(cat err)"
done
expect 0 report killed.snug
has out "help "
has out "a limit above 48.0 MiB"

# Pages of files that this shell read before count for its own group: the peak is above the limit.
head -c 67108864 /dev/zero >file
cat file >/dev/null
expect 0 watch --json -- sh -c "$inside exec '$HOLD' 64 700 0 100 file"
tail -n 1 err >json
is_json json
has json '"above_limit":{"bytes":'
has json '"because":"files","says":"the peak is '
expect 0 watch -o run.snug -- sh -c "$inside exec '$HOLD' 64 700 0 100 file"
has err "above the limit of 48.0 MiB"
has err "pages of files"
has err "next: snug report run.snug"

# What fits is not, and neither is one that was killed otherwise.
expect 0 watch -- sh -c "$inside exec '$HOLD' 20 300"
lacks err "killed by the kernel"
has err "limit 48.0 MiB"
expect 137 watch -- sh -c "$inside kill -9 \$\$"
has err "killed by SIGKILL, not by the kernel for memory"
lacks err "killed by the kernel"
exit 0
