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

# compare TYPE NAME THREADS OPERATIONS MOUNT_OPTIONS SYNC_OPS AGE_OPTION...
compare() {
  type=$1 name=$2 threads=$3 count=$4 options=$5 sync_ops=$6
  shift 6
  rm -f "$folder"/bare "$folder"/age
  i=0
  while [ $i -lt "$repetitions" ]; do
    fresh $type $options
    "$build/bare-loop" "$folder/mount" "$profile" 0.7 $threads "$count" $sync_ops | rate >>"$folder/bare"
    fresh $type $options
    "$build/patina-core" age --mount "$folder/mount" --profile "$profile" --fullness 0.7 --threads $threads \
      --data fallocate --horizon "$count" "$@" </dev/null | rate >>"$folder/age"
    i=$((i + 1))
  done
  paste "$folder/bare" "$folder/age" | awk '{ print $2 / $1 }' >"$folder/ratio"
  awk -v name="$name" -v threads=$threads -v bare="$(median "$folder/bare")" -v age="$(median "$folder/age")" \
    -v ratio="$(median "$folder/ratio")" 'BEGIN {
    printf "%-24s %8d %12.0f %12.0f %14.3f\n", name, threads, bare, age, ratio }'
}

echo "Agrawal, 70 %, $operations operations on 1 GiB in memory, operations a second, median of $repetitions pairs:"
printf '%-24s %8s %12s %12s %14s\n' '' threads 'bare loop' age 'ratio (0.90)'
for type in ext4 xfs btrfs; do
  for threads in 1 2; do compare $type "$type, allocated" $threads "$operations" '' '' --mode unbounded; done
done
for threads in 1 2; do
  compare ext4 'ext4 noload, allocated' $threads "$operations" noatime,nodiscard,noload '' --mode unbounded
done
synced=$((operations / 10))
compare ext4 'ext4, reference' 1 $synced noatime,nodiscard 10 --mode reference
compare xfs 'xfs, reference' 1 $synced noatime,nodiscard 10 --mode reference --reuse-lag 0
compare btrfs 'btrfs, reference' 1 $synced noatime,nodiscard,nossd 10 --mode reference --reuse-lag 0
