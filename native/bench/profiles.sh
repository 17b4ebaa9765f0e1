#!/bin/sh
# Ages 1 GiB file systems in memory to 70 % by each built-in profile in the mode faithful and prints the results as a
# table in Markdown.
# Then ages each kind of file system ten times by one seed under the pinned recipe, with 100 000 operations, and
# prints how many of the ten have the commonest layout digest.
# Usage, as root: bench/profiles.sh [BUILD_FOLDER [table | digests]]. PATINA_BENCH_DIGEST_RUNS: 10.
# Douceur's whole horizon takes 49 million operations, an hour and more: it gets a budget of 1.35 % of age RMSE, a twentieth of it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
core=${1:-$here/../build}/patina-core
part=${2:-both}
digest_runs=${PATINA_BENCH_DIGEST_RUNS:-10}
. "$here/on_device.sh"

# Prints the mount options of the mode faithful, behind a comma.
options_of() {
  "$core" modes | python3 -c 'import json, sys
rows = [json.loads(line) for line in sys.stdin][1:]
print("".join("," + row["mount_options"] for row in rows
              if row["file_system"] == sys.argv[1] and row["way"]["mode"] == "faithful" and row["mount_options"]))' "$1"
}

row() {
  python3 -c 'import json, sys
type, profile = sys.argv[1:3]
summary = [json.loads(line) for line in open(sys.argv[3])][-1]
layout = [json.loads(line) for line in open(sys.argv[4])][-1]
rmse = " / ".join("%.4f" % (100 * summary["histograms"][name]["rmse"]) for name in ("size", "depth", "age"))
free = layout["free_extents"]
print("| %s | %s | %s | %.1f | %s | %.2f %% | %d | %.0f | %.2f | %.3f |" % (
    profile, type, format(summary["ops_count"], ",").replace(",", " "), summary["overwrites"], rmse,
    100 * summary["fullness_statfs"], free["extents_count"], free["mean_extent_bytes"] / 1024,
    layout["files"]["mean_extents_count"], layout["files"]["layout_score"]))' "$@"
}

table() {
  echo "| profile | file system | operations | overwrites | RMSE size / depth / age, % | fullness by statfs | free extents | KiB each | extents a file | layout score |"
  echo "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
  for file in "$here"/../../profiles/*.json; do
    profile=$(basename "$file" .json)
    set --
    if [ "$profile" = douceur ]; then set -- --max-rmse 0.0135; fi
    for type in ext4 xfs btrfs; do
      fresh $type "noatime,nodiscard$(options_of $type)"
      "$core" age --mount "$folder/mount" --profile "$file" --fullness 0.7 --data fallocate "$@" </dev/null >"$folder/age"
      unmount
      "$core" layout --device "$device" --map-cells 0 >"$folder/layout"
      row $type "$profile" "$folder/age" "$folder/layout"
    done
  done
}

digests() {
  echo "| file system | runs with the commonest layout digest | distinct digests |"
  echo "| --- | --- | --- |"
  for type in ext4 xfs btrfs; do
    i=0
    rm -f "$folder/digests"
    while [ $i -lt "$digest_runs" ]; do
      fresh $type
      taskset -c 0 "$core" age --mode unbounded --mount "$folder/mount" --profile "$here/../../profiles/agrawal.json" --fullness 0.7 \
        --seed 7 --threads 1 --horizon 100000 --sync-ops 1000 --layout-interval-ms 3600000 </dev/null >/dev/null
      unmount
      "$core" layout --device "$device" | sed -n '$s/.*"layout_digest":"\([0-9a-f]*\)".*/\1/p' >>"$folder/digests"
      i=$((i + 1))
    done
    sort "$folder/digests" | uniq -c | sort -rn |
      awk -v type=$type -v runs="$digest_runs" 'NR == 1 { most = $1 } END {
        printf "| %s | %d of %d | %d |\n", type, most, runs, NR }'
  done
}

if [ "$part" != digests ]; then table; fi
if [ "$part" = both ]; then echo; fi
if [ "$part" != table ]; then digests; fi
