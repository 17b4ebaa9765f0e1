#!/bin/sh
# Writes the golden forecast.jsonl, simulate.jsonl, age.jsonl, age_workload.jsonl, scan.jsonl, workload.jsonl, history.jsonl, models.jsonl, shingle_capacity.jsonl, shingle_cleaning.jsonl, emulate.jsonl and keep.jsonl from real small runs of the program. The C++,
# Python and TypeScript tests read them: what the keys and types are, not what the times are.
# Usage, as root: native/contract/regenerate.sh [BUILD_FOLDER]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
core=${1:-$here/../build}/patina-core
profile=$here/../../profiles/meyer.json
folder=$(mktemp -d /dev/shm/patina-contract.XXXXXX)
loop=
cleanup() {
  umount "$folder/mount" 2>/dev/null || true
  if [ -n "$loop" ]; then losetup -d "$loop"; fi
  rm -rf "$folder"
}
trap cleanup EXIT
trap 'exit 1' INT TERM

"$core" forecast --profile "$profile" --capacity 64MiB --fullness 0.7 --curve-points 4 >"$here/forecast.jsonl"
"$core" simulate --profile "$profile" --capacity 64MiB --fullness 0.7 --curve-points 4 --horizon 1000000 \
  --sample-interval-ms 20 >"$here/simulate.jsonl"

truncate -s 64M "$folder/device.img"
mkfs.ext4 -q -b 4096 -m 0 "$folder/device.img"
loop=$(losetup -f --show "$folder/device.img")
mkdir "$folder/mount"
mount -o noatime,noload "$loop" "$folder/mount"
"$core" age --mount "$folder/mount" --profile "$profile" --fullness 0.7 --curve-points 4 --threads 2 \
  --checkpoint "$folder/checkpoint" --sample-interval-ms 100 --layout-interval-ms 150 \
  </dev/null >"$here/age.jsonl"
umount "$folder/mount"

mkfs.ext4 -q -F -b 4096 -m 0 "$loop"
mount -o noatime,noload "$loop" "$folder/mount"
"$core" age --mount "$folder/mount" --workload fsfb --rounds 4 --fullness 0.7 --threads 2 \
  --checkpoint "$folder/checkpoint" --sample-interval-ms 100 --layout-interval-ms 150 \
  </dev/null >"$here/age_workload.jsonl"
umount "$folder/mount"

"$core" models >"$here/models.jsonl"
"$core" shingle capacity --policy best --did 16 --dnor 6 --usable 16MiB --operations 2000 >"$here/shingle_capacity.jsonl"
"$core" shingle cleaning --clean greedy --size 64MiB --band 1MiB --fullness 0.7 --times 2 >"$here/shingle_cleaning.jsonl"
"$core" history --out "$folder/history" --commits 100 --files 20 >"$here/history.jsonl"

# Enough files for a record of progress.
mkdir "$folder/tree"
"$here/../build/make-tree" "$folder/tree" 50000
"$core" scan --threads 1 --progress-interval-ms 10 "$folder/tree" >"$here/scan.jsonl"

# Long enough for a report of progress.
cat >"$folder/copy.f" <<'TEXT'
define fileset name=from,entries=4,size=10000,prealloc
define fileset name=to,entries=4,size=5000,dirwidth=2
define process name=copier {
  thread name=copier {
    flowop openfile name=open,filesetname=from,fd=1
    flowop readwholefile name=read,fd=1,iosize=4k
    flowop closefile name=close-read,fd=1
    flowop createfile name=create,filesetname=to,fd=2
    flowop writewholefile name=write,fd=2,srcfd=2
    flowop closefile name=close-written,fd=2
    flowop delay name=delay,value=1
    flowop finishoncount name=enough,value=12
  }
}
echo "of no effect"
TEXT
mount -t tmpfs -o size=16m tmpfs "$folder/mount"
"$core" workload --spec "$folder/copy.f" --mount "$folder/mount" --seconds 0 --files 8 >"$here/workload.jsonl"
umount "$folder/mount"

# Its status comes through its socket.
"$core" emulate --backing "$folder/disk" --size 64MiB --keep-all >"$folder/emulate.jsonl" &
emulator=$!
while ! grep -q ready "$folder/emulate.jsonl"; do sleep 0.05; done
status=$(python3 -c 'import socket, sys
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
connection.sendall(b"{\"type\":\"status\"}\n")
print(connection.makefile().readline(), end="")' "$folder/disk/control")
kill "$emulator"
wait "$emulator"
{ sed -n 1,2p "$folder/emulate.jsonl"; echo "$status"; sed -n 3p "$folder/emulate.jsonl"; } |
  sed "s|$folder|/srv|" >"$here/emulate.jsonl"

"$core" emulate --backing "$folder/held" --size 64MiB --hold 16MiB >"$folder/held.jsonl" &
emulator=$!
while ! grep -q ready "$folder/held.jsonl"; do sleep 0.05; done
losetup -d "$loop"
loop=$(losetup -f --show "$folder/held/disk")
mkfs.ext4 -q -b 4096 -m 0 "$loop"
mount "$loop" "$folder/mount"
head -c 1048576 /dev/urandom >"$folder/mount/chosen"
"$core" keep --backing "$folder/held" --mount "$folder/mount" --path "ch*" >"$here/keep.jsonl"
umount "$folder/mount"
losetup -d "$loop"
loop=
kill "$emulator"
wait "$emulator"
