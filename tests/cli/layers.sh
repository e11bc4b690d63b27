#!/bin/sh
# snug layers: the list, one entry of it, a sort of it, and names that are none.
. "$SNUG_TESTS/cli/lib.sh"

expect 0 layers
is_empty err
for line in '^Layers$' '^  Dense$' '^  Conv2D  .*data_format: only channels_last' '^  LSTM  .*recurrent' \
  '^Operations (keras.ops)$' '^  mean  .*axis=none' '^Losses$' '^  mean_squared_error$' '^Metrics$' '^Optimizers$' \
  '^  SGD$' '^Schedules$' '^Initializers$' '^Regularizers$' '^Constraints$' '^Of all models$'; do
  grep -q "$line" out || fail "no line $line"
done

# What is told is what happens: an option that must keep its default is refused at another value, in the same words.
expect 0 layers conv2d
has out "Conv2D: a layer"
has out "filters                       a whole number; it must be given"
has out "padding                       valid|same (valid)"
has out "data_format                   anything but channels_last; permute the data"
lacks out "Conv2DTranspose"
expect 0 layers MSE
has out "mean_squared_error: a loss, also mse"

# A name may be one of several sorts; modules may stand before it.
expect 0 layers softmax
has out "Softmax: a layer"
has out "keras.ops.softmax: an operation"
has out "softmax: an activation"
expect 0 layers keras.layers.MultiHeadAttention
has out "*Attention: a layer that is not supported"
has out "Dot, Softmax and Dense are"
expect 0 layers RandomNormal
has out "random_normal: an initializer"
lacks out "not supported"

expect 0 layers rfft
has out "keras.ops.rfft: an operation that is not supported"
expect 0 layers Adafactor
has out "Adafactor: an optimizer that is not supported"
expect 0 layers metrics
has out "Metrics that are not supported"
expect 0 layers F1Score
has out "f1_score: a metric"

expect 0 layers losses
has out "Losses"
lacks out "Layers"
expect 0 layers optimizer
has out "  Adam"

expect 2 layers Con2D
has err 'there is no layer, operation, loss ... "Con2D"; did you mean Conv2D? See snug layers'
expect 2 layers qqqqqqqqqqqqq
lacks err "did you mean"

expect 0 layers --json
is_json out
expect 0 layers Dense --json
has out '"name":"units","kind":"a whole number","required":true,"default":null'
