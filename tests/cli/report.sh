#!/bin/sh
# snug report: what recordings tell, in every form.
. "$SNUG_TESTS/cli/lib.sh"

record() { "$MAKE_RECORDING" "$1" "$1.snug" || fail "make_recording $1"; }
golden() { diff -u "$SNUG_TESTS/data/views/$1" out || fail "$1 has changed"; }
for kind in fit over cut watch killed long hostile one empty bare; do record $kind; done
cp fit.snug fit.copy

# The terminal, letter by letter.
LC_ALL=C.UTF-8 COLUMNS=80 expect 0 report fit.snug
is_empty err
golden fit.txt
LC_ALL=C COLUMNS=100 expect 0 report fit.snug
golden fit.ascii.txt
LC_ALL=C grep -q '[^ -~]' out && fail "characters beyond ASCII: $(cat out)"
for kind in over cut watch killed one empty bare; do
  LC_ALL=C.UTF-8 COLUMNS=80 expect 0 report $kind.snug
  golden $kind.txt
done
LC_ALL=C.UTF-8 COLUMNS=80 expect 0 report long.snug
has out "280 more: the JSON has them"
[ "$(wc -l <out)" -lt 60 ] || fail "too long for a terminal: $(wc -l <out) lines"
grep ' $' out && fail "blanks at the end of lines"
expect 0 report fit.snug -q
lacks out "next:"
for columns in 1 20 33 400; do
  COLUMNS=$columns expect 0 report fit.snug
  has out "next: snug report fit.snug --html"
done
tail -1 out | grep -q '^next: ' || fail "the last line is no command: $(tail -1 out)"
cp fit.snug "a b.snug"
expect 0 report "a b.snug"
has out "next: snug report 'a b.snug' --html"

# A recording that was cut says so first, and what was seen last.
LC_ALL=C.UTF-8 COLUMNS=100 expect 0 report cut.snug
head -1 out | grep -q 'Cut short: the run was killed, or still goes on; it was last seen during epoch 2' || fail "$(head -1 out)"
has out "last     epoch 2, batch "
for cut in 30 100 500; do
  head -c $cut fit.snug >short.snug
  expect 0 report short.snug
  has out "Cut short"
done


# One that is damaged in the middle tells what lies before.
cp fit.snug damaged.snug
printf 'XXXX' | dd of=damaged.snug bs=1 seek=900 conv=notrunc 2>/dev/null
LC_ALL=C expect 0 report damaged.snug
head -1 out | grep -q 'The recording is damaged at byte [0-9]*: this is what lies before' || fail "$(head -1 out)"
expect 0 report damaged.snug --json
has out '"state":"damaged"'

# Nothing that a recording holds acts on a terminal or in a page.
LC_ALL=C.UTF-8 expect 0 report hostile.snug
tr -d '\n -~' <out | LC_ALL=C grep -q "$(printf '[\001-\037\177]')" && fail "control characters: $(cat -v out)"
expect 0 report hostile.snug --html
grep -qi '<script' hostile.html && fail "a script got into the page"
for bad in '<script' 'onerror=' '</style>"'; do lacks hostile.html "$bad"; done

# JSON and CSV.
for kind in fit over cut watch long hostile one empty bare; do
  expect 0 report $kind.snug --json
  is_empty err
  [ $kind = long ] || is_json out
  has out '"schema":1'
  expect 0 report $kind.snug --csv
  [ $kind = hostile ] || awk -F, 'NR == 1 { n = NF } NF < n { exit 1 }' out || fail "a row of $kind is too short"
done
expect 0 report fit.snug --json
has out '"state":"complete"'
has out '"peak":{"bytes":58720256,"seconds":2.24,"epoch":1,"batch":7,"stage":"validation"'
has out '"by_holder":[{"name":"conv1","bytes":12582912}'
has out '"plan":{"line":67108864,"process":65011712,"process_measured":58720256,"snug":30408704,"snug_measured":30408704'
has out '"device_peak":null'
expect 0 report cut.snug --json
has out '"state":"cut"'
expect 0 report fit.snug --csv
golden fit.csv

# Files: beside the recording or where they are named; nothing is replaced without --force.
expect 0 report fit.snug --html
is_empty out
has err "wrote fit.html"
expect 1 report fit.snug --html
has err "fit.html exists; --force replaces it"
expect 0 report fit.snug --html --force -q
is_empty err
expect 0 report fit.snug --html page.html
[ -s page.html ] || fail "no page.html"
expect 0 report --html other.html fit.snug --trace
[ -s other.html ] && [ -s fit.trace.json ] || fail "no other.html, no fit.trace.json"
is_json fit.trace.json
expect 0 report fit.snug --trace=t.json -o all.json
is_json all.json
expect 0 report fit.snug -o all.csv
cmp -s all.csv "$SNUG_TESTS/data/views/fit.csv" || fail "-o all.csv is not --csv"
expect 0 report fit.snug -o all.html
cmp -s all.html page.html || fail "-o all.html is not --html"
expect 2 report fit.snug -o all.txt
has err "ends in .html, .csv or .json"
# A form that is asked for and -o are one file, whatever it is called.
mkdir forms && cp fit.snug forms
in_forms() {
  (cd forms && "$SNUG" report fit.snug "$@" >out 2>err) || fail "report $*: $(cat forms/err)"
  is_empty forms/out
}
in_forms --html -o a.html
cmp -s forms/a.html page.html || fail "--html -o a.html is not that page"
in_forms --html -o a.page
cmp -s forms/a.page page.html || fail "--html -o a.page is not that page"
in_forms --json -o a.json
is_json forms/a.json
in_forms --csv -o a.csv
cmp -s forms/a.csv all.csv || fail "--csv -o a.csv is not that table"
in_forms --trace -o a.trace.json
cmp -s forms/a.trace.json fit.trace.json || fail "--trace -o a.trace.json is not that trace"
[ "$(ls forms | wc -l)" = 8 ] || fail "more files than were asked for: $(ls forms)"
in_forms --html -o b.csv # two forms, two files
cmp -s forms/b.csv all.csv && [ -s forms/fit.html ] || fail "--html -o b.csv: $(ls forms)"
expect 2 report fit.snug --html --trace -o two.txt
has err "--html, --trace"
expect 2 report fit.snug --json --csv
has err "exclude each other"
expect 1 report fit.snug --html nowhere/page.html
has err "nowhere/page.html"

# The page needs nothing else, has what a screen reader asks for, and follows the reader's colours.
grep -qE '<script|https?://|src=|@import|url\(' page.html && fail "the page needs more than itself"
for part in "Content-Security-Policy" "default-src 'none'" 'lang="en"' "<title>fit.snug</title>" "prefers-color-scheme:dark" \
  "<caption>" 'scope="col"' 'scope="row"' 'tabindex="0"' 'aria-label="peak: 56.0 MiB at 2.24 s"' "the line: 64.0 MiB" \
  "What the peak is made of" "Who held the peak" "Plan against run" "equal to the byte" "Target batches"; do
  has page.html "$part"
done
expect 0 report long.snug --html
[ "$(wc -c <long.html)" -lt 300000 ] || fail "long.html has $(wc -c <long.html) bytes"

# The trace: counters go forward in time, spans have a length.
expect 0 report long.snug --trace
for trace in fit.trace.json long.trace.json; do
  tr '{' '\n' <$trace | sed -n 's/.*"ph":"C".*"ts":\([0-9]*\),.*/\1/p' >times
  [ -s times ] || fail "no counters in $trace"
  sort -n -c times || fail "counters of $trace go back in time"
  has $trace '"ph":"X","name":"epoch 1"'
  has $trace '"ph":"X","name":"validation"'
  has $trace '"ph":"X","name":"saving"'
done

# TensorBoard's files lie as Keras lays them; a second time they are refused.
expect 0 report fit.snug --tensorboard logs
has err "tensorboard --logdir logs"
for part in train validation; do
  [ -s logs/$part/events.out.tfevents.1767323045.snug.0.0 ] || fail "logs/$part: $(ls -R logs)"
done
expect 1 report fit.snug --tensorboard logs
has err "exists; it can be replaced (--force)"
expect 0 report fit.snug --tensorboard logs --force -q
is_empty err
expect 0 report watch.snug --tensorboard watched
[ -s watched/train/events.out.tfevents.1767319445.snug.0.0 ] || fail "an hour east: $(ls watched/train)"
[ ! -e watched/validation ] || fail "a validation that never was"

# What is no recording.
expect 1 report missing.snug
has err "missing.snug"
printf 'some text' >text.snug
expect 1 report text.snug
has err "text.snug"
expect 1 report .
expect 2 report
has err "which file?"
expect 2 report fit.snug over.snug
expect 2 report fit.snug --tensorboard
same fit.snug fit.copy
