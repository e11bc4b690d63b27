#!/bin/sh
# What the command refuses it refuses in words of the command: options as they are typed, no member of a struct of C.
. "$SNUG_TESTS/cli/lib.sh"

command -v python3 >/dev/null || exit 77
export SNUG_CACHE="$PWD/cache"

# refused OPTION CODE WORDS...: the message tells the option, and nothing of C.
refused() {
  option=$1
  shift
  expect "$@"
  has err "$option"
  for word in snug_ _options no_compile; do
    lacks err "$word"
  done
}

# unpacked FOLDER OLD NEW: the model as a folder, with another text in its configuration.
unpacked() {
  python3 - "$@" <<'PY'
import sys, zipfile
folder, old, new = sys.argv[1:]
zipfile.ZipFile("m.keras").extractall(folder)
with open(folder + "/config.json") as f:
    text = f.read()
assert old in text, text
with open(folder + "/config.json", "w") as f:
    f.write(text.replace(old, new))
PY
  [ -d "$1" ] || fail "$1 was not made"
}

new_model m.keras
new_data d.npz 64

unpacked open '[null, 4]' '[null, null]'
refused --input-shape 1 summary open
unpacked lost '"sparse_categorical_crossentropy"' '"one_of_a_kind"'
refused 'give --loss' 1 fit lost --data d.npz
refused 'give --loss' 1 evaluate lost --data d.npz

# A backup of another fit, and one whose plan needs more than the line.
"$SNUG" fit m.keras --data d.npz --epochs 500000 --backup kept >/dev/null 2>&1 &
fit=$!
until [ -n "$(ls -A kept 2>/dev/null)" ]; do sleep 0.1; done
sleep 0.5
kill -9 $fit
wait $fit || :
refused --replan 1 fit m.keras --data d.npz --epochs 500000 --backup kept --batch-size 7
refused --replan 1 fit m.keras --data d.npz --epochs 500000 --backup kept --seed 3

mkdir -p photos/one photos/two
for i in 1 2 3; do "$MAKE_DATA" photos/one/$i.png blue && "$MAKE_DATA" photos/two/$i.png red; done
printf 'GIF89a........' >photos/one/moving.gif
"$SNUG" init cnn --input-shape 16,16,3 --classes 2 -o c.keras >/dev/null 2>&1
refused '--on-error skip' 1 fit c.keras --data photos

expect 0 fit m.keras --data d.npz --record run.snug -q
refused --force 1 fit m.keras --data d.npz --record run.snug -q
expect 0 report run.snug --tensorboard board -q
refused --force 1 report run.snug --tensorboard board

# A line below what loading takes.
ldd "$SNUG" | grep -q libasan && exit 0 # a sanitizer takes more than any line
"$SNUG" init mlp --input-shape 20000 --classes 3 -o large.keras >/dev/null 2>&1
"$MAKE_DATA" l.npz x=real:8,20000 y=label3:8
refused --memory 3 fit large.keras --data l.npz --memory 12MiB
has err "to load it"
