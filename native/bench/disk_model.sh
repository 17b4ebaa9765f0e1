#!/bin/sh
# Measures what a request costs in each disk model, on one core: nanoseconds, half of the requests writes.
# Usage: bench/disk_model.sh [BUILD_FOLDER]. PATINA_BENCH_REPETITIONS: 5.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../build}
repetitions=${PATINA_BENCH_REPETITIONS:-5}

# cost MODEL KIND BYTES: prints the median cost of a request in nanoseconds.
cost() {
  i=0
  while [ $i -lt "$repetitions" ]; do
    "$build/disk-model" "$1" "$2" "$3" 1000000
    i=$((i + 1))
  done | sed 's/.*"requests_per_s":\([0-9]*\).*/\1/' | sort -g |
    awk '{ v[NR] = $1 } END { printf "%.0f", 2e9 / (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) }'
}

echo "Disk models, nanoseconds a request, one core, median of $repetitions (required for disks: 1000):"
printf '%-14s %14s %18s\n' model '4 KiB, random' '4 KiB, sequential'
for file in "$here"/../disk_models/*.json; do
  model=$(basename "$file" .json)
  printf '%-14s %14s %18s\n' "$model" "$(cost "$model" random 4096)" "$(cost "$model" sequential 4096)"
done
