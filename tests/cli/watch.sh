#!/bin/sh
# snug watch: the command is as without it, and what it held is told.
. "$SNUG_TESTS/cli/lib.sh"

# number KEY: the first number of that name in the JSON object, which is the last line of `err`.
number() { tail -n 1 err | sed -n "s/.*\"$1\":\([0-9.]*\).*/\1/p" | head -n 1; }
first() { tail -n 1 err | grep -o "\"$1\":[0-9.]*" | head -n 1 | sed 's/.*://'; }
json() { tail -n 1 err >json && is_json json; }

# ---- twelve endings ----

for code in 0 1 3 42; do expect $code watch -- sh -c "exit $code"; done
for signal in TERM:143 KILL:137 SEGV:139 INT:130; do
  expect "${signal#*:}" watch -- sh -c "kill -${signal%:*} \$\$"
  has err "killed by SIG${signal%:*}"
done
if grep -q '^oom_kill ' /proc/vmstat; then
  expect 137 watch --json -- sh -c 'kill -KILL $$'
  has err '"verdict":"killed by SIGKILL, not by the kernel for memory"'
  has err '"killed_for_memory":false'
  expect 143 watch -- sh -c 'kill -TERM $$'
  lacks err "the kernel"
fi
expect 127 watch -- ./there-is-no-such-command
has err "there-is-no-such-command cannot be run"
echo 'not a program' >plain
expect 126 watch -- ./plain
has err "./plain cannot be run"
expect 4 watch --max 20MiB -- "$HOLD" 64 20000
has err "is above --max 20.0 MiB: ending it"
has err "ended by snug"
if command -v prlimit >/dev/null; then
  for files in 4 5 6 7 8 9 10 11 12; do # libraries open one at a time, we need more
    prlimit --nofile=$files "$SNUG" watch -- true >out 2>err
    code=$?
    [ $code -eq 125 ] && break
  done
  [ $code -eq 125 ] || fail "without files: exit code $code; $(cat err)"
  has err "no file for signals"
fi

# ---- the command line ----

expect 2 watch
has err "Write -- before it"
expect 2 watch ls
has err "snug watch -- ls"
expect 2 watch python train.py --epochs 3
has err "Write -- before it: snug watch -- python train.py --epochs 3"
expect 2 watch --max 4GiB --json --grace=2 -fo run.snug python -u "my train.py"
has err "snug watch --max 4GiB --json --grace=2 -fo run.snug -- python -u 'my train.py'"
expect 2 watch --max 4GiB # a value is no command
has err "snug watch --max 4GiB -- python train.py"
expect 2 watch --
has err "which command?"
expect 2 watch --max 0 -- true
has err "a number of bytes"
expect 2 watch --grace x -- true
expect 2 watch --json=1 -- true
expect 0 watch --help
has out "Usage: snug watch [option...] -- COMMAND [argument...]"
expect 0 watch -- echo --help -q --json # those are the command's
[ "$(cat out)" = "--help -q --json" ] || fail "arguments: $(cat out)"

# ---- nothing is changed ----

printf 'one\ntwo' | "$SNUG" watch -q -- cat >out 2>err || fail "stdin: $(cat err)"
[ "$(cat out)" = "$(printf 'one\ntwo')" ] || fail "stdin did not pass: $(cat out)"
is_empty err
expect 0 watch -q -- sh -c 'exec <&-; sleep 0.1; echo on' # closes its input
has out on
"$SNUG" watch -q -- sh -c 'read x; echo "got $x"' <&- >out 2>err # there is none
has out "got "
expect 141 watch -q -- sh -c 'kill -PIPE $$' # a closed pipe ends it, as it does otherwise
sh -c 'trap "" PIPE; exec "$SNUG" watch -q -- sh -c "kill -PIPE \$\$; echo on"' >out 2>err
has out on # but not where that was ignored
expect 0 watch -q -- sh -c 'trap - CHLD; sleep 0.05 & wait $!; echo waited'
has out waited
"$SNUG" watch -- true 2>&- || fail "without standard error"
"$SNUG" watch -- true 2>&1 >/dev/null | true || fail "nobody reads"
here=$(ls /proc/self/fd 2>/dev/null | wc -l)
there=$("$SNUG" watch -q -- ls /proc/self/fd 2>/dev/null | wc -l)
[ "$here" = "$there" ] || fail "files leak into the command: $there, not $here"

# A signal to snug goes on to the command; what was ignored stays so.
signalled() { # signal, code
  "$SNUG" watch --json -- sh -c 'trap "exit 9" USR1; echo $$ >ready; while :; do sleep 0.05; done' >out 2>err &
  pid=$!
  for _ in $(seq 200); do [ -s ready ] && break; sleep 0.05; done
  kill "-$1" $pid
  wait $pid
  got=$?
  [ $got -eq "$2" ] || fail "SIG$1: exit code $got, not $2: $(cat err)"
  rm ready
}
signalled USR1 9
signalled TERM 143
signalled HUP 129

# ---- what it held ----

expect 0 watch --json -- "$HOLD" 64 300
json
peak=$(first bytes)
[ "$peak" -ge 67108864 ] && [ "$peak" -lt 90000000 ] || fail "peak of 64 MiB: $peak"
has json '"name":"hold"'
has json '"killed_for_memory":false'
has json '"exit_code":0'

# 30 ms in one of five children that live for 100 ms.  A machine that does much else may not let us
# look in time; it has to succeed once.
five() {
  expect 0 watch --json -- sh -c '"$HOLD" 0 0 100 & "$HOLD" 0 0 100 & "$HOLD" 48 30 100 40 & "$HOLD" 0 0 100 & "$HOLD" 0 0 100 & wait'
  json
  [ "$(first at_least)" -ge 50331648 ] && [ "$(number most_processes)" -ge 5 ]
}
five || five || five || five || five || fail "30 ms in one of five children: $(cat json)"

# A child that forks and ends: its own child is followed, and not waited for.
expect 5 watch --json -- sh -c '(sleep 0.2; exec "$HOLD" 40 200) & sleep 0.1; exit 5' # left behind
json
[ "$(first left)" -ge 1 ] || fail "who is left: $(cat json)"
expect 0 watch --json -- sh -c '( ("$HOLD" 40 300 600) & ); sleep 0.8' # an orphan
json
[ "$(first at_least)" -ge 41943040 ] || fail "an orphan: $(cat json)"

# What is seen of a program that begins is not its peak: no program that is linked holds some KiB.
# A maximum between the two bounds is neither kept nor passed, and that is said.
for _ in 1 2 3 4 5; do
  "$SNUG" watch --json --max 256KiB -- ls / >out 2>err
  code=$?
  json
  if grep -qF '"peak":{"bytes":null,' json; then
    has json 'whether it held more than --max 256 KiB is not known'
    [ $code -eq 0 ] || fail "a peak that is not known: exit code $code; $(cat json)"
  else
    [ "$(first bytes)" -gt 262144 ] && [ $code -eq 4 ] || fail "a peak that cannot be: $code; $(cat json)"
  fi
done
expect 0 watch --max 1GiB -- ls / # whatever it was, it was below
lacks err "is not known"

# Words.
LC_ALL=C.UTF-8 expect 0 watch -- "$HOLD" 16 2500
has err "╭─ peak "
has err "shape " # how far the label is padded depends on the other rows
has err " flat since"
has err " anonymous "
LC_ALL=C expect 0 watch -- "$HOLD" 16 10
has err "+- peak "
has err "too short to tell"
expect 0 watch -q -- true
is_empty err

# ---- the maximum ----

expect 4 watch --max 30MiB --json -- sh -c '"$HOLD" 64 20000 & "$HOLD" 1 20000 & wait'
json
has json '"exceeded":true'
expect 4 watch --max 30MiB --grace 0.3 -- sh -c 'trap "" TERM; "$HOLD" 64 20000; "$HOLD" 1 20000'
expect 4 watch --max 30MiB -- "$HOLD" 200 0 # over before anybody could end it
expect 0 watch --max 1GiB -- "$HOLD" 16 10

# ---- a recording ----

expect 0 watch -o run.snug -- "$HOLD" 32 600
has err "snug report run.snug"
expect 0 report run.snug --json
has out '"kind":"watch"'
has out 'ended with exit code 0'
expect 125 watch -o run.snug -- touch was-run
has err "run.snug"
[ ! -e was-run ] || fail "it ran although it could not be recorded"
expect 0 watch -f -o run.snug -- true
expect 125 watch -o no/such/folder/run.snug -- true
# snug is killed: the command goes on, and the recording ends where it was.
"$SNUG" watch -o cut.snug -- sh -c 'echo $$ >command; "$HOLD" 32 20000' >out 2>err &
pid=$!
for _ in $(seq 200); do [ -s command ] && [ "$(wc -c <cut.snug)" -gt 600 ] && break; sleep 0.05; done
kill -KILL $pid
wait $pid
expect 0 report cut.snug --json
has out '"kind":"watch"'
pkill -P "$(cat command)" || fail "the command did not go on"

# A program that is over at once was seen while it began, if at all: no figure of that is recorded.
expect 0 watch -q -o short.snug -- true
expect 0 report short.snug --json
held=$(sed -n 's/.*"peak":{"bytes":\([0-9]*\),.*/\1/p' out)
[ -z "$held" ] || [ "$held" -gt 300000 ] || fail "a peak of $held bytes: $(cat out)"
! grep -q '"name":"true","bytes":[0-9]\{1,5\}[,}]' out || fail "some KiB: $(cat out)"

# ---- a GPU, by a library that stands in for the driver's ----

gpu() { # words of the command line
  LD_LIBRARY_PATH="$FAKE_NVML${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" FAKE_GPU=$PWD/gpu expect 0 watch "$@" -- \
    sh -c 'echo "0 $$ 3221225472" >gpu; sleep 0.8'
}
: >gpu
gpu --json
json
has json '"gpu":{"now":3221225472,"peak":3221225472,'
gpu
has err "peak 3.00 GiB, "
gpu --json --no-gpu
has err '"gpu":null,"gpu_says":"not asked for"'

# ---- a terminal ----

expect 0 watch --live -- true
has err "--live needs a terminal"

if command -v script >/dev/null; then
  # Ctrl-C reaches the command once, and snug waits for what it does then.
  (sleep 1; printf '\003'; sleep 1) |
    script -qec "'$SNUG' watch -- sh -c 'trap \"echo caught; exit 6\" INT; while :; do sleep 0.1; done'; echo code \$?" /dev/null >out 2>err
  has out "code 6"
  [ "$(grep -cE '(^|C)caught' out)" = 1 ] || fail "Ctrl-C came $(grep -cE '(^|C)caught' out) times: $(cat out)"
  script -qec "'$SNUG' watch -q -- sh -c 'tty >/dev/null && echo a terminal'" /dev/null >out </dev/null
  has out "a terminal"
  TERM=xterm LC_ALL=C.UTF-8 script -qec "stty rows 24 cols 60; '$SNUG' watch --live -- '$HOLD' 16 900" /dev/null >out </dev/null
  escape=$(printf '\033')
  grep -q "${escape}\[2Ksnug: [0-9.]* MiB now · peak [0-9]" out || fail "--live: $(cat out)"
  has out "${escape}[r" # at the end the whole terminal scrolls again
  # What the program writes, in pieces of lines too, is as without: our line is drawn with the cursor kept, elsewhere.
  cat >epochs.sh <<'END'
for i in 1 2 3 4; do printf "Epoch $i"; sleep 0.3; printf " loss 0.$i\n"; done
END
  TERM=xterm script -qec "stty rows 24 cols 80; '$SNUG' watch --live -- sh epochs.sh" /dev/null >out </dev/null
  [ "$(grep -c "${escape}7" out)" -ge 2 ] || fail "--live did not draw: $(cat out)"
  sed "s/${escape}D${escape}\[A//g; s/${escape}7\(${escape}\[[0-9;]*[rHK]\)*[^${escape}]*${escape}8//g" out | tr -d '\r' >plain
  for i in 1 2 3 4; do grep -qx "Epoch $i loss 0.$i" plain || fail "--live in the middle of a line: $(cat -v out)"; done
  lacks plain "snug: "
  # The window becomes narrow, then wide: what is drawn is asked for its width each time, and so is the box at the end.
  cat >resize.sh <<'END'
for cols in 24 100; do sleep 0.8; stty cols $cols; done; sleep 0.8
END
  TERM=xterm LC_ALL=C script -qec "stty rows 24 cols 70; '$SNUG' watch --live -- sh resize.sh" /dev/null >out
  grep -ao "${escape}\[2K[^${escape}]*" out | sed "s/^${escape}\[2K//; /^$/d" | awk '{ print (length > 23 ? "wide" : "narrow") }' | uniq >widths
  [ "$(tr '\n' ' ' <widths)" = "wide narrow wide " ] || fail "--live and a window of another size: $(tr '\n' ' ' <widths): $(cat -v out)"
  TERM=xterm script -qec "stty rows 0 cols 80; '$SNUG' watch --live -- true" /dev/null >out </dev/null
  has out "that tells how many rows it has"
  # Ctrl-Z stops both, and the shell sees that.
  cat >job.sh <<END
set -m
'$SNUG' watch -q -- sh -c 'kill -TSTP \$\$; echo went on' &
for _ in \$(seq 100); do jobs | grep -q Stopped && break; sleep 0.05; done
jobs | grep -q Stopped && echo stopped
kill -CONT %1
wait %1
echo code \$?
END
  script -qec "bash job.sh" /dev/null >out </dev/null
  has out stopped
  has out "went on"
  has out "code 0"
fi
exit 0
