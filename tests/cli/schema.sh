#!/bin/sh
# What --json prints is what docs/schema says.
. "$SNUG_TESTS/cli/lib.sh"

python3 -c 'import jsonschema' 2>/dev/null || {
  echo "skipped: python3 has no jsonschema (Debian: python3-jsonschema)"
  exit 77
}
export SNUG_CACHE="$PWD/cache"
pairs=
# keep NAME CODE ARGS...: what the command prints is one more file to validate with that schema.
keep() {
  name=$1
  shift
  expect "$@"
  number=$((number + 1))
  cp out "$number.json"
  pairs="$pairs $name=$number.json"
}
number=0
new_model m.keras
new_data train.npz 160
printf 'id,lower,upper,size\na,0,4,64\nb,2,6,32\nc,4,8,64\n' >problem.csv

keep init 0 init cnn --json
keep init-list 0 init --list --json
keep fit 0 fit m.keras --data train.npz --validation-split 0.2 --epochs 2 --target-batches 1 -o trained.keras --record run.snug --json
keep fit 0 fit m.keras --data train.npz --json
keep plan 0 plan m.keras --json
keep plan 0 plan m.keras --data train.npz --memory 2GiB --json
keep plan 3 plan m.keras --memory 10 --json
expect 0 plan m.keras --curve -o curve.json
pairs="$pairs plan=curve.json"
keep plan-find-batch 0 plan m.keras --data train.npz --find-batch --memory 2GiB --json
keep plan-find-batch 3 plan m.keras --find-batch --memory 10 --json
keep fit-refused 3 fit m.keras --data train.npz --memory 10 --json
keep fit-refused 3 fit m.keras --data train.npz --memory 10 --json -q
keep evaluate 0 evaluate m.keras --data train.npz --json
keep predict 0 predict m.keras --data train.npz --json
keep predict 0 predict m.keras --data train.npz -o p.npy --json
keep summary 0 summary m.keras --json
keep summary 0 summary cnn.keras --json
keep layers 0 layers --json
keep data 0 data train.npz --json
keep pack 0 pack problem.csv --json
keep pack 3 pack problem.csv --capacity 90 --json
for kind in fit over cut watch hostile one empty bare; do
  "$MAKE_RECORDING" $kind $kind.snug || fail "make_recording $kind"
  keep report 0 report $kind.snug --json
done
keep report 0 report run.snug --json
head -c 700 run.snug >short.snug
keep report 0 report short.snug --json
keep_watch() {
  expect "$@"
  number=$((number + 1))
  tail -n 1 err >"$number.json"
  pairs="$pairs watch=$number.json"
}
keep_watch 0 watch --json -- "$HOLD" 8 200
keep_watch 3 watch --json -- sh -c 'exit 3'
keep_watch 4 watch --json --max 1 -- "$HOLD" 8 5000
keep compare 0 compare fit.snug run.snug watch.snug empty.snug hostile.snug cut.snug --json
keep compare 4 compare fit.snug empty.snug --fail-on peak:+5%,loss:1,time:-1 --json

# shellcheck disable=SC2086 # a list of words
python3 "$SNUG_TESTS/cli/validate.py" "$SNUG_TESTS/../docs/schema" $pairs || fail "see above"
