#!/bin/sh
# tests/frame/places.sh finds what it is there for.
set -e
check=$PWD/tests/frame/places.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

expect() { # good|bad, file, line
  mkdir -p "$(dirname "$2")"
  echo "$3" >"$2"
  if sh "$check" . >/dev/null; then got=good; else got=bad; fi
  rm "$2"
  test "$got" = "$1" || {
    echo "$2 with \"$3\" is $got, expected $1"
    exit 1
  }
}

mkdir -p src
expect bad src/train/batch.c 'float x = *(float *)snug__place_pointer(v->place);'
expect bad src/model/weights.c 'memcpy(to, (void *)v->place.device_address, n);'
expect bad src/train/session.c 'snug__cpu.take(q, name, n, &p);'
expect bad src/meter/device.c 'static const char *const names[] = {"cpu"};'
expect good src/exec/program.c '*out = snug__place_pointer(at);'
expect good src/device/cpu/cpu.c 'memset(snug__place_pointer(to), byte, n);'
expect good src/device/registry.c 'return &snug__cpu;'
expect good src/train/batch.c 'snug__device_read(q, to, v->place, n);'
