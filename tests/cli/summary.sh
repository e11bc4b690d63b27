#!/bin/sh
# snug summary: the table, its totals, JSON, and what is refused.
. "$SNUG_TESTS/cli/lib.sh"

expect 0 init cnn -q
expect 0 summary cnn.keras
is_empty err
has out 'Model: "cnn"'
has out "conv2d_1 (Conv2D)"
has out "(None, 11, 11, 64)"
has out "18,496"
has out " Total params: 104,480 (409 KiB)"
has out " Trainable params: 34,826 (137 KiB)"
has out " Non-trainable params: 0 (0 B)"
has out " Optimizer params: 69,654 (273 KiB)"
has out "batch 32"
has out "MACs"
has out "while training with Adam"
lacks out "Connected to" # a chain needs no such column
lacks out "$(printf '\033')"

# Characters beyond ASCII are left out where they cannot be shown.
LC_ALL=C expect 0 summary cnn.keras
LC_ALL=C grep -q '[^ -~]' out && fail "characters beyond ASCII: $(cat out)"
has out "+---"
LC_ALL=C.UTF-8 expect 0 summary cnn.keras
has out "┏━━━"

# A network with branches says what is connected to what.
expect 0 init resnet -q
expect 0 summary resnet.keras
has out "Connected to"
has out "batch_normalization_2[0][0], activation[0][0]"

# JSON: integers, and the same numbers.
expect 0 summary cnn.keras --batch-size 7 --json
is_json out
has out '"batch_size":7'
has out '"trainable":{"parameters":34826,"bytes":139304}'
has out '"is_compiled":true'
has out '"name":"max_pooling2d","class":"MaxPooling2D","shape":[13,13,32]'
peak() { sed 's/.*"peak_bytes":\([0-9]*\).*/\1/' out | tail -n 1; }
seven=$(peak)
expect 0 summary cnn.keras --batch-size 70 --json
[ "$(peak)" -gt "$seven" ] || fail "ten times the batch does not need more: $(peak), $seven"

# Another way to train.
expect 0 summary cnn.keras --optimizer sgd
has out " Optimizer params: 2 (12 B)"
has out "while training with SGD"
expect 1 summary cnn.keras --optimizer nonsense
has err "nonsense"
expect 1 summary cnn.keras --loss nonsense
has err "nonsense"

# Shapes are for what a file leaves open; what it says stays.
expect 0 summary cnn.keras --input-shape '28,28,1'
has out "(None, 11, 11, 64)"
for shape in 28,28, x28 28,,1 28,-1 '28;' '' 1,1,1,1,1,1; do
  expect 2 summary cnn.keras --input-shape "$shape"
  has err "--input-shape"
done

expect 2 summary
expect 2 summary cnn.keras --batch-size 0
expect 1 summary nothing.keras
has err "nothing.keras"
