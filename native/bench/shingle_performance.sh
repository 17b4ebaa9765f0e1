#!/bin/sh
# Measures how long a disk of the Caveat-Scriptor thesis (Singh, Carnegie Mellon, 2014, section 5.2) would take for its
# workloads with SMRfs on either interface and with ext4, by the model of the disk: the study docs/studies/shingled.md.
# Each step begins with a mount and ends with an unmount, so that everything is on the disk and nothing in caches.
# Usage, as root: bench/shingle_performance.sh FOLDER [BUILD_FOLDER]. FOLDER: on a disk with 20 GB of free space.
# PATINA_BENCH_MODEL: caveat-7200. PATINA_BENCH_REPETITIONS: 1. PATINA_BENCH_CSV: a file for the seconds of each run.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
place=$1
build=${2:-$here/../build}
core=$build/patina-core
model=${PATINA_BENCH_MODEL:-caveat-7200}
repetitions=${PATINA_BENCH_REPETITIONS:-1}
size=8GiB
. "$here/on_device.sh"
on_disk=$(mktemp -d "$place/patina-bench.XXXXXX")
trap 'detach; rm -rf "$on_disk" "$folder"' EXIT

make_file_system() {
  case $1 in
    ext4) mkfs.ext4 -q -b 4096 -m 0 "$device" ;;
    caveat) "$core" shingle format --device "$device" --did 16 --dnor 6 >/dev/null ;;
    strict-append) "$core" shingle format --device "$device" --interface strict-append --did 16 --band 64MiB >/dev/null ;;
  esac
}
mount_file_system() {
  if [ "$1" = ext4 ]; then
    mount -o noatime "$device" "$folder/mount"
  else
    rm -f "$folder/mount.log"
    "$core" shingle mount --device "$device" --reuse after-commit --mount "$folder/mount" >"$folder/mount.log" &
    server=$!
    until grep -qs '"ready"' "$folder/mount.log"; do
      kill -0 "$server"
      sleep 0.05
    done
  fi
  mounted=yes
}
# The process writes the rest after the unmount.
unmount_file_system() {
  unmount
  [ "$1" = ext4 ] || wait "$server"
}

many_files() {
  python3 - "$folder/mount/files" "$1" <<'PYTHON'
import os, random, sys
top, what = sys.argv[1:]
random.seed(1)
paths = [f"{top}/d{number % 110}/f{number}" for number in range(10000)]
sizes = [random.randrange(4096, 240000) for _ in paths]
if what == "write":
    for number in range(110):
        os.makedirs(f"{top}/d{number}")
    block = random.randbytes(1 << 18)
    for path, size in zip(paths, sizes):
        with open(path, "wb", buffering=0) as file:
            file.write(block[:size])
elif what == "read":
    random.shuffle(paths)
    for path in paths:
        with open(path, "rb", buffering=0) as file:
            file.read()
else:
    for path in paths:
        os.unlink(path)
PYTHON
}
source_tree() {
  python3 - "$folder/mount/source" <<'PYTHON'
import os, sys
top = sys.argv[1]
for number in range(400):
    os.makedirs(f"{top}/m{number % 20}", exist_ok=True)
    body = "".join(f"int f{number}_{i}(int x) {{ return x * {i} + {number}; }}\n" for i in range(200))
    with open(f"{top}/m{number % 20}/u{number}.c", "w") as file:
        file.write(body)
PYTHON
}
# run STEP
run() {
  at=$folder/mount
  case $1 in
    'write 100 MB') dd if=/dev/urandom of="$at/large100" bs=1M count=100 status=none ;;
    'read 100 MB') cat "$at/large100" >/dev/null ;;
    'write 500 MB') dd if=/dev/urandom of="$at/large500" bs=1M count=500 status=none ;;
    'read 500 MB') cat "$at/large500" >/dev/null ;;
    'write 10000 files') many_files write ;;
    'read 10000 files') many_files read ;;
    'delete 10000 files') many_files delete ;;
    postmark)
      (cd "$at" && printf 'set number 20000\nset transactions 50000\nset subdirectories 100\nrun\nquit\n' |
        postmark >/dev/null)
      ;;
    'write a source tree') source_tree ;;
    'compile it') find "$at/source" -name '*.c' | while read -r unit; do cc -c -o "${unit%.c}.o" "$unit"; done ;;
    'delete it') rm -r "$at/source" ;;
  esac
}
number() { sed -n 's/.*"'"$1"'":\([-0-9.e]*\).*/\1/p'; }
steps='write 100 MB
read 100 MB
write 500 MB
read 500 MB
write 10000 files
read 10000 files
delete 10000 files
postmark
write a source tree
compile it
delete it'

echo step,file_system,repetition,busy_s >"$on_disk/figures"
for repetition in $(seq "$repetitions"); do
  for kind in ext4 caveat strict-append; do
    detach
    attach_emulated $size --model "$model" --time fast --keep-all
    make_file_system $kind
    echo "$steps" | while IFS= read -r step; do
      before=$(status | number busy_s)
      mount_file_system $kind
      run "$step" </dev/null
      unmount_file_system $kind
      after=$(status | number busy_s)
      echo "$step,$kind,$repetition,$(echo "$before $after" | awk '{ print $2 - $1 }')" >>"$on_disk/figures"
    done
  done
done
[ -z "${PATINA_BENCH_CSV:-}" ] || cp "$on_disk/figures" "$PATINA_BENCH_CSV"
printf 'seconds of the disk, %s:\n%-22s %10s %10s %14s %8s %14s\n' "$model" '' ext4 caveat 'strict append' 'caveat' \
  'strict append'
echo "$steps" | while IFS= read -r step; do
  awk -F , -v step="$step" '
    $1 == step { sum[$2] += $4; n[$2]++ }
    END {
      e = sum["ext4"] / n["ext4"]; c = sum["caveat"] / n["caveat"]; s = sum["strict-append"] / n["strict-append"]
      printf "%-22s %10.2f %10.2f %14.2f %8.2f %14.2f\n", step, e, c, s, c / e, s / e
    }' "$on_disk/figures"
done
