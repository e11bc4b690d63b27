#!/bin/sh
# snug fit --record: what is in the recording, whose file it is, and what a run leaves that is killed.
. "$SNUG_TESTS/cli/lib.sh"

export SNUG_CACHE="$PWD/cache"
new_model m.keras
new_data train.npz 160
read_it() { "$READ_RECORD" "${1:-run.snug}" >said || fail "${1:-run.snug} cannot be read"; }

expect 0 fit m.keras --data train.npz --batch-size 16 --epochs 3 --validation-split 0.2 --record run.snug \
  --target-batches 2,5 --checkpoint 'c.keras' -o 'a file.keras'
has out "see it"
has out "snug report run.snug --html"
read_it
has said "end closed"
has said "fact run.kind=fit"
has said "fact run.command=snug fit m.keras --data train.npz --batch-size 16"
has said "-o 'a file.keras'"
has said "fact model.name=m.keras"
has said "fact end.verdict=trained to the end after 3 epochs"
has said "fact end.steps=24"
has said "fact plan.process="
has said "epoch 2 loss="
has said "moment target 0 2"
has said "moment target 2 5"
[ "$(grep -c '^moment target' said)" -eq 6 ] || fail "targets: $(cat said)"
[ "$(grep -c '^moment validation_begin' said)" -eq 3 ] || fail "validations: $(cat said)"
[ "$(grep -c '^moment save_end' said)" -eq 4 ] || fail "three checkpoints and the model: $(cat said)"
grep -q '^piece dense/.*/weights' said || fail "no layer at the peak: $(cat said)"
# 100 bytes a sample, all told: this file is mostly facts.
[ "$(wc -c <run.snug)" -lt 6000 ] || fail "it has $(wc -c <run.snug) bytes"

# Whose file it is.
cp run.snug copy.snug
expect 1 fit m.keras --data train.npz --record run.snug -q
has err "run.snug exists"
same run.snug copy.snug
expect 0 fit m.keras --data train.npz --record run.snug -q --force
read_it
has said "fact end.verdict=trained to the end after 1 epoch"
lacks said "moment target"
expect 1 fit m.keras --data train.npz --record nowhere/run.snug -q -o t.keras
has err "nowhere/run.snug"
[ ! -e t.keras ] || fail "it trained"

# A plan counts it, and makes no file.
expect 0 plan m.keras --json
without=$(sed 's/.*"callbacks":\([0-9]*\).*/\1/' out)
expect 0 plan m.keras --json --record planned.snug
with=$(sed 's/.*"callbacks":\([0-9]*\).*/\1/' out)
[ "$with" -gt "$((without + 16384))" ] || fail "the plan holds $without and $with for callbacks"
[ ! -e planned.snug ] || fail "a plan made a recording"

# What does not fit is not recorded.
expect 3 fit m.keras --data train.npz --record small.snug --memory 1MiB -q
[ ! -e small.snug ] || fail "a fit that was refused was recorded"

# A disk without room, here a limit of 512 bytes for a file, does not end the training.
(
  trap '' XFSZ
  ulimit -f 1
  "$SNUG" fit m.keras --data train.npz --record full.snug --epochs 3 -q >out 2>err
  [ $? -eq 1 ] || fail "a full disk: $(cat err)"
) || exit 1
has err "the recording is not complete"
read_it full.snug
has said "fact run.kind=fit"

# Interrupted, and killed: both are readable.
begin() {
  rm -f run.snug
  env --default-signal=INT "$SNUG" fit m.keras --data train.npz --batch-size 1 --epochs 1000000 -q \
    --record run.snug >out 2>err &
  pid=$!
  for _ in $(seq 300); do
    [ -s run.snug ] && return
    kill -0 $pid 2>/dev/null || fail "it ended by itself: $(cat err)"
    sleep 0.1
  done
  fail "it does not begin: $(cat err)"
}
if env --default-signal=INT true 2>/dev/null; then
  begin
  sleep 0.3
  kill -INT $pid
  wait $pid
  [ $? -eq 130 ] || fail "it was not interrupted: $(cat err)"
  read_it
  has said "end closed"
  has said "fact end.verdict=interrupted after "
fi
for wait in 0 0.05 0.11 0.23 0.4; do
  begin
  sleep $wait
  kill -KILL $pid
  wait $pid
  read_it
  has said "end cut"
  has said "fact run.kind=fit"
done
has said "moment epoch_end 0"

# Killed with a backup: the same command goes on, with the recording too.
rm -f run.snug
"$SNUG" fit m.keras --data train.npz --batch-size 1 --epochs 40 -q --record run.snug --backup kept >out 2>err &
pid=$!
for _ in $(seq 300); do
  [ -s kept/snug.backup ] && break
  sleep 0.01
done
kill -KILL $pid
wait $pid
if [ -s kept/snug.backup ]; then # it may have been faster than that
  expect 0 fit m.keras --data train.npz --batch-size 1 --epochs 40 -q --record run.snug --backup kept
  read_it
  has said "end closed"
  has said "fact run.resumed="
  has said "epoch 0 loss="
  has said "epoch 39 loss="
  has said "fact end.verdict=trained to the end after 40 epochs"
fi
