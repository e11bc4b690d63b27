#!/bin/sh
# What the documents say is so: links and files are there, functions exist, quotes are the code as it
# stands, the C program of docs/C.md runs, and commands print what is shown.
# Usage: docs.sh BUILD_FOLDER
build=$(cd "$1" && pwd) || exit 1
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
pages=$(find . \( -path './build*' -o -path './.*' \) -prune -o -name '*.md' -print)
failed=0
complain() {
  echo "$*" >&2
  failed=1
}

# Links within the repository.
for page in $pages; do
  for link in $(grep -o ']([^)]*)' "$page" | sed 's/^](//; s/)$//; s/#.*//'); do
    case $link in
      *://* | mailto:*) ;;
      *) test -e "$(dirname "$page")/$link" || complain "$page: there is no $link" ;;
    esac
  done
done

# Files by their path from the root.
for page in $pages docs/*.1; do
  for file in $(grep -oE '\b(src|include|cli|tests|tools|bench|examples|cmake|docs)/[A-Za-z0-9_/.-]*\.[a-z]+' "$page"); do
    test -e "$file" || complain "$page: there is no $file"
  done
done

# Scripts that are to be run as they are written.
for file in $(grep -ohE '(^|`)(bench|tools)/[A-Za-z0-9_/.-]*\.sh' $pages | tr -d '`' | sort -u); do
  test -x "$file" || complain "$file is documented as a command and cannot be run"
done

# Functions, types and constants.
grep -rhoE '\b(snug__?[a-z0-9_]+|SNUG__?[A-Z0-9_]+)\b' include src cli tests | sort -u >"$folder/known"
for page in $pages; do
  grep -oE '\b(snug__?[a-z0-9_]+|SNUG__?[A-Z0-9_]+)\b' "$page" | sort -u |
    grep -v "^snug__*x\$" | comm -23 - "$folder/known" >"$folder/unknown"
  test -s "$folder/unknown" && complain "$page names what is not there: $(cat "$folder/unknown")"
done

# Quotes: a block behind <!-- from FILE --> stands in FILE, letter by letter.
for page in $pages; do
  awk -v page="$page" '
    function whole(file,   text, line) {
      text = ""
      while ((getline line <file) > 0) text = text line "\n"
      close(file)
      return text
    }
    /^<!-- from .* -->$/ { file = $3; next }
    file != "" && /^```/ && !inside { inside = 1; block = ""; next }
    inside && /^```/ {
      if (!index(whole(file), block)) { print page ": this is not in " file ":\n" block; bad = 1 }
      inside = 0; file = ""; next
    }
    inside { block = block $0 "\n" }
    END { exit bad }' "$page" >&2 || failed=1
done

# The C program that is shown, as a user would build it.
grep -q '^<!-- from examples/mlp.c -->$' docs/C.md || complain "docs/C.md does not show examples/mlp.c"
if $CC -std=c11 -Wall -Wextra -Werror -Iinclude examples/mlp.c -o "$folder/mlp" -L"$build" -lsnug \
  -Wl,-rpath,"$build"; then
  "$folder/mlp" >"$folder/said" || complain "examples/mlp.c fails"
  awk '{ gsub(/[^0-9 ]/, ""); exit !($(NF - 1) == $NF && $NF > 0) }' "$folder/said" ||
    complain "examples/mlp.c: planned and measured differ: $(cat "$folder/said")"
else
  complain "examples/mlp.c does not compile"
fi

# Transcripts: the lines behind "$ snug ..." and "$ cat ..." are what the command prints.
replay() { # page, file with its text
  rm -rf "$folder/at"
  mkdir "$folder/at"
  printf 'id,lower,upper,size\na,0,4,64\nb,2,6,32\nc,4,8,64\n' >"$folder/at/problem.csv"
  grep '^\$ \(snug\|cat\) ' "$2" | sed 's/^\$ //' >"$folder/commands"
  test -s "$folder/commands" || complain "$1 shows no command"
  while IFS= read -r line; do
    { echo "\$ $line"
      (cd "$folder/at" && PATH="$build:$PATH" sh -c "$line" 2>&1 </dev/null)
    } >"$folder/got"
    awk -v want="$line" '
      /^```/ || /^\.EE/ { shown = 0 }
      /^\$ / { shown = $0 == "$ " want }
      shown { print }' "$2" >"$folder/shown"
    cmp -s "$folder/got" "$folder/shown" ||
      complain "$1: \"$line\" prints other than shown: $(diff "$folder/shown" "$folder/got")"
  done <"$folder/commands"
}
if test -x "$build/snug"; then
  replay docs/PACK.md docs/PACK.md
  sed 's/\\-/-/g' docs/snug-pack.1 >"$folder/manual"
  replay docs/snug-pack.1 "$folder/manual"
fi

# The manual pages and the list of layers are what the command says of itself.
same_page() { # page, arguments...
  page=$1
  shift
  "$build/snug" help --man "$@" | cmp -s - "$page" || complain "$page is out of date: run make man"
}
if test -x "$build/snug"; then
  same_page docs/snug.1
  verbs=$("$build/snug" help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p')
  "$build/snug" layers --markdown | cmp -s - docs/LAYERS.md || complain "docs/LAYERS.md is out of date: run make man"
  for verb in $verbs; do same_page "docs/snug-$verb.1" "$verb"; done
  for page in docs/snug-*.1; do
    verb=${page#docs/snug-}
    case " $(echo $verbs) " in
      *" ${verb%.1} "*) ;;
      *) complain "$page is of no verb" ;;
    esac
  done
fi

# They are clean, where there is something to tell.
for page in docs/*.1; do
  if command -v groff >/dev/null && groff -man -Tascii "$page" >/dev/null 2>&1; then
    groff -man -Tascii -ww "$page" 2>"$folder/warnings" >/dev/null
    test -s "$folder/warnings" && complain "$page: $(cat "$folder/warnings")"
  fi
done
exit $failed
