#!/bin/sh
# Layers of random augmentation: nothing in inference, and in a fit what --augment does, bit for bit.
. "$SNUG_TESTS/cli/lib.sh"

command -v python3 >/dev/null || exit 77
mkdir -p photos/blue photos/red
for i in 1 2 3 4 5 6; do
  "$MAKE_DATA" "photos/blue/$i.png" blue && "$MAKE_DATA" "photos/red/$i.png" red || fail "make_data"
done
"$SNUG" init cnn --input-shape 16,16,3 --classes 2 -o cnn.keras >/dev/null 2>err || fail "init: $(cat err)"
"$MAKE_DATA" x.npz x=real:9,16,16,3 y=label2:9 || fail "make_data"

# with_layers FOLDER PLACE LAYERS: cnn.keras, unpacked, with layers (as Python has them) at a place of its list.  Dropout
# goes: what it draws depends on how many layers stand before it.
with_layers() {
  python3 - "$@" <<'PY'
import json, sys, zipfile
folder, place, layers = sys.argv[1], int(sys.argv[2]), eval(sys.argv[3])
zipfile.ZipFile("cnn.keras").extractall(folder)
with open(folder + "/config.json") as f:
    model = json.load(f)
def layer(class_name, **config):
    name = class_name.lower()
    return {"module": "keras.layers", "class_name": class_name, "registered_name": None, "config": {"name": name, "seed": 7, **config}}
model["config"]["layers"] = [l for l in model["config"]["layers"] if l["class_name"] != "Dropout"]
model["config"]["layers"][place:place] = [layer(name, **config) for name, config in layers]
with open(folder + "/config.json", "w") as f:
    json.dump(model, f)
PY
}

moving='("RandomFlip", {"mode": "horizontal", "data_format": "channels_last"}),
  ("RandomRotation", {"factor": [-0.1, 0.2], "fill_mode": "nearest", "interpolation": "nearest", "fill_value": 0.0}),
  ("RandomZoom", {"height_factor": 0.2, "width_factor": None, "fill_mode": "constant", "fill_value": 7.0})'
coloring='("RandomContrast", {"factor": 0.3, "value_range": [0, 255]}), ("RandomBrightness", {"factor": [-0.1, 0.1]})'
steps='flip=horizontal,rotation(factor=[-0.1,0.2],fill_mode=nearest,interpolation=nearest)'
steps="$steps,zoom(height_factor=0.2,fill_mode=constant,fill_value=7),contrast(factor=0.3),brightness=0.1"

# ---- first in the model ----
with_layers plain 1 "[]"
with_layers first 1 "[$moving, $coloring]"
expect 0 predict plain --data x.npz -o plain.npy -q
expect 0 predict first --data x.npz -o first.npy -q
same plain.npy first.npy
expect 0 evaluate first --data photos
expect 0 summary first
has out RandomZoom
expect 0 plan first --batch-size 4
for more in '' '--image-size 16x16' '--image-size 16x16 --rescale 1/3'; do
  if [ "$more" = '--image-size 16x16 --rescale 1/3' ]; then
    expect 2 fit first --data photos $more --epochs 2 --batch-size 4
    has err "not before --rescale"
    break
  fi
  expect 0 fit plain --data photos $more --epochs 2 --batch-size 4 --augment "$steps" -q -o a.keras -f
  expect 0 fit first --data photos $more --epochs 2 --batch-size 4 -o b.keras -f
  has err "The model's own augmentation is done while images are read: --augment 'flip=horizontal,rotation(factor="
  expect 0 predict a.keras --data x.npz -o a.npy -q -f
  expect 0 predict b.keras --data x.npz -o b.npy -q -f
  same a.npy b.npy
  ! cmp -s a.npy plain.npy || fail "nothing was trained"
done
expect 0 fit plain --data photos --epochs 2 --batch-size 4 -q -o none.keras
expect 0 predict none.keras --data x.npz -o none.npy -q
! cmp -s none.npy a.npy || fail "nothing was augmented"

# What is saved has the layers as they were written.
python3 - <<'PY' || fail "the saved file has other layers"
import json, zipfile
was = json.load(open("first/config.json"))["config"]["layers"]
now = json.loads(zipfile.ZipFile("b.keras").read("config.json"))["config"]["layers"]
assert was == now, (was, now)
PY

# What is said with --augment takes their place.
expect 0 fit first --data photos --epochs 2 --batch-size 4 --augment "$steps" -q -o c.keras
expect 0 predict c.keras --data x.npz -o c.npy -q
same a.npy c.npy

# ---- arrays ----
python3 - <<'PY' || fail "deflated"
import zipfile
with zipfile.ZipFile("x.npz") as plain, zipfile.ZipFile("stream.npz", "w", zipfile.ZIP_DEFLATED) as deflated:
    for name in plain.namelist():
        deflated.writestr(name, plain.read(name))
PY
for data in x.npz stream.npz; do
  expect 0 fit plain --data $data --epochs 2 --batch-size 4 --augment "$steps" -q -o d.keras -f
  expect 0 fit first --data $data --epochs 2 --batch-size 4 -o e.keras -f
  has err "The model's own augmentation is done while images are read: --augment 'flip=horizontal,rotation(factor="
  has out 'equal to the byte'
  expect 0 fit plain --data $data --epochs 2 --batch-size 4 -q -o f.keras -f
  for name in d e f; do expect 0 predict $name.keras --data x.npz -o $name.npy -q -f; done
  same d.npy e.npy
  ! cmp -s d.npy f.npy || fail "nothing was augmented"
done
expect 0 fit first --data x.npz --epochs 2 --batch-size 4 --augment flip=vertical -q -o g.keras
expect 0 predict g.keras --data x.npz -o g.npy -q
! cmp -s d.npy g.npy || fail "--augment does not take the place of layers"
expect 1 fit plain --data x.npz --augment crop=8x8
has err "crop=8x8 is for images that are read from their files"
expect 1 fit plain --data x.npz --augment spin
has err "there is no 'spin'"
"$SNUG" init mlp --input-shape 20 --classes 2 -o mlp.keras >/dev/null 2>&1
"$MAKE_DATA" flat.npz x=real:9,20 y=label2:9 || fail "make_data"
expect 1 fit mlp.keras --data flat.npz --augment flip
has err "the input of this model is float32[batch,20]"

# ---- elsewhere ----
with_layers behind 2 "[$moving]"
expect 1 fit behind --data x.npz
has err "layer 'randomzoom' (RandomZoom) augments at random behind rescaling"
expect 1 fit behind --data photos
has err "layer 'randomzoom' (RandomZoom) augments at random behind rescaling"
with_layers flips 2 '[("RandomFlip", {}), ("RandomTranslation", {"height_factor": 0.1, "width_factor": 0.1})]'
expect 0 fit flips --data photos --batch-size 4
has err "--augment 'flip=horizontal_and_vertical,translation("
with_layers sized 1 '[("Resizing", {"height": 16, "width": 16}), ("RandomRotation", {"factor": 0.1})]'
expect 1 fit sized --data photos
has err "(RandomRotation) augments at random behind resizing"
with_layers late -1 '[("RandomFlip", {})]'
expect 0 predict late --data x.npz -o late.npy -q
same plain.npy late.npy
expect 1 fit late --data photos
has err "(RandomFlip) augments at random behind other layers"
with_layers other 1 '[("RandomShear", {"x_factor": 0.1})]'
expect 1 summary other
has err "(RandomShear): this augmentation is not supported yet"
