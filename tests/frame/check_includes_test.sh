#!/bin/sh
# tools/check_includes.sh finds what it is there for.
set -e
check=$PWD/tools/check_includes.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

expect() { # good|bad, file, include
  mkdir -p "$(dirname "$2")"
  echo "#include \"$3\"" >"$2"
  if sh "$check" . 2>/dev/null; then got=good; else got=bad; fi
  rm "$2"
  test "$got" = "$1" || {
    echo "$2 with \"$3\" is $got, expected $1"
    exit 1
  }
}

mkdir -p src cli
expect good src/graph/graph.c base/vec.h
expect good src/graph/graph.c graph/graph.h
expect good src/graph/graph.c snug/graph.h
expect bad src/base/vec.c graph/graph.h
expect good src/grad/grad.c plan/plan.h
expect bad src/plan/place.c graph/graph.h
expect bad src/plan/place.c plan/lifetimes.h
expect good src/plan/place.c plan/pack.h
expect good src/plan/plan.c graph/graph.h
expect bad cli/main.c base/vec.h
expect good cli/main.c snug/snug.h
expect bad src/unknown/x.c base/vec.h

# Neighbours that include each other.
mkdir -p src/pass
echo '#include "plan/plan.h"' >src/pass/a.c
expect bad src/plan/plan.c pass/a.h
expect good src/grad/grad.c pass/a.h
