#!/bin/sh
# Measures how much larger than its files a shingled disk must be, for each policy and DID, over seeds: the study
# docs/studies/shingled.md. DNOR is 6 blocks, which matters to best-aware only. Prints means with 95 % confidence intervals, in blocks of 4 KiB.
# Usage: bench/shingle_capacity.sh [BUILD_FOLDER]. PATINA_BENCH_SEEDS: 20.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
core=${1:-$here/../build}/patina-core
seeds=${PATINA_BENCH_SEEDS:-20}

for did in 16 512; do
  echo "DID $did, usable 262144 blocks, $seeds seeds:"
  printf '%-14s %18s %8s %16s %16s %16s\n' '' total 'over, %' free unusable usable
  for policy in best first next last-position worst best-split best-late best-aware; do
    for seed in $(seq "$seeds"); do
      "$core" shingle capacity --policy $policy --did $did --dnor 6 --seed "$seed" | tail -n 1
    done | awk -v policy=$policy '
      function figure(name) {
        match($0, "\"" name "_blocks\":[0-9]+")
        return substr($0, RSTART + length(name) + 10, RLENGTH) + 0
      }
      function interval(name) {
        mean = sum[name] / NR
        half = NR > 1 ? (NR == 20 ? 2.093 : 1.96) * sqrt((squares[name] - NR * mean * mean) / (NR - 1) / NR) : 0
        return sprintf("%.0f +- %.0f", mean, half)
      }
      BEGIN { split("total free unusable usable", names) }
      {
        for (i in names) {
          value = figure(names[i])
          sum[names[i]] += value
          squares[names[i]] += value * value
        }
      }
      END {
        printf "%-14s %18s %8.2f %16s %16s %16s\n", policy, interval("total"), 100 * (sum["total"] / NR / 262144 - 1),
          interval("free"), interval("unusable"), interval("usable")
      }'
  done
done
