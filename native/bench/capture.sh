#!/bin/sh
# Measures capture and restore in one run, beside the usual tools, on the same aged image: a 1 GiB
# ext4 in memory, Agrawal, 70 %. Ours reads the loop device; the others read its backing file, which is faster.
# Usage, as root: bench/capture.sh [BUILD_FOLDER]. PATINA_BENCH_REPETITIONS: 5.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
core=${1:-$here/../build}/patina-core
profile=$here/../../profiles/agrawal.json
repetitions=${PATINA_BENCH_REPETITIONS:-5}
folder=$(mktemp -d /dev/shm/patina-bench.XXXXXX)
raw=$folder/device.img
device=
target=
mounted=

cleanup() {
  if [ -n "$mounted" ]; then umount "$folder/mount"; fi
  if [ -n "$device" ]; then losetup -d "$device"; fi
  if [ -n "$target" ]; then losetup -d "$target"; fi
  rm -rf "$folder"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

median() { sort -g "$1" | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }

# measure NAME COMMAND...: keeps the seconds that the command took.
measure() {
  name=$1
  shift
  start=$(date +%s%N)
  "$@" >"$folder/log" 2>&1 || { cat "$folder/log" >&2; exit 1; }
  end=$(date +%s%N)
  awk -v ns=$((end - start)) 'BEGIN { printf "%.4f\n", ns / 1e9 }' >>"$folder/$name.seconds"
}

no_images() { rm -rf "$folder/store" "$folder/peer-store" "$folder/peer"; }
fresh_target() {
  if [ -n "$target" ]; then losetup -d "$target"; fi
  rm -f "$folder/target.img"
  truncate -s 1G "$folder/target.img"
  target=$(losetup -f --show "$folder/target.img")
}
stored_bytes() { find "$@" -type f -printf '%s\n' | awk '{ s += $1 } END { print s }'; }
same() { cmp "$raw" "$target" || { echo "$1 restored other bytes" >&2; exit 1; }; }

# line NAME OURS_NAME BYTES OURS_BYTES
line() {
  awk -v name="$1" -v seconds="$(median "$folder/$1.seconds")" -v ours="$(median "$folder/$2.seconds")" \
    -v bytes="$3" -v ours_bytes="$4" 'BEGIN {
    printf "%-22s %8.3f s  %6.2f x ours", name, seconds, seconds / ours
    if (bytes > 0) printf "  %10.2f MB  (ours is %.2f of it)", bytes / 1e6, ours_bytes / bytes
    print "" }'
}

truncate -s 1G "$raw"
mkfs.ext4 -q -b 4096 -m 0 -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "$raw"
device=$(losetup -f --show "$raw")
mkdir "$folder/mount"
mount -o noatime,nodiscard "$device" "$folder/mount"
mounted=yes
"$core" age --mount "$folder/mount" --mode unbounded --profile "$profile" --fullness 0.7 </dev/null >/dev/null
umount "$folder/mount"
mounted=

i=0
while [ $i -lt "$repetitions" ]; do
  no_images
  measure qemu-img-c qemu-img convert -c -O qcow2 "$raw" "$folder/peer"
  qemu_bytes=$(stored_bytes "$folder/peer")
  no_images
  measure zstd-1-T2 zstd -q -1 -T2 "$raw" -o "$folder/peer"
  zstd_bytes=$(stored_bytes "$folder/peer")
  if command -v partclone.ext4 >/dev/null; then
    no_images
    measure partclone.ext4 partclone.ext4 -q -c -s "$device" -o "$folder/peer"
    partclone_bytes=$(stored_bytes "$folder/peer")
  fi
  no_images
  measure dd dd if="$raw" of="$folder/peer" bs=1M status=none
  no_images
  measure casync-make casync make --digest=sha256 --store="$folder/peer-store" "$folder/peer.caibx" "$raw"
  casync_bytes=$(stored_bytes "$folder/peer-store" "$folder/peer.caibx")
  no_images
  measure capture "$core" capture --device "$device" --store "$folder/store" --index "$folder/image.caibx"
  our_bytes=$(stored_bytes "$folder/store" "$folder/image.caibx")
  chunk_bytes=$(stored_bytes "$folder/store")
  measure capture-again "$core" capture --device "$device" --store "$folder/store" --index "$folder/image.caibx"

  fresh_target
  measure restore "$core" restore --index "$folder/image.caibx" --store "$folder/store" --device "$target"
  same patina-core
  fresh_target
  measure casync-extract casync extract --store="$folder/store" "$folder/image.caibx" "$target"
  same casync
  fresh_target
  measure dd-restore dd if="$raw" of="$target" bs=1M conv=fsync status=none
  i=$((i + 1))
done

echo "1 GiB ext4 in memory, Agrawal, 70 %: $(du -k "$raw" | cut -f1) KiB not holes; median of $repetitions"
echo "capture: ours $our_bytes bytes, $((our_bytes - chunk_bytes)) of them the index"
line capture capture 0 0
line capture-again capture 0 0
line casync-make capture "$casync_bytes" "$our_bytes"
line qemu-img-c capture "$qemu_bytes" "$our_bytes"
line zstd-1-T2 capture "$zstd_bytes" "$our_bytes"
if [ -n "${partclone_bytes:-}" ]; then line partclone.ext4 capture "$partclone_bytes" "$our_bytes"; fi
line dd capture 1073741824 "$our_bytes"
echo "restore: written, flushed, read back and verified by us; written only by the others"
line restore restore 0 0
line casync-extract restore 0 0
line dd-restore restore 0 0
