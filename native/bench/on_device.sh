# Shared by the benchmarks on devices; to be sourced by a shell with `set -eu`, as root. Makes $folder, in memory, and a
# mount point in it; removes both at the end.
folder=$(mktemp -d /dev/shm/patina-bench.XXXXXX)
mkdir "$folder/mount"
uuid=6d1f1c1e-5b0a-4f6e-9a55-0c7a1d2e3f40
device=
mounted=
emulator=

unmount() { if [ -n "$mounted" ]; then umount "$folder/mount"; mounted=; fi; }
detach() {
  unmount
  if [ -n "$device" ]; then losetup -d "$device"; device=; fi
  if [ -n "$emulator" ]; then kill "$emulator"; wait "$emulator" || true; emulator=; fi
}
trap 'detach; rm -rf "$folder"' EXIT
trap 'exit 1' INT TERM

# begin_trace, end_trace: trace the unmounted device by $core, into $folder/trace.
begin_trace() {
  rm -f "$folder/trace" "$folder/orders"
  mkfifo "$folder/orders"
  "$core" trace --device "$device" --out "$folder/trace" <"$folder/orders" >"$folder/trace.log" &
  tracer=$!
  exec 3>"$folder/orders"
  until grep -q '"armed"' "$folder/trace.log"; do sleep 0.05; done
}
end_trace() {
  echo stop >&3
  exec 3>&-
  wait "$tracer"
}

# A loop device keeps the read-ahead of its last use.
attach_loop() {
  device=$(losetup -f --show "$@")
  blockdev --setra 256 "$device"
}
# attach_plain SIZE: a loop device over a sparse file. attach_emulated SIZE [OPTION...]: one over an emulated disk.
attach_plain() {
  detach
  rm -f "$folder/device.img"
  truncate -s "${1%iB}" "$folder/device.img"
  attach_loop --direct-io=on "$folder/device.img"
}
attach_emulated() {
  detach
  rm -rf "$folder/disk" "$folder/emulate.log"  # the log of the last one would seem ready
  size=$1
  shift
  "$core" emulate --backing "$folder/disk" --size "$size" "$@" >"$folder/emulate.log" &
  emulator=$!
  until grep -qs '"ready"' "$folder/emulate.log"; do
    kill -0 "$emulator"  # it may have ended with an error
    sleep 0.05
  done
  attach_loop --direct-io=on "$folder/disk/disk"
}
# status: the status of the emulated disk, a line of JSON.
status() {
  python3 -c 'import socket, sys
connection = socket.socket(socket.AF_UNIX)
connection.connect(sys.argv[1])
connection.sendall(b"{\"type\":\"status\"}\n")
print(connection.makefile().readline(), end="")' "$folder/disk/control"
}

# fresh TYPE [MOUNT_OPTIONS]: mounts an empty file system of 1 GiB, by the recipe under which the same
# seed may give the same layout (docs/design.md, "Same seed, same layout").
fresh() {
  detach
  rm -f "$folder/device.img"
  truncate -s 1G "$folder/device.img"
  case $1 in
    ext4)
      mke2fs -q -t ext4 -b 4096 -U $uuid -E hash_seed=$uuid,lazy_itable_init=0,lazy_journal_init=0,nodiscard -m 0 \
        "$folder/device.img"
      options=noatime,nodelalloc,nodiscard,commit=3600 ;;
    xfs)
      mkfs.xfs -q -K -m uuid=$uuid -d agcount=4 "$folder/device.img"
      options=noatime,nodiscard,allocsize=64k ;;
    btrfs)
      mkfs.btrfs -q -K -U $uuid "$folder/device.img" >/dev/null 2>&1
      options=noatime,nodiscard,nossd,commit=3600 ;;
  esac
  attach_loop "$folder/device.img"
  mount -o "${2:-$options}" "$device" "$folder/mount"
  mounted=yes
}
