#!/bin/sh
# The memory at chosen batches and epochs, memory that is taken ahead, and limits of addresses.
. "$SNUG_TESTS/cli/lib.sh"

export SNUG_CACHE="$PWD/cache"
new_model m.keras
new_data train.npz 160

# A log: a head, and a row for the beginning, the batches and the end of each epoch that is meant.
expect 0 fit m.keras --data train.npz --batch-size 16 --epochs 3 -q --memory-log mem.csv --target-batches 0,3-4,99 \
  --target-epochs 0,2
head -1 mem.csv | grep -q '^epoch,batch,at,current,peak,weights,' || fail "mem.csv: $(cat mem.csv)"
[ "$(tr -d '\r' <mem.csv | tail -n +2 | cut -d, -f1-3 | tr '\n' ' ')" = \
  "0,-1,epoch_begin 0,0,batch_end 0,3,batch_end 0,4,batch_end 0,9,epoch_end 2,-1,epoch_begin 2,0,batch_end \
2,3,batch_end 2,4,batch_end 2,9,epoch_end " ] || fail "rows: $(cat mem.csv)"
# The classes add up to the peak.
tr -d '\r' <mem.csv | awk -F, 'NR > 1 && $6 + $7 + $8 + $9 + $10 + $11 + $12 + $13 != $5 { exit 1 }' ||
  fail "classes do not add up: $(cat mem.csv)"

# It is not replaced without being told to.
expect 1 fit m.keras --data train.npz --memory-log mem.csv
has err "mem.csv exists"
expect 0 fit m.keras --data train.npz --memory-log mem.csv -f -q
[ "$(wc -l <mem.csv)" -eq 3 ] || fail "an epoch has two ends: $(cat mem.csv)"
expect 1 fit m.keras --data train.npz --memory-log nowhere/mem.csv
has err "nowhere/mem.csv"
expect 0 plan m.keras --memory-log planned.csv --target-batches 1
[ ! -e planned.csv ] || fail "a plan wrote the log"

# Without a log: a table, or JSON.
expect 0 fit m.keras --data train.npz --target-batches 1
has out "     0        1 batch_end "
expect 0 fit m.keras --data train.npz --target-batches 1 --json -q
is_json out
has out '"memory_samples":[{"epoch":0,"batch":-1,"at":"epoch_begin",'
expect 0 fit m.keras --data train.npz --json -q
has out '"memory_samples":[]'

for wrong in -1 x 5-3 1- -3 1.5 1e3 99999999999999999999; do
  expect 2 fit m.keras --data train.npz "--target-batches=$wrong"
  has err "--target-batches: \"$wrong\""
  expect 2 plan m.keras "--target-epochs=$wrong"
  has err "--target-epochs: \"$wrong\""
done

# Memory that is taken ahead is held, and told.
expect 0 plan m.keras --preallocate 8MiB --json
idle=$(sed 's/.*"idle":\([0-9]*\).*/\1/' out)
[ "$idle" -gt 8000000 ] && [ "$idle" -lt 8388608 ] || fail "idle: $idle"
expect 0 fit m.keras --data train.npz --preallocate 8MiB
has out "idle 8.0 MiB"
has out "equal to the byte"
expect 2 fit m.keras --data train.npz --preallocate 0
ldd "$SNUG" | grep -q 'libasan' && exit 0 # a sanitizer's memory is another, and so are its addresses
expect 0 fit m.keras --data train.npz --preallocate 8MiB --memory 64MiB -q
expect 3 fit m.keras --data train.npz --preallocate 64MiB --memory 64MiB -q
expect 3 fit m.keras --data train.npz --preallocate 1000000G
has err "--preallocate: "

# Where addresses are limited (ulimit -v), a fit runs or is refused before step 1; nothing crashes.
"$SNUG" init cnn --input-shape 12,12,1 --classes 3 -o cnn.keras >/dev/null 2>err || fail "init: $(cat err)"
"$MAKE_DATA" images.npz x=real:64,12,12,1 y=label3:64 || fail "make_data"
held=0 refused=0 least=8000
until (ulimit -v $least && exec "$SNUG" --version) >out 2>err; do least=$((least + 1000)); done
for more in 0 1000 2000 3000 4000 6000 9000 12000 15000 18000 28000 38000 48000 148000; do
  kib=$((least + more))
  for line in "" "--memory=auto"; do
    (ulimit -v $kib && exec "$SNUG" fit cnn.keras --data images.npz -q $line) >out 2>err
    code=$?
    case $code in
      0) held=$((held + 1)) ;;
      3) refused=$((refused + 1)) && grep -q 'at the least\|the least that would do\|the system has no' err || fail "refused without naming a least at $kib $line: $(cat err)" ;;
      *) (ulimit -v $kib && "$SNUG" --version) >out 2>&1 && fail "exit code $code at $kib $line: $(cat err)" ;; # else it never came to life
    esac
  done
done
[ $held -gt 0 ] && [ $refused -gt 0 ] || fail "under ulimit -v $held fits ran and $refused were refused"

# Without a line what the process may hold decides, before step 1: a plan is told against what it is judged.
"$MAKE_DATA" many.npz x=real:512,28,28,1 y=label3:512 || fail "make_data"
"$SNUG" init cnn -o large.keras >/dev/null 2>err || fail "init: $(cat err)"
need=$("$SNUG" plan large.keras --data many.npz --batch-size 512 --memory none --json | sed 's/.*"process":\([0-9]*\),"least.*/\1/')
tight() { # CODE ARGS...: with fewer addresses than it needs
  wanted=$1
  shift
  (ulimit -v $((need / 1024 + least + 40000 + ${stack:-0})) && exec "$SNUG" "$@") >out 2>err
  code=$?
  [ $code -eq "$wanted" ] || fail "snug $*: exit code $code, not $wanted; $(cat err)"
}
expect 0 plan large.keras
has out "judged by what this process may hold: "
expect 0 plan large.keras --memory none
has out "judged by nothing: there is no line"
tight 3 plan large.keras --data many.npz --batch-size 512
head -1 out | grep -q '^does not fit: needs .*, and this process may hold .*; the least that would do is ' || fail "no verdict: $(cat out)"
tight 3 plan large.keras --data many.npz --batch-size 512 --json
is_json out
has out '"fits":false'
has out '"line":0,"line_from":null,"available":'
has out '"chosen":0,'
tight 3 fit large.keras --data many.npz --batch-size 512 -o never.keras
grep -q '^snug: large.keras with batch 512 needs .*, and this process may hold .*RLIMIT_AS.*: the least that would do is .* --memory none' err ||
  fail "no verdict: $(cat err)"
grep -q '^  snug fit .*--memory auto' err || fail "auto is no remedy: $(cat err)"
[ ! -e never.keras ] || fail "something was saved"
# More threads than there are cores are of another machine for a plan alone.
stack=40000 # of one more
tight 3 fit large.keras --data many.npz --batch-size 512 -o never.keras --threads $(($(nproc) + 1))
has err "and this process may hold "
has err "the least that would do is "
tight 3 fit large.keras --data many.npz --batch-size 512 --threads $(($(nproc) + 1)) --json
is_json out
has out '"fits":false'
stack=0
tight 0 fit large.keras --data many.npz --batch-size 512 --memory auto -o out.keras -q
tight 0 fit large.keras --data many.npz --batch-size 8 -q
tight 0 plan large.keras --data many.npz --batch-size 512 --memory none
tight 0 plan large.keras --data many.npz --batch-size 8 --memory 2GiB
has out "warning: the line of 2.00 GiB is above what this process may hold"
tight 0 fit large.keras --data many.npz --batch-size 8 --memory 2GiB -q
has err "Warning: the line of 2.00 GiB is above what this process may hold"
tight 3 predict large.keras --data many.npz --batch-size 512 --memory 20MiB
has err "predict: the process needs "
expect 3 evaluate large.keras --data many.npz --batch-size 512 --memory 20MiB
has err "evaluate: the process needs "
expect 0 evaluate large.keras --data many.npz --batch-size 512 --memory none -q
