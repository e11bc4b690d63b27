#!/bin/sh
# snug fit, evaluate, predict: what they do with good input.
. "$SNUG_TESTS/cli/lib.sh"

new_model m.keras
new_data train.npz 160
new_data test.npz 40
"$MAKE_DATA" x.npy real:160,4
"$MAKE_DATA" y.npy label3:160
cp m.keras m.copy

# Progress on stderr, the box on stdout, verdict first, the next command last; no colour in files.
expect 0 fit m.keras --data train.npz --validation-split 0.1 --epochs 2 --batch-size 16 -o a.keras
head -1 out | grep -q ' peak [0-9.]* MiB ' || fail "no verdict: $(cat out)"
grep -q ' snug .*planned .*measured .*equal to the byte' out || fail "planned is not measured: $(cat out)"
grep -q ' - mem: [0-9.]*MiB$' err || fail "no memory in the progress: $(cat err)"
lacks err "peak_memory"
has out "saved"
tail -2 out | head -1 | grep -q 'next.*snug evaluate a.keras --data' || fail "no next command"
has err "Plan: training on 160 samples in batches of 16 takes"
has err "Epoch 2/2"
has err "9/9 - "
has err "val_loss: "
grep -q "$(printf '\033')" out err && fail "colours in a file"
grep -q "$(printf '\r')" out err && fail "a bar in a file"
same m.keras m.copy
[ -s a.keras ] || fail "nothing was saved"

# Optimizers that are more than a pass over each weight, and scores that are more than a mean; what is saved goes on.
for optimizer in lamb 'muon(exclude_layers=out)'; do
  expect 0 fit m.keras --data train.npz --optimizer "$optimizer" --loss sparse_categorical_crossentropy --metrics accuracy \
    --epochs 2 --batch-size 16 -o o.keras --force
  grep -q ' snug .*planned .*measured .*equal to the byte' out || fail "$optimizer: planned is not measured: $(cat out)"
  expect 0 fit o.keras --data train.npz -o oo.keras --force
done

# Without a UTF-8 locale there are no characters beyond ASCII; with one there are boxes.
LC_ALL=C expect 0 fit m.keras --data train.npz
LC_ALL=C grep -q '[^ -~]' out err && fail "characters beyond ASCII"
has err "Nothing will be saved"
LC_ALL=C.UTF-8 expect 0 fit m.keras --data train.npz -v
has out "╭─ peak"
has out "at the peak"

# How much is said.
expect 0 fit m.keras --data train.npz -q
is_empty out
is_empty err
expect 0 fit m.keras --data train.npz --verbose 0
is_empty err
expect 0 fit m.keras --data train.npz --verbose 1 --color always
grep -q "$(printf '\033')" err || fail "--color=always has no colour"
NO_COLOR=1 FORCE_COLOR=1 expect 0 fit m.keras --data train.npz --verbose 1
grep -q "$(printf '\033')" err && fail "NO_COLOR does not win"
CLICOLOR_FORCE=1 expect 0 fit m.keras --data train.npz --verbose 1
grep -q "$(printf '\033')" err || fail "CLICOLOR_FORCE does not force"
FORCE_COLOR=1 expect 0 fit m.keras --data train.npz --verbose 1 --no-color
grep -q "$(printf '\033')" err && fail "--no-color does not win"

# JSON: one object and nothing else on stdout.
expect 0 fit m.keras --data train.npz --epochs 3 --validation-data test.npz -o j.keras --json
is_json out
has out '"schema":1'
has out '"samples":160,"validation_samples":40,"batch_size":32'
has out '"epoch":[0,1,2]'
grep -q '"peak_memory":\[[1-9][0-9]*,[1-9][0-9]*,[1-9][0-9]*\]' out || fail "no peak_memory: $(cat out)"
has out '"saved":"j.keras"'
has out '"interrupted":null'
grep -q '"planned":\([0-9]*\),"measured":\1,' out || fail "planned and measured differ: $(cat out)"

# So it is of a model of 15 weights, whose plan is larger than its step.
"$MAKE_DATA" tiny.keras 1 || fail "make_data"
expect 0 plan tiny.keras --data train.npz --optimizer sgd --loss sparse_categorical_crossentropy --json
planned=$(sed 's/.*"memory":{"planned":\([0-9]*\).*/\1/' out)
expect 0 fit tiny.keras --data train.npz --optimizer sgd --loss sparse_categorical_crossentropy --json
has out "\"planned\":$planned,\"measured\":$planned,"

# The same seed gives the same file; another seed or no shuffling another one.
weights() { # options...: the values of the trained model's predictions
  "$SNUG" fit m.keras --data train.npz -q -f -o s.keras "$@" || fail "fit $*"
  "$SNUG" predict s.keras --data test.npz --json
}
weights --seed 1 >s1
weights --seed 1 >s2
weights --seed 2 >s3
weights --no-shuffle >s4
cmp -s s1 s2 || fail "one seed, two results"
cmp -s s1 s3 && fail "two seeds, one result"
cmp -s s1 s4 && fail "--no-shuffle changes nothing"

# Data in all their forms.
expect 0 fit m.keras --data x.npy y.npy
expect 0 fit --data x.npy y.npy -- m.keras
expect 0 fit --data train.npz m.keras
expect 0 fit --data=train.npz m.keras
"$MAKE_DATA" parts.npz x_train=real:160,4 y_train=label3:160 x_test=real:40,4 y_test=label3:40 \
  x_val=real:20,4 y_val=label3:20
expect 0 fit m.keras --data parts.npz --json
has out '"samples":160,"validation_samples":20'
expect 0 evaluate m.keras --data parts.npz --json
has out '"samples":40'
expect 0 fit m.keras --data train.npz --validation-data x.npy y.npy
has err "val_loss"
printf '\000\000\010\002\000\000\000\003\000\000\000\004abcdefghijkl' >x.idx
printf '\000\000\010\001\000\000\000\003\000\001\002' >y.idx
expect 0 fit m.keras --data x.idx y.idx
gzip -k x.idx y.idx
expect 0 fit m.keras --data x.idx.gz y.idx.gz
expect 0 predict m.keras --data x.idx.gz

# Steps, weights of samples and classes.
expect 0 fit m.keras --data train.npz --steps-per-epoch 2 --epochs 2 --json
has out '"steps":4'
expect 0 fit m.keras --data train.npz --initial-epoch 2 --epochs 3
has err "Epoch 3/3"
expect 0 fit m.keras --data train.npz --validation-split 0.5 --validation-steps 1 \
  --validation-batch-size 8 --validation-freq 2 --epochs 2
[ "$(grep -c val_loss err)" -eq 1 ] || fail "--validation-freq: $(cat err)"
"$MAKE_DATA" w.npy one:160
loss_of() { "$SNUG" fit m.keras --data train.npz --json -q "$@" | sed 's/.*"loss":\([^,}]*\).*/\1/'; }
[ "$(loss_of)" = "$(loss_of --sample-weight w.npy)" ] || fail "weights of 1 change the loss"
[ "$(loss_of)" = "$(loss_of --class-weight 0:1,1:1)" ] || fail "class weights of 1 change the loss"
[ "$(loss_of)" != "$(loss_of --class-weight 0:9)" ] || fail "class weights change nothing"

# How it is trained.
[ "$(loss_of)" != "$(loss_of --learning-rate 0.5)" ] || fail "--learning-rate changes nothing"
[ "$(loss_of)" != "$(loss_of --optimizer 'sgd(learning_rate=0.1, momentum=0.9)')" ] ||
  fail "--optimizer changes nothing"
expect 0 fit m.keras --data train.npz --metrics 'accuracy,sparse_top_k_categorical_accuracy(k=2)'
has err "sparse_top_k_categorical_accuracy: "
has err " accuracy: "
expect 0 fit m.keras --data train.npz --threads 1

"$MAKE_DATA" plain.keras 1
expect 0 fit plain.keras --data train.npz --loss sparse_categorical_crossentropy --metrics accuracy \
  --optimizer adam --learning-rate 0.5 -o told.keras
has err "accuracy: "
expect 0 evaluate told.keras --data test.npz # what was told is in the file
has out "accuracy"
expect 0 evaluate plain.keras --data test.npz --loss sparse_categorical_crossentropy
expect 0 predict plain.keras --data test.npz

# Two outputs.
"$MAKE_DATA" two.keras 2
"$MAKE_DATA" two.npz x=real:40,4 y_0=label3:40 y_1=label3:40
expect 0 fit two.keras --data two.npz --loss sparse_categorical_crossentropy \
  --metrics 'dense: accuracy' --loss-weights 1,0.5
has err "dense_accuracy: "
lacks err "dense_1_accuracy: "
has err "dense_1_loss: "
expect 0 predict two.keras --data two.npz -o two.npy
[ -s two_0.npy ] && [ -s two_1.npy ] && [ ! -e two.npy ] || fail "files of two outputs: $(ls)"
expect 0 predict two.keras --data two.npz -o outputs.npz --json
has out '"name":"dense_1"'

# What is frozen stays as it was.
expect 0 fit m.keras --data train.npz --freeze '*' -o frozen.keras
"$SNUG" predict m.keras --data test.npz --json | sed 's/.*"values"//' >p0
"$SNUG" predict frozen.keras --data test.npz --json | sed 's/.*"values"//' >p1
cmp -s p0 p1 || fail "frozen layers were trained"

# Weights alone.
expect 0 fit m.keras --data train.npz --epochs 3 -o t.keras
expect 0 fit m.keras --data train.npz --epochs 3 -o t.weights.h5
expect 0 predict t.keras --data test.npz -o p0.npy
expect 0 predict m.keras --weights t.weights.h5 --data test.npz -o p1.npy
cmp -s p0.npy p1.npy || fail "weights alone predict something else"
expect 0 predict m.keras --weights t.keras --data test.npz -o p2.npy
cmp -s p0.npy p2.npy || fail "weights of a model predict something else"
expect 0 evaluate t.keras --data test.npz
mv out e0
expect 0 evaluate m.keras --weights t.weights.h5 --data test.npz --batch-size 7
cmp -s e0 out || fail "evaluate: $(cat e0 out)"

# evaluate and predict say their results on stdout alone.
expect 0 evaluate t.keras --data test.npz
is_empty err
grep -q '^accuracy  [01]\.[0-9]\{4\}$' out || fail "evaluate: $(cat out)"
grep -q '^loss      [0-9.]*$' out || fail "evaluate: $(cat out)"
expect 0 evaluate t.keras --data test.npz --json
is_json out
has out '"metrics":{"accuracy":'
expect 0 predict t.keras --data test.npz
has out "(40, 3) float32"
has out "... 40 rows in all"
has err "-o predictions.npy"
expect 0 predict t.keras --data x.npy --json
is_json out
has out '"shape":[160,3]'
expect 0 predict t.keras --data test.npz -o all.npz --json
is_json out
has out '"file":"all.npz"'
expect 0 predict t.keras --data test.npz -o q.npy -q
is_empty out

# summary
expect 0 summary t.keras
has out "Total params"
has out "Trainable params"
expect 0 summary t.keras --batch-size 8 --json
is_json out
has out '"batch_size":8'
has out '"totals":{"weights":{"parameters":'

# A closed pipe does not end a training, and nothing is said of it.
("$SNUG" fit m.keras --data train.npz -o pipe.keras 2>err; echo $? >code) | true
[ -s pipe.keras ] || fail "a closed pipe ended the training"
exit 0
