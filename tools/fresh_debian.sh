#!/bin/sh
# Make a bare Debian in a folder (debootstrap, as root), put this repository's HEAD into it, and run a command there.
#
#   tools/fresh_debian.sh SUITE FOLDER [COMMAND ...]
#
# SUITE: bookworm or trixie.  COMMAND: './setup.sh && make demo' unless told; it runs in the folder of the clone.
# A FOLDER that is there is used again; an empty COMMAND ('') only makes it.
# MIRROR: where packages come from (as debootstrap has it).  PACKAGES: what is installed in it beforehand (git).
set -eu

suite=${1:?a suite: bookworm or trixie}
root=${2:?a folder for it}
shift 2
test $# -gt 0 || set -- './setup.sh && make demo'
command=$*
source=$(git rev-parse --show-toplevel)

if [ ! -e "$root/etc/debian_version" ]; then
  debootstrap --variant=minbase --include="${PACKAGES:-git}" "$suite" "$root" ${MIRROR:+"$MIRROR"}
fi

mounted=
leave() {
  for place in $mounted; do umount -l "$root/$place"; done
}
trap leave EXIT
trap 'exit 1' INT TERM
for place in proc sys dev; do
  mountpoint -q "$root/$place" && continue
  mount --rbind "/$place" "$root/$place"
  mount --make-rslave "$root/$place"
  mounted="$mounted $place"
done
cp /etc/resolv.conf "$root/etc/resolv.conf"
cp /etc/hosts "$root/etc/hosts"

rm -rf "$root/srv/snug"
git clone -q "$source" "$root/srv/snug"
test -z "$command" ||
  env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 TERM=dumb \
    chroot "$root" sh -c "cd /srv/snug && $command"
