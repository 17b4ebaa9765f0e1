#!/bin/sh
# Measures the planner on one core: operations a second of `simulate` for each built-in profile, the memory that a
# live file costs, and the rate at which a plan is recorded.
# Usage: bench/planner.sh [BUILD_FOLDER]. PATINA_BENCH_REPETITIONS: 5.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../build}
repetitions=${PATINA_BENCH_REPETITIONS:-5}
folder=$(mktemp -d /dev/shm/patina-bench.XXXXXX)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM

rate() { sed -n '$s/.*"ops_per_s":\([0-9.]*\).*/\1/p'; }
field() { sed -n "\$s/.*\"$1\":\([0-9.]*\).*/\1/p"; }
median() { sort -g "$1" | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }

# plan PROFILE CAPACITY: prints the events of a simulation.
plan() {
  "$build/patina-core" simulate --profile "$here/../../profiles/$1.json" --capacity "$2" --fullness 0.7 \
    --horizon 10000000 --sample-interval-ms 3600000
}

# peak PROFILE CAPACITY: prints its peak memory in KiB on a line, then the same.
peak() {
  python3 -c 'import resource, subprocess, sys
out = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, check=True).stdout.decode()
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
print(out, end="")' "$build/patina-core" simulate --profile "$here/../../profiles/$1.json" --capacity "$2" \
    --fullness 0.7 --horizon 40000000 --sample-interval-ms 3600000
}

echo "Planner, 10 million operations, 70 %, one core, median of $repetitions, million operations a second;"
echo "the peak of the program's memory over the live files, at 1 TiB:"
printf '%-10s %12s %12s %26s\n' profile '1 GiB (10)' '100 GiB (5)' 'bytes a live file (64)'
for file in "$here"/../../profiles/*.json; do
  profile=$(basename "$file" .json)
  rm -f "$folder"/*
  i=0
  while [ $i -lt "$repetitions" ]; do
    plan "$profile" 1GiB | rate >>"$folder/small"
    plan "$profile" 100GiB | rate >>"$folder/large"
    i=$((i + 1))
  done
  peak "$profile" 1TiB >"$folder/peak"
  awk -v profile="$profile" -v small="$(median "$folder/small")" -v large="$(median "$folder/large")" \
    -v kib="$(head -n 1 "$folder/peak")" -v files="$(field live_files_count <"$folder/peak")" 'BEGIN {
    printf "%-10s %12.1f %12.1f %26.0f\n", profile, small / 1e6, large / 1e6, kib * 1024 / files }'
done

i=0
while [ $i -lt "$repetitions" ]; do
  "$build/record-log" "$here/../../profiles/agrawal.json" 1073741824 0.7 10000000 "$folder/log" >"$folder/record"
  rate <"$folder/record" >>"$folder/record.rates"
  i=$((i + 1))
done
awk -v rate="$(median "$folder/record.rates")" -v bytes="$(field bytes_per_op <"$folder/record")" 'BEGIN {
  printf "Planned and recorded: %.0f million operations a minute (required: 20), %.1f bytes each.\n", rate * 60 / 1e6, bytes }'
