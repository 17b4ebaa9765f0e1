"""The row of btrfs."""

import re

from patina.file_system.row import MIB, FileSystemRow, Magic, MkfsOption


def _capacity_bytes(size_bytes: int) -> int:
    """Returns the whole size: btrfs counts its metadata as used, not as missing."""
    return size_bytes


def _mkfs(identity: str, _: int) -> list[str]:
    argv = ["mkfs.btrfs", "-q", "-f", "-K", "-U", identity, "-d", "single", "-m", "dup", "-n", "16384", "-s", "4096"]
    return [*argv, "--csum", "crc32c", "-O", "extref,skinny-metadata,no-holes", "-R", "free-space-tree"]


BTRFS = FileSystemRow(
    magic=Magic(65_600, b"_BHRfS_M"),
    least_device_bytes=109 * MIB,
    capacity_bytes=_capacity_bytes,
    mkfs=_mkfs,
    # Dropped data would not match its checksums. Without discards, dead nodes are kept until they are overwritten.
    emulated_mount_options="nodatasum,discard=sync",
    has_uuid_of_seed=False,  # mkfs.btrfs refuses a UUID that another device of the host has; its layout ignores it
    describe=["btrfs", "inspect-internal", "dump-super"],
    features=re.compile(r"^(?:compat_ro|incompat)_flags\s+0x\w+\s*\(([^)]*)\)", re.MULTILINE),
    check=["btrfs", "check", "--readonly"],
    package="btrfs-progs",
    tools={"mkfs.btrfs": "--version"},
    mkfs_options={
        "-d": MkfsOption(("single", "dup")),
        "-m": MkfsOption(("single", "dup")),
        "-n": MkfsOption(("4096", "8192", "16384", "32768", "65536")),
        "--csum": MkfsOption(("crc32c", "xxhash", "sha256", "blake2")),
        "-O": MkfsOption(("FEATURE", "^FEATURE"), is_list=True),
        "-R": MkfsOption(("FEATURE", "^FEATURE"), is_list=True),
    },
    own_mount_options=(
        *("compress", "compress=no", "compress=zlib", "compress=zlib:N", "compress=lzo", "compress=zstd"),
        *("compress=zstd:N", "compress-force=zlib", "compress-force=lzo", "compress-force=zstd"),
        *("compress-force=zstd:N", "commit=N", "max_inline=SIZE", "metadata_ratio=N", "thread_pool=N", "datacow"),
        *("nodatacow", "datasum", "nodatasum", "autodefrag", "noautodefrag", "barrier", "nobarrier"),
        *("flushoncommit", "noflushoncommit", "ssd", "ssd_spread", "treelog", "notreelog", "space_cache=v2"),
    ),
    unreplayed=re.compile(r"^log_root\t+[1-9]", re.MULTILINE),
    refused_captures={
        "metadata": "btrfs keeps a checksum of what is written: without its content no file could be read."
    },
    generated_captures=("metadata",),  # mounted there with nodatasum
)
