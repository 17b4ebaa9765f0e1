"""Captures an unmounted device into the chunk store, and into the bucket if there is one.

An image that leaves bytes out is proved before it is published.
"""

import secrets
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial

from patina.bucket.client import bucket
from patina.core.contract.age import CAPTURE, CaptureMode, CaptureSummary, Layout
from patina.core.failure import CoreFailed, Stopped
from patina.core.supervised import run_core
from patina.errors import PatinaError
from patina.settings import settings
from patina_worker.host.layout import measure_layout
from patina_worker.store.chunk_staging import make_folder
from patina_worker.store.contents_check import prove
from patina_worker.store.exchange import Observer
from patina_worker.store.send import Sender, send_image

STORE_PAUSE_S = 0.5
NOT_MEASURABLE = frozenset({"device_unusable", "io_error", "layout_unsupported", "mount_unusable"})


@dataclass(frozen=True)
class Captured:
    """A durable image: the name of its index in the index folder, the core's summary, and the layout of the device."""

    index_name: str
    summary: CaptureSummary
    layout: Layout | None


def capture(
    *, path: str, name: str, file_system: str | None, mode: CaptureMode, observer: Observer, lock: int
) -> Captured:
    """Captures the device as an index and its chunks. A failure leaves chunks, but no index."""
    # Never the name of an existing index: a state folder may outlive the database that numbered the runs.
    index = settings().index_dir / f"{name}-{secrets.token_hex(4)}.caibx"
    argv = ["--device", path, "--store", str(settings().store_dir), "--index", str(index), "--mode", mode]
    check, remote = observer.check, bucket()
    layout = _layout(path, mode, lock, check) if file_system else None
    run = partial(run_core, CAPTURE, argv, on_record=observer.core_record, check=check, inherit=(lock,))
    sender = None if remote is None else Sender(remote)
    try:
        make_folder(settings().store_dir)
        make_folder(settings().index_dir)
        with nullcontext() if sender is None else sender.following(index):
            summary = _once_the_store_is_free(run, observer)
            if mode != "exact":
                assert file_system is not None
                assert layout is not None, "nothing unproved is published"
                prove(index=index, file_system=file_system, summary=summary, layout=layout, check=check)
            index.chmod(0o644)  # the API, an unprivileged process, serves it
        if remote is not None and sender is not None:
            send_image(remote=remote, sender=sender, path=index, summary=summary, observer=observer)
    except PatinaError:
        index.unlink(missing_ok=True)
        raise
    return Captured(index_name=index.name, summary=summary, layout=layout)


def _layout(path: str, mode: CaptureMode, lock: int, check: Callable[[], bool]) -> Layout | None:
    """Measures the layout. None where that fails, as with a journal to replay: an exact image needs no layout."""
    try:
        return measure_layout(path, check=check, inherit=(lock,))
    except CoreFailed as error:
        if mode != "exact" or error.code not in NOT_MEASURABLE:
            raise
        return None


def _once_the_store_is_free(run: Callable[[], CaptureSummary], observer: Observer) -> CaptureSummary:
    """Runs the capture, again while a collection refuses it: hours of aging must not be lost to that."""
    has_said = False
    while True:
        try:
            return run()
        except CoreFailed as error:
            if error.code != "store_busy":
                raise
            if observer.check():
                raise Stopped("Stopped while it waited for a garbage collection of this host's store.") from error
        if not has_said:
            has_said = True
            observer.say("The capture waits: chunks are being removed from the store")
        time.sleep(STORE_PAUSE_S)
