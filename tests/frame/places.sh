#!/bin/sh
# Where the bytes of a value lie is known to devices and to exec/ alone: no other room turns a place into a pointer or looks into
# its address, and no room but src/device/ names a device.  Usage: places.sh [repository]
cd "${1:-.}" || exit 1
code=0
complain() { # what is wrong, pattern, rooms that may
  found=$(grep -rnE --include='*.[ch]' "$2" src | grep -vE "$3")
  [ -z "$found" ] || { echo "$found"; echo "$1"; code=1; }
}
complain "a place becomes a pointer outside src/device/ and src/exec/: use snug__variable_read, snug__device_read" \
  'snug__place_pointer|device_address' '^src/(device|exec)/'
complain "a device is named outside src/device/: use ctx->queue.device, or device/registry.h" \
  'snug__cpu\b|"(cpu|cuda)"' '^src/(device|base)/'
exit $code
