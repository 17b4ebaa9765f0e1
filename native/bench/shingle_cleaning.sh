#!/bin/sh
# Measures what a strict-append disk moves to give space back, and how much a Caveat-Scriptor disk without a cleaner
# can write, by how full they are, over seeds: the study docs/studies/shingled.md. A disk of 1 GiB, DID 16, bands of
# 16 MiB; 10 times its size is written at most. Prints means with 95 % confidence intervals.
# Usage: bench/shingle_cleaning.sh [BUILD_FOLDER]. PATINA_BENCH_SEEDS: 20.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
core=${1:-$here/../build}/patina-core
seeds=${PATINA_BENCH_SEEDS:-20}

measure() { # OPTION POLICY FULLNESS
  for seed in $(seq "$seeds"); do
    "$core" shingle cleaning "$1" "$2" --fullness "$3" --times 10 --seed "$seed" | tail -n 1
  done | awk -v name="$2" -v fullness="$3" '
    function figure(name) {
      match($0, "\"" name "\":[0-9]+")
      return substr($0, RSTART + length(name) + 3, RLENGTH) + 0
    }
    function add(i, value) { sum[i] += value; squares[i] += value * value }
    function shown(i, unit) {
      mean = sum[i] / NR
      spread = NR > 1 ? sqrt((squares[i] - NR * mean * mean) / (NR - 1) * (squares[i] > NR * mean * mean)) : 0
      t = NR == 20 ? 2.093 : 1.96
      return sprintf("%.2f ± %.2f%s", mean, t * spread / sqrt(NR), unit)
    }
    {
      add(1, figure("written_blocks") / figure("total_blocks"))
      add(2, figure("moved_blocks") / figure("written_blocks"))
      full += /"is_full":true/
    }
    END { printf "%-14s %4.0f %% %20s %20s %4d of %d\n", name, 100 * fullness, shown(1, ""), shown(2, ""), full, NR }'
}

printf '%-14s %6s %20s %20s %s\n' '' full 'written over size' 'moved over written' 'no place'
for fullness in 0.5 0.6 0.7 0.8 0.85 0.9 0.95; do
  measure --policy best $fullness
  measure --policy next $fullness
  measure --policy worst $fullness
  measure --clean greedy $fullness
  measure --clean cost-benefit $fullness
  measure --clean oldest $fullness
done
