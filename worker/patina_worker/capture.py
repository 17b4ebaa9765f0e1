"""Captures an unmounted device into the chunk store, and into the bucket if there is one.

What leaves bytes out is proved before anybody sees it.
"""

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from patina.core.contract.age import CaptureMode, CaptureRecord, CaptureSummary, Layout, Progress, capture_record
from patina.core.failure import CoreFailed, Stopped
from patina.core.supervised import run_core
from patina.errors import PatinaError
from patina.settings import settings
from patina.store.bucket import bucket
from patina_worker.arrival import make_folder
from patina_worker.exchange import Observer
from patina_worker.layout import measure_layout
from patina_worker.proof import prove
from patina_worker.send import Sender, send_image

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
    say: Callable[[str], None],
    lock: int,
) -> Captured:
    """The device as an index and its chunks. No index is left when this fails; its chunks are."""
    # Never the name of an index that is there: a state folder may outlive the database that numbered the runs.
    index = settings().index_dir / f"{name}-{secrets.token_hex(4)}.caibx"
    summaries: list[CaptureSummary] = []

    def _on_record(record: CaptureRecord) -> None:
        on_record(record)
        if isinstance(record, CaptureSummary):
            summaries.append(record)

    argv = ["capture", "--device", path, "--store", str(settings().store_dir), "--index", str(index)]
    layout = _layout(path, mode, lock, check) if file_system else None
    try:
        make_folder(settings().store_dir)
        make_folder(settings().index_dir)
        run = partial(
            run_core,
            [*argv, "--mode", mode],
            adapter=capture_record,
            on_record=_on_record,
            check=check,
            inherit=(lock,),
        )
        with _sent_to_the_bucket(index, summaries, on_record, check, say):
            _once_the_store_is_free(run, check, say)
            if mode != "exact":
                assert file_system is not None
                assert layout is not None, "nothing unproved is published"
                prove(index=index, file_system=file_system, summary=summaries[-1], layout=layout, check=check)
            index.chmod(0o644)  # the API, an unprivileged process, hands it out
    except PatinaError:
        index.unlink(missing_ok=True)
        raise
    return Captured(index_name=index.name, summary=summaries[-1], layout=layout)


def _layout(path: str, mode: CaptureMode, lock: int, check: Callable[[], bool]) -> Layout | None:
    """None of what cannot be measured, such as a journal to replay: an exact image needs no layout, the others do."""
    try:
        return measure_layout(path, check=check, inherit=(lock,))
    except CoreFailed as error:
        if mode != "exact" or error.code not in NOT_MEASURABLE:
            raise
        return None


@contextmanager
def _sent_to_the_bucket(
    index: Path,
    summaries: list[CaptureSummary],
    on_record: Callable[[CaptureRecord], None],
    check: Callable[[], bool],
    say: Callable[[str], None],
) -> Iterator[None]:
    """Around a capture: its chunks go while it runs, the rest and the index once it has ended well."""
    remote = bucket()
    if remote is None:
        yield
        return
    began_at = time.monotonic()

    def _progress(done_bytes: int, total_bytes: int) -> None:
        elapsed_s = time.monotonic() - began_at
        how_far = {"done_bytes": done_bytes, "total_bytes": total_bytes, "elapsed_s": elapsed_s}
        on_record(Progress(type="progress", command="capture", **how_far))

    sender = Sender(remote)
    with sender.following(index):
        yield
    observer = Observer(check=check, progress=_progress, say=say)
    send_image(remote=remote, sender=sender, path=index, summary=summaries[-1], observer=observer)


def _once_the_store_is_free(run: Callable[[], None], check: Callable[[], bool], say: Callable[[str], None]) -> None:
    """Run it, again while it is refused because chunks are being removed: hours of aging must not end for that."""
    has_said = False
    while True:
        try:
            run()
        except CoreFailed as error:
            if error.code != "store_busy":
                raise
            if check():
                raise Stopped("Stopped while it waited for a garbage collection of this host's store.") from error
        else:
            return
        if not has_said:
            has_said = True
            say("The capture waits: chunks are being removed from the store")
        time.sleep(STORE_PAUSE_S)
