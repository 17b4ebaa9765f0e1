"""Starts and reads studies."""

from pydantic import TypeAdapter
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from patina.account.visibility import begin, seen
from patina.host import service as host_service
from patina.job import service as job_service
from patina.job.state import JobState
from patina.study import results
from patina.study.models import Study, StudyResult
from patina.study.schemas import StudyItem, StudyPage, StudyRead, StudyRequest
from patina.study.settings import CapacitySettings, CleaningSettings, StudySettings

_SETTINGS: TypeAdapter[CapacitySettings | CleaningSettings] = TypeAdapter(StudySettings)


def settings_of(study: Study) -> CapacitySettings | CleaningSettings:
    """Returns the settings of a study."""
    return _SETTINGS.validate_python(study.settings)


def get_study(*, session: Session, study_id: int) -> Study:
    """Returns the study. Raises JobUnknown."""
    return job_service.get_job(session=session, job_id=study_id, model=Study)


def start_study(*, session: Session, create: StudyRequest, idempotency_key: str | None) -> Study:
    """Queues a study. The same key returns the same study. Raises HostUnknown, IdempotencyKeyReused, TeamMissing,
    TeamUnknown, NotAMember."""
    request = create.model_dump(mode="json")
    earlier = job_service.submitted_with(session=session, model=Study, key=idempotency_key, request=request)
    if earlier is not None:
        return earlier
    host = host_service.get_host(session=session, name=create.host_name)
    study = Study(
        host=host,
        settings=create.settings.model_dump(mode="json"),
        name=create.name,
        note=create.note,
        resumes_left_count=job_service.AUTOMATIC_RESUMES_COUNT,
        idempotency_key=idempotency_key,
        request=request,
        state=JobState.QUEUED,
    )
    begin(session=session, row=study, asked=create.sharing)
    return job_service.submit(session=session, job=study, message=f"Queued on {host.name}")


def read(*, session: Session, study: Study) -> StudyRead:
    """Returns the study as the API shows it, with its results so far."""
    session.flush()
    settings = settings_of(study)
    cells = results.of(session=session, study_id=study.id, settings=settings)
    own = {name: getattr(study, name) for name in StudyRead.model_fields if hasattr(study, name)}
    return StudyRead.model_validate(
        own
        | {
            "settings": settings,
            "cells": cells,
            "done_count": sum(cell.results_count for cell in cells),
            "total_count": settings.results_count,
        },
        from_attributes=True,
    )


def list_studies(*, session: Session, cursor: int | None, limit: int) -> StudyPage:
    """Returns a page of studies, newest first."""
    older = [] if cursor is None else [Study.id < cursor]
    studies = session.scalars(select(Study).where(seen(Study), *older).order_by(Study.id.desc()).limit(limit + 1)).all()
    shown = studies[:limit]
    counted = (
        select(StudyResult.study_id, func.count())
        .where(StudyResult.study_id.in_([study.id for study in shown]))
        .group_by(StudyResult.study_id)
    )
    done = {study_id: count for study_id, count in session.execute(counted)}
    items = [_item(study, done.get(study.id, 0)) for study in shown]
    return StudyPage(items=items, next_cursor=items[-1].id if len(studies) > limit else None)


def _item(study: Study, done_count: int) -> StudyItem:
    settings = settings_of(study)
    own = {name: getattr(study, name) for name in StudyItem.model_fields if hasattr(study, name)}
    return StudyItem(
        **own,
        study_kind=settings.kind,
        cells_count=len(settings.cells()),
        done_count=done_count,
        total_count=settings.results_count,
    )
