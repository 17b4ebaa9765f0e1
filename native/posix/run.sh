#!/bin/sh
# Runs the public suites pjdfstest and fsx on SMRfs, over disks of both interfaces. They are installed by cargo into
# FOLDER, which should be on ext4 or xfs: it also has the names of the file systems. Needs root, FUSE and cargo.
# Usage: posix/run.sh FOLDER [BUILD_FOLDER]. PATINA_FSX_OPERATIONS: 50000 for each seed.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mkdir -p "$1" && cd "$1" && pwd)
core=${2:-$here/../build}/patina-core
operations=${PATINA_FSX_OPERATIONS:-50000}

cargo install --quiet --root "$folder/suites" pjdfstest@0.2.2 fsx@0.3.2

# utimensat, UTIME_NOW, posix_fallocate and rename's ctime are optional in POSIX, and supported here.
cat > "$folder/pjdfstest.toml" <<'TOML'
[features]
posix_fallocate = {}
rename_ctime = {}
utime_now = {}
utimensat = {}
[dummy_auth]
entries = [["nobody", "nogroup"], ["daemon", "daemon"], ["bin", "bin"]]
TOML
cat > "$folder/fsx.toml" <<'TOML'
flen = 262144
[opsize]
min = 1
max = 65536
[weights]
close_open = 1.0
invalidate = 1.0
truncate = 1.0
fsync = 1.0
fdatasync = 1.0
punch_hole = 1.0
mapread = 10.0
mapwrite = 10.0
TOML

run_on() { # NAME OPTION...
  place=$folder/$1
  shift
  rm -rf "$place" && mkdir -p "$place/names" "$place/files"
  truncate -s 4G "$place/disk"
  "$core" shingle mount --data "$place/disk" --state "$place/state" --metadata "$place/names" \
    --mount "$place/files" "$@" > "$place/output" 2> "$place/errors" &
  until grep -qs '"ready"' "$place/output"; do
    kill -0 $! || { cat "$place/output" "$place/errors"; exit 1; }
    sleep 0.1
  done
  echo "$place: $*"
  failed=0
  "$folder/suites/bin/pjdfstest" -c "$folder/pjdfstest.toml" -p "$place/files" > "$place/pjdfstest.log" || failed=1
  grep -E 'FAILED|skipped|^Summary' "$place/pjdfstest.log" || true
  for seed in 1 2 3; do
    "$folder/suites/bin/fsx" -f "$folder/fsx.toml" -N "$operations" -S $seed "$place/files/fsx" \
      > "$place/fsx.log" 2>&1 || { failed=1; tail -n 20 "$place/fsx.log"; }
    echo "fsx, seed $seed: $(tail -n 1 "$place/fsx.log")"
  done
  umount "$place/files"
  wait $! || failed=1
  tail -n 1 "$place/output"
  cat "$place/errors"
  [ $failed = 0 ]
}

run_on caveat --policy best --did 16
run_on strict-append --interface strict-append --band 4MiB --did 16
