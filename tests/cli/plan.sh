#!/bin/sh
# snug plan: what a fit would take, and the line.
. "$SNUG_TESTS/cli/lib.sh"

export SNUG_CACHE="$PWD/cache"
new_model m.keras
new_data train.npz 160
new_data test.npz 40
cp m.keras m.copy

# The device: the first that there is, or the one that is asked for.
expect 0 plan m.keras --batch-size 16 --device cpu
has out "device: cpu"
expect 2 plan m.keras --batch-size 16 --device cuda
has err "--device: there is no device 'cuda' here; there is: cpu"

# The verdict first; nothing is written.
expect 0 plan m.keras --batch-size 16
is_empty err
head -1 out | grep -q '^needs [0-9.]* [KMG]iB' || fail "no verdict: $(cat out)"
has out "m.keras, batch 16; the data set is not counted"
has out "device: cpu"
for part in weights gradients optimizer activations scratch data callbacks runtime "in all"; do has out "  $part "; done
has out "The peak of a training step is in the"
tail -1 out | grep -q '^next: snug plan m.keras' || fail "no next command: $(cat out)"
expect 0 plan m.keras -q
lacks out "next:"
LC_ALL=C expect 0 plan m.keras --draw --curve
LC_ALL=C grep -q '[^ -~]' out && fail "characters beyond ASCII: $(cat out)"
grep -q ' $' out && fail "blanks at the end of lines"
has out "The block over a training step"
has out "a activations"

# With data it is the plan of the fit: the same bytes, to the byte.
expect 0 plan m.keras --data train.npz --validation-data test.npz --json
is_json out
has out '"schema":1'
has out '"data_counted":true'
planned=$(sed 's/.*"memory":{"planned":\([0-9]*\).*/\1/' out)
expect 0 fit m.keras --data train.npz --validation-data test.npz --json
has out "\"planned\":$planned,\"measured\":$planned,"
same m.keras m.copy

# Without them: whole batches of the model's shapes, or so many samples.
expect 0 plan m.keras --json
has out '"samples":32,'
expect 0 plan m.keras --samples 1000000 --validation-split 0.5 --json
has out '"samples":1000000,'
lacks out '"validation_block":0'
expect 2 plan m.keras --samples 5 --data train.npz
has err "exclude each other"
expect 2 plan m.keras --validation-data test.npz
has err "needs --data"
"$MAKE_DATA" plain.keras 1 || fail "make_data"
expect 2 plan plain.keras
has err "snug plan plain.keras --optimizer adam --loss sparse_categorical_crossentropy"
expect 0 plan plain.keras --optimizer adam --loss mse
expect 1 plan missing.keras
has err "missing.keras"

# The curve as files.
expect 0 plan m.keras --curve -o curve.html
grep -q '<svg ' curve.html || fail "no picture: $(cat curve.html)"
grep -qE '<script|https?://' curve.html && fail "the page needs more than itself"
expect 0 plan m.keras --curve -o curve.csv
head -1 curve.csv | grep -q '^process,block,seconds,' || fail "curve.csv: $(cat curve.csv)"
expect 0 plan m.keras --curve -o curve.json
is_json curve.json
expect 1 plan m.keras --curve -o curve.csv
has err "curve.csv exists"
expect 2 plan m.keras --curve -o curve.png
has err "ends in .html, .csv or .json"
expect 2 plan m.keras -o curve.csv
has err "--curve"

# The implementations as a list, which a plan and a fit take.
expect 0 plan m.keras --write-kernels kernels.txt -q
[ -e kernels.txt ] || fail "no list of kernels"
expect 0 plan m.keras --kernels kernels.txt
expect 1 plan m.keras --kernels missing.txt
has err "missing.txt"
expect 1 plan m.keras --write-kernels kernels.txt
has err "kernels.txt exists"

# Another machine.
expect 0 plan m.keras --isa base
has out "an estimate: this machine is not that one"
expect 2 plan m.keras --isa z80

# Lines that are none.
for wrong in 0 -1 1e30 abc 110% 0% -5% 12Q 70%%; do
  for verb in fit plan; do
    expect 2 $verb m.keras --data train.npz --memory $wrong
    has err "--memory is \"$wrong\""
  done
done
SNUG_MEMORY=abc expect 2 plan m.keras
has err 'SNUG_MEMORY is "abc"'
expect 2 plan m.keras --find-batch --memory none
has err "give --memory"
expect 2 plan m.keras --allow magic
has err "there is disk, batch-statistics"
expect 2 plan m.keras --micro-batch 0
has err "--micro-batch"

# A line that there is, in all its forms.
for line in 2GiB 2G 2147483648 2048M auto 90%; do
  expect 0 plan m.keras --memory $line
  head -1 out | grep -q '^fits: ' || fail "--memory $line: $(cat out)"
done
expect 0 plan m.keras --memory auto
has out "the line: "
SNUG_MEMORY=3GiB expect 0 plan m.keras --json
has out '"line":3221225472,'
SNUG_MEMORY=3GiB expect 0 fit m.keras --data train.npz
has err "Plan: fits."
grep -q ' peak .* of 3.00 GiB .*held' out || fail "no verdict: $(cat out)"

# A line that is too low: the least, and commands that hold when they are typed.
expect 3 plan m.keras --data train.npz --memory 10
head -1 out | grep -q '^does not fit in 10 B: the least that would do is ' || fail "no verdict: $(cat out)"
expect 3 fit m.keras --data train.npz --memory 10 -o never.keras
head -1 err | grep -q '^snug: m.keras with batch 32 does not fit in 10 B: the least that would do is ' ||
  fail "no verdict: $(cat err)"
is_empty out
[ ! -e never.keras ] || fail "something was saved"
sed -n 's/^  snug //p' err >commands
cp err refusal
ldd "$SNUG" | grep -q 'libasan' && exit 0 # a sanitizer's memory is not predicted, and nothing else follows
[ -s commands ] || fail "no remedy: $(cat refusal)"
while IFS= read -r command; do
  eval "\"\$SNUG\" $command --force" >out 2>err || fail "a remedy does not hold: $command: $(cat err)"
done <commands
expect 3 fit m.keras --data train.npz --memory 10 --json
is_json out
has out '"fits":false'
has out '"remedies":[{'
has err "What would do"
expect 3 fit m.keras --data train.npz --memory 10 -q
lacks err "What would do"
expect 3 plan m.keras --memory 10 --json
is_json out
has out '"fits":false'
has out '"remedies":['

# What a plan suggests keeps what it trains, and all that was typed.
expect 3 plan m.keras --data train.npz --learning-rate 0.01 --memory 10
grep -q '^  snug fit m.keras .*--learning-rate 0.01 .*--output trained.keras' out || fail "nothing would be saved: $(cat out)"
expect 3 plan m.keras --data train.npz --checkpoint c.keras --memory 10
lacks out "--output"
expect 0 plan m.keras --data train.npz --epochs 3 --find-batch --memory 64MiB
grep -q '^next: snug fit m.keras --data train.npz .*--epochs 3 .*--memory 64MiB.* --output trained.keras$' out || fail "next: $(cat out)"
expect 0 plan m.keras --find-batch --memory 64MiB
grep -q '^next: snug fit m.keras --data FILE .*--output trained.keras$' out || fail "next: $(cat out)"

# Without a line what the process may hold decides, and who says so is told.
expect 0 plan m.keras --data train.npz --find-batch
head -1 out | grep -q '^batch 160 is the largest that fits in .*: all samples at once' || fail "find-batch: $(cat out)"
has out "the line: "
grep -q '^next: snug fit m.keras --data train.npz .*--memory auto' out || fail "next: $(cat out)"
expect 0 plan m.keras --data train.npz --find-batch --json
grep -q '"line":[0-9]*,"line_from":"' out || fail "find-batch: $(cat out)"
SNUG_MEMORY=64MiB expect 0 plan m.keras --data train.npz --find-batch --json
has out '"line":67108864,"line_from":null,'

# The largest batch: it fits, and larger ones do not.
"$SNUG" init cnn -o cnn.keras -q 2>err || fail "init: $(cat err)"
expect 0 plan cnn.keras --find-batch --memory 60MiB --json
is_json out
is_empty err
batch=$(sed 's/.*"batch_size":\([0-9]*\).*/\1/' out)
power=$(sed 's/.*"power_of_two":\([0-9]*\).*/\1/' out)
[ "$power" -le "$batch" ] && [ $((2 * power)) -gt "$batch" ] || fail "power of two: $(cat out)"
expect 0 plan cnn.keras --batch-size "$batch" --memory 60MiB
expect 3 plan cnn.keras --batch-size "$((batch + 8))" --micro-batch "$((batch + 8))" --memory 60MiB -q
expect 0 plan cnn.keras --batch-size "$((batch + 8))" --memory 60MiB # in pieces
expect 0 plan m.keras --data train.npz --find-batch --memory 2GiB
head -1 out | grep -q '^batch 160 is the largest that fits in 2.00 GiB: all samples at once' || fail "find-batch: $(cat out)"
expect 3 plan m.keras --find-batch --memory 10
exit 0
