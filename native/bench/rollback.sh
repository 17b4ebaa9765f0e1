#!/bin/bash
# Measures a rollback beside a full restore of the same image, in one run: a 1 GiB ext4 in memory, Agrawal, 70 %, and a
# traced benchmark that overwrites random 4 KiB of a file for ten seconds, so that about 1 % of the device is touched.
# Also prints the cost of the touched state as a second image.
# Usage, as root: bench/rollback.sh [BUILD_FOLDER]. PATINA_BENCH_REPETITIONS: 5. PATINA_BENCH_SECONDS: 10.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
core=${1:-$here/../build}/patina-core
profile=$here/../../profiles/agrawal.json
repetitions=${PATINA_BENCH_REPETITIONS:-5}
seconds=${PATINA_BENCH_SECONDS:-10}
. "$here/on_device.sh"

median() { sort -g "$1" | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }
# Measures the whole program, from its start to its end.
measure() {
  name=$1
  shift
  start=$EPOCHREALTIME
  "$@" >"$folder/$name.log" || { cat "$folder/$name.log" >&2; exit 1; }
  end=$EPOCHREALTIME  # without a process of its own, which would take as long as a part of a rollback
  awk -v start="$start" -v end="$end" 'BEGIN { printf "%.6f\n", end - start }' >>"$folder/$name.seconds"
}
figure() { sed -n "\$s/.*\"$2\":\([0-9.]*\).*/\1/p" "$folder/$1.log"; }

# benchmark SOURCE: makes a file of 8 MiB of it and overwrites it 4 KiB by 4 KiB for so many seconds.
benchmark() {
  dd if="$1" of="$folder/mount/benchmark" bs=1M count=8 conv=fsync status=none
  end=$(($(date +%s) + seconds))
  while [ "$(date +%s)" -lt $end ]; do
    dd if="$1" of="$folder/mount/benchmark" bs=4k count=1 conv=notrunc status=none \
      seek=$(($(od -An -N2 -tu2 /dev/urandom) % 2048))
  done
}

# trial SOURCE: runs the benchmark on the mounted device while it is traced; the result is $folder/delta.
trial() {
  begin_trace
  mount -o noatime "$device" "$folder/mount"
  mounted=yes
  benchmark "$1"
  unmount
  end_trace
  "$core" delta --trace "$folder/trace" --device-size 1GiB --out "$folder/delta" >"$folder/delta.log"
}

# second NAME: captures the touched state as a second image.
second() {
  "$core" capture --device "$device" --store "$folder/store" --index "$folder/second.caibx" >"$folder/$1.log"
}

fresh ext4
"$core" age --mount "$folder/mount" --mode unbounded --profile "$profile" --fullness 0.7 </dev/null >/dev/null
unmount
index=$folder/image.caibx
"$core" capture --device "$device" --store "$folder/store" --index "$index" >"$folder/first.log"
cp --sparse=always "$folder/device.img" "$folder/base.img"

i=0
while [ $i -lt "$repetitions" ]; do
  trial /dev/urandom
  second random
  measure rollback "$core" rollback --index "$index" --store "$folder/store" --device "$device" --delta "$folder/delta"
  cmp "$folder/base.img" "$device"
  trial /dev/urandom
  measure restore "$core" restore --index "$index" --store "$folder/store" --device "$device"
  cmp "$folder/base.img" "$device"
  i=$((i + 1))
done

trial /dev/zero
second zeroes
grep -q '"compared":"touched"' "$folder/rollback.log" || { echo "the delta was not used" >&2; exit 1; }
touched=$(figure rollback touched_bytes)
echo "1 GiB ext4 in memory, Agrawal, 70 %; a benchmark of $seconds s; median of $repetitions"
awk -v touched="$touched" -v rollback="$(median "$folder/rollback.seconds")" \
  -v restore="$(median "$folder/restore.seconds")" -v first="$(figure first new_bytes)" \
  -v random="$(figure random new_bytes)" -v zeroes="$(figure zeroes new_bytes)" 'BEGIN {
  printf "touched %.2f MB, %.2f %% of the device\n", touched / 1e6, 100 * touched / 1073741824
  printf "rollback %.4f s, full restore %.4f s: %.3f of it (required: 0.05)\n", rollback, restore, rollback / restore
  printf "as a second image: of random bytes %.2f MB new, %.2f of those touched; of zeroes %.3f MB, %.3f of the first\n",
    random / 1e6, random / touched, zeroes / 1e6, zeroes / first
  print "(required: 0.03 of the first, impossible where a benchmark writes incompressible bytes)" }'
