"""Stored events as JSON made by the database: they were validated when they were stored, and parsing thousands for
one answer costs a second."""

from sqlalchemy import Subquery, Text, cast, func, select
from sqlalchemy.orm import Session

from patina.account.visibility import seen
from patina.job.feed import StoredEvent
from patina.job.models import Job, JobEvent
from patina.job.service import JobUnknown


def last_sequence(*, session: Session, job_id: int) -> int:
    """Returns the sequence of the job's last event, 0 before the first. Raises JobUnknown."""
    found = session.scalar(select(Job.last_sequence).where(Job.id == job_id))
    if found is None:
        raise JobUnknown(f"There is no job {job_id}.")
    return found


def stored_after(*, session: Session, job_id: int, after: int, limit: int) -> list[StoredEvent]:
    """Returns the job's events after a sequence, in order."""
    chosen = _chosen(job_id, after, limit)
    state = chosen.c.payload["state"].as_string()
    is_change = chosen.c.payload["type"].as_string() == "state"
    text = cast(func.row_to_json(chosen.table_valued()), Text)
    rows = session.execute(
        select(chosen.c.sequence, chosen.c.follows, is_change, state, text).order_by(chosen.c.sequence)
    )
    return [
        StoredEvent(job_id, sequence, follows, said if changed else "", event)
        for sequence, follows, changed, said, event in rows
    ]


def events_json(*, session: Session, job_id: int, after: int, limit: int) -> str:
    """Returns a JobEventPage as JSON. Raises JobUnknown, also if the sender of this request does not see the job."""
    last = session.scalar(select(Job.last_sequence).where(Job.id == job_id, seen(Job)))
    if last is None:
        raise JobUnknown(f"There is no job {job_id}.")
    chosen = _chosen(job_id, after, limit)
    items = session.scalar(select(func.string_agg(cast(func.row_to_json(chosen.table_valued()), Text), ",")))
    return f'{{"items":[{items or ""}],"last_sequence":{last}}}'


def _chosen(job_id: int, after: int, limit: int) -> Subquery:
    row = JobEvent
    return (
        select(row.job_id, row.sequence, row.follows, row.at, row.payload)
        .where(row.job_id == job_id, row.sequence > after)
        .order_by(row.sequence)
        .limit(limit)
        .subquery()
    )
