#!/bin/sh
# Bad input: a message that names what is wrong and the way out, an exit code, and the user's files
# as they were.
. "$SNUG_TESTS/cli/lib.sh"

new_model m.keras
new_data train.npz 64
cp m.keras m.copy
cp train.npz train.copy

# refused CODE PART ARGS...: exit code, message, and nothing new in the folder.
refused() {
  code=$1
  part=$2
  shift 2
  before=$(ls -A | grep -vx -e out -e err)
  expect "$code" "$@"
  has err "$part"
  head -1 err | grep -q '^snug: ' || fail "snug $*: the message does not begin with its name: $(cat err)"
  is_empty out
  [ "$(ls -A | grep -vx -e out -e err)" = "$before" ] || fail "snug $*: left over: $(ls -A)"
  same m.keras m.copy
  same train.npz train.copy
}

# The command line.
refused 2 "which file?" fit
refused 2 "which data?" fit m.keras
refused 2 "which data?" evaluate m.keras
refused 2 "which data?" predict m.keras
refused 2 'no option "--epoch"; did you mean --epochs?' fit m.keras --data train.npz --epoch 3
refused 2 '--epochs is "0"' fit m.keras --data train.npz --epochs 0
refused 2 '--epochs is "-3"' fit m.keras --data train.npz --epochs -3
refused 2 '--epochs is "many"' fit m.keras --data train.npz --epochs many
refused 2 '--batch-size is "0"' fit m.keras --data train.npz --batch-size 0
refused 2 '--validation-split is 1' fit m.keras --data train.npz --validation-split 1
refused 2 '--validation-split is "nan"' fit m.keras --data train.npz --validation-split nan
refused 2 'exclude each other' fit m.keras --data train.npz --validation-split 0.1 --validation-data train.npz
refused 2 'nothing to train' fit m.keras --data train.npz --initial-epoch 5 --epochs 5
refused 2 '--verbose is "3"; there is auto|0|1|2' fit m.keras --data train.npz --verbose 3
refused 2 '--color is "blue"' fit m.keras --data train.npz --color blue
refused 2 '--threads is 2000' fit m.keras --data train.npz --threads 2000
refused 2 '"1=5" is not CLASS:WEIGHT' fit m.keras --data train.npz --class-weight 1=5
refused 2 '"x:5" is not CLASS:WEIGHT' fit m.keras --data train.npz --class-weight x:5
refused 2 '--freeze conv*: no layer' fit m.keras --data train.npz --freeze 'conv*'
refused 2 'ends in .keras' fit m.keras --data train.npz -o trained.h5
refused 2 'ends in .npy or .npz' predict m.keras --data train.npz -o out.csv
refused 2 'what is "other.keras"?' fit m.keras other.keras --data train.npz
refused 2 '"half" is not a number' fit m.keras --data train.npz --loss-weights half
refused 2 '--loss-weights has 2 numbers' fit m.keras --data train.npz --loss-weights 1,2

# Outputs are looked at before anything is trained.
cp m.keras there.keras
refused 1 "there.keras exists; --force replaces it" fit m.keras --data train.npz -o there.keras --epochs 100000
same there.keras m.copy
refused 1 "nowhere" fit m.keras --data train.npz -o nowhere/a.keras --epochs 100000
mkdir folder.keras
refused 1 "folder.keras is not a regular file" fit m.keras --data train.npz -f -o folder.keras --epochs 100000
expect 0 predict m.keras --data train.npz -o p.npy
cp p.npy p.copy
refused 1 "nowhere" predict m.keras --data train.npz -o nowhere/p.npy
refused 1 "p.npy exists" predict m.keras --data train.npz -o p.npy
same p.npy p.copy
expect 0 predict m.keras --data train.npz -o p.npy -f
expect 0 fit m.keras --data train.npz -o there.keras --force

# Models.
refused 1 "missing.keras" fit missing.keras --data train.npz
refused 1 "missing.keras" evaluate missing.keras --data train.npz
refused 1 "missing.keras" predict missing.keras --data train.npz
refused 1 "missing.keras" summary missing.keras
echo "this is not an archive" >text.keras
refused 1 "text.keras" fit text.keras --data train.npz
: >empty.keras
refused 1 "empty.keras" fit empty.keras --data train.npz
size=$(wc -c <m.keras)
for part in 1 2 3 4 5 6 7 8 9; do
  head -c $((size * part / 10)) m.copy >cut.keras
  refused 1 "cut.keras" fit cut.keras --data train.npz -o never.keras
done
refused 1 "missing.weights.h5" fit m.keras --data train.npz --weights missing.weights.h5
refused 1 "train.npz" fit m.keras --data train.npz --weights train.npz

# Data.
refused 1 "missing.npz" fit m.keras --data missing.npz
echo "no array" >text.npz
refused 1 "text.npz" fit m.keras --data text.npz
head -c 300 train.copy >cut.npz
refused 1 "cut.npz" fit m.keras --data cut.npz
"$MAKE_DATA" wide.npz x=real:64,5 y=label3:64
refused 1 "wide.npz" fit m.keras --data wide.npz
has err "5"
"$MAKE_DATA" few.npz x=real:64,4 y=label3:60
refused 1 "few.npz" fit m.keras --data few.npz
has err "60"
"$MAKE_DATA" high.npz x=real:64,4 y=label7:64
refused 1 "high.npz" fit m.keras --data high.npz
has err "label"
"$MAKE_DATA" other.npz images_of_cats=real:64,4 y=label3:64
refused 1 "images_of_cats" fit m.keras --data other.npz
"$MAKE_DATA" bare.npz x=real:64,4
refused 1 "bare.npz" fit m.keras --data bare.npz
"$MAKE_DATA" w.npy one:10
refused 1 "10" fit m.keras --data train.npz --sample-weight w.npy
refused 1 "missing.npy" fit m.keras --data train.npz --sample-weight missing.npy
refused 1 "wide.npz" fit m.keras --data train.npz --validation-data wide.npz

# Models that do not say how they are trained.
"$MAKE_DATA" plain.keras 1 || fail "make_data"
refused 2 "plain.keras does not say how it is trained. Say it with --loss and --optimizer" fit plain.keras --data train.npz
has err "snug fit plain.keras --data train.npz --optimizer adam --loss sparse_categorical_crossentropy"
refused 2 "Say it with --loss, for example" evaluate plain.keras --data train.npz
refused 2 "does not say how it is trained" fit plain.keras --data train.npz --optimizer adam

# A loss or an optimizer in the file that Snug has not: two lines, and the option that would do.
if command -v python3 >/dev/null; then
  python3 - <<'END' || fail "python3"
import json, zipfile
def change(out, key, value):
    with zipfile.ZipFile("m.keras") as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            if name == "config.json":
                config = json.loads(text)
                config["compile_config"][key] = value
                text = json.dumps(config)
            new.writestr(name, text)
change("loss.keras", "loss", {"class_name": "function", "config": "my_loss"})
change("optimizer.keras", "optimizer", {"class_name": "Adafactor", "config": {}})
END
  refused 1 "snug: evaluate: loss.keras: compile_config: there is no loss 'my_loss'" evaluate loss.keras --data train.npz
  [ "$(sed -n 2,9p err)" = "give --loss" ] || fail "$(cat err)"
  expect 0 evaluate loss.keras --data train.npz --loss sparse_categorical_crossentropy
  refused 1 "there is no optimizer 'Adafactor'" fit optimizer.keras --data train.npz -o out.keras
  [ "$(sed -n 2,9p err)" = "give --optimizer" ] || fail "$(cat err)"
fi

# Names that are not Keras's.
refused 1 "adamm" fit m.keras --data train.npz --optimizer adamm
refused 1 "msee" fit m.keras --data train.npz --loss msee
refused 1 "acuracy" fit m.keras --data train.npz --metrics acuracy

# A full disk.
if [ -w /dev/full ]; then
  "$SNUG" evaluate m.keras --data train.npz >/dev/full 2>err && fail "a full disk went unnoticed"
  has err "standard output"
fi
exit 0
