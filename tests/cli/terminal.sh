#!/bin/sh
# On a terminal: a bar in colours that is drawn over itself and stays within the width.
. "$SNUG_TESTS/cli/lib.sh"
command -v script >/dev/null || exit 77

new_model m.keras
new_data train.npz 512

# shown COLUMNS ARGS...: what a terminal of so many columns would get, in `out`.
shown() {
  columns=$1
  shift
  TERM=xterm LC_ALL=${locale:-C.UTF-8} script -qec "stty cols $columns; '$SNUG' $*" /dev/null >out </dev/null ||
    fail "snug $* on a terminal: $(cat out)"
}

escape=$(printf '\033')
shown 100 fit m.keras --data train.npz --epochs 2 --batch-size 1 -o a.keras
has out "${escape}[32m━"
has out "Epoch 2/2"
tr '\r' '\n' <out | grep -q '512/512' || fail "the bar does not end: $(cat out)"
has out "╭─ peak"
shown 100 fit m.keras --data train.npz --no-color --batch-size 1
lacks out "${escape}[32m"
has out "━"
NO_COLOR=1 shown 100 fit m.keras --data train.npz --batch-size 1
lacks out "${escape}[32m"
shown 100 fit m.keras --data train.npz --verbose 2
lacks out "━━━━━━━━━━━━━━━━━━━━"
has out "16/16 - "

# Nothing that is drawn again is wider than the terminal; boxes are broken at their dots.
locale=C # a character is a byte then
shown 50 fit m.keras --data train.npz --batch-size 1 -o b.keras \
  --metrics accuracy,sparse_top_k_categorical_accuracy
tr '\r' '\n' <out | sed "s/$escape\[[0-9]*m//g" | grep '^ *[0-9]*/512' | sed '$d' |
  awk 'length($0) > 50 { exit 1 }' || fail "the bar is wider than the terminal"

# A dumb terminal gets lines.
TERM=dumb script -qec "'$SNUG' fit m.keras --data train.npz" /dev/null >out </dev/null
has out "16/16 - "
lacks out "${escape}["
exit 0
