# Sourced by the tests of the command: running it and looking at what it says.
# shellcheck shell=sh

# What is said is looked at in UTF-8, whatever the caller's locale is; tests of others set their own.
LC_ALL=C.UTF-8
export LC_ALL

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# expect CODE ARGS...: run, keep stdout in `out` and stderr in `err`.
expect() {
  wanted=$1
  shift
  "$SNUG" "$@" >out 2>err
  got=$?
  [ $got -eq "$wanted" ] || fail "snug $*: exit code $got, not $wanted; $(cat err)"
}

has() { grep -qF -- "$2" "$1" || fail "$1 lacks \"$2\": $(cat "$1")"; }

lacks() { ! grep -qF -- "$2" "$1" || fail "$1 has \"$2\": $(cat "$1")"; }

is_empty() { [ ! -s "$1" ] || fail "$1 is not empty: $(cat "$1")"; }

# Whether a file is one JSON value: strings are taken out, and what is left is folded from the inside.
is_json() {
  tr -d '\n' <"$1" | sed -E '
    s/"([^"\\[:cntrl:]]|\\["\\\/bfnrt]|\\u[0-9a-fA-F]{4})*"/S/g
    s/-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/V/g
    s/true|false|null/V/g
    :again
    s/\[[ ]*([SV][ ]*(,[ ]*[SV][ ]*)*)?\]/V/g
    s/\{[ ]*(S[ ]*:[ ]*[SV][ ]*(,[ ]*S[ ]*:[ ]*[SV][ ]*)*)?\}/V/g
    t again' | grep -qx ' *[SV] *' || fail "$1 is not JSON: $(head -c 2000 "$1")"
}

# A small compiled model for rows of 4 numbers and 3 classes, and data for it.
new_model() { "$SNUG" init mlp --input-shape 4 --classes 3 -o "$1" >/dev/null 2>err || fail "init: $(cat err)"; }
new_data() { "$MAKE_DATA" "$1" x=real:"$2",4 y=label3:"$2" || fail "make_data $1"; }

# same FILE COPY: the user's file is as it was.
same() { cmp -s "$1" "$2" || fail "$1 was touched"; }

# only WORDS...: the folder holds these files alone, besides out and err.
only() {
  left=$(ls -A | grep -vx -e out -e err | tr '\n' ' ')
  [ "$left" = "$*${*:+ }" ] || fail "the folder holds \"$left\", not \"$* \""
}
