#!/bin/sh
# snug pack: results, exit codes, messages, and files that appear whole or not at all.
. "$SNUG_TESTS/cli/lib.sh"

# bad NAME PART: the file must be refused with a message that has PART, and write nothing.
bad() {
  expect 1 pack "$1" -o never.csv
  has err "$2"
  [ ! -e never.csv ] || fail "$1: something was written"
}

printf 'id,lower,upper,size\na,0,4,64\nb,2,6,32\nc,4,8,64\n' >p.csv

expect 0 --version
has out "snug "
expect 0 --help
has out "Examples:"
expect 0 pack --help
has out "Examples:"
expect 2
expect 2 nonsense
has err 'no verb "nonsense"'
expect 2 --nonsense
has err 'no option "--nonsense"'
expect 0 help
has out "Examples:"
expect 0 help pack
has out "snug pack problem.csv"
expect 2 help nonsense
expect 2 pack
expect 2 pack p.csv --capacity
expect 2 pack p.csv --capacity lots
expect 2 pack p.csv --timeout -1
expect 2 pack ''
has err "which file?"
expect 2 pack p.csv --output=
has err "the name of a file"
expect 2 pack p.csv --what
has err 'no option "--what"'
expect 2 pack p.csv --capcity=5
has err 'did you mean --capacity?'
expect 2 pack p.csv q.csv
expect 1 pack missing.csv
has err "missing.csv"

# CSV to stdout, the verdict to stderr.
expect 0 pack p.csv
has out "id,lower,upper,size,offset"
[ "$(wc -l <out)" -eq 4 ] || fail "lines of the answer"
has err "load      96 bytes"
has err "proven"

# With -o the verdict is the result.
expect 0 pack p.csv --capacity 96 -o o.csv
has out "fits, free: 0 bytes"
has o.csv "id,lower,upper,size,offset"
expect 0 pack p.csv --capacity=1KiB
has err "capacity  1024 bytes (1.0 KiB): fits, free: 928 bytes"
expect 0 pack p.csv --capacity 1kib
expect 0 pack p.csv --capacity 0.2kb
has err "capacity  200 bytes"
expect 3 pack p.csv --capacity 95 -o no.csv
has out "does not fit, too high by 1 byte; no packing fits"
[ ! -e no.csv ] || fail "a packing that does not fit was written"

# Nothing is replaced without --force, and nothing is left beside.
echo keep >o.csv
expect 1 pack p.csv -o o.csv
has err "o.csv exists"
[ "$(cat o.csv)" = keep ] || fail "o.csv was touched"
expect 0 pack p.csv -o o.csv --force
has o.csv "offset"
expect 1 pack p.csv -o nowhere/o.csv
expect 1 pack p.csv -o . --force
[ "$(ls | tr '\n' ' ')" = "err o.csv out p.csv " ] || fail "left over: $(ls)"

# A full disk is a failure.
if [ -w /dev/full ]; then
  "$SNUG" pack p.csv >/dev/full 2>err && fail "a full disk went unnoticed"
  has err "standard output"
fi

# The answer is an input too: its offsets are replaced.
expect 0 pack o.csv
[ "$(head -1 out)" = "id,lower,upper,size,offset" ] || fail "columns of an answer packed again"

expect 0 pack p.csv --json
has out '"load":96,"height":96,"bound":96,"proven":true'
has out '{"id":"a","offset":'
is_json out
expect 0 pack p.csv -q
[ ! -s err ] || fail "-q is not quiet"
expect 0 pack - <p.csv

# Any order of columns, CRLF, quotes, blanks, a byte order mark, other columns, empty lines.
printf '\357\273\277size,"id", upper ,note,lower,alignment,hint\r\n64,"a,1",4,x,0,,\r\n\r\n32,"b ""q""",6,y,2,32,0\r\n' >q.csv
expect 0 pack q.csv
has out '64,"a,1",4,x,0,,,'
has out '32,"b ""q""",6,y,2,32,0,0'
printf 'id,lower,upper,size\n' >none.csv
expect 0 pack none.csv
has err "height    0 bytes"

: >empty.csv
bad empty.csv "empty.csv: empty"
printf 'id,lower,size\na,0,1\n' >f.csv
bad f.csv "f.csv:1: column upper is missing"
printf 'id,lower,upper,size,size\n' >f.csv
bad f.csv "column size occurs twice"
printf 'id,lower,upper,size\na,0,1,5\nb,0,1,many\n' >f.csv
bad f.csv 'f.csv:3: size is "many", not a whole number'
printf 'id,lower,upper,size\na,0,1,\n' >f.csv
bad f.csv 'f.csv:2: size is ""'
printf 'id,lower,upper,size\na,0,1,5x\n' >f.csv
bad f.csv 'size is "5x"'
printf 'id,lower,upper,size\na,0,1,1.5\n' >f.csv
bad f.csv 'size is "1.5"'
printf 'id,lower,upper,size\na,0,1,99999999999999999999\n' >f.csv
bad f.csv 'size is "99999999999999999999", which does not fit into 64 bits'
printf 'id,lower,upper,size\na,0,1,9223372036854775807\n' >f.csv
bad f.csv 'buffer 0 has size 9223372036854775807'
printf 'id,lower,upper,size\na,5,5,1\n' >f.csv
bad f.csv 'f.csv:2: upper is 5, not above lower, which is 5'
printf 'id,lower,upper,size\na,5,4,1\n' >f.csv
bad f.csv 'f.csv:2: upper is 4'
printf 'id,lower,upper,size\na,0,1,-3\n' >f.csv
bad f.csv 'f.csv:2: size is -3; at least 0'
printf 'id,lower,upper,size,alignment\na,0,1,3,0\n' >f.csv
bad f.csv 'f.csv:2: alignment is 0; at least 1'
printf 'id,lower,upper,size\na,0,1\n' >f.csv
bad f.csv 'f.csv:2: 3 fields, but the header has 4'
printf 'id,lower,upper,size\na,0,1,2,3\n' >f.csv
bad f.csv 'f.csv:2: 5 fields'
printf 'id,lower,upper,size\na,0,1,2\nb\000,0,1,2\n' >f.csv
bad f.csv 'f.csv:3: a NUL byte'

# A million lines.
awk 'BEGIN { print "id,lower,upper,size"; for (i = 0; i < 1000000; i++) print "b" i "," i "," i + 1 + i % 7 "," 64 + i % 13 * 64 }' >m.csv
expect 0 pack m.csv -o m.out --work 1000000
[ "$(wc -l <m.out)" -eq 1000001 ] || fail "a million lines: $(wc -l <m.out)"
exit 0
