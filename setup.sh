#!/bin/sh
# Install what building, testing and the demo need.  Says nothing when all of it is there.
set -eu

packages="gcc g++ libc6-dev make cmake ninja-build pkg-config libcmocka-dev libdnnl-dev zlib1g-dev \
libhdf5-dev libjansson-dev libjpeg-dev libpng-dev clang libclang-rt-dev clang-format python3 python3-venv python3-jsonschema \
dataset-fashion-mnist"

if ! command -v dpkg-query >/dev/null; then
  for tool in gcc g++ make cmake pkg-config; do
    command -v "$tool" >/dev/null && continue
    echo "setup.sh: there is no $tool; install what Debian calls: $packages" >&2
    exit 1
  done
  exit 0
fi

# shellcheck disable=SC2086 # a list of words
installed=$(dpkg-query -W -f '${db:Status-Status}:${Package} ' $packages 2>/dev/null || true)
missing=
for package in $packages; do
  case " $installed" in
    *" installed:$package "*) ;;
    *) missing="$missing $package" ;;
  esac
done
test -n "$missing" || exit 0

install="apt-get install -y --no-install-recommends$missing"
if [ "$(id -u)" -eq 0 ]; then
  as_root="env"
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
  as_root="sudo -n env"
else
  echo "setup.sh: some packages are missing.  Run this as root, then try again:" >&2
  echo "  apt-get update && $install" >&2
  exit 1
fi

$as_root apt-get update -q </dev/null
$as_root DEBIAN_FRONTEND=noninteractive $install -q </dev/null
