#!/bin/sh
# Disks that are full, and data that end: what was trained is on disk, in a file that is named.
. "$SNUG_TESTS/cli/lib.sh"

new_model m.keras
fit="fit m.keras --data train.csv --batch-size 32 --epochs 3 --seed 1 --threads 1"
awk 'BEGIN { print "a,b,c,d,label"; for (i = 0; i < 96; i++) print i/96","i*7%10/10","i*3%10/10",0.5,"i%3 }' >train.csv
expect 0 $fit -o whole.keras
"$SNUG" predict whole.keras --data train.csv -q -o whole.npy || fail "predict"

# trained FILE: it holds what the whole training leaves.
trained() {
  "$SNUG" predict "$1" --data train.csv -q -f -o found.npy || fail "$1 cannot be read"
  cmp -s whole.npy found.npy || fail "$1 holds other weights"
}

# The file that the last message names as holding the model.
named() { sed -n 's/.* the model is in \(.*\) instead$/\1/p; s/.*what was trained is in //p' err | tail -1; }

# ---- data that cannot be read any more ----

# 64 records of four zeros and the label 0; the value of one in the fourth batch is no number.
records() {
  printf 'snug-records 1\nx float32 4\ny int32\n\n'
  head -c 1000 /dev/zero
  printf '\000\000\300\177'
  head -c 276 /dev/zero
}
stream="fit m.keras --data - --batch-size 16 --steps-per-epoch 4 --no-shuffle --shuffle-window 1"
records | "$SNUG" $stream -o part.keras --backup run >out 2>err && fail "a value that is no number was taken"
has err "nan"
has err "snug: what was trained before, 3 steps, is in part.keras"
has err "goes on from the backup in run"
[ -s run/snug.backup ] || fail "no backup: $(ls run)"
expect 0 evaluate part.keras --data train.csv
records | "$SNUG" $stream --checkpoint c.keras >out 2>err && fail "a value that is no number was taken"
kept=$(named)
expect 0 evaluate "$kept" --data train.csv
rm -rf run part.keras snug-model-*

# ---- a limit on the size of files, which is a signal elsewhere ----

(
  ulimit -f 16 # blocks of 512 bytes, or of 1024
  "$SNUG" $fit -o limited.keras >out 2>err
) && fail "a model larger than files may be"
has err "limited.keras: there is no room for"
lacks err "Epoch 1"

# ---- disks of their own ----

mkdir disk
trap 'umount disk 2>/dev/null' EXIT
no_disk() {
  umount disk 2>/dev/null
  echo "no disk can be mounted: the rest is left out"
  exit 77
}

# Fill what is left of it.
fill() { dd if=/dev/zero of=disk/filling bs=4096 2>/dev/null; sync disk/filling; }

# A disk that is full from the beginning.
mount -t tmpfs -o size=256k tmpfs disk 2>/dev/null || no_disk
fill
for option in "-o disk/a.keras" "--checkpoint disk/a.keras" "--backup disk/run" "--record disk/r.snug"; do
  expect 1 $fit $option
  has err "disk/"
  lacks err "Epoch 1"
done
# A log is a few lines and may have room when they come: the training goes on without them.
for option in "--csv-log disk/log.csv" "--memory-log disk/m.csv"; do
  expect 1 $fit $option -o logged.keras --force
  has err "disk/"
  has err "No space left on device"
  has out "failed"
  trained logged.keras
done
umount disk

# One that becomes full while it trains: `while_training ARGS...` fills it after the first epoch.
while_training() {
  : >err
  "$SNUG" $fit "$@" --verbose 2 >out 2>err &
  pid=$!
  for _ in $(seq 600); do
    grep -q 'Epoch 2/' err && break
    kill -0 $pid 2>/dev/null || fail "it ended by itself: $(cat err)"
    sleep 0.01
  done
  kill -STOP $pid
  fill
  kill -CONT $pid
  wait $pid
  code=$?
}
long=30000 # it must not end while the shell waits for its turn
fit="fit m.keras --data train.csv --batch-size 1 --epochs $((long / 96)) --seed 1 --threads 1"
expect 0 $fit -o whole.keras --force
"$SNUG" predict whole.keras --data train.csv -q -f -o whole.npy || fail "predict"

for kind in tmpfs ext4; do
  if [ $kind = tmpfs ]; then
    mount -t tmpfs -o size=2m tmpfs disk || no_disk
  else
    truncate -s 8M image
    mkfs.ext4 -q image 2>/dev/null && mount -o loop image disk 2>/dev/null || no_disk
  fi
  while_training -o disk/a.keras --csv-log disk/log.csv --checkpoint disk/c.keras --backup disk/run \
    --record disk/r.snug --memory-log disk/m.csv
  [ $code -eq 1 ] || fail "$kind: exit code $code: $(cat err)"
  has err "No space left on device; the training goes on"
  has out "failed"
  if [ $kind = ext4 ]; then # its room was reserved
    has out "disk/a.keras, "
    trained disk/a.keras
    [ ! -e disk/run ] || fail "the backup is still there"
  else
    trained "$(named)"
    [ -s disk/run/snug.backup ] || fail "the backup was removed before the model was saved: $(ls disk/run)"
    rm -f "$(named)"
  fi
  umount disk
done

# A disk that is taken away.
fit="fit m.keras --data train.csv --batch-size 1 --epochs 3000 --seed 1 --threads 1"
expect 0 $fit -q -o whole.keras --force
"$SNUG" predict whole.keras --data train.csv -q -f -o whole.npy || fail "predict"
mount -t tmpfs -o size=2m tmpfs disk
: >err
"$SNUG" $fit -o disk/a.keras --csv-log disk/log.csv --verbose 2 >out 2>err &
pid=$!
for _ in $(seq 600); do
  grep -q 'Epoch 2/' err && break
  sleep 0.01
done
kill -STOP $pid
umount -l disk 2>/dev/null # what is open stays so; the folder is another one
kill -CONT $pid
wait $pid
code=$?
[ $code -eq 1 ] || fail "without its disk: exit code $code: $(cat err)"
trained "$(named)"
exit 0
