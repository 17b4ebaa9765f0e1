#!/bin/sh
# Measures what a trace costs a workload: a fresh 1 GiB ext4 in memory, with and without the trace, alternating, the
# median of the repetitions. Usage, as root: bench/trace.sh [BUILD_FOLDER]. PATINA_BENCH_REPETITIONS: 5.
# PATINA_BENCH_SECONDS: 5.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
core=${1:-$here/../build}/patina-core
repetitions=${PATINA_BENCH_REPETITIONS:-5}
seconds=${PATINA_BENCH_SECONDS:-5}
. "$here/on_device.sh"

rate() { sed -n '$s/.*"ops_per_s":\([0-9.]*\).*/\1/p'; }
median() { sort -g "$1" | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }

# run WORKLOAD: on the mounted device, with its caches empty
run() {
  "$core" workload --spec "$1" --mount "$folder/mount" --only allocate --fit 200MiB >/dev/null
  unmount
  if [ "$2" = traced ]; then begin_trace; fi
  mount -o noatime "$device" "$folder/mount"
  mounted=yes
  "$core" workload --spec "$1" --mount "$folder/mount" --only run --fit 200MiB --seconds "$seconds" | rate >>"$folder/$2"
  unmount
  if [ "$2" = traced ]; then end_trace; fi
}

echo "Workloads on ext4 under a trace, operations a second, median of $repetitions pairs of $seconds s:"
printf '%-24s %12s %12s %14s\n' '' 'not traced' traced ratio
for workload in fileserver webserver varmail; do
  rm -f "$folder/plain" "$folder/traced"
  i=0
  while [ $i -lt "$repetitions" ]; do
    fresh ext4
    run $workload plain
    fresh ext4
    run $workload traced
    i=$((i + 1))
  done
  paste "$folder/plain" "$folder/traced" | awk '{ print $2 / $1 }' >"$folder/ratio"
  awk -v name="$workload" -v plain="$(median "$folder/plain")" -v traced="$(median "$folder/traced")" \
    -v ratio="$(median "$folder/ratio")" 'BEGIN { printf "%-24s %12.0f %12.0f %14.3f\n", name, plain, traced, ratio }'
done
