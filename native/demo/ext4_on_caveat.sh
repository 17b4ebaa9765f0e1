#!/bin/sh
# Writes the same files to ext4 and to SMRfs, each on a Caveat-Scriptor disk of 256 MiB with DID 16, unmounts them, reads
# all files again and prints how many are lost. The first 32 MiB of the disk of ext4 are unshingled and have its tables
# and its journal. 146 MiB are written, every second file is removed, and 69 MiB are written.
# Usage, as root: demo/ext4_on_caveat.sh [BUILD_FOLDER]
set -eu
if [ -z "${PATINA_DEMO_UNSHARED:-}" ]; then
  exec env PATINA_DEMO_UNSHARED=1 unshare --mount --propagation private "$0" "$@"
fi
here=$(cd "$(dirname "$0")" && pwd)
core=${1:-$here/../build}/patina-core
folder=$(mktemp -d "${TMPDIR:-/tmp}/patina-demo.XXXXXX")
server=
loop=
cleanup() {
  umount "$folder/ext4/mount" 2>/dev/null || true
  if [ -n "$loop" ]; then losetup --detach "$loop" || true; fi
  if [ -n "$server" ]; then kill "$server" 2>/dev/null && wait "$server" || true; fi
  rm -rf "$folder"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

# Starts a command of the core, and waits until it is ready.
serve() { # PLACE WORD...
  place=$1
  shift
  rm -f "$place/output"  # of the command before
  "$core" shingle "$@" --data "$place/disk" --state "$place/state" --did 16 >"$place/output" &
  server=$!
  until grep -qs '"ready"' "$place/output"; do
    kill -0 "$server" || { cat "$place/output" >&2; exit 1; }
    sleep 0.05
  done
}
end_server() {
  kill "$server"
  wait "$server"
  server=
}

attach() {
  loop=$(losetup --find --show --direct-io=on --sector-size 4096 "$folder/ext4/exposed")
}
detach() {
  losetup --detach "$loop"
  loop=
}

check() {
  e2fsck -fn "$loop" >/dev/null 2>&1 && echo "e2fsck finds no error" || echo "e2fsck ends with $?"
}

# Files of random bytes: COUNT of SIZE bytes each.
make_files() { # FOLDER SIZE COUNT
  mkdir -p "$1"
  head -c $(($2 * $3)) /dev/urandom | split -b "$2" -a 4 -d - "$1/$2-"
}

# Writes files, removes every second one, and writes others.
use() { # MOUNT
  cp -r "$folder/source/old" "$1"
  sync -f "$1"
  (cd "$1" && xargs rm <"$folder/removed")
  sync -f "$1"
  cp -r "$folder/source/new" "$1"
}

# Prints how many of the files that must be there are not as they were written.
report() { # NAME MOUNT
  whole=$(cd "$2" && sha256sum --check "$folder/sums" 2>/dev/null | grep -c ': OK$') || true
  lost=$((files - whole))
  echo "$1: $lost of $files files lost ($(awk "BEGIN { printf \"%.1f\", 100 * $lost / $files }") %)"
}

mkdir -p "$folder/source" "$folder/ext4/mount" "$folder/smrfs/mount" "$folder/smrfs/names"
make_files "$folder/source/old" 4096 2000
make_files "$folder/source/old" 20000 2000
make_files "$folder/source/old" 131072 800
make_files "$folder/source/new" 12288 1000
make_files "$folder/source/new" 60000 600
make_files "$folder/source/new" 200000 120
cd "$folder/source"
find old -type f | sort | awk 'NR % 2' >"$folder/removed"
find old new -type f | sort | grep -vxFf "$folder/removed" | xargs sha256sum >"$folder/sums"
cd "$here"
files=$(wc -l <"$folder/sums")
truncate -s 256M "$folder/ext4/disk" "$folder/smrfs/disk"

serve "$folder/ext4" expose --path "$folder/ext4/exposed" --unshingled 32MiB --unwritten zeroes
attach
mkfs.ext4 -q -b 4096 -m 0 -J size=8,location=4096 -E nodiscard,lazy_itable_init=0,lazy_journal_init=0 "$loop"
mount "$loop" "$folder/ext4/mount"
use "$folder/ext4/mount"
umount "$folder/ext4/mount"
detach
attach  # a new device has nothing in memory
mount -o ro "$loop" "$folder/ext4/mount"
report ext4 "$folder/ext4/mount"
umount "$folder/ext4/mount"
check
detach
end_server
tail -n 1 "$folder/ext4/output"

rm "$folder/ext4/state"
serve "$folder/ext4" expose --path "$folder/ext4/exposed" --unwritten zeroes
attach
mkfs.ext4 -q -b 4096 -E nodiscard "$loop"
detach
attach
if mount "$loop" "$folder/ext4/mount" 2>/dev/null; then
  echo "without an unshingled part: ext4 is mounted"
  umount "$folder/ext4/mount"
else
  echo "without an unshingled part: ext4 cannot be mounted"
fi
check
detach
end_server

serve "$folder/smrfs" mount --metadata "$folder/smrfs/names" --mount "$folder/smrfs/mount"
use "$folder/smrfs/mount"
end_server
serve "$folder/smrfs" mount --metadata "$folder/smrfs/names" --mount "$folder/smrfs/mount"
report SMRfs "$folder/smrfs/mount"
end_server
tail -n 1 "$folder/smrfs/output"
