"""Captures an unmounted device into the chunk store; what leaves bytes out is proved before anybody sees it."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from patina.run.event import CaptureMode, CaptureRecord, CaptureSummary, Layout, capture_record
from patina.settings import settings
from patina_worker.failure import CoreFailed, StepFailed
from patina_worker.layout import measure_layout
from patina_worker.native import run_core
from patina_worker.proof import prove

READABLE_FOLDER = 0o755
STORE_PAUSE_S = 0.5
NOT_MEASURABLE = frozenset({"device_unusable", "io_error", "layout_unsupported", "mount_unusable"})


@dataclass(frozen=True)
class Captured:
    """A durable image: the name of its index in the index folder, what the core said, and the layout of the device."""

    index_name: str
    summary: CaptureSummary
    layout: Layout | None


def capture(
    *,
    path: str,
    name: str,
    file_system: str | None,
    mode: CaptureMode,
    on_record: Callable[[CaptureRecord], None],
    check: Callable[[], bool],
    lock: int,
) -> Captured:
    """The device as an index and its chunks. No index is left when this fails."""
    # Never the name of an index that is there: a state folder may outlive the database that numbered the runs.
    index = settings().index_dir / f"{name}-{secrets.token_hex(4)}.caibx"
    summaries: list[CaptureSummary] = []

    def _on_record(record: CaptureRecord) -> None:
        on_record(record)
        if isinstance(record, CaptureSummary):
            summaries.append(record)

    argv = ["capture", "--device", path, "--store", str(settings().store_dir), "--index", str(index)]
    layout = _layout(path, lock, check) if file_system else None
    try:
        _make_folder(settings().store_dir)
        _make_folder(settings().index_dir)
        run = partial(
            run_core,
            [*argv, "--mode", mode],
            adapter=capture_record,
            on_record=_on_record,
            check=check,
            inherit=(lock,),
        )
        _once_the_store_is_free(run, check)
        if mode != "exact" and file_system is not None and layout is not None:
            prove(index=index, file_system=file_system, summary=summaries[-1], layout=layout, check=check)
        index.chmod(0o644)  # the API, an unprivileged process, hands it out
    except StepFailed:
        index.unlink(missing_ok=True)
        raise
    return Captured(index_name=index.name, summary=summaries[-1], layout=layout)


def _layout(path: str, lock: int, check: Callable[[], bool]) -> Layout | None:
    """None of a file system that cannot be measured, such as one with a journal to replay, or a damaged one."""
    try:
        return measure_layout(path, check=check, inherit=(lock,))
    except CoreFailed as error:
        if error.code not in NOT_MEASURABLE:
            raise
        return None


def _once_the_store_is_free(run: Callable[[], None], check: Callable[[], bool]) -> None:
    """Run it, again while it is refused because chunks are being removed: hours of aging must not end for that."""
    while True:
        try:
            run()
        except CoreFailed as error:
            if error.code != "store_busy" or check():
                raise
        else:
            return
        time.sleep(STORE_PAUSE_S)


def _make_folder(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(READABLE_FOLDER)
