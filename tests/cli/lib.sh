# Sourced by the tests of the command: running it and looking at what it says.
# shellcheck shell=sh
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
