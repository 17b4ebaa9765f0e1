"""Handles imports: makes a durable image of a file in the spool."""

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from pydantic import BaseModel
from sqlalchemy.orm import Session

from patina import __version__
from patina.core.contract.age import Layout
from patina.core.failure import StepFailed, Stopped
from patina.figures import exactly_bytes, in_bytes
from patina.image import service as image_service
from patina.image.content import Format
from patina.image.intake import IntakeFacts
from patina.image_import.file_format import HEAD_BYTES, FileDamaged, recognize
from patina.image_import.models import Intake
from patina.image_import.schemas import IntakeCreate, IntakeResult
from patina.image_import.sparse import write_sparse
from patina.settings import settings
from patina_worker.failure import DigestMismatch, JobCanceled, SpoolFileRefused, SpoolMissing, WorkerStopping
from patina_worker.handlers.image_import.archive import Archive, read_archive
from patina_worker.handlers.image_import.check import Findings, examine
from patina_worker.handlers.image_import.thin import unpack_thin
from patina_worker.handlers.image_import.unpack import Packed, unpack, unpack_layers
from patina_worker.host import loop_device, scratch, spool
from patina_worker.host.layout import measure_layout
from patina_worker.jobs.log import JobLog
from patina_worker.jobs.outcome import Done
from patina_worker.store.capture import Captured, capture
from patina_worker.tools import versions

PIECE_BYTES = 2**20


@dataclass(frozen=True)
class TakenIn:
    """A durable image and its facts."""

    captured: Captured
    file_system: str | None
    facts: IntakeFacts
    archive: Archive | None


@dataclass(frozen=True)
class _Raw:
    """The raw image in a scratch file, the SHA-256 of the imported file, and what it says of the image's origin."""

    descriptor: int
    sha256: str
    archive: Archive | None


def handle(request: BaseModel, log: JobLog, _: int) -> Done:
    """Makes an image of a file in the spool."""
    assert isinstance(request, IntakeCreate)
    intake = log.write(lambda session: session.get_one(Intake, log.job_id))
    try:
        with spool.held(intake.spool_path) as descriptor:
            if descriptor is None:
                raise SpoolFileRefused(f"Another program holds {intake.spool_path}. Import {request.file_name} again.")
            taken_in = take_in(intake=intake, request=request, spool=descriptor, log=log)
    except FileNotFoundError as error:
        raise SpoolMissing(f"{intake.spool_path} is gone. Import {request.file_name} anew.") from error
    except JobCanceled:
        raise JobCanceled("Canceled; no image was made") from None
    except WorkerStopping:
        raise WorkerStopping("The worker was stopped. The file is kept; take it in again, or cancel.") from None
    summary = taken_in.captured.summary
    said = f"In the catalog: {in_bytes(summary.stored_bytes)} stored, {in_bytes(summary.new_bytes)} of it new"
    return Done(said, lambda session: _publish(session, intake.id, request.name, taken_in))


def _publish(session: Session, intake_id: int, name: str, taken_in: TakenIn) -> IntakeResult:
    """Publishes the image. The next heartbeat removes the spool file."""
    intake = session.get_one(Intake, intake_id)
    intake.image_id = image_service.publish_imported(
        session=session,
        name=name,
        file_system=taken_in.file_system,
        intake=taken_in.facts,
        host_id=intake.host_id,
        index_name=taken_in.captured.index_name,
        capture=taken_in.captured.summary,
        layout=taken_in.captured.layout,
        archived=None if taken_in.archive is None else taken_in.archive.manifest,
        sharing=intake.sharing,
    ).id
    session.flush()
    summary = taken_in.captured.summary
    return IntakeResult(image_id=intake.image_id, stored_bytes=summary.stored_bytes, new_bytes=summary.new_bytes)


def clean_up(_: int) -> str:
    """Returns the log message of an import whose process is gone."""
    return "The worker died while it took the file in. It is kept: take it in again, or cancel."


def take_in(*, intake: Intake, request: IntakeCreate, spool: int, log: JobLog) -> TakenIn:
    """Makes an image of the import's file, which is open and locked as `spool`. The loop device and the unpacked copy
    are gone when this returns or raises.

    The worker examines, mounts and captures a copy in a file of its own, because the account of the API can write to
    the file in the spool at any time.
    """
    head = os.pread(spool, HEAD_BYTES, 0)
    facts = recognize(head, file_bytes=intake.size_bytes, said=intake.format, limit_bytes=settings().intake_quota_bytes)
    log.enter(f"Reading {request.file_name}")
    with _raw(intake, Packed(spool, facts, intake.size_bytes), log) as raw:
        log.enter("Examining the file system")
        findings = examine(raw.descriptor, check=log.go_on)
        with loop_device.attached(raw.descriptor, f"intake-{intake.id}") as (path, _):
            layout, layout_message = _layout(path, findings, spool, log)
            log.enter("Capturing the image into the chunk store")
            captured = _capture(intake.id, path, spool, log)
    archive = raw.archive
    if archive is not None:
        captured = _as_archived(captured, archive)
        layout, layout_message = _layout_of(archive, layout, layout_message)
    known = IntakeFacts(
        kind=request.kind if archive is None else archive.manifest.kind,
        source=request.source,
        file_name=request.file_name,
        format=facts.format,
        file_bytes=intake.size_bytes,
        file_sha256=raw.sha256,
        holds=findings.holds,
        is_clean=findings.is_clean,
        check_message=findings.check_message,
        layout_message=layout_message,
        host=settings().host_name,
        kernel=os.uname().release,
        patina_version=__version__,
        tools=versions.versions(),
        archive=None if archive is None else archive.manifest.facts(archive.manifest_digest),
    )
    return TakenIn(replace(captured, layout=layout), findings.file_system, known, archive)


def _as_archived(captured: Captured, archive: Archive) -> Captured:
    """Returns the capture with the mode of the exported image. FileDamaged unless it is the same image."""
    found, due = captured.summary.index_digest, archive.manifest.index_digest
    if found != due:
        raise FileDamaged(
            f"The layers of the archive are another image than its manifest names: the digest is {found}, not {due}. "
            "Export it again."
        )
    return replace(captured, summary=captured.summary.model_copy(update={"mode": archive.manifest.mode}))


def _layout_of(archive: Archive, measured: Layout | None, message: str) -> tuple[Layout | None, str]:
    """Returns the report of the archive, which has more than is measured here, unless a measurement contradicts it."""
    reported = archive.manifest.layout
    if reported is None:
        return measured, message
    if measured is None:
        return reported, f"As in the archive. {message}"
    if measured.layout_digest != reported.layout_digest:
        return measured, f"{message} The report in the archive has another digest, {reported.layout_digest}."
    return reported, f"As in the archive. {message} The digest is the same."


def _read(intake: Intake, spool: int, log: JobLog, on_piece: Callable[[bytes, int], None]) -> str:
    """Reads the file piece by piece and returns its SHA-256. DigestMismatch where it is not the one announced."""
    sha, done_bytes = hashlib.sha256(), 0
    while done_bytes <= intake.size_bytes and (piece := os.pread(spool, PIECE_BYTES, done_bytes)):
        sha.update(piece)
        on_piece(piece, done_bytes)
        done_bytes += len(piece)
        log.go_on()
        log.progress(done_bytes, intake.size_bytes)
    if done_bytes != intake.size_bytes or intake.sha256 not in (None, sha.hexdigest()):
        raise DigestMismatch(
            f"The server has {exactly_bytes(done_bytes)} with the SHA-256 {sha.hexdigest()}; the upload announced "
            f"{exactly_bytes(intake.size_bytes)} with {intake.sha256 or 'any'}. "
            "Did the file change while it was sent? Import it anew."
        )
    return sha.hexdigest()


@contextmanager
def _raw(intake: Intake, packed: Packed, log: JobLog) -> Iterator[_Raw]:
    """Yields the raw image, which lasts as long as the context."""
    archive = None
    with scratch.file() as descriptor:
        if packed.facts.format is Format.RAW:
            with scratch.filling():
                sha256 = _read(intake, packed.descriptor, log, lambda piece, at: write_sparse(descriptor, piece, at))
            os.ftruncate(descriptor, packed.size_bytes)
        else:
            sha256 = _read(intake, packed.descriptor, log, lambda *_: None)
            log.enter(f"Unpacking {intake.request['file_name']}")
            if packed.facts.format is Format.OCI:
                limit_bytes = settings().intake_quota_bytes
                archive = read_archive(packed.descriptor, packed.size_bytes, limit_bytes=limit_bytes)
                unpack_archive = unpack_layers if archive.index is None else unpack_thin
                unpack_archive(packed, archive, descriptor, check=log.go_on, on_progress=log.progress)
            else:
                unpack(packed, descriptor, check=log.go_on, on_progress=log.progress)
        os.fchmod(descriptor, 0o444)
        yield _Raw(descriptor, sha256, archive)


def _layout(path: str, findings: Findings, lock: int, log: JobLog) -> tuple[Layout | None, str]:
    """Measures the layout; the only step in which the kernel reads the file system (decision 11)."""
    if findings.file_system is None:
        return None, "There is no file system that Patina can measure."
    if not findings.is_clean:
        return None, "Not measured: only a file system that passes its own check is mounted here."
    log.enter("Measuring the layout")
    try:
        layout = measure_layout(path, check=log.must_stop, inherit=(lock,))
    except StepFailed as error:  # the image is useful without a layout
        log.go_on()
        return None, f"Not measured: {error.message}"
    return layout, "Measured of the file system mounted read-only, as it came in."


def _capture(intake_id: int, path: str, lock: int, log: JobLog) -> Captured:
    try:
        return capture(
            path=path,
            name=f"intake-{intake_id}",
            file_system=None,  # _layout has measured it, or logged the reason why not
            mode="exact",
            observer=log.observer(say=log.enter),
            lock=lock,
        )
    except Stopped:
        log.go_on()
        raise
