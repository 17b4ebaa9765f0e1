#!/bin/sh
# Measures an emulated disk without a model beside a plain loop device over a file in memory, alternating, the median of
# the repetitions: aging, and reads and writes of the raw device. Then the delays of a modelled disk in accurate time.
# Usage, as root: bench/emulate.sh [BUILD_FOLDER]. PATINA_BENCH_REPETITIONS: 3. PATINA_BENCH_OPERATIONS: 100000.
# PATINA_BENCH_DELAYED_REQUESTS: 20000.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${1:-$here/../build}
core=$build/patina-core
profile=$here/../../profiles/agrawal.json
repetitions=${PATINA_BENCH_REPETITIONS:-3}
operations=${PATINA_BENCH_OPERATIONS:-100000}
delayed=${PATINA_BENCH_DELAYED_REQUESTS:-20000}
. "$here/on_device.sh"

rate() { sed -n '$s/.*"ops_per_s":\([0-9.]*\).*/\1/p'; }
median() { sort -g "$1" | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }
# report NAME FORMAT FACTOR: the medians in $folder/plain and $folder/emulated, and of their ratios.
report() {
  paste "$folder/plain" "$folder/emulated" | awk '{ print $2 / $1 }' >"$folder/ratio"
  awk -v name="$1" -v factor="$3" -v plain="$(median "$folder/plain")" -v emulated="$(median "$folder/emulated")" \
    -v ratio="$(median "$folder/ratio")" "BEGIN {
    printf \"%-32s $2 $2 %10.3f\n\", name, plain * factor, emulated * factor, ratio }"
  rm -f "$folder/plain" "$folder/emulated"
}

# age TYPE DATA: makes a file system on $device, ages it, prints operations a second.
age() {
  case $1 in
    ext4) mkfs.ext4 -q -b 4096 -m 0 "$device"; options=noatime ;;
    xfs) mkfs.xfs -q "$device"; options=noatime ;;
    btrfs) mkfs.btrfs -q "$device" >/dev/null 2>&1; options=noatime,nodatasum,discard=sync ;;
  esac
  mount -o "$options" "$device" "$folder/mount"
  mounted=yes
  "$core" age --mount "$folder/mount" --profile "$profile" --fullness 0.7 --threads 1 --mode unbounded \
    --data "$2" --horizon "$3" </dev/null | rate
  unmount
}

echo "Agrawal, 70 % of 1 GiB, operations a second, median of $repetitions pairs:"
printf '%-32s %10s %10s %10s\n' '' 'plain loop' emulated 'ratio (0.70)'
for type in ext4 xfs btrfs; do
  for data in fallocate write; do
    count=$operations
    [ $data = fallocate ] || count=$((operations / 5))
    i=0
    while [ $i -lt "$repetitions" ]; do
      attach_plain 1GiB
      age $type $data "$count" >>"$folder/plain"
      attach_emulated 1GiB --data random
      age $type $data "$count" >>"$folder/emulated"
      i=$((i + 1))
    done
    report "$type, $data" %10.0f 1
  done
done

# fio_rate RW BS FIELD: of fio's terse output, 7 and 48 are KiB/s, 8 and 49 requests/s of reads and writes.
fio_rate() {
  fio --name=bench --filename="$device" --direct=1 --ioengine=libaio --iodepth=16 --rw="$1" --bs="$2" --size=2G \
    --runtime=5 --refill_buffers --minimal | cut -d ';' -f "$3"
}
echo
echo "Raw device of 4 GiB, 16 requests at a time:"
printf '%-32s %10s %10s %10s\n' '' 'plain loop' emulated ratio
for case in 'write 1M 48' 'read 1M 7' 'randwrite 4k 49' 'randread 4k 8'; do
  set -- $case
  i=0
  while [ $i -lt "$repetitions" ]; do
    attach_plain 4GiB
    case $1 in *read) dd if=/dev/urandom of="$device" bs=1M count=2048 oflag=direct status=none ;; esac
    fio_rate "$1" "$2" "$3" >>"$folder/plain"
    attach_emulated 4GiB --keep-nothing --data random
    case $1 in *read) dd if=/dev/urandom of="$device" bs=1M count=2048 oflag=direct status=none ;; esac
    fio_rate "$1" "$2" "$3" >>"$folder/emulated"
    i=$((i + 1))
  done
  case $2 in
    1M) report "$1, 1 MiB, MB/s" %10.0f 0.001024 ;;
    *) report "$1, 4 KiB, requests/s" %10.0f 1 ;;
  esac
done

echo
echo "Accurate time, $delayed random requests of 4 KiB, one at a time: actual over modelled time, less 1"
for model in hitachi-80gb flash-sata flash-nvme; do
  attach_emulated 64GiB --keep-nothing --model $model --time accurate
  fio --name=bench --filename="$device" --direct=1 --ioengine=psync --rw=randread --bs=4k --size=64G \
    --number_ios="$delayed" --minimal >/dev/null
  printf '%-32s %10.4f\n' $model "$(status | sed -n 's/.*"delay_error_fraction":\([-0-9.e]*\).*/\1/p')"
done
