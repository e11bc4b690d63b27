#!/bin/sh
# The callbacks of snug fit.
. "$SNUG_TESTS/cli/lib.sh"

new_model m.keras
new_data train.npz 160

expect 0 fit m.keras --data train.npz --epochs 2 --checkpoint 'c.{epoch:02d}.keras' --validation-split 0.2
[ -s c.01.keras ] && [ -s c.02.keras ] || fail "checkpoints: $(ls)"
lacks err "Nothing will be saved"
expect 0 fit m.keras --data train.npz --epochs 2 --checkpoint best.keras --monitor loss --save-best-only
[ -s best.keras ] || fail "no best checkpoint"
expect 0 fit m.keras --data train.npz --checkpoint w.weights.h5 --save-weights-only --monitor loss
[ -s w.weights.h5 ] || fail "no weights"
expect 0 fit m.keras --data train.npz --checkpoint 'b.{batch}.keras' --save-freq 3
ls b.*.keras >/dev/null 2>&1 || fail "--save-freq: $(ls)"
expect 2 fit m.keras --data train.npz --monitor loss
has err "--monitor needs --checkpoint"
expect 2 fit m.keras --data train.npz --save-best-only
expect 2 fit m.keras --data train.npz --checkpoint model.txt
has err "model.txt"

# A learning rate of 0 improves nothing where there is no dropout.
"$SNUG" init linear --input-shape 4 --classes 3 -o linear.keras >out || fail "init linear"
expect 0 fit linear.keras --data train.npz --epochs 9 --learning-rate 0 --no-shuffle \
  --early-stopping loss:patience=2,restore-best
has err "early stopping"
has err "Epoch 3/9"
lacks err "Epoch 4/9"
expect 0 fit m.keras --data train.npz --epochs 4 --learning-rate 0.25 --no-shuffle --json \
  --reduce-lr loss:factor=0.5,patience=1,min_delta=1000
has out '"learning_rate":[0.25,0.25,0.125,'
expect 0 fit m.keras --data train.npz --epochs 3 --lr-schedule 0:0.5,2:0.25 --json
grep -q '"epoch":\[0,1,2.*"learning_rate":\[0.5,0.5,0.25' out ||
  fail "--lr-schedule: $(cat out)"
expect 0 fit m.keras --data train.npz --epochs 2 --csv-log log.csv --lr-schedule 0:0.5
head -1 log.csv | grep -q '^epoch,accuracy,learning_rate,loss,val_accuracy,val_learning_rate,val_loss,peak_memory' ||
  fail "log.csv: $(cat log.csv)"
tail -1 log.csv | grep -q ',NA,NA,NA,[1-9][0-9]*\.0' || fail "log.csv: $(cat log.csv)"
[ "$(wc -l <log.csv)" -eq 3 ] || fail "log.csv: $(cat log.csv)"
cp log.csv log.copy
expect 1 fit m.keras --data train.npz --csv-log log.csv
has err "log.csv exists"
same log.csv log.copy
expect 0 fit m.keras --data train.npz --csv-log log.csv --force

# A loss that is not a number.
expect 0 fit m.keras --data train.npz --epochs 5 --optimizer 'sgd(learning_rate=1e38)' \
  --terminate-on-nan
has err "Invalid loss, terminating training"
lacks err "Epoch 5/5"

# Rules that are none.
expect 2 fit m.keras --data train.npz --early-stopping loss:patience=soon
has err "patience"
expect 2 fit m.keras --data train.npz --early-stopping loss:patients=3
has err "patients"
expect 2 fit m.keras --data train.npz --lr-schedule 1:a

# A backup: what was interrupted goes on, and ends as if it had not been, to the bit.
many="--data train.npz --epochs 200 --seed 3 --verbose 2"
expect 0 fit m.keras $many -o whole.keras --csv-log whole.csv
: >err
"$SNUG" fit m.keras $many --backup run -o resumed.keras --csv-log resumed.csv >out 2>err &
pid=$!
for _ in $(seq 300); do
  grep -q 'Epoch 3/' err && break
  sleep 0.05
done
kill -TERM $pid
wait $pid
code=$?
[ $code -eq 143 ] || fail "a training with a backup is interrupted: $code; $(tail -3 err)"
has err "The same command goes on from the backup in run"
[ -d run ] || fail "the backup is gone"
cp resumed.keras interrupted.keras
cp resumed.csv interrupted.csv
expect 0 fit m.keras $many --backup run -o resumed.keras --csv-log resumed.csv # the same command
for model in whole resumed interrupted; do
  "$SNUG" predict $model.keras --data train.npz -q -o $model.npy || fail "predict $model"
done
cmp -s whole.npy resumed.npy || fail "a resumed training ends elsewhere"
cmp -s whole.npy interrupted.npy && fail "it was not interrupted"
[ "$(wc -l <interrupted.csv)" -lt 201 ] || fail "the log of an interrupted training is whole"
expect 1 fit m.keras $many --backup run -o resumed.keras # there is nothing to resume any more
has err "resumed.keras exists"
for log in whole resumed; do sed 's/,[^,]*$//' $log.csv >$log.values; done # the memory is the process's own
cmp -s whole.values resumed.values || fail "the log of a resumed training is another"
exit 0
