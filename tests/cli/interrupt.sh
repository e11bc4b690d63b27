#!/bin/sh
# Ctrl-C and SIGTERM: the first one finishes the batch and saves, the second ends at once, and files
# are whole in any case.
. "$SNUG_TESTS/cli/lib.sh"
command -v timeout >/dev/null || exit 77

new_model m.keras
new_data train.npz 512
forever="--data train.npz --batch-size 1 --epochs 1000000"

# begin ARGS...: start a training that does not end, and wait for its first epoch.
begin() {
  : >err
  # env: what a shell starts in the background ignores SIGINT, and so would the command.
  env --default-signal=INT "$SNUG" fit m.keras $forever "$@" >out 2>err &
  pid=$!
  for _ in $(seq 300); do
    grep -q 'Epoch 2/' err && return
    kill -0 $pid 2>/dev/null || fail "it ended by itself: $(cat err)"
    sleep 0.1
  done
  fail "it does not begin: $(cat err)"
}

ended() { # code
  wait $pid
  code=$?
  [ $code -eq "$1" ] || fail "exit code $code, not $1; $(cat err)"
}

env --default-signal=INT true 2>/dev/null || exit 77

begin -o a.keras
kill -INT $pid
ended 130
has err "stopping after this batch, then saving a.keras"
has err "saved a.keras"
expect 0 evaluate a.keras --data train.npz

begin -o b.keras --json
kill -TERM $pid
ended 143
is_json out
has out '"interrupted":"SIGTERM"'
has out '"epoch":[0'
has out '"saved":"b.keras"'
expect 0 evaluate b.keras --data train.npz

begin
kill -INT $pid
ended 130
has err "nothing was saved"

# A file that is replaced is the old one or the new one.
cp a.keras c.keras
cp a.keras c.copy
begin -f -o c.keras
kill -TERM $pid
kill -TERM $pid
wait $pid
expect 0 evaluate c.keras --data train.npz

# Killed hard: the old file is untouched.
cp a.keras d.keras
begin -f -o d.keras
kill -KILL $pid
wait $pid
same d.keras a.keras

# During validation it need not be waited for the end of the epoch's callbacks.
begin -o e.keras --validation-split 0.5
kill -INT $pid
ended 130
[ -s e.keras ] || fail "e.keras was not saved"

# A terminal that is closed: the kernel tells of it, and a shell once more.
begin -o h.keras --json
kill -HUP $pid
kill -HUP $pid
ended 129
has err "stopping after this batch, then saving h.keras"
has out '"interrupted":"SIGHUP"'
expect 0 evaluate h.keras --data train.npz
if command -v python3 >/dev/null; then
  python3 "$SNUG_TESTS/cli/closed.py" "$SNUG" fit m.keras $forever -o closed.keras
  code=$?
  [ $code -eq 129 ] || fail "a closed terminal: exit code $code"
  expect 0 evaluate closed.keras --data train.npz
  ! ls -A | grep '^\.snug-' || fail "a file is left"
fi
begin -o i.keras
kill -HUP $pid
kill -TERM $pid # a second one of another kind ends it at once
wait $pid

# Who asked for it keeps it ignored: a shell's background jobs, nohup.
("$SNUG" fit m.keras --data train.npz --epochs 2 -o g.keras >out 2>err; echo $? >code) &
wait $!
[ "$(cat code)" = 0 ] || fail "in the background: $(cat err)"
: >err
(trap '' HUP && exec "$SNUG" fit m.keras $forever >out 2>err) &
pid=$!
for _ in $(seq 300); do
  grep -q 'Epoch 2/' err && break
  sleep 0.1
done
kill -HUP $pid
sleep 0.3
kill -TERM $pid || fail "it was ended: $(cat err)"
ended 143
lacks err "SIGHUP"
exit 0
