"""The row of f2fs."""

import re

from patina.file_system.row import EXACT_ALONE, MIB, FileSystemRow, Magic, MkfsOption

# Features of f2fs-tools 1.15 that need no other option.
_FEATURES = "extra_attr,inode_checksum,flexible_inline_xattr,inode_crtime,lost_found,sb_checksum"


def _capacity_bytes(size_bytes: int) -> int:
    """Returns the size without the super blocks' segment. statfs counts the tables and the reserve as capacity."""
    return size_bytes - 2 * MIB


def _mkfs(identity: str, _: int) -> list[str]:
    """Passes -r, so that equal runs make equal bytes, and -t 0: the worker has discarded the device."""
    return ["mkfs.f2fs", "-q", "-f", "-t", "0", "-r", "-w", "4096", "-U", identity, "-O", _FEATURES]


F2FS = FileSystemRow(
    magic=Magic(1024, b"\x10\x20\xf5\xf2"),
    # mkfs takes 52 MiB, but its reserve leaves 25 % of 64 MiB, 66 % of 256 MiB, 84 % of 1 GiB (Linux 6.1).
    least_device_bytes=1024 * MIB,
    capacity_bytes=_capacity_bytes,
    mkfs=_mkfs,
    describe=["dump.f2fs", "-d", "0"],
    features=re.compile(r"^Info: superblock features = \w+ :(.*)$", re.MULTILINE),
    check=["fsck.f2fs", "--dry-run"],
    package="f2fs-tools",
    mkfs_options={
        "-o": MkfsOption(("N",)),
        "-O": MkfsOption(("FEATURE",), is_list=True),
        "-s": MkfsOption(("N",)),
        "-z": MkfsOption(("N",)),
    },
    own_mount_options=(
        *("mode=adaptive", "mode=lfs", "background_gc=on", "background_gc=off", "background_gc=sync"),
        *("active_logs=N", "alloc_mode=default", "alloc_mode=reuse", "inline_data", "noinline_data"),
        *("inline_dentry", "noinline_dentry", "extent_cache", "noextent_cache", "nobarrier", "flush_merge"),
    ),
    unreplayed=re.compile(r"^Info: checkpoint state = .*sudden-power-off", re.MULTILINE),
    tools={"mkfs.f2fs": "-V", "fsck.f2fs": "-V"},
    refused_captures=EXACT_ALONE,
)
