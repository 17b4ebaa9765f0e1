"""Receives a file into the spool: in pieces, counted once durable, resumed after an interruption."""

import errno
import fcntl
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from anyio import CancelScope, current_time, fail_after, to_thread
from sqlalchemy import func, update
from sqlalchemy.orm import Session
from starlette.requests import ClientDisconnect

from patina.account.visibility import require_changeable
from patina.db import transaction
from patina.errors import PatinaError
from patina.figures import exactly_bytes, in_bytes
from patina.image_import.file_format import HEAD_BYTES, recognize
from patina.image_import.models import Intake
from patina.image_import.schemas import IntakeRead
from patina.image_import.service import IntakeEnded
from patina.image_import.sparse import BLOCK_BYTES, write_sparse
from patina.job import journal
from patina.job import service as job_service
from patina.job.models import Job
from patina.job.state import JobState
from patina.settings import settings

# A client that sends nothing for this long counts as disconnected.
STALL_S = 30.0
WRITE_BYTES = 2**20
RESERVED_SHARE, MOST_RESERVED_BYTES = 50, 2 * 2**30  # of the disk: one byte in so many, at most this many
RATE_S, RATE_BYTES = 120.0, 2**16  # least bytes to receive in this time


OffsetMismatch = PatinaError.of("offset_mismatch", "Wrong upload offset", status=409)
UploadUnderWay = PatinaError.of("upload_under_way", "The file is being sent already", status=409)
UploadTooLong = PatinaError.of("upload_too_long", "The file has grown", status=422)
SpoolFull = PatinaError.of("spool_full", "The server's disk is full", status=507)


@dataclass
class _Spooled:
    """The open, locked file of one intake."""

    intake_id: int
    descriptor: int
    size_bytes: int
    received_bytes: int
    waiting: bytearray = field(default_factory=bytearray)

    def write(self) -> None:
        """Writes the buffered bytes, as far as the disk has room."""
        waiting, self.waiting = bytes(self.waiting), bytearray()
        try:
            self._require_reserve()
            for start in range(0, len(waiting), BLOCK_BYTES):
                block = waiting[start : start + BLOCK_BYTES]
                write_sparse(self.descriptor, block, self.received_bytes)
                self.received_bytes += len(block)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise
            raise SpoolFull(
                f"The disk of {settings().spool_dir} has no room for more: {in_bytes(self.received_bytes)} of the file "
                f"are kept, and up to {in_bytes(MOST_RESERVED_BYTES)} stay free for the server. "
                "Make room there, and go on with the upload."
            ) from error

    def _require_reserve(self) -> None:
        """Raises OSError with ENOSPC below the reserve: other programs on that disk, as the database, need room."""
        disk = os.fstatvfs(self.descriptor)
        reserved_bytes = min(disk.f_blocks * disk.f_frsize // RESERVED_SHARE, MOST_RESERVED_BYTES)
        if disk.f_bavail * disk.f_frsize < reserved_bytes:
            raise OSError(errno.ENOSPC, "the rest is reserved")

    def keep(self) -> None:
        """Counts the received bytes, once they are durable."""
        os.ftruncate(self.descriptor, self.received_bytes)
        os.fdatasync(self.descriptor)
        with transaction() as session:
            touched = session.scalar(
                update(Job)
                .where(Job.id == self.intake_id, Job.state == JobState.UPLOADING)
                .values(touched_at=func.now(), done=self.received_bytes, total=self.size_bytes, unit="bytes")
                .returning(Job.id)
                .execution_options(synchronize_session=False)
            )
            if touched is not None:
                session.execute(
                    update(Intake)
                    .where(Intake.id == self.intake_id)
                    .values(received_bytes=self.received_bytes)
                    .execution_options(synchronize_session=False)
                )
        if touched is None:
            raise IntakeEnded(f"Intake {self.intake_id} was canceled meanwhile.")


def _open(intake_id: int, offset: int, length: int | None) -> _Spooled:
    """Opens the file for writing at `offset`. Raises an error when that is not the next byte."""
    with transaction() as session:
        intake = job_service.get_job(session=session, job_id=intake_id, model=Intake)
        require_changeable(intake)
    if intake.state != JobState.UPLOADING:
        raise IntakeEnded(f"Intake {intake.id} is {intake.state} and takes no more bytes: {intake.message}.")
    settings().spool_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(intake.spool_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        with transaction() as session:  # re-read under the lock: no other connection writes now
            intake = job_service.get_job(session=session, job_id=intake_id, model=Intake)
        _check_place(intake, offset, length)
        os.ftruncate(descriptor, offset)
    except BlockingIOError as error:
        os.close(descriptor)
        raise UploadUnderWay(
            f"Another connection is sending {intake.file_name}. Try again once it has ended.",
            headers={"Retry-After": "2"},
        ) from error
    except PatinaError:
        os.close(descriptor)
        raise
    return _Spooled(intake_id, descriptor, intake.size_bytes, offset)


def _check_place(intake: Intake, offset: int, length: int | None) -> None:
    if offset != intake.received_bytes:
        raise OffsetMismatch(
            f"The next byte of {intake.file_name} is number {intake.received_bytes}, not {offset}.",
            headers={"Upload-Offset": str(intake.received_bytes)},
        )
    if length is not None and offset + length > intake.size_bytes:
        raise _too_long(intake.size_bytes)


def _too_long(size_bytes: int) -> PatinaError:
    return UploadTooLong(f"The file was declared with {exactly_bytes(size_bytes)}, but more were sent. Import it anew.")


async def receive(*, intake_id: int, offset: int, length: int | None, pieces: AsyncIterator[bytes]) -> IntakeRead:
    """Receives the body of one request, written from `offset` on. Keeps the bytes received before an interruption."""
    try:
        spooled = await to_thread.run_sync(_open, intake_id, offset, length)
    except PatinaError:
        await _drain(pieces)
        raise
    try:
        try:
            await _copy(pieces, spooled)
        finally:
            with CancelScope(shield=True):
                await to_thread.run_sync(spooled.keep)
    except SpoolFull:
        await _drain(pieces)
        raise
    finally:
        os.close(spooled.descriptor)
    return await to_thread.run_sync(_answer, intake_id, offset)


async def _copy(pieces: AsyncIterator[bytes], spooled: _Spooled) -> None:
    came_bytes, due_at = 0, current_time() + RATE_S
    try:
        while True:
            with fail_after(STALL_S):
                piece = await anext(pieces, None)
            if piece is None:
                break
            came_bytes += len(piece)
            if current_time() > due_at:
                if came_bytes < RATE_BYTES:
                    break  # received bytes are kept; the client may send the rest
                came_bytes, due_at = 0, current_time() + RATE_S
            if spooled.received_bytes + len(spooled.waiting) + len(piece) > spooled.size_bytes:
                raise _too_long(spooled.size_bytes)
            spooled.waiting += piece
            if len(spooled.waiting) >= WRITE_BYTES:
                await to_thread.run_sync(spooled.write)
    except (ClientDisconnect, TimeoutError):
        pass  # the client is disconnected; its next request resumes
    await to_thread.run_sync(spooled.write)


async def _drain(pieces: AsyncIterator[bytes]) -> None:
    """Reads the rest of the body: a client reads a refusal only after it has sent its request."""
    try:
        with fail_after(STALL_S):
            async for _ in pieces:
                pass
    except (ClientDisconnect, TimeoutError):
        pass


def _answer(intake_id: int, offset: int) -> IntakeRead:
    """Returns the intake; refuses it as soon as the file's first bytes show that it cannot be imported."""
    refusal: PatinaError | None = None
    with transaction() as session:
        intake = job_service.get_job(session=session, job_id=intake_id, model=Intake)
        if offset < HEAD_BYTES and intake.received_bytes >= min(HEAD_BYTES, intake.size_bytes):
            refusal = _look_at_head(session, intake)
        answer = IntakeRead.model_validate(intake)
    if refusal is not None:
        raise refusal
    return answer


def _look_at_head(session: Session, intake: Intake) -> PatinaError | None:
    with intake.spool_path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    try:
        facts = recognize(
            head, file_bytes=intake.size_bytes, said=intake.format, limit_bytes=settings().intake_quota_bytes
        )
    except PatinaError as error:
        journal.try_move(
            session=session,
            job=intake,
            from_state=JobState.UPLOADING,
            to_state=JobState.FAILED,
            message=error.message,
            error_code=error.code,
        )
        return error
    intake.format = facts.format
    session.flush()
    return None
