#!/bin/sh
# Repeats the table of David's savings (Agrawal et al., ACM TOS 7(4), 2012, section 6): the storage of a
# plain disk and of an emulated one on ext4, after each workload and of it alone; and the time that is predicted.
# Usage, as root: bench/emulate_table.sh FOLDER [BUILD_FOLDER]. FOLDER: on a disk with 40 GB of free space.
# PATINA_BENCH_IMAGE_MB: 10000. PATINA_BENCH_MODEL: hitachi-1tb.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
place=$1
build=${2:-$here/../build}
core=$build/patina-core
image_mb=${PATINA_BENCH_IMAGE_MB:-10000}
model=${PATINA_BENCH_MODEL:-hitachi-1tb}
size=64GiB
. "$here/on_device.sh"
on_disk=$(mktemp -d "$place/patina-bench.XXXXXX")
trap 'detach; rm -rf "$on_disk" "$folder"' EXIT

# make_image: 5000 files in 1000 directories, of sizes with a log-normal distribution.
make_image() {
  python3 - "$folder/mount/image" "$image_mb" <<'PYTHON'
import os, random, sys
top, megabytes = sys.argv[1], int(sys.argv[2])
random.seed(1)
folders = [top]
os.mkdir(top)
for number in range(999):
    folders.append(f"{random.choice(folders)}/d{number}")
    os.mkdir(folders[-1])
sizes = [random.lognormvariate(9.5, 2.5) for _ in range(5000)]
scale = megabytes * 1e6 / sum(sizes)
block = random.randbytes(1 << 20)
for number, size in enumerate(sizes):
    with open(f"{random.choice(folders)}/f{number}", "wb", buffering=0) as file:
        left = int(size * scale)
        while left > 0:
            at = random.randrange(1 << 19)
            left -= file.write(block[at : at + min(left, 1 << 19)])
PYTHON
}
postmark_run() {
  (cd "$folder/mount" && printf 'set number 100000\nset transactions 400000\nset subdirectories 100\nrun\nquit\n' |
    postmark >/dev/null)
}
personality() {
  rm -rf "$folder/mount/patina-workload"
  "$core" workload --spec "$1" --mount "$folder/mount" --seconds 20 >/dev/null
}

# step NAME: ends with an unmount, so that everything is on the device, and nothing in caches.
step() {
  if [ "$1" = mkfs ]; then mkfs.ext4 -q "$device"; fi
  # Without delayed allocation, as ext3: a commit writes the data of new files, also if they are deleted soon.
  mount -o noatime,nodelalloc "$device" "$folder/mount"
  mounted=yes
  case $1 in
    mkfs) ;;
    image) make_image ;;
    tar) tar -cf "$folder/mount/image.tar" -C "$folder/mount" image ;;
    grep) grep -r patina "$folder/mount/image" >/dev/null || true ;;
    find) find "$folder/mount/image" -name 'f*7' >/dev/null ;;
    du) du -s "$folder/mount/image" >/dev/null ;;
    postmark) postmark_run ;;
    *) personality "$1" ;;
  esac
  unmount
}
# raw_step NAME: on the first 4 GiB of the device, 64 KiB a request where it is sequential, 4 KiB where it is random.
raw_step() {
  case $1 in
    seq-write) set -- write 64k 4G ;;
    seq-read) set -- read 64k 4G ;;
    rand-write) set -- randwrite 4k 200M ;;
    rand-read) set -- randread 4k 200M ;;
  esac
  fio --name=bench --filename="$device" --direct=1 --ioengine=psync --size=4G --rw="$1" --bs="$2" --io_size="$3" \
    --refill_buffers --randseed=1 --minimal >/dev/null
}
number() { sed -n 's/.*"'"$1"'":\([-0-9.e]*\).*/\1/p'; }
seconds() { date +%s.%N; }

attach_plain_on_disk() {
  detach
  truncate -s "${size%iB}" "$on_disk/plain.img"
  attach_loop --direct-io=on "$on_disk/plain.img"
}
# measure STEP NAMES OPTION...: these names by this function, on a plain disk, then on an emulated one with these options.
measure() {
  run_step=$1
  names=$2
  shift 2
  attach_plain_on_disk
  for name in $names; do
    $run_step "$name"
    du -B1 "$on_disk/plain.img" | cut -f 1 >"$folder/plain-$name"
  done
  detach
  rm "$on_disk/plain.img"
  attach_emulated $size --model "$model" --time fast --data random "$@"
  printf '%-12s %10s %10s %8s %10s %10s %8s %8s %11s\n' '' 'sum: plain' emulated saved 'step: plain' emulated saved \
    'took s' 'predicted s'
  plain_before=0
  stored_before=0
  for name in $names; do
    clock=$(status | number clock_s)
    began=$(seconds)
    $run_step "$name"
    now=$(status)
    plain=$(cat "$folder/plain-$name")
    stored=$(echo "$now" | number stored_bytes)
    awk -v name="$name" -v plain="$plain" -v plain_before="$plain_before" -v stored="$stored" \
      -v stored_before="$stored_before" -v before="$clock" -v after="$(echo "$now" | number clock_s)" \
      -v began="$began" -v ended="$(seconds)" '
      function saved(of, kept) { return of < 1e6 ? "-" : sprintf("%.2f%%", 100 * (1 - kept / of)) }
      BEGIN {
      own = plain - plain_before
      own_stored = stored - stored_before
      printf "%-12s %10.1f %10.1f %8s %10.1f %10.1f %8s %8.1f %11.1f\n", name, plain / 1e6, stored / 1e6,
        saved(plain, stored), own / 1e6, own_stored / 1e6, saved(own, own_stored), ended - began, after - before }'
    plain_before=$plain
    stored_before=$stored
  done
}

echo "Raw device of $size, $model, fast time. Storage after each step, and of each step alone, in MB:"
measure raw_step 'seq-write seq-read rand-write rand-read' --keep-nothing
echo
echo "ext4 on $size, $model, fast time. Storage after each step, and of each step alone, in MB:"
measure step 'mkfs image tar grep find du postmark webserver varmail'
