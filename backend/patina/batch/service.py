"""Batches: start all runs or none, read, list, stop."""

import secrets
from collections import defaultdict
from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from patina.account.visibility import is_seen, seen
from patina.batch.models import Batch
from patina.batch.schemas import BatchCreate, BatchLink, BatchPage, BatchRead, BatchRun
from patina.device import service as device_service
from patina.errors import FieldProblem, NotFound, PatinaError
from patina.job import service as job_service
from patina.job.service import IdempotencyKeyReused
from patina.profile import service as profile_service
from patina.run import service as run_service
from patina.run.models import Run
from patina.run.schemas import RunCreate, RunMember

BatchUnknown = NotFound.of("batch_unknown", "No such batch")
BatchRefused = PatinaError.of("batch_refused", "No run was started", status=409)


def get_batch(*, session: Session, batch_id: int) -> Batch:
    """Returns the batch. Raises BatchUnknown."""
    batch = session.get(Batch, batch_id)
    if batch is None or not _is_seen(session, batch):
        raise BatchUnknown(f"There is no batch {batch_id}. Look at the list of batches.")
    return batch


def _is_seen(session: Session, batch: Batch) -> bool:
    """Returns whether the sender of this request sees the batch: its runs are seen by the same accounts."""
    return all(is_seen(run) for run in _runs_of(session, [batch.id]))


def _runs_of(session: Session, batch_ids: Iterable[int]) -> list[Run]:
    return list(session.scalars(select(Run).where(Run.batch_id.in_(batch_ids)).order_by(Run.id)))


def _as_asked(batch: Batch, runs: list[Run]) -> list[Run]:
    """Returns the runs of the batch in the order in which their devices were chosen."""
    places = {member["device_id"]: place for place, member in enumerate(batch.asked["members"])}
    return sorted(runs, key=lambda run: (places[run.device_id], run.id))


def read(*, session: Session, batch: Batch) -> BatchRead:
    """Returns the batch as the API shows it."""
    session.flush()
    runs = [run_service.read(session=session, run=run) for run in _as_asked(batch, _runs_of(session, [batch.id]))]
    return BatchRead(id=batch.id, created_at=batch.created_at, runs=runs)


def _claim_key(session: Session, asked: dict[str, object], idempotency_key: str | None) -> Batch | None:
    """Returns a new batch; None when the key has made one. Serializes concurrent requests with one key."""
    batch = Batch(asked=asked, idempotency_key=idempotency_key)
    try:
        with session.begin_nested():
            session.add(batch)
    except IntegrityError as error:
        if "uq_batch_idempotency_key" not in str(error.orig):
            raise
        return None
    return batch


def start_batch(*, session: Session, create: BatchCreate, idempotency_key: str | None) -> Batch:
    """Starts every run, or refuses and starts none. The same key returns the same batch."""
    asked = create.model_dump(mode="json", exclude={"members": {"__all__": {"confirmation"}}})
    if create.profile is not None:
        profile_service.get_profile(session=session, name=create.profile)
    batch = _claim_key(session, asked, idempotency_key)
    if batch is None:
        earlier = session.scalars(select(Batch).where(Batch.idempotency_key == idempotency_key)).one()
        if earlier.asked != asked or not _is_seen(session, earlier):
            raise IdempotencyKeyReused(f"Idempotency key {idempotency_key!r} already started another batch.")
        return earlier
    settings = create.model_dump(exclude={"members"}, exclude_unset=True)  # each device has defaults of its own
    if create.seed is None:
        settings["seed"] = secrets.randbelow(2**53)
    refused: list[FieldProblem] = []
    # In order of devices: two batches of the same devices cannot deadlock.
    for index, member in sorted(enumerate(create.members), key=lambda item: item[1].device_id):
        run = RunCreate.model_validate(settings | member.model_dump())
        try:
            with session.begin_nested():
                run_service.start_run(session=session, create=run, idempotency_key=None, batch_id=batch.id)
        except PatinaError as error:
            if error.status >= 500:
                raise
            said = f"{_name_of(session, member)}: {error}"
            refused.append(FieldProblem(field=f"members.{index}", message=said, code=error.code))
    if refused:
        said = " ".join(problem.message for problem in refused)
        raise BatchRefused(f"None of the {len(create.members)} runs was started. {said}", errors=refused)
    return batch


def _name_of(session: Session, member: RunMember) -> str:
    try:
        device = device_service.get_device(session=session, device_id=member.device_id)
    except NotFound:
        return f"Device {member.device_id}"
    return device.path or device.stable_id


def list_batches(*, session: Session, cursor: int | None, limit: int) -> BatchPage:
    """Returns a page of batches, newest first."""
    is_of_seen = select(Run.id).where(Run.batch_id == Batch.id, seen(Run)).exists()
    statement = select(Batch).where(is_of_seen).order_by(Batch.id.desc()).limit(limit + 1)
    if cursor is not None:
        statement = statement.where(Batch.id < cursor)
    batches = list(session.scalars(statement))
    shown = batches[:limit]
    runs: defaultdict[int | None, list[Run]] = defaultdict(list)
    for run in _runs_of(session, [batch.id for batch in shown]):
        runs[run.batch_id].append(run)
    items = [_link_of(batch, _as_asked(batch, runs[batch.id])) for batch in shown]
    return BatchPage(items=items, next_cursor=items[-1].id if len(batches) > limit else None)


def _link_of(batch: Batch, runs: list[Run]) -> BatchLink:
    first = runs[0]  # committed batches have runs, and these share one request
    return BatchLink(
        id=batch.id,
        created_at=batch.created_at,
        profile=first.profile and first.profile.name,
        profile_title=first.profile and first.profile.title,
        workload=first.in_force.workload,
        fullness=first.in_force.fullness,
        seed=first.settings["seed"],
        runs=[
            BatchRun(
                id=run.id,
                device_id=run.device_id,
                device_path=run.device.path,
                file_system=run.in_force.file_system,
                state=run.state,
            )
            for run in runs
        ],
    )


def stop_batch(*, session: Session, batch_id: int) -> Batch:
    """Requests a stop of every run. An ended run stays as it is."""
    batch = get_batch(session=session, batch_id=batch_id)
    for run in _runs_of(session, [batch.id]):
        job_service.stop(session=session, job_id=run.id)
    return batch
