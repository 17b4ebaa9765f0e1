"""Keeps a long run's telemetry drawable: of what is old, only what the picture needs.

Five in two seconds for twenty hours are 180 000 samples. Once there are more than `MOST_SAMPLES_COUNT`, each pair of
old ones loses the one that matters less to the curves: largest triangle, three buckets (Steinarsson, 2013, section
4.2), over all curves at once. Events keep their numbers; each says which one it follows, so a follower still sees every
hole.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log10

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from patina.job.models import Job, JobEvent

MOST_SAMPLES_COUNT = 16_384
RECENT_SAMPLES_COUNT = 2_048
MOST_LAYOUTS_COUNT = 4_096
RECENT_LAYOUTS_COUNT = 512
MOST_CHECKPOINTS_COUNT = 64
RECENT_CHECKPOINTS_COUNT = 16
MOST_SPACES_COUNT = 16  # the page draws the newest; each takes some kilobytes
RECENT_SPACES_COUNT = 4
_LEAST = 1e-9  # on a logarithmic axis nothing is drawn here


@dataclass(frozen=True)
class Point:
    """A sample as the curves show it: each coordinate as it lies on its axis."""

    sequence: int
    x: float
    ys: tuple[float, ...]


def thin(*, session: Session, run_id: int) -> int:
    """Delete what the picture does not need; how many events. Nothing is appended to the run meanwhile."""
    session.execute(select(Job.id).where(Job.id == run_id).with_for_update())
    dropped = _superfluous_samples(session, run_id)
    dropped += _every_second(session, run_id, "layout", MOST_LAYOUTS_COUNT, RECENT_LAYOUTS_COUNT)
    dropped += superfluous_spaces(_sequences(session, run_id, "space"))
    checkpoints = _sequences(session, run_id, "checkpoint")
    if len(checkpoints) > MOST_CHECKPOINTS_COUNT:
        dropped += checkpoints[:-RECENT_CHECKPOINTS_COUNT]
    drop(session=session, run_id=run_id, sequences=dropped)
    return len(dropped)


def superfluous(points: Sequence[Point]) -> list[int]:
    """Of each pair between the ends, the sequence of the point that matters less."""
    if len(points) < 4:
        return []
    spans = [_span(point.ys[i] for point in points) for i in range(len(points[0].ys))]
    width = (points[-1].x - points[0].x) or 1.0
    dropped = []
    kept = points[0]
    for at in range(1, len(points) - 2, 2):
        pair = points[at : at + 2]
        ahead = points[at + 2]
        areas = [_area(kept, point, ahead, spans, width) for point in pair]
        keep = 0 if areas[0] >= areas[1] else 1
        dropped.append(pair[1 - keep].sequence)
        kept = pair[keep]
    return dropped


def superfluous_spaces(sequences: list[int]) -> list[int]:
    """Of the spaces that a run has, by their sequences, those that nobody looks at any more."""
    return sequences[:-RECENT_SPACES_COUNT] if len(sequences) > MOST_SPACES_COUNT else []


def _span(values: Iterable[float]) -> float:
    found = list(values)
    return (max(found) - min(found)) or 1.0


def _area(a: Point, b: Point, c: Point, spans: Sequence[float], width: float) -> float:
    """Of the largest triangle that the three make in any curve, each drawn one wide and one high."""
    ab, ac = (b.x - a.x) / width, (c.x - a.x) / width
    return max(abs(ab * (c.ys[i] - a.ys[i]) / span - ac * (b.ys[i] - a.ys[i]) / span) for i, span in enumerate(spans))


def _superfluous_samples(session: Session, run_id: int) -> list[int]:
    payload = JobEvent.payload
    rows = session.execute(
        select(
            JobEvent.sequence,
            payload["ops_count"].as_float(),
            payload["fullness"].as_float(),
            payload["ops_per_s"].as_float(),
            *(payload["histograms"][name]["rmse"].as_float() for name in ("size", "depth", "age")),
        )
        .where(JobEvent.job_id == run_id, payload["type"].as_string() == "sample")
        .order_by(JobEvent.sequence)
    ).all()
    if len(rows) <= MOST_SAMPLES_COUNT:
        return []
    old = rows[: len(rows) - RECENT_SAMPLES_COUNT]
    points = [
        Point(sequence, ops, (fullness, pace, *(log10(max(rmse or 0, _LEAST)) for rmse in rmses)))
        for sequence, ops, fullness, pace, *rmses in old
    ]
    return superfluous(points)


def _sequences(session: Session, run_id: int, kind: str) -> list[int]:
    return list(
        session.scalars(
            select(JobEvent.sequence)
            .where(JobEvent.job_id == run_id, JobEvent.payload["type"].as_string() == kind)
            .order_by(JobEvent.sequence)
        )
    )


def _every_second(session: Session, run_id: int, kind: str, most: int, recent: int) -> list[int]:
    found = _sequences(session, run_id, kind)
    return found[1 : len(found) - recent : 2] if len(found) > most else []


def drop(*, session: Session, run_id: int, sequences: Sequence[int]) -> None:
    """Delete these events. Nothing is appended to the run meanwhile, and the newest event is none of them.

    Each row by its key: what PostgreSQL knows of a table that has just grown must not decide how long it takes.
    """
    if not sequences:
        return
    row, of_run = JobEvent, JobEvent.job_id == run_id
    dropped = delete(row).where(of_run, row.sequence.in_(sequences)).returning(row.sequence, row.follows)
    follows = {sequence: before for sequence, before in session.execute(dropped)}
    orphans = select(row.sequence, row.follows).where(of_run, row.follows.in_(follows))
    changes = []
    for sequence, before in session.execute(orphans):
        while before in follows:
            before = follows[before]
        changes.append({"job_id": run_id, "sequence": sequence, "follows": before})
    session.execute(update(row), changes)
