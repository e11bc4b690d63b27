#!/bin/sh
# The command line itself: forms of options, help, manual pages and completion, which are all made of
# the same tables.
. "$SNUG_TESTS/cli/lib.sh"

printf 'id,lower,upper,size\na,0,4,64\n' >p.csv

# Forms.
expect 0 pack p.csv --capacity 1KiB --quiet
expect 0 pack p.csv --capacity=1KiB -q
expect 0 pack -qo a.csv p.csv
expect 0 pack -ob.csv -q -- p.csv
expect 0 pack -o=c.csv -q p.csv
for file in a.csv b.csv c.csv; do [ -s $file ] || fail "$file was not written"; done
printf 'id,lower,upper,size\na,0,4,64\n' >-odd.csv
expect 0 pack -q -- -odd.csv

# What is wrong, and what may have been meant.
expect 2 pack p.csv --quite
has err 'there is no option "--quite"; did you mean --quiet?'
# What others call it.
hint() { # WORD MEANT VERB
  expect 2 "$3" m.keras "$1" 1
  has err "there is no option \"$1\"; did you mean $2?"
}
hint --lr --learning-rate fit
hint -lr --learning-rate fit
hint --epoch --epochs fit
hint -epochs --epochs fit
hint --mem --memory plan
hint --val-split --validation-split fit
hint --batch_size --batch-size evaluate
hint --out --output predict
for verb in train:fit test:evaluate eval:evaluate info:summary profile:watch; do
  expect 2 "${verb%:*}" m.keras
  has err "there is no verb \"${verb%:*}\"; did you mean ${verb#*:}?"
done
expect 2 pack p.csv --cap 5
has err 'did you mean --capacity?'
expect 2 pack p.csv --zzzzzz
lacks err 'did you mean'
has err 'see snug pack --help'
expect 2 pack p.csv -z
has err 'there is no option "-z"'
expect 2 pack p.csv -qz
has err 'there is no option "-z"'
expect 2 pack p.csv --quiet=yes
has err '--quiet takes no value'
expect 2 pack p.csv --output --force
has err 'option --output needs a value: FILE'
expect 2 pack p.csv -o
has err 'option --output needs a value'
expect 2 pack p.csv --work 0
has err '--work is "0"; a whole number above 0 is needed'
expect 2 pack p.csv --work 1e3
expect 2 pack p.csv --work 99999999999999999999
expect 2 pack p.csv --timeout 0
expect 2 pack p.csv --timeout nan
expect 2 pack p.csv more.csv
has err 'what is "more.csv"?'
expect 2 pac p.csv
has err 'did you mean pack?'
expect 2 completion tcsh
has err 'there is no SHELL "tcsh"; there is bash|zsh|fish'
expect 2 completion

# Help, by all its names, goes to stdout; without a verb it is a mistake, and goes to stderr.
expect 2
is_empty out
has err "Examples:"
verbs=$("$SNUG" help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ -n "$verbs" ] || fail "help lists no verbs"
for verb in $verbs; do
  expect 0 "$verb" --help
  is_empty err
  has out "snug $verb"
  head -4 out | grep -q '^Examples:' || fail "$verb --help does not begin with examples"
  has out "Exit codes: 0 ok, 1 failure, 2 usage"
  awk 'length($0) > 88' out | grep . && fail "$verb --help has lines that are too long"
  cp out long
  expect 0 "$verb" -h
  cmp -s out long || fail "$verb: -h and --help differ"
  expect 0 help "$verb"
  cmp -s out long || fail "help $verb and $verb --help differ"
  # Every option is in the page and in the completions.
  expect 0 help --man "$verb"
  mv out page
  for option in $(sed -n 's/^  *\(-[a-z], \)\{0,1\}--\([a-z-]*\).*/\2/p' long); do
    grep -qF -- "\\-\\-$(echo "$option" | sed 's/-/\\-/g')\\fR" page || fail "snug-$verb.1 lacks --$option"
    [ "$option" = help ] && continue
    "$SNUG" completion bash | grep "^    $verb) words=" | grep -qF -- "--$option " ||
      fail "bash does not complete $verb --$option"
    "$SNUG" completion fish | grep -F "_from $verb'" | grep -qF -- "-l $option " ||
      fail "fish does not complete $verb --$option"
    "$SNUG" completion zsh | sed -n "/^    $verb)/,/;;/p" | grep -qE -- "--${option}[=[]" ||
      fail "zsh does not complete $verb --$option"
  done
done
expect 2 help --man nonsense
expect 0 help --man
has out ".TH SNUG 1"

# A closed pipe is quiet; a full disk is not.
("$SNUG" help pack; echo $? >code) 2>err | true
is_empty err
if [ -w /dev/full ]; then
  "$SNUG" --help >/dev/full 2>err && fail "a full disk went unnoticed"
  has err "standard output"
fi

# Shells take the scripts, where there are such shells.
"$SNUG" completion bash >snug.bash
"$SNUG" completion zsh >_snug
"$SNUG" completion fish >snug.fish
command -v zsh >/dev/null && { zsh -n _snug || fail "zsh does not take its script"; }
command -v fish >/dev/null && { fish -n snug.fish || fail "fish does not take its script"; }
command -v bash >/dev/null || exit 0
bash -n snug.bash || fail "bash does not take its script"
touch 'model one.keras' data.npz data.npy other.txt
mkdir folder

# completes WORDS... (the last one is being typed): what bash offers, sorted, in one line.
completes() {
  bash -c '. ./snug.bash; COMP_WORDS=(snug "$@"); COMP_CWORD=$#; _snug; printf "%s\n" "${COMPREPLY[@]}"' bash "$@" |
    sort | tr '\n' ' '
}
offers() { # wanted, words...
  wanted=$1
  shift
  got=$(completes "$@")
  [ "$got" = "$wanted" ] || fail "completing \"snug $*\" offers \"$got\", not \"$wanted\""
}
offers "pack " pa
offers "--capacity " pack p.csv --cap
offers "p.csv " pack --output p
offers "folder " pack --output fol
offers "folder model one.keras " fit ""
offers "-odd.csv a.csv b.csv c.csv data.npy data.npz folder other.txt p.csv " fit m.keras --data ""
offers "-odd.csv a.csv b.csv c.csv data.npy data.npz folder other.txt p.csv " fit m.keras --data x.npy ""
offers "data.npy data.npz " fit m.keras --validation-data = d
offers "0 1 2 auto " fit m.keras --verbose ""
offers " " fit m.keras --epochs "" # nothing
offers "activations auto full none " fit m.keras --recompute ""
offers "batch-statistics disk " plan m.keras --allow ""
offers "--early-stopping " fit m.keras --ear
touch a.snug b.snug page.html
offers "a.snug b.snug folder " compare a.snug ""
offers "a.snug b.snug folder page.html " report --html ""
offers "bash fish zsh " completion ""
offers "zsh " completion z
exit 0
