"""Begins intakes and finishes their uploads."""

import secrets

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from patina.account import visibility
from patina.account.visibility import require_changeable
from patina.db import take_turn
from patina.errors import PatinaError
from patina.figures import exactly_bytes, in_bytes
from patina.host import service as host_service
from patina.host.models import Host
from patina.image import service as image_service
from patina.image.naming import ImageNameTaken
from patina.image_import.kind import IMPORT
from patina.image_import.models import Intake
from patina.image_import.schemas import IntakeCreate
from patina.job import service as job_service
from patina.job.service import JobUnderWay
from patina.job.state import ENDED, JobState
from patina.settings import settings

IntakeQuotaExceeded = PatinaError.of("intake_quota_exceeded", "No room for this file", status=409)
UploadIncomplete = PatinaError.of("upload_incomplete", "Upload incomplete", status=409)
IntakeEnded = PatinaError.of("intake_ended", "This import has ended", status=409)


def begin_intake(*, session: Session, create: IntakeCreate, idempotency_key: str | None) -> Intake:
    """Reserves the name and the space of the file. The same key returns the same intake."""
    host = host_service.get_host(session=session, name=create.host_name)
    asked = create.model_copy(update={"host_name": host.name})
    earlier = job_service.submitted_with(
        session=session, model=Intake, key=idempotency_key, request=asked.model_dump(mode="json")
    )
    if earlier is not None:
        return earlier
    if image_service.is_taken(session=session, name=create.name):
        raise ImageNameTaken(f"There is an image {create.name} already, or was one lately. Choose another name.")
    _check_quota(session, host, create.size_bytes)
    intake = IMPORT.make(
        host=host,
        request=asked,
        state=JobState.UPLOADING,
        format=create.format,
        size_bytes=create.size_bytes,
        received_bytes=0,
        spool_name=f"intake-{secrets.token_hex(8)}",
        idempotency_key=idempotency_key,
    )
    assert isinstance(intake, Intake)
    visibility.begin(session=session, row=intake, asked=create.sharing)
    try:
        return job_service.submit(session=session, job=intake, message="Waiting for the file")
    except JobUnderWay as error:
        raise ImageNameTaken(f"Another file comes in as {create.name}. Choose another name.") from error


def _check_quota(session: Session, host: Host, size_bytes: int) -> None:
    """Raises IntakeQuotaExceeded. Serializes concurrent intakes of a host."""
    take_turn(session, f"intakes of host {host.id}")
    used_bytes = session.scalar(
        select(func.coalesce(func.sum(Intake.size_bytes), 0)).where(
            Intake.host_id == host.id, Intake.state.not_in(ENDED)
        )
    )
    quota_bytes = settings().intake_quota_bytes
    if int(used_bytes or 0) + size_bytes > quota_bytes:
        raise IntakeQuotaExceeded(
            f"Files of {in_bytes(used_bytes or 0)} are on their way to host {host.name}; {in_bytes(size_bytes)} more "
            f"would exceed its quota of {in_bytes(quota_bytes)}. Wait until they are in, cancel one, or raise "
            "PATINA_INTAKE_QUOTA_BYTES."
        )


def finish_upload(*, session: Session, intake_id: int, sha256: str | None) -> Intake:
    """Queues the import of a complete file; again after an interruption. A queued or running one stays as it is."""
    intake = job_service.get_job(session=session, job_id=intake_id, model=Intake)
    require_changeable(intake)
    if intake.state in (JobState.FAILED, JobState.CANCELED):
        raise IntakeEnded(f"Intake {intake.id} has {intake.state}: {intake.message}. Import the file anew.")
    if intake.received_bytes != intake.size_bytes:
        raise UploadIncomplete(
            f"{exactly_bytes(intake.received_bytes)} of {exactly_bytes(intake.size_bytes)} of "
            f"{intake.file_name} were received. Send the rest."
        )
    intake.sha256 = sha256 or intake.sha256
    if intake.state in (JobState.UPLOADING, JobState.INTERRUPTED):
        job_service.requeue(session=session, job=intake, message=f"Queued on {intake.host.name}")
    return intake
