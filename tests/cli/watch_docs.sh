#!/bin/sh
# The commands of docs/WATCH.md run, with a python that is a program of the tests.
. "$SNUG_TESTS/cli/lib.sh"

mkdir bin
printf '#!/bin/sh\nexec "%s" 16 200\n' "$HOLD" >bin/python
chmod +x bin/python
ln -s "$SNUG" bin/snug
PATH="$PWD/bin:$PATH"
LC_ALL=C.UTF-8
export PATH LC_ALL
grep '^\$ snug ' "$SNUG_TESTS/../docs/WATCH.md" | sed 's/^\$ //' >commands
[ "$(grep -c watch commands)" -ge 4 ] || fail "the page shows no commands"
while IFS= read -r line; do
  sh -c "$line" >out 2>err </dev/null || fail "$line: $(cat err)"
  case $line in
    *--json*) tail -n 1 err >json && is_json json ;;
    *" -q "*) is_empty err ;;
    *--live*) has err "--live needs a terminal" ;;
    *"snug report"*) has out "Ended with exit code 0" ;;
    *"snug watch"*) # each row that the page shows is one that there is
      for label in peak who what shape time; do has err "│ $label "; done ;;
  esac
done <commands
exit 0
