"""The core's table of modes and file systems, read once."""

from functools import cache

from patina.core.contract.way import MODES, AgingMode, WayOfFileSystem, WayRecord
from patina.core.supervised import run_core


@cache
def _rows() -> dict[tuple[str, AgingMode], WayOfFileSystem]:
    records: list[WayRecord] = []
    run_core(MODES, [], on_record=records.append, check=lambda: False)
    return {(row.file_system, row.way.mode): row for row in records if isinstance(row, WayOfFileSystem)}


def mode_mount_options(file_system: str, mode: AgingMode) -> str:
    """Returns the mount options that the mode adds to those of the file system."""
    rows = _rows()
    return (rows.get((file_system, mode)) or rows["", mode]).mount_options  # "": every file system without a row
