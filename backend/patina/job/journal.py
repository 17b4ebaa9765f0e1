"""Writes events of jobs, with gapless sequences, and moves between states; the only module that does.

Both lock the job's row, so events become visible in the order of their sequences. After the commit each event is
published to the live feed (feed.py); the database stays the record.
"""

from datetime import UTC, datetime

from pydantic import BaseModel
from sqlalchemy import Text, cast, func, insert, literal, select, update
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Session

from patina.db import after_commit
from patina.errors import PatinaError
from patina.job import feed, notice
from patina.job.event import StateChange, Step
from patina.job.feed import StoredEvent
from patina.job.kind import kind_of
from patina.job.models import Job, JobEvent
from patina.job.state import TERMINAL, JobState, NoticeKind, may_move

StateConflict = PatinaError.of("state_conflict", "The state has changed", status=409)


def lock(*, session: Session, job_id: int) -> None:
    """Locks the job's row until the transaction ends. Every transaction locks the lease first, then the row of the job,
    then that of its kind: in another order two transactions can wait for each other."""
    with session.no_autoflush:
        session.execute(select(Job.id).where(Job.id == job_id).with_for_update())


def append(*, session: Session, job_id: int, payload: BaseModel, **values: object) -> StoredEvent:
    """Stores an event of the job and `values` of its row; publishes the event after the commit."""
    sequence = session.scalar(
        update(Job)
        .where(Job.id == job_id)
        .values(last_sequence=Job.last_sequence + 1, **values)
        .returning(Job.last_sequence)
        .execution_options(synchronize_session=False)
    )
    assert sequence is not None, f"job {job_id} vanished"
    text = payload.model_dump_json()
    at = session.scalar(
        insert(JobEvent)
        .values(job_id=job_id, sequence=sequence, follows=sequence - 1, payload=cast(literal(text, Text), JSONB))
        .returning(JobEvent.at)
    )
    assert at is not None
    event = StoredEvent(
        job_id=job_id,
        sequence=sequence,
        follows=sequence - 1,
        state=payload.state if isinstance(payload, StateChange) else "",
        text=f'{{"job_id":{job_id},"sequence":{sequence},"follows":{sequence - 1},"at":"{at.isoformat()}",'
        f'"payload":{text}}}',
    )
    after_commit(session, lambda: feed.publish(event))
    return event


def try_move(
    *,
    session: Session,
    job: Job,
    from_state: JobState,
    to_state: JobState,
    message: str,
    **values: object,
) -> bool:
    """Moves by compare-and-set, with other `values` of the row; returns False when the job was not in `from_state`.
    `message` goes into its row and its log."""
    may = may_move(from_state, to_state, retries=kind_of(job).retries)
    assert may, f"no move from {from_state} to {to_state}"
    now = datetime.now(UTC)
    values |= {"state": to_state, "message": message, "touched_at": func.now()}
    if to_state == JobState.RUNNING:
        values["started_at"] = func.coalesce(Job.started_at, now)
    if to_state in TERMINAL:
        values |= {"finished_at": now, "eta_s": None}
    if to_state == JobState.INTERRUPTED and not kind_of(job).keeps_turn:
        values["turn"] = None
    lock(session=session, job_id=job.id)
    session.flush()
    moved = session.scalar(
        update(Job)
        .where(Job.id == job.id, Job.state == from_state)
        .values(**values)
        .returning(Job.id)
        .execution_options(synchronize_session=False)
    )
    session.refresh(job)
    if moved is None:
        return False
    tell(session=session, job=job)
    return True


def move(
    *, session: Session, job: Job, from_state: JobState, to_state: JobState, message: str, **values: object
) -> None:
    """Moves the job. Raises StateConflict."""
    if not try_move(session=session, job=job, from_state=from_state, to_state=to_state, message=message, **values):
        raise StateConflict(f"{job.label.capitalize()} is {job.state}, not {from_state}; it cannot become {to_state}.")


def tell(*, session: Session, job: Job) -> None:
    """Stores the job's new state as an event, and adds a notice for states that users are notified of."""
    change = StateChange(type="state", state=job.state, phase=job.phase, message=job.message)
    event = append(session=session, job_id=job.id, payload=change)
    kind = notice.kind_of(job)
    if kind is not None:
        notice.write(session=session, event=event, kind=kind, message=job.message)


def ask_for_help(*, session: Session, job_id: int, message: str) -> bool:
    """Stores in the job's log, and as a notice, why it does not go on by itself. Returns False, and stores nothing, if
    the latest notice has the same message."""
    if notice.latest_message(session=session, job_id=job_id, kind=NoticeKind.NEEDS_YOU) == message:
        return False
    event = append(session=session, job_id=job_id, payload=Step(type="step", message=message))
    notice.write(session=session, event=event, kind=NoticeKind.NEEDS_YOU, message=message)
    return True
