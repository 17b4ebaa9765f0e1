#!/bin/sh
# Writes the golden layout.jsonl, layout_smrfs.jsonl and those of the commands about images from a real small run of
# the program, as regenerate.sh does for the others.
# Usage, as root: native/contract/regenerate_image.sh [BUILD_FOLDER]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
core=${1:-$here/../build}/patina-core
folder=$(mktemp -d /dev/shm/patina-contract.XXXXXX)
loop=
cleanup() {
  umount "$folder/mount" 2>/dev/null || true
  if [ -n "$loop" ]; then losetup -d "$loop"; fi
  rm -rf "$folder"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

truncate -s 64M "$folder/device.img"
mkfs.ext4 -q -b 4096 -m 0 "$folder/device.img"
loop=$(losetup -f --show "$folder/device.img")
mkdir "$folder/mount"
mount -o noatime,noload "$loop" "$folder/mount"
"$core" age --mount "$folder/mount" --profile "$here/../../profiles/meyer.json" --fullness 0.7 </dev/null >/dev/null
"$core" layout --mount "$folder/mount" --map-cells 16 >"$here/layout.jsonl"
umount "$folder/mount"
"$core" capture --device "$loop" --store "$folder/store" --mode exact --index "$folder/image.caibx" \
  >"$here/capture.jsonl"
"$core" restore --device "$loop" --store "$folder/store" --index "$folder/image.caibx" >"$here/restore.jsonl"
"$core" verify --device "$loop" --store "$folder/store" --index "$folder/image.caibx" >"$here/verify.jsonl"
mount -o noatime "$loop" "$folder/mount"
touch "$folder/mount/after"
umount "$folder/mount"
"$core" capture --device "$loop" --store "$folder/store" --mode allocated --index "$folder/child.caibx" >/dev/null
"$core" diff "$folder/image.caibx" "$folder/child.caibx" --store "$folder/store" >"$here/diff.jsonl"
"$core" rollback --device "$loop" --store "$folder/store" --index "$folder/image.caibx" >"$here/rollback.jsonl"
echo "$folder/image.caibx" >"$folder/keep"
"$core" gc --store "$folder/store" --keep "$folder/keep" >"$here/gc.jsonl"

# Long enough for a report of progress, and with the line that ends it.
(sleep 0.5; mount "$loop" "$folder/mount"; umount "$folder/mount"; sleep 1; echo stop) |
  "$core" trace --device "$loop" --out "$folder/trace" >"$here/trace.jsonl"
"$core" delta --trace "$folder/trace" --device-size 64MiB --out "$folder/delta" >"$here/delta.jsonl"
"$core" generation --device "$loop" >"$here/generation.jsonl"

# Of a shingled disk: every second file leaves an extent that is unusable, and the last one damages another.
"$core" shingle format --device "$loop" --did 16 >/dev/null
"$core" shingle mount --device "$loop" --mount "$folder/mount" --policy first >"$folder/smrfs.jsonl" &
served=$!
while ! grep -q ready "$folder/smrfs.jsonl"; do sleep 0.05; done
for number in $(seq 100); do head -c 40000 /dev/urandom >"$folder/mount/$number"; done
for number in 2 $(seq 1 2 100); do rm "$folder/mount/$number"; done
head -c 57344 /dev/urandom >"$folder/mount/1"
kill "$served"
wait "$served"
"$core" layout --device "$loop" --map-cells 16 >"$here/layout_smrfs.jsonl"

# Which machine it was is nobody's business.
sed -i "s/boot=$(cat /proc/sys/kernel/random/boot_id)/boot=00000000-0000-4000-8000-000000000000/g" \
  "$here"/*.jsonl
