#!/bin/sh
# Figures that name the same thing are the same, in texts, tables, JSON and pages.  At least
# four models are tried, and up to SNUG_NUMBERS while seconds are left; SNUG_TEST_SEED is the first seed.
. "$SNUG_TESTS/cli/lib.sh"

command -v python3 >/dev/null || exit 77
ldd "$SNUG" | grep -q 'libasan' && exit 77 # a sanitizer's memory is not predicted
export SNUG_CACHE="$PWD/cache"
python3 "$SNUG_TESTS/cli/agreeing_numbers.py" "${SNUG_TEST_SEED:-1}" "${SNUG_NUMBERS:-12}" 60 || fail "figures do not agree"
