#!/bin/sh
# Measures `layout` in one run, beside the usual tools, on 1 GiB file systems in memory aged to
# Agrawal, 70 %: of the mounted file system with a warm cache, and of the unmounted device. The others measure a part
# of it: filefrag the extents of every file, e2freefrag and xfs_db the free space.
# Usage, as root: bench/layout.sh [BUILD_FOLDER]. PATINA_BENCH_REPETITIONS: 5.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
core=${1:-$here/../build}/patina-core
profile=$here/../../profiles/agrawal.json
repetitions=${PATINA_BENCH_REPETITIONS:-5}
. "$here/on_device.sh"

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

filefrag_all() { find "$folder/mount" -xdev -type f -print0 | xargs -0 filefrag -v; }

age_fresh() {
  fresh "$1"
  rm -f "$folder"/*.seconds
  "$core" age --mount "$folder/mount" --mode unbounded --profile "$profile" --fullness 0.7 --data fallocate </dev/null >/dev/null
}

line() {
  awk -v type="$1" -v name="$2" -v seconds="$(median "$folder/$2.seconds")" \
    -v ours="$(median "$folder/layout-mount.seconds")" -v note="${3:-}" \
    'BEGIN { printf "%-6s %-14s %8.3f s  %7.2f x layout-mount%s\n", type, name, seconds, seconds / ours, note }'
}

echo "layout of 1 GiB in memory, Agrawal, 70 %, fallocate; median of $repetitions:"
for type in ext4 xfs btrfs; do
  age_fresh "$type"
  "$core" layout --mount "$folder/mount" >/dev/null
  i=0
  while [ $i -lt "$repetitions" ]; do
    measure layout-mount "$core" layout --mount "$folder/mount"
    measure filefrag filefrag_all
    i=$((i + 1))
  done
  unmount
  i=0
  while [ $i -lt "$repetitions" ]; do
    measure layout-device "$core" layout --device "$device"
    case $type in
      ext4) measure e2freefrag e2freefrag "$device" ;;
      xfs) measure xfs_db xfs_db -r -c "freesp -s" "$device" ;;
    esac
    i=$((i + 1))
  done
  line "$type" layout-mount "  (required: 2 s)"
  line "$type" layout-device "  (required: 2 s)"
  line "$type" filefrag
  case $type in
    ext4) line "$type" e2freefrag ;;
    xfs) line "$type" xfs_db ;;
  esac
done
