#!/bin/sh
# Figures that name the same thing are the same, in texts, tables, JSON and pages.  SNUG_NUMBERS models are tried.
. "$SNUG_TESTS/cli/lib.sh"

command -v python3 >/dev/null || exit 77
ldd "$SNUG" | grep -q 'libasan' && exit 77 # a sanitizer's memory is not predicted
export SNUG_CACHE="$PWD/cache"
python3 "$SNUG_TESTS/cli/agreeing_numbers.py" "${SNUG_NUMBERS:-4}" || fail "figures do not agree"
