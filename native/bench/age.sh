#!/bin/sh
# Measures `age` against a bare loop of the same system calls on ext4, xfs and btrfs, with 1 and 2 threads, each on a
# fresh 1 GiB file system on a loop device in memory, alternating, the median of the repetitions.
# Usage, as root: bench/age.sh [BUILD_FOLDER]. PATINA_BENCH_REPETITIONS: 5. PATINA_BENCH_OPERATIONS: 200000.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../build}
profile=$here/../../profiles/agrawal.json
repetitions=${PATINA_BENCH_REPETITIONS:-5}
operations=${PATINA_BENCH_OPERATIONS:-200000}
. "$here/on_device.sh"

rate() { sed -n '$s/.*"ops_per_s":\([0-9.]*\).*/\1/p'; }
median() { sort -g "$1" | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }

echo "Agrawal, 70 %, $operations operations on 1 GiB in memory, operations a second, median of $repetitions pairs:"
printf '%-6s %8s %12s %12s %14s\n' '' threads 'bare loop' age 'ratio (0.90)'
for type in ext4 xfs btrfs; do
  for threads in 1 2; do
    rm -f "$folder"/bare "$folder"/age
    i=0
    while [ $i -lt "$repetitions" ]; do
      fresh $type
      "$build/bare-loop" "$folder/mount" "$profile" 0.7 $threads "$operations" | rate >>"$folder/bare"
      fresh $type
      "$build/patina-core" age --mount "$folder/mount" --mode unbounded --profile "$profile" --fullness 0.7 --threads $threads \
        --horizon "$operations" </dev/null | rate >>"$folder/age"
      i=$((i + 1))
    done
    paste "$folder/bare" "$folder/age" | awk '{ print $2 / $1 }' >"$folder/ratio"
    awk -v type=$type -v threads=$threads -v bare="$(median "$folder/bare")" -v age="$(median "$folder/age")" \
      -v ratio="$(median "$folder/ratio")" 'BEGIN {
      printf "%-6s %8d %12.0f %12.0f %14.3f\n", type, threads, bare, age, ratio }'
  done
done
