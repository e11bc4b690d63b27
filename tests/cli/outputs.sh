#!/bin/sh
# What a fit writes: nothing is replaced that it did not write, two runs do not share a file, and what cannot be written
# is told before step 1.
. "$SNUG_TESTS/cli/lib.sh"

new_model m.keras
new_data train.npz 96
short="--data train.npz --batch-size 32"
mkdir copies
cp m.keras train.npz copies

# refused PART ARGS...: nothing was trained, and the inputs are as they were.
refused() {
  part=$1
  shift
  expect 1 fit m.keras $short "$@"
  has err "$part"
  lacks err "Epoch 1"
  same m.keras copies/m.keras
  same train.npz copies/train.npz
}

# ---- inputs are never replaced, whatever their name is ----

ln -s train.npz link.csv
ln train.npz hard.csv
mkdir sub
for option in --csv-log --memory-log --record; do
  for path in train.npz ./sub/../train.npz link.csv hard.csv m.keras; do
    refused "is read by this run" $option $path --force
  done
done
refused "is read by this run" --checkpoint m.keras --force
refused "is read by this run" --checkpoint sub/../m.keras --force
cp m.keras m.2.keras
expect 1 fit m.2.keras $short --epochs 2 --checkpoint 'm.{epoch}.keras' --force
has err "m.2.keras is read by this run"
lacks err "Epoch 1"
same m.2.keras m.keras
"$MAKE_DATA" v.npz x=real:32,4 y=label3:32
cp v.npz copies
refused "is read by this run" --validation-data v.npz --csv-log v.npz --force
same v.npz copies/v.npz
[ ! -e m.1.keras ] || fail "a checkpoint of a fit that was refused"
cp train.npz in.rec
for option in --csv-log --memory-log --record; do
  expect 1 fit m.keras --data - $option in.rec --force <in.rec
  has err "in.rec is read by this run (standard input), and is not replaced"
  expect 1 fit m.keras $short --validation-data - $option in.rec --force <in.rec
  has err "in.rec is read by this run (standard input), and is not replaced"
  same in.rec train.npz
done
rm in.rec
rm m.2.keras link.csv hard.csv

# ---- files that are there need --force ----

for option in --csv-log --memory-log --record --checkpoint; do
  old=old.keras
  echo old >$old
  refused "old.keras exists; --force replaces it" $option $old
  [ "$(cat $old)" = old ] || fail "$option replaced a file"
  expect 0 fit m.keras $short $option $old --force
  [ "$(cat -v $old)" != old ] || fail "$option --force replaced nothing"
done
echo old >c.2.keras
refused "c.2.keras exists; --force replaces it" --epochs 2 --checkpoint 'c.{epoch}.keras'
[ ! -e c.1.keras ] || fail "a checkpoint of a fit that was refused"
expect 0 fit m.keras $short --epochs 3 --checkpoint best.keras # its own it may
rm -f c.*.keras best.keras old.keras

# A name that comes of values is not known before: the training goes on, and the file stays.
expect 0 fit m.keras $short --epochs 2 --checkpoint 'v.{loss:.9f}.keras' --seed 1
ls v.*.keras >names
for name in $(cat names); do echo old >"$name"; done
expect 1 fit m.keras $short --epochs 2 --checkpoint 'v.{loss:.9f}.keras' --seed 1 -o kept.keras
has err "exists; --force replaces it; the training goes on"
has out "exists; --force replaces it"
for name in $(cat names); do [ "$(cat "$name")" = old ] || fail "$name was replaced"; done
expect 0 evaluate kept.keras --data train.npz

# Files have times of whole ticks: one that was written a moment before is none of the run's own either.
for _ in $(seq 40); do
  rm kept.keras
  for name in $(cat names); do echo old >"$name"; done
  GOMP_SPINCOUNT=1000 "$SNUG" fit m.keras $short --epochs 2 --checkpoint 'v.{loss:.9f}.keras' --seed 1 -o kept.keras >out 2>err &&
    fail "a file of a moment before was replaced: $(cat out)"
done
rm -f v.*.keras kept.keras

# Nor is a file that somebody else writes while it trains.
"$SNUG" fit m.keras $short --epochs 60 --checkpoint 'f.{epoch}.keras' -o kept.keras >out 2>err &
pid=$!
while [ ! -e f.1.keras ]; do
  kill -0 $pid || fail "it ended by itself: $(cat err)"
  sleep 0.01
done
for i in 58 59 60; do echo old >f.$i.keras; done
wait $pid && fail "a file of another process was replaced"
pid=
for i in 58 59 60; do [ "$(cat f.$i.keras)" = old ] || fail "f.$i.keras was replaced"; done
[ -e f.57.keras ] || fail "the training did not go on"
has out "f.58.keras exists; --force replaces it"
rm -f f.*.keras kept.keras

# ---- what cannot be written is told before step 1 ----

long=$(printf '%0251d' 0)
refused "File name too long" -o "$long.keras"
refused "File name too long" --checkpoint "$long.keras"
refused "File name too long" --csv-log "$long.csv.csv"
refused "File name too long" --record "$long.snug.snug"
refused "File name too long" --memory-log "$long.csv.csv"
refused "File name too long" --backup "$long.folder.folder"
refused "File name too long" --checkpoint "$long.{epoch:02d}.keras"
for option in -o --checkpoint --csv-log --memory-log --record --backup; do
  case $option in --backup) path=/proc/run ;; *) path=/proc/a.keras ;; esac
  refused "/proc" $option $path
done
mkdir a.keras
refused "a.keras is not a regular file" -o a.keras
refused "a.keras is a folder" --checkpoint a.keras
rmdir a.keras
mkdir shut
chmod 555 shut
if ! (: >shut/try) 2>/dev/null; then
  for option in -o --checkpoint --csv-log --memory-log --record --backup; do
    refused "Permission denied" $option shut/a.keras
  done
else # root may write everywhere: a folder that nobody can write to
  rm -f shut/try
fi
chmod 755 shut
rm -rf shut sub copies names
only m.keras train.npz v.npz

# ---- two runs ----

# begin ARGS...: start a training that does not end, and wait for its first epoch.
pid=
trap '[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null' EXIT
begin() {
  : >first
  "$SNUG" fit m.keras --data train.npz --batch-size 1 --epochs 1000000 "$@" >/dev/null 2>first &
  pid=$!
  for _ in $(seq 300); do
    grep -q 'Epoch 2/' first && return
    kill -0 $pid 2>/dev/null || fail "it ended by itself: $(cat first)"
    sleep 0.1
  done
  fail "it does not begin: $(cat first)"
}

for option in "--csv-log l" "--memory-log l" "--record l" "--backup run"; do
  begin $option
  expect 1 fit m.keras $short $option --force
  has err "is in use by process $pid"
  lacks err "Epoch 1"
  kill -KILL $pid
  wait $pid 2>/dev/null
  [ "$option" != "--backup run" ] || rm -rf run # of another fit
  expect 0 fit m.keras $short $option --force # nobody holds it any more
  rm -rf l run
done

# ---- what a backup frees ----

# stop ARGS...: train until there is a backup, and kill it.
stop() {
  rm -rf run
  "$SNUG" fit m.keras $short --epochs 100 --backup run "$@" >/dev/null 2>first &
  pid=$!
  while [ ! -e run/snug.backup ]; do
    kill -0 $pid 2>/dev/null || fail "it ended by itself: $(cat first)"
    sleep 0.01
  done
  kill -KILL $pid
  wait $pid 2>/dev/null
  [ -e run/snug.backup ] || fail "it was not stopped in time"
}
resume="fit m.keras $short --epochs 100 --backup run"

# What the killed run did not write is not freed by its backup: as long as the log would be, and longer.
seq 100000 >user
stop --csv-log own.csv --memory-log own.memory --target-epochs 1 --record own.snug --checkpoint own.keras -o last.keras
for option in "--csv-log mine.csv" "--memory-log mine.csv --target-epochs 1" "--record mine.csv" "--checkpoint mine.keras" "-o mine.keras"; do
  file=$(printf '%s' "$option" | cut -d' ' -f2)
  cp user "$file"
  expect 1 $resume $option
  has err "$file exists; --force replaces it"
  lacks err "Epoch"
  same "$file" user
  rm "$file"
done
# A log that somebody else has put in the place of its own is not cut either.
mv own.csv kept.csv
cp user own.csv
expect 1 $resume --csv-log own.csv
has err "own.csv is not the log that the backup goes on with: it does not begin with \"epoch,"
same own.csv user
mv kept.csv own.csv
[ -e run/snug.backup ] || fail "a refusal removed the backup"
# Its own it may.
expect 0 $resume --csv-log own.csv --memory-log own.memory --target-epochs 1 --record own.snug --checkpoint own.keras -o last.keras
[ "$(wc -l <own.csv)" = 101 ] || fail "a log of $(wc -l <own.csv) lines"
rm -rf own.* last.keras run

# With --force a file of another path begins anew: nothing is appended to it.
stop
for option in "--csv-log mine" "--memory-log mine --target-epochs 99" "--record mine"; do
  cp -r run kept
  cp user mine
  expect 0 $resume $option --force
  [ "$(head -c 4 mine)" != "$(head -c 4 user)" ] || fail "$option --force appended to a file"
  rm -rf run mine
  mv kept run
done
rm -rf run user

# ---- what killed runs left ----

begin -o big.keras
ls -A | grep -q '^\.snug-.*\.tmp$' || fail "no room is reserved: $(ls -A)"
expect 0 fit m.keras $short -o small.keras
ls -A | grep -q '^\.snug-.*\.tmp$' || fail "the file of a run that is alive was removed: $(ls -A)"
kill -KILL $pid
wait $pid 2>/dev/null
ls -A | grep -q '^\.snug-.*\.tmp$' || fail "nothing was left: $(ls -A)"
expect 0 fit m.keras $short -o small.keras --force
rm first
only m.keras small.keras train.npz v.npz

# So does every other command that writes a file.
printf 'id,lower,upper,size\n1,0,2,64\n2,1,3,32\n' >p.csv
expect 0 fit m.keras $short --record r.snug
for command in "plan m.keras $short --curve -o a.html" "plan m.keras $short --curve -o a.csv" "plan m.keras $short --write-kernels a.txt" \
  "report r.snug -o a.html" "pack p.csv -o a.out" "predict m.keras --data train.npz -o a.npy"; do
  : >.snug-1-0.tmp
  expect 0 $command
  [ ! -e .snug-1-0.tmp ] || fail "snug $command left what a killed run left"
  rm a.*
done
(
  ulimit -f 1
  "$SNUG" plan m.keras $short --curve -o a.html >out 2>err
) && fail "a page larger than files may be"
has err "a.html: "
rm r.snug p.csv

# A fit that is refused for its line leaves nothing either.
expect 3 fit m.keras $short -o none.keras --memory 1MiB
only m.keras small.keras train.npz v.npz
exit 0
