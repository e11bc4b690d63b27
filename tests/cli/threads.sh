#!/bin/sh
# Threads that wait: for microseconds, unless the user says otherwise.
set -eu
. "$SNUG_TESTS/cli/lib.sh"
unset OMP_WAIT_POLICY GOMP_SPINCOUNT
new_model model.keras

# spins ENVIRONMENT...: what the OpenMP runtime of the process that computes was told.
spins() {
  env OMP_DISPLAY_ENV=VERBOSE "$@" "$SNUG" plan model.keras --batch-size 8 2>err >out || fail "plan: $(cat err)"
  sed -n "s/.*GOMP_SPINCOUNT = '\([0-9]*\)'.*/\1/p" err | tail -n 1
}

test "$(spins LC_ALL=C)" != "" || { echo "this OpenMP runtime does not show its settings"; exit 77; }
test "$(spins LC_ALL=C)" = 1000 || fail "spins $(spins LC_ALL=C) times"
test "$(spins GOMP_SPINCOUNT=123)" = 123 || fail "GOMP_SPINCOUNT of the user is not heeded"
test "$(spins OMP_WAIT_POLICY=passive)" = 0 || fail "OMP_WAIT_POLICY of the user is not heeded"
