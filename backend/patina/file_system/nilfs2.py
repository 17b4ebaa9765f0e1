"""The row of nilfs2. Its mount helper starts the cleaner that frees the blocks of deleted files."""

import re

from patina.file_system.row import EXACT_ALONE, MIB, FileSystemRow, Magic

_BLOCKS_PER_SEGMENT = 2048
_SEGMENT_BYTES = _BLOCKS_PER_SEGMENT * 4096


def _capacity_bytes(size_bytes: int) -> int:
    """Whole segments, before the second super block."""
    return (size_bytes - 4096) // _SEGMENT_BYTES * _SEGMENT_BYTES


def _mkfs(_: str, __: int) -> list[str]:
    segments = ["-b", "4096", "-B", str(_BLOCKS_PER_SEGMENT), "-m", "5"]
    return ["mkfs.nilfs2", "-q", "-f", "-K", *segments, "-O", "block_count"]


def _set_uuid(identity: str) -> list[str]:
    return ["nilfs-tune", "-f", "-U", identity]


NILFS2 = FileSystemRow(
    magic=Magic(1030, b"\x34\x34"),
    least_device_bytes=129 * MIB,
    capacity_bytes=_capacity_bytes,
    mkfs=_mkfs,
    set_uuid=_set_uuid,
    describe=["nilfs-tune", "-l"],
    features=re.compile(r"^Filesystem features:(.*)$", re.MULTILINE),
    check=None,
    package="nilfs-tools",
    tools={"mkfs.nilfs2": "-V", "nilfs-tune": "-h"},
    refused_captures=EXACT_ALONE,
)
