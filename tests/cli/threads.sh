#!/bin/sh
# Threads that wait: for microseconds, unless the user says otherwise.
set -eu
. "$SNUG_TESTS/cli/lib.sh"
unset OMP_WAIT_POLICY GOMP_SPINCOUNT KMP_BLOCKTIME OMP_PROC_BIND OMP_PLACES GOMP_CPU_AFFINITY
new_model model.keras

# told SETTING ENVIRONMENT...: what the OpenMP runtime of the process that computes was told.
told() {
  setting=$1
  shift
  env OMP_DISPLAY_ENV=VERBOSE "$@" "$SNUG" plan model.keras --batch-size 8 2>err >out || fail "plan: $(cat err)"
  sed -n "s/.*$setting *= *'\([0-9]*\)'.*/\1/p" err | tail -n 1
}

# waits SETTING OURS: it is set, unless the user sets it or OMP_WAIT_POLICY.
waits() {
  test "$(told $1 LC_ALL=C)" = $2 || fail "$1 is $(told $1 LC_ALL=C)"
  test "$(told $1 $1=123)" = 123 || fail "$1 of the user is not heeded"
  test "$(told $1 OMP_WAIT_POLICY=active)" != $2 || fail "OMP_WAIT_POLICY of the user is not heeded"
  for bind in OMP_PROC_BIND=true OMP_PROC_BIND=spread OMP_PLACES=threads OMP_PLACES=cores; do
    test "$(told $1 $bind)" = $2 || fail "$1 is $(told $1 $bind) with $bind"
  done
}

# Compiled with clang there may be both: oneDNN has its own.
shown=
for runtime in "GOMP_SPINCOUNT 1000" "KMP_BLOCKTIME 0"; do
  test -n "$(told ${runtime%% *} LC_ALL=C)" || continue
  waits $runtime
  shown=yes
done
test -n "$shown" || { echo "this OpenMP runtime does not show its settings"; exit 77; }

# Threads that the runtime binds: as many as there are processors for, each on its own; and a word where they are not.
new_data data.npz 8

# bound ENVIRONMENT...: train, with the runtime's word on each thread in `err`.
bound() {
  env OMP_DISPLAY_AFFINITY=TRUE OMP_AFFINITY_FORMAT='on %A' "$@" "$SNUG" fit model.keras --data data.npz -q 2>err >out ||
    fail "fit: $(cat err)"
}
processors() { sed -n 's/^on //p' err | sort -u | wc -l; }

n=$(nproc)
test "$n" -ge 2 || exit 0
bound LC_ALL=C
lacks err Warning
bound OMP_PROC_BIND=close
lacks err Warning
test "$(processors)" = "$n" || fail "with OMP_PROC_BIND=close $(processors) of $n processors are used: $(cat err)"
bound OMP_PROC_BIND=master
has err "Warning: the $n threads that compute are bound to 1 processor (OMP_PROC_BIND, OMP_PLACES), where they take turns."
bound OMP_PLACES="{$(sed -n 's/^Cpus_allowed_list:\s*\([0-9]*\).*/\1/p' /proc/self/status)}"
has err "Warning: 1 thread computes, of $n that this machine has processors for: the OpenMP runtime binds to no more"
