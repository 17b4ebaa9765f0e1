#!/bin/sh
# Measures `scan` against `find -printf` over a tree of half a million files with a warm cache: in tmpfs, and on
# ext4 on a loop device in memory. Alternating, the median of the repetitions.
# Usage, as root: bench/scan.sh [BUILD_FOLDER]. PATINA_BENCH_REPETITIONS: 7.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../build}
repetitions=${PATINA_BENCH_REPETITIONS:-7}
files=500000
folder=$(mktemp -d /dev/shm/patina-bench.XXXXXX)
loop=
mounted=
cleanup() {
  if [ -n "$mounted" ]; then umount "$folder/ext4"; fi
  if [ -n "$loop" ]; then losetup -d "$loop"; fi
  rm -rf "$folder"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

median() { sort -g "$1" | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }

# measure NAME COMMAND...: keeps the seconds that the command took; its output is thrown away.
measure() {
  name=$1
  shift
  start=$(date +%s%N)
  "$@" >/dev/null
  end=$(date +%s%N)
  awk -v ns=$((end - start)) 'BEGIN { printf "%.4f\n", ns / 1e9 }' >>"$folder/$name.seconds"
}

# compare NAME TREE
compare() {
  "$build/make-tree" "$2" $files
  find "$2" -printf '%s %d %T@\n' >/dev/null
  i=0
  while [ $i -lt "$repetitions" ]; do
    measure "$1-find" find "$2" -printf '%s %d %T@\n'
    measure "$1-scan" "$build/patina-core" scan "$2"
    measure "$1-scan-1" "$build/patina-core" scan --threads 1 "$2"
    i=$((i + 1))
  done
  awk -v name="$1" -v find="$(median "$folder/$1-find.seconds")" -v scan="$(median "$folder/$1-scan.seconds")" \
    -v one="$(median "$folder/$1-scan-1.seconds")" -v cores="$(nproc)" 'BEGIN {
    printf "%-6s find %.3f s  scan %.3f s on %d cores, %.2f of it (required: 1.00)  %.3f s on one, %.2f\n",
      name, find, scan, cores, scan / find, one, one / find }'
}

echo "$files files, warm cache, median of $repetitions:"
mkdir "$folder/tmpfs" "$folder/ext4"
compare tmpfs "$folder/tmpfs"
rm -rf "$folder/tmpfs"
truncate -s 2G "$folder/device.img"
mkfs.ext4 -q -b 4096 -m 0 -N 700000 "$folder/device.img"
loop=$(losetup -f --show "$folder/device.img")
mount -o noatime "$loop" "$folder/ext4"
mounted=yes
compare ext4 "$folder/ext4"
