"""The core's table of modes and file systems, read once."""

from functools import cache

from patina.core.contract.way import MODES, AgingMode, WayOfFileSystem
from patina.core.record import CoreError, Hello
from patina.core.supervised import run_core


@cache
def _rows() -> dict[tuple[str, AgingMode], WayOfFileSystem]:
    rows: dict[tuple[str, AgingMode], WayOfFileSystem] = {}

    def _on_record(record: Hello | WayOfFileSystem | CoreError) -> None:
        if isinstance(record, WayOfFileSystem):
            rows[record.file_system, record.way.mode] = record

    run_core(MODES, [], on_record=_on_record, check=lambda: False)
    return rows


def mode_mount_options(file_system: str, mode: AgingMode) -> str:
    """What the mode adds to the options that a file system of its kind is always mounted with."""
    rows = _rows()
    return (rows.get((file_system, mode)) or rows["", mode]).mount_options  # "": every file system without a row
