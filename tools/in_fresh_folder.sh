#!/bin/sh
# Run a command in a new empty folder, which is removed afterwards; the exit code is the command's.
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
(cd "$folder" && "$@" </dev/null)
