"""The file systems that a device can be aged with. To add one, add a name and a row.

Sizes are estimates until mkfs has run; the run itself uses statfs. Measured on devices of 114 MiB to 2 TiB.
"""

from enum import StrEnum
from functools import lru_cache

from patina.file_system.btrfs import BTRFS
from patina.file_system.ext import EXT2, EXT3, EXT4
from patina.file_system.f2fs import F2FS
from patina.file_system.row import FileSystemRow
from patina.file_system.smrfs import SMRFS
from patina.file_system.xfs import XFS


class FileSystem(StrEnum):
    EXT4 = "ext4"
    XFS = "xfs"
    BTRFS = "btrfs"
    EXT3 = "ext3"
    EXT2 = "ext2"
    F2FS = "f2fs"
    SMRFS = "smrfs"


ROWS: dict[FileSystem, FileSystemRow] = {
    FileSystem.EXT4: EXT4,
    FileSystem.XFS: XFS,
    FileSystem.BTRFS: BTRFS,
    FileSystem.EXT3: EXT3,
    FileSystem.EXT2: EXT2,
    FileSystem.F2FS: F2FS,
    FileSystem.SMRFS: SMRFS,
}

UNKNOWN_CONTENT = "unrecognised content"  # of a device or file on which a probe finds nothing known


def row_of(name: str) -> FileSystemRow:
    """Returns the row of a file system, by its name in the kernel."""
    return ROWS[FileSystem(name)]


def name_of(kind: str, label: str | None) -> str:
    """Returns the name of a file system that blkid(8) shows with this type and label."""
    return next((str(name) for name, row in ROWS.items() if kind == "ext4" and row.label and row.label == label), kind)


@lru_cache(maxsize=4096)  # called for each device of each list
def estimated_capacity_bytes(size_bytes: int, file_system: str) -> int:
    """Returns the estimated capacity on an empty device of this size."""
    return max(row_of(file_system).capacity_bytes(size_bytes // 4096 * 4096), 0)
