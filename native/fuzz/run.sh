#!/bin/sh
# Fuzzes every input format in turn, SECONDS each. The corpora grow in the build folder, from fuzz/seeds, the
# built-in profiles, personalities and disk models, and the program's own output. Ends at the first input on which a parser fails, and
# keeps it in BUILD_FOLDER/found.
# Needs clang-19 and libclang-rt-19-dev, which nothing else in native/ needs.
# Usage: native/fuzz/run.sh SECONDS [TARGET...]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../build-fuzz
seconds=${1:?usage: run.sh SECONDS [TARGET...]}
shift
if [ $# -eq 0 ]; then
  for source in "$here"/*.cc; do set -- "$@" "$(basename "$source" .cc)"; done
fi

[ -e "$build/build.ninja" ] || (cd "$here/.." && cmake --preset fuzz >/dev/null)
cmake --build "$build" --target fuzz patina-core >&2
mkdir -p "$build/found"

# An index and chunks, as the program writes them.
captured=$build/captured
if [ ! -d "$captured" ]; then
  mkdir -p "$captured" "$build/corpus/index" "$build/corpus/chunk"
  head -c 40000 "$build/patina-core" >"$captured/device"
  truncate -s 100000 "$captured/device"
  "$build/patina-core" capture --device "$captured/device" --store "$captured/store" \
    --index "$captured/image.caibx" --chunk-size 16KiB >/dev/null
  cp "$captured/image.caibx" "$build/corpus/index/captured"
  find "$captured/store" -name '*.cacnk' | while read -r chunk; do
    # The chunk's length before the file, as fuzz/chunk.cc expects it: 16 KiB.
    { printf '\000\100'; cat "$chunk"; } >"$build/corpus/chunk/$(basename "$chunk")"
  done
fi

# A log's frame, unpacked, as fuzz/operation_log.cc expects it.
mkdir -p "$build/corpus/operation_log"
printf '%s\n\000\040\000\144\001\001\000\144\200\002%064d' \
  '{"type":"patina_operation_log","schema_version":1,"directories_count":2}' 0 >"$build/corpus/operation_log/small"

for target; do
  corpus=$build/corpus/$target
  mkdir -p "$corpus"
  if [ -d "$here/seeds/$target" ]; then cp "$here/seeds/$target"/* "$corpus"; fi
  if [ "$target" = profile ]; then cp "$here"/../../profiles/*.json "$corpus"; fi
  if [ "$target" = personality ]; then cp "$here"/../personalities/*.f "$corpus"; fi
  if [ "$target" = disk_model ]; then cp "$here"/../disk_models/*.json "$corpus"; fi
  echo "$target, $seconds s" >&2
  "$build/fuzz-$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -max_len=65536 \
    -artifact_prefix="$build/found/$target-" -print_final_stats=1 -verbosity=0 "$corpus" 2>"$build/$target.log" || {
    cat "$build/$target.log" >&2
    exit 1
  }
  sed -n 's/^stat::number_of_executed_units: */  inputs: /p' "$build/$target.log" >&2
done
echo "Nothing found."
