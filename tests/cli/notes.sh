#!/bin/sh
# What fails nothing and would otherwise be said by nobody.
. "$SNUG_TESTS/cli/lib.sh"
new_model m.keras
new_data d.npz 200

# Options that have no effect, however quiet the command is to be; plan says the same.
for verb in fit plan; do
  expect 0 $verb m.keras --data d.npz --epochs 2 -q --steps-per-epoch 1000000 --validation-steps 3 --class-weight 1:2,7:5
  has err "Warning: steps_per_epoch is 1000000, and the data have 7 batches of 32: every epoch from 1 ends after 7, where they do."
  has err "Warning: validation_steps is 3, and there are no data to validate with: nothing is validated."
  has err "Warning: class_weight has a weight for class 7, and the model's output has the classes 0 to 2: it has no effect."
done
"$MAKE_DATA" two.npz x=real:200,4 y=label2:200 || fail "make_data"
expect 0 fit m.keras --data two.npz -q --class-weight 0:2,1:3
is_empty err
expect 0 fit m.keras --data two.npz -q --class-weight 0:2,2:3
has err "Warning: class_weight has a weight for class 2, and no sample that is trained on has that label: it has no effect."

# Timings that cannot be kept: told once, and not where the user wants none.
for verb in fit plan; do
  SNUG_CACHE=/proc/none expect 0 $verb m.keras --data d.npz -q --memory 400MiB --recompute full
  has err "Warning: timings cannot be kept (/proc/none: the folder cannot be made: "
  [ "$(grep -c 'cannot be kept' err)" = 1 ] || fail "told more than once: $(cat err)"
  SNUG_CACHE='' expect 0 $verb m.keras --data d.npz -q --memory 400MiB
  lacks err "cannot be kept"
  SNUG_CACHE="$PWD/cache" expect 0 $verb m.keras --data d.npz -q --memory 400MiB
  lacks err "cannot be kept"
done

# Standard input that gives nothing: said while it waits, and once.
mkfifo input
for words in "fit m.keras --steps-per-epoch 2 -q --data" "pack"; do
  # shellcheck disable=SC2086
  : >err
  timeout 60 "$SNUG" $words - <input >out 2>err &
  command=$!
  exec 3>input
  waited=0
  while [ ! -s err ] && [ $waited -lt 100 ]; do
    sleep 0.1
    waited=$((waited + 1))
  done
  has err "Warning: standard input has given nothing for 2 seconds: waiting for it."
  sleep 3
  [ "$(grep -c "given nothing" err)" -eq 1 ] || fail "said more than once: $(cat err)"
  kill -0 $command || fail "$words: it does not wait"
  exec 3>&-
  wait $command && fail "$words: nothing is no input"
done
exit 0
