# Data that are read where they lie: files larger than is held, tables, records, and what is said
# about bad ones.
. "$SNUG_TESTS/cli/lib.sh"

new_model m.keras
new_data small.npz 1000
# 1.9 MB in rows of more than 4 KiB: not held.
expect 0 init linear --input-shape 1200 --classes 3 -o wide.keras -q
"$MAKE_DATA" d.npz x=real:400,1200 y=label3:400 || fail 'make_data d.npz'

# ---- rows of an archive ----
expect 0 fit wide.keras --data d.npz --epochs 1 --batch-size 50 --workers 2 --prefetch 3 -q -o a.keras
expect 0 fit wide.keras --data d.npz --epochs 1 --batch-size 50 --workers 0 -q -o b.keras
expect 0 evaluate a.keras --data d.npz
cp out first
expect 0 evaluate b.keras --data d.npz --workers 0
same out first
expect 0 fit wide.keras --data d.npz --batch-size 50 --workers 2 --prefetch 2 --json
is_json out
has out '"workers":2,"prefetch":2,"waited":'
expect 0 fit wide.keras --data d.npz --batch-size 50 --color=never
has out 'waited'
has out 'batches ahead'
expect 0 predict a.keras --data d.npz -o p.npy

# ---- the plan has its stages ----
expect 0 plan wide.keras --data d.npz --batch-size 50 --workers 2
has out 'batches'
has out 'threads that read'
expect 0 plan wide.keras --data d.npz --batch-size 50 --workers 2 --json
is_json out
has out '"workers_bytes":'

# ---- options ----
expect 2 fit m.keras --data small.npz --workers many
has err '--workers is "many"'
expect 2 fit m.keras --data small.npz --prefetch -1
expect 2 fit m.keras --data small.npz --shuffle-window some
has err '--shuffle-window is "some"'
expect 2 fit m.keras --data small.npz --on-error ignore

# ---- tables ----
{
  echo 'a,b,c,d,kind'
  i=0
  while [ $i -lt 200 ]; do
    echo "$i,0.5,\"-1e-1\",$((i % 7)),$([ $((i % 3)) -eq 0 ] && echo red || echo blue)"
    i=$((i + 1))
  done
} >t.csv
expect 0 fit m.keras --data t.csv --label kind -q -o c.keras
expect 0 evaluate c.keras --data t.csv --label kind
expect 1 fit m.keras --data t.csv --label colour
has err 't.csv: has no column "colour"'
echo '1,2,3' >>t.csv
expect 1 fit m.keras --data t.csv --label kind
has err 't.csv: line 202: has 3 fields, the first line has 5'

# ---- records from standard input ----
# 64 samples of four zeros and the label 0: all bytes are 0.
records() {
  printf 'snug-records 1\nx float32 4\ny int32\n%s\n' "$1"
  head -c "$2" /dev/zero
}
records 'rows 64
' 1280 | "$SNUG" fit m.keras --data - --batch-size 16 -q 2>err || fail "records: $(cat err)"
records '' 1280 | "$SNUG" fit m.keras --data - --batch-size 16 --steps-per-epoch 4 -q 2>err || fail "records: $(cat err)"
records '' 1280 | "$SNUG" fit m.keras --data - --batch-size 16 -q 2>err && fail "an unknown length was taken"
has err 'steps_per_epoch'
records '' 1280 | "$SNUG" fit m.keras --data - --batch-size 16 --steps-per-epoch 5 -q 2>err && fail "an early end was taken"
has err '-: ended after 64 samples, and more are needed'
records '' 1285 | "$SNUG" fit m.keras --data - --batch-size 13 --steps-per-epoch 5 -q 2>err && fail "half a record was taken"
has err '-: ends in the middle of record 64: 5 of its 20 bytes'
records 'rows 64
' 1280 | "$SNUG" fit m.keras --data - --batch-size 16 --epochs 2 -q 2>err && fail "it was read twice"
has err 'can be read once'
records '' 1280 >r.bin
expect 0 fit m.keras --data r.bin --batch-size 16 --epochs 3 -q -o d.keras

# ---- a bad sample ----
"$MAKE_DATA" n.npz x=nan:400,1200 y=label3:400
expect 1 fit wide.keras --data n.npz --batch-size 50 -q
has err 'n.npz: x[0]'
has err 'is nan; remove or replace it'

# One is told or left out, whether it is held or not.
"$MAKE_DATA" w4.npz x=real:10,4 y=label4:10
"$MAKE_DATA" w1200.npz x=real:400,1200 y=label4:400
for run in 'm.keras --data w4.npz' 'wide.keras --data w1200.npz'; do
  # shellcheck disable=SC2086
  expect 1 fit $run -q
  has err '.npz: y[0]'
  has err 'has the label 3; the output has 3 classes, so labels are 0 to 2'
  # shellcheck disable=SC2086
  expect 0 fit $run --on-error skip --color=never
  has out 'skipped '
  has out ", first y[0] 'predictions': sample "
done

# ---- snug data ----
expect 0 data d.npz --seconds 0.1
has out 'd.npz: 400 samples of 4.7 KiB, all of them can be used'
has out 'in places'
has out 'y: 3 classes: 0:'
has out 'read in order'
has out 'look at all values'
has out 'read in any order'
expect 1 data n.npz --seconds 0.1
has out 'cannot be used:'
has out 'x: sample '
expect 0 data d.npz --samples 10 --seconds 0.1 --json
is_json out
has out '"samples":10,'
expect 1 data none.npz
has err 'none.npz'
