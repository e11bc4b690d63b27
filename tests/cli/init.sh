#!/bin/sh
# snug init: files of every network, what is refused, and nothing overwritten.
. "$SNUG_TESTS/cli/lib.sh"

# The weights in a file, up to so many bytes: dates stand elsewhere.
weights() { tail -c "+$(grep -abo HDF "$1" | head -n 1 | cut -d : -f 1)" "$1" | head -c 300000 | cksum; }

expect 0 init --list
[ "$(wc -l <out)" -ge 7 ] || fail "networks are missing: $(cat out)"
names=$(cut -d ' ' -f 1 out)
expect 0 init --list --json
is_json out
has out '"name":"cnn"'

# Every network that is listed is written, and is an archive with Keras's three members.
for name in $names; do
  shape=$(echo "$name" | sed 's/unet/16,16,3/; s/^[a-z].*/32,32,3/')
  expect 0 init "$name" --input-shape "$shape" --classes 3
  has out "wrote $name.keras"
  for member in metadata.json config.json model.weights.h5; do
    grep -qaF "$member" "$name.keras" || fail "$name.keras lacks $member"
  done
  grep -qaF "sparse_categorical_crossentropy" "$name.keras" || fail "$name.keras is not compiled"
done

# The same seed gives the same file, another one another.
expect 0 init mlp -o a.keras --seed 5
expect 0 init mlp -o b.keras --seed 5
expect 0 init mlp -o c.keras --seed 6
[ "$(weights a.keras)" = "$(weights b.keras)" ] || fail "the same seed gives other weights"
[ "$(weights a.keras)" != "$(weights c.keras)" ] || fail "another seed gives the same weights"

# A file that is there stays, unless it may be replaced.
cp a.keras kept.keras
expect 1 init cnn -o a.keras
has err "a.keras"
cmp -s a.keras kept.keras || fail "a.keras was changed"
expect 0 init cnn -o a.keras --force
! cmp -s a.keras kept.keras || fail "a.keras was not replaced"

expect 0 init linear -o yes.keras --classes 1 --json
is_json out
has out '"parameters":785'
grep -qaF "binary_crossentropy" yes.keras || fail "one class is yes or no"
expect 0 init linear -o row.keras --input-shape 12 --optimizer 'sgd(learning_rate=0.5)' --loss mse \
  --metrics mae -q
is_empty out
grep -qaF '"SGD"' row.keras || fail "the optimizer is another one"

expect 2 init
has err "which network"
expect 2 init resent
has err "there is linear|mlp|cnn"
expect 2 init cnn --input-shape 28x28
has err "HEIGHT,WIDTH,CHANNELS"
expect 2 init cnn --input-shape 28,0,1
has err "--input-shape"
expect 2 init cnn --input-shape ''
expect 2 init cnn --classes 0
expect 2 init cnn -o cnn.h5
has err ".keras"
expect 2 init unet --input-shape 20,16,3 -o u.keras
has err "multiples of 8"
expect 1 init cnn --input-shape 4,4,1 -o tiny.keras
has err "conv2d_1"
[ ! -e tiny.keras ] || fail "a model that cannot be built was written"
expect 1 init cnn --optimizer nonsense -o n.keras
has err "nonsense"
expect 1 init cnn -o no/such/folder.keras
has err "folder.keras"
