#!/bin/sh
# A message of the library is in words of C, "replan of snug_fit_options" or a function; the command and the Python package
# know each of these, and put their own in its place.
code=0
messages() { grep -rnE --include='*.c' --exclude=page.c "$1" src | grep -vE '^[^:]*:[0-9]*:(#include| *\*|/\*)'; }

# An option is no word of the library's.
messages '"([^"]*[ (])?--[a-z]' | grep . && echo "an option of the command in a message of the library" && code=1

names=$(messages '"[^"]*snug_[a-z_]+' | grep -oE '"[^"]*"' | grep -oE '([a-z_]+ of )?snug_[a-z]+_[a-z_]+' | sort -u)
[ -n "$names" ] || { echo "no message names a member"; exit 1; }
IFS='
'
for name in $names; do
  grep -qF "\"$name\"" cli/words.c || { echo "cli/words.c lacks \"$name\""; code=1; }
  said=$(PYTHONPATH=python python3 -B -c 'import sys; from snug import _library; print(_library.in_python(sys.argv[1]))' \
    "this would do ($name)") || code=1
  case $said in *snug_* | *--*) echo "in Python it is: $said"; code=1 ;; esac
done
exit $code
