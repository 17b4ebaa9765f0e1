#!/bin/bash
# Measures the cost of the files' data: a 1 GiB ext4 in memory, Agrawal, 70 %, aged with each data mode, captured,
# restored, and all its files read with a cold cache. Bytes read are the device's.
# Usage, as root: bench/data.sh [BUILD_FOLDER]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
core=${1:-$here/../build}/patina-core
profile=$here/../../profiles/agrawal.json
. "$here/on_device.sh"

figure() { sed -n "\$s/.*\"$2\":\"\{0,1\}\([0-9a-f.]*\).*/\1/p" "$folder/$1"; }
sectors_read() { awk '{ print $3 }' "/sys/block/${device#/dev/}/stat"; }

# data NAME MODE DATA_MODE MOUNT_OPTIONS
data() {
  rm -rf "$folder/store" "$folder/index"
  fresh ext4 "noatime,nodiscard,$4"
  "$core" age --mount "$folder/mount" --mode "$2" --data "$3" --profile "$profile" --fullness 0.7 --threads 1 \
    </dev/null >"$folder/age"
  unmount
  mkdir "$folder/store"
  "$core" capture --device "$device" --store "$folder/store" --index "$folder/index" --mode allocated >"$folder/capture"
  mount -o ro,noload,noatime "$device" "$folder/mount"
  mounted=yes
  before=$(sectors_read)
  start=$EPOCHREALTIME
  find "$folder/mount" -type f -print0 | xargs -0 cat | wc -c >"$folder/bytes"
  end=$EPOCHREALTIME
  after=$(sectors_read)
  unmount
  "$core" restore --index "$folder/index" --index-digest "$(figure capture index_digest)" --store "$folder/store" \
    --device "$device" >"$folder/restore"
  awk -v name="$1" -v age="$(figure age elapsed_s)" -v stored="$(figure capture stored_bytes)" \
    -v capture="$(figure capture elapsed_s)" -v restore="$(figure restore elapsed_s)" \
    -v read=$((512 * (after - before))) -v bytes="$(cat "$folder/bytes")" \
    -v seconds="$(awk -v a="$start" -v b="$end" 'BEGIN { print b - a }')" 'BEGIN {
    printf "%-34s %7.1f s %9.1f MB %8.2f s %8.2f s %9.0f MB of %.0f MB in %.2f s\n", name, age, stored / 1e6, capture,
      restore, read / 1e6, bytes / 1e6, seconds }'
}

printf '%-34s %9s %12s %10s %10s %14s\n' '' aged stored captured restored 'read'
data 'allocate only, unbounded' unbounded fallocate nodelalloc,commit=3600
data 'can be read, unbounded' unbounded materialize nodelalloc,commit=3600
data 'allocate only, faithful (zeroes)' faithful fallocate noload
data 'can be read, faithful' faithful materialize noload
data 'write everything, faithful' faithful write noload
