# Folders of images.
. "$SNUG_TESTS/cli/lib.sh"

"$SNUG" init cnn --input-shape 16,16,3 --classes 2 -o m.keras >/dev/null 2>err || fail "init: $(cat err)"
mkdir -p photos/blue photos/red
for i in 1 2 3 4 5 6 7 8 9 10; do
  "$MAKE_DATA" "photos/blue/$i.png" blue && "$MAKE_DATA" "photos/red/$i.png" red || fail "make_data"
done

# ---- training: the size is the model's, the split is of files ----
expect 0 fit m.keras --data photos --validation-split 0.2 --batch-size 4 --epochs 2 --augment flip,zoom=0.1 --json -o a.keras
is_json out
has out '"samples":16,"validation_samples":4'
expect 0 fit m.keras --data photos --validation-split 0.2 --batch-size 4 --epochs 2 --augment flip,zoom=0.1 --workers 3 -q -o b.keras
expect 0 evaluate a.keras --data photos
cp out first
expect 0 evaluate b.keras --data photos --workers 0
same out first
expect 0 predict a.keras --data photos -o p.npy
expect 0 plan m.keras --data photos --batch-size 4 --memory 200MiB
has out 'threads that read'
(cd photos && ls -d "$PWD"/*/* | sed 's/.*blue.*/& 0/; s/.*red.*/& 1/') >list.txt
expect 0 evaluate a.keras --data list.txt
same out first
expect 0 evaluate a.keras --data photos --image-dtype uint8

# ---- yes or no ----
expect 0 init cnn --input-shape 16,16,3 --classes 1 -o yes.keras -q
expect 0 fit yes.keras --data photos --labels binary --batch-size 4 -q -o yes2.keras
expect 0 evaluate yes2.keras --data photos --labels binary

# ---- looking at them ----
expect 0 data photos --image-size 16x16 --seconds 0.1
has out 'photos: 20 samples'
has out '(16, 16, 3)'
has out 'y: 2 classes: blue: 10, red: 10'
expect 0 data photos --image-size 16x16 --seconds 0.1 --json
is_json out
has out '"class_names":["blue","red"]'

# ---- what is wrong ----
expect 1 fit m.keras --data photos --image-size 20
has err '20,20,3'
expect 1 fit m.keras --data photos --augment spin
has err 'spin'
head -c 60 photos/red/3.png >photos/red/broken.png
expect 1 fit m.keras --data photos --batch-size 4 -q
has err 'photos/red/broken.png'
expect 1 data photos --image-size 8 --rescale 1/255 --augment flip --seconds 0.1
has out ' decode '
has out ' resize '
expect 0 fit m.keras --data photos --batch-size 4 --on-error skip --color=never
has out 'skipped'
has out 'photos/red/broken.png'
expect 1 data photos --image-size 16x16 --seconds 0.1
has out 'photos/red/broken.png'
mkdir empty
expect 1 fit m.keras --data empty
has err 'empty'
printf 'GIF89a........' >photos/blue/moving.gif
expect 1 fit m.keras --data photos --batch-size 4 -q
has err '1 of 22 images cannot be read'
has err 'photos/blue/moving.gif is a GIF; convert it to JPEG or PNG'
has err 'on-error skip'
expect 1 data photos --image-size 16x16 --seconds 0.1
has out 'photos/blue/moving.gif is a GIF'
expect 0 fit m.keras --data photos --batch-size 4 --on-error skip --rescale 1/127.5,-1 --normalize 'mean=[0,0,0],variance=[1,1,1]' -q
