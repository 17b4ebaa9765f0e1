#!/bin/sh
# Measures the workload engine against a bare loop of the same system calls on tmpfs, alternating, the median of the
# repetitions. Usage, as root: bench/workload.sh [BUILD_FOLDER]. PATINA_BENCH_REPETITIONS: 5. PATINA_BENCH_SECONDS: 3.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../build}
repetitions=${PATINA_BENCH_REPETITIONS:-5}
seconds=${PATINA_BENCH_SECONDS:-3}
folder=$(mktemp -d)
mkdir "$folder/mount"
mount -t tmpfs -o size=2g tmpfs "$folder/mount"
trap 'umount "$folder/mount"; rm -rf "$folder"' EXIT

rate() { sed -n '$s/.*"ops_per_s":\([0-9.]*\).*/\1/p'; }
median() { sort -g "$1" | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }

# of_threads WORKLOAD THREADS: the personality with a process and a file set for each of so many threads
of_threads() {
  sed -n '/^set mode/d; /^set /p' "$here/../personalities/$1.f"
  i=1
  while [ $i -le "$2" ]; do
    sed -n '/^define/,$p' "$here/../personalities/$1.f" |
      sed "s/\(fileset name=[a-z]*\)/\1$i/; s/\(filesetname=[a-z]*\)/\1$i/; s/instances=\$nthreads/instances=1/; /^run/d"
    i=$((i + 1))
  done
}

# compare WORKLOAD THREADS FILES_OF_A_SET
compare() {
  of_threads "$1" "$2" >"$folder/$1.f"
  rm -f "$folder/bare" "$folder/engine"
  i=0
  while [ $i -lt "$repetitions" ]; do
    rm -rf "$folder/mount/"*
    "$build/bare-flow" "$folder/mount" "$1" "$2" "$seconds" "$3" | rate >>"$folder/bare"
    rm -rf "$folder/mount/"*
    "$build/patina-core" workload --spec "$folder/$1.f" --mount "$folder/mount" --seconds "$seconds" --files $(($2 * $3)) |
      rate >>"$folder/engine"
    i=$((i + 1))
  done
  paste "$folder/bare" "$folder/engine" | awk '{ print $2 / $1 }' >"$folder/ratio"
  awk -v name="$1" -v threads="$2" -v bare="$(median "$folder/bare")" -v engine="$(median "$folder/engine")" \
    -v ratio="$(median "$folder/ratio")" 'BEGIN {
    printf "%-24s %8d %12.0f %12.0f %14.3f\n", name, threads, bare, engine, ratio }'
}

echo "Workloads on tmpfs, operations a second, median of $repetitions pairs of $seconds s:"
printf '%-24s %8s %12s %12s %14s\n' '' threads 'bare loop' workload 'ratio (0.90)'
for threads in 1 2; do
  compare fileserver $threads 1000
  compare varmail $threads 5000
done
