"""The file systems that a device can be aged with: the smallest device of each, and what it will offer there.

Estimates until mkfs has run; the run itself uses statfs. Measured with our recipes (patina_worker.file_system) on
devices of 114 MiB to 2 TiB.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

MIB = 2**20

# Journal blocks that mke2fs 1.47 chooses (ext2fs_default_journal_size): file systems below so many blocks.
_EXT4_JOURNAL_BLOCKS = (
    (2_048, 0),
    (32_768, 1_024),
    (256 * 1_024, 4_096),
    (512 * 1_024, 8_192),
    (4_096 * 1_024, 16_384),
    (8_192 * 1_024, 32_768),
    (16_384 * 1_024, 65_536),
    (32_768 * 1_024, 131_072),
)


class FileSystem(StrEnum):
    EXT4 = "ext4"
    XFS = "xfs"
    BTRFS = "btrfs"


def _ext4_bytes(size_bytes: int) -> int:
    """Less inode tables (one 256-byte inode per 16 KiB), journal and descriptors."""
    blocks_count = size_bytes // 4096
    journal_blocks = next((j for limit, j in _EXT4_JOURNAL_BLOCKS if blocks_count < limit), 262_144)
    return size_bytes - size_bytes // 64 - journal_blocks * 4096 - size_bytes // 1024


def _xfs_bytes(size_bytes: int) -> int:
    """Less the log: a 2048th of the device, within 64 MiB and 2 GiB."""
    return size_bytes - min(max(size_bytes // 2048, 64 * MIB), 2048 * MIB)


def _btrfs_bytes(size_bytes: int) -> int:
    """All of it: btrfs counts its metadata as used, not as missing."""
    return size_bytes


@dataclass(frozen=True)
class _Offer:
    least_device_bytes: int  # mkfs refuses smaller ones
    capacity_bytes: Callable[[int], int]
    why_no_metadata_image: str | None = None


_OFFERS = {
    FileSystem.EXT4: _Offer(0, _ext4_bytes),
    FileSystem.XFS: _Offer(300 * MIB, _xfs_bytes),
    FileSystem.BTRFS: _Offer(
        109 * MIB,
        _btrfs_bytes,
        "btrfs keeps a checksum of what is written: without its content no file could be read.",
    ),
}


def least_device_bytes(file_system: FileSystem) -> int:
    """The smallest device on which it can be made."""
    return _OFFERS[file_system].least_device_bytes


def why_no_metadata_image(file_system: FileSystem) -> str | None:
    """Why nobody could read it in an image that keeps no contents; None where it can be read."""
    return _OFFERS[file_system].why_no_metadata_image


@lru_cache(maxsize=4096)  # asked for each device of each list
def estimated_capacity_bytes(size_bytes: int, file_system: FileSystem) -> int:
    """What it offers on an empty device of this size."""
    return max(_OFFERS[file_system].capacity_bytes(size_bytes // 4096 * 4096), 0)
