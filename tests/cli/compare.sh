#!/bin/sh
# snug compare: bars, curves, differences, rules.
. "$SNUG_TESTS/cli/lib.sh"

for kind in fit student cut watch hostile empty; do
  "$MAKE_RECORDING" $kind $kind.snug || fail "make_recording $kind"
done
golden() { diff -u "$SNUG_TESTS/data/views/$1" out || fail "$1 has changed"; }

LC_ALL=C.UTF-8 COLUMNS=90 expect 0 compare fit.snug student.snug
is_empty err
golden compare.txt
LC_ALL=C COLUMNS=80 expect 0 compare student.snug fit.snug watch.snug cut.snug
golden compare.ascii.txt
LC_ALL=C grep -q '[^ -~]' out && fail "characters beyond ASCII: $(cat out)"
LC_ALL=C.UTF-8 expect 0 compare hostile.snug empty.snug
grep ' $' out && fail "blanks at the end of lines"
expect 0 compare fit.snug fit.snug
has out "the same"

# Rules: above and below the first, by parts and by amounts, and for all.
holds() { expect 0 compare fit.snug student.snug --fail-on "$1"; }
breaks() {
  expect 4 compare fit.snug student.snug --fail-on "$1"
  has err "--fail-on"
  has out "is broken: $2"
}
holds peak:+5%
holds peak:2GiB
holds peak:56MiB
holds peak:58720256
holds peak:-50%
holds time:+0%
holds val_loss:+0.001
holds val_accuracy:-0.001
holds loss:+1%,accuracy:-1%,step:+0%
breaks peak:-10% "student.snug has 28.0 MiB, at least 50.4 MiB"
breaks peak:50MiB "fit.snug has 56.0 MiB, at most 50.0 MiB"
breaks peak:-1MiB "student.snug has 28.0 MiB, at least 55.0 MiB"
breaks loss:0.5 "fit.snug has 0.6667, at most 0.5000"
breaks device:+5% "student.snug has n/a"
expect 4 compare fit.snug watch.snug --fail-on loss:+5%
has out "loss:+5% is broken: watch.snug has n/a"
expect 2 compare fit.snug student.snug --fail-on peek:+5%
is_empty out
has err '--fail-on is "peek:+5%"; no recording has "peek"; did you mean peak? Known: peak, held, device, time, step, epochs, accuracy, loss,'
expect 2 compare fit.snug student.snug --fail-on nonsense:+5%
has err 'no recording has "nonsense"; known: peak,'
expect 2 compare hostile.snug student.snug --fail-on nonsense:+5%
tr -d '\n -~' <err | LC_ALL=C grep -q "$(printf '[\001-\037\177]')" && fail "control characters: $(cat -v err)"
expect 4 compare student.snug fit.snug --fail-on peak:+5% --fail-on peak:1GiB
has out "peak:+5% is broken: fit.snug has 56.0 MiB, at most 29.4 MiB"
has out "peak:1GiB holds"
has err "1 of"
expect 4 compare student.snug fit.snug --fail-on peak:+20MiB
expect 0 compare student.snug fit.snug --fail-on peak:+28MiB
expect 4 compare student.snug fit.snug --fail-on peak:+5% --json
is_json out
has out '"rule":"peak:+5%","file":"fit.snug","figure":"peak","value":58720256,"bound":30828134.4,"holds":false'
has out '"peak_more":1'
for wrong in peak peak: :5% peak:x peak:+ peak:5% peak:+-5% peak:+5%% peak:--1 peak:nan peak:+inf; do
  expect 2 compare fit.snug student.snug --fail-on "$wrong"
  has err "--fail-on is \"$wrong\""
done

# The same outputs.
expect 0 compare fit.snug student.snug --csv
golden compare.csv
expect 0 compare fit.snug student.snug cut.snug --html --trace --tensorboard logs
has err "wrote compare.html"
has err "wrote compare.trace.json"
is_json compare.trace.json
grep -qE '<script|https?://|src=' compare.html && fail "the page needs more than itself"
has compare.html "3 runs compared"
for run in fit student cut; do
  ls logs/$run/train/events.out.tfevents.* >/dev/null || fail "no events of $run: $(ls -R logs)"
done
rm compare.html
expect 0 compare fit.snug student.snug --html -o both.html
has err "wrote both.html"
[ ! -e compare.html ] || fail "--html -o both.html wrote compare.html, too"
expect 0 compare fit.snug student.snug --html
mkdir other && cp fit.snug other
expect 0 compare fit.snug other/fit.snug --tensorboard same -q
[ -d same/fit/train ] && [ -d same/fit-2/train ] || fail "runs of one name: $(ls same)"
cp student.snug fit-2.snug
expect 0 compare fit.snug other/fit.snug fit-2.snug --tensorboard three -q
[ "$(ls three | tr '\n' ' ')" = "fit fit-2 fit-2-2 " ] || fail "names that numbers make: $(ls three)"
expect 0 compare fit.snug fit-2.snug other/fit.snug --tensorboard raised -q
[ "$(ls raised | tr '\n' ' ')" = "fit fit-2 fit-3 " ] || fail "a number that is taken: $(ls raised)"
expect 1 compare fit.snug student.snug --html
has err "compare.html exists"
expect 0 compare hostile.snug fit.snug --html -f
lacks compare.html "<script"

expect 2 compare
expect 2 compare fit.snug
has err "2 to 64 recordings are needed, there is 1"
# shellcheck disable=SC2046 # words
expect 2 compare $(yes fit.snug | head -65)
has err "there are 65"
expect 1 compare fit.snug missing.snug
has err "missing.snug"
