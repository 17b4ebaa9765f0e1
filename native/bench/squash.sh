#!/bin/sh
# Measures how fast pieces are classified on each kind of file system, made in images that are nearly all holes.
# Usage: native/bench/squash.sh [BUILD_FOLDER]
set -eu
build=${1:-$(cd "$(dirname "$0")/../build" && pwd)}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
measure() {
  truncate -s 0 "$folder/image"
  truncate -s 64G "$folder/image"
  "$@" "$folder/image" >/dev/null
  "$build/squash-speed" "$folder/image"
}
measure mke2fs -q -F -t ext4
measure mke2fs -q -F -t ext4 -b 1024
measure mkfs.xfs -q -f
measure mkfs.btrfs -q -f
