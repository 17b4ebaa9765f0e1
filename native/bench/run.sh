#!/bin/sh
# Measures the core in one run: `simulate`, and `age` against a bare loop of the same system calls, each on a
# fresh 1 GiB ext4 on a loop device in memory, alternating, the median of the repetitions.
# Usage, as root: bench/run.sh [BUILD_FOLDER]. PATINA_BENCH_REPETITIONS, PATINA_BENCH_THREADS: 5 and 2.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../build}
profile=$here/../../profiles/agrawal.json
repetitions=${PATINA_BENCH_REPETITIONS:-5}
threads=${PATINA_BENCH_THREADS:-2}
folder=$(mktemp -d /dev/shm/patina-bench.XXXXXX)
loop=
mounted=

unmount() {
  if [ -n "$mounted" ]; then umount "$folder/mount"; mounted=; fi
  if [ -n "$loop" ]; then losetup -d "$loop"; loop=; fi
}
trap 'unmount; rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM

fresh() {
  unmount
  rm -f "$folder/device.img"
  truncate -s 1G "$folder/device.img"
  mkfs.ext4 -q -b 4096 -m 0 -E lazy_itable_init=0,lazy_journal_init=0,nodiscard "$folder/device.img"
  loop=$(losetup -f --show "$folder/device.img")
  mount -o noatime,nodiscard "$loop" "$folder/mount"
  mounted=yes
}

rate() { sed -n '$s/.*"ops_per_s":\([0-9.]*\).*/\1/p'; }
median() { sort -g "$1" | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }

mkdir "$folder/mount"
i=0
while [ $i -lt "$repetitions" ]; do
  fresh
  "$build/bare-loop" "$folder/mount" "$profile" 0.7 "$threads" | rate >>"$folder/bare"
  fresh
  "$build/patina-core" age --mount "$folder/mount" --profile "$profile" --fullness 0.7 --threads "$threads" \
    </dev/null | rate >>"$folder/age"
  i=$((i + 1))
done
unmount
i=0
while [ $i -lt "$repetitions" ]; do
  # Long enough to be a rate: some ten million operations.
  "$build/patina-core" simulate --profile "$profile" --capacity 1GiB --fullness 0.7 --horizon 10000000 |
    rate >>"$folder/simulate"
  i=$((i + 1))
done

paste "$folder/bare" "$folder/age" | awk '{ print $2 / $1 }' >"$folder/ratio"
echo "Agrawal, 70 %, 1 GiB ext4 in memory, $threads threads, median of $repetitions:"
awk -v bare="$(median "$folder/bare")" -v age="$(median "$folder/age")" -v ratio="$(median "$folder/ratio")" \
  -v simulate="$(median "$folder/simulate")" 'BEGIN {
  printf "bare loop  %12.0f ops/s\nage        %12.0f ops/s\n", bare, age
  printf "ratio      %12.3f (median of the pairs; required: 0.80)\n", ratio
  printf "simulate   %12.0f ops/s on one core (required: 5000000)\n", simulate }'
