"""Records of `patina-core shingle mount`."""

from typing import Literal

from patina.core.record import Command, CoreError, Count, EventModel, Hello


class SmrFsReady(EventModel):
    """The file system is mounted."""

    type: Literal["ready"]
    path: str
    total_blocks: Count


class SmrFsSummary(EventModel):
    """Its space when it was unmounted, in blocks of 4 KiB.

    `unusable_blocks`: free, but in extents of at most DID blocks, or dead.
    `lost_files_count`: files that had no place when they were closed.
    `cleaning_s`: time that cleanings took, on the host.
    """

    type: Literal["summary"]
    command: Literal["shingle mount"]
    total_blocks: Count
    free_blocks: Count
    unusable_blocks: Count
    usable_blocks: Count
    allocated_blocks: Count
    lost_files_count: Count
    cleanings_count: Count
    moved_blocks: Count
    cleaning_s: float


SmrFsRecord = Hello | SmrFsReady | SmrFsSummary | CoreError

SMRFS_MOUNT = Command[SmrFsRecord, SmrFsSummary]("shingle mount", SmrFsRecord, SmrFsSummary)
