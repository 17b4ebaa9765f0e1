"""Thins the telemetry of a long run, to keep its curves drawable.

Five samples in two seconds for twenty hours are 180 000 samples. Above `MOST_SAMPLES_COUNT`, each pair of
old ones loses the sample with less effect on the curves: largest triangle, three buckets (Steinarsson, 2013, section
4.2), over all curves at once. Events keep their sequences and the one they follow, so a follower still detects every
gap.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log10

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from patina.job import journal
from patina.job.models import JobEvent

MOST_SAMPLES_COUNT = 16_384
RECENT_SAMPLES_COUNT = 2_048
MOST_LAYOUTS_COUNT = 4_096
RECENT_LAYOUTS_COUNT = 512
MOST_CHECKPOINTS_COUNT = 64
RECENT_CHECKPOINTS_COUNT = 16
MOST_SPACES_COUNT = 16  # the page draws only the newest; each takes some kilobytes
RECENT_SPACES_COUNT = 4
_LEAST = 1e-9  # the lower end of a logarithmic axis


@dataclass(frozen=True)
class Point:
    """A sample in the coordinates of the curves."""

    sequence: int
    x: float
    ys: tuple[float, ...]


def thin(*, session: Session, run_id: int) -> int:
    """Deletes samples and spaces that the curves do not need. Returns their number. The run must not append."""
    journal.lock(session=session, job_id=run_id)
    dropped = _superfluous_samples(session, run_id)
    dropped += _every_second(session, run_id, "layout", MOST_LAYOUTS_COUNT, RECENT_LAYOUTS_COUNT)
    dropped += superfluous_spaces(_sequences(session, run_id, "space"))
    checkpoints = _sequences(session, run_id, "checkpoint")
    if len(checkpoints) > MOST_CHECKPOINTS_COUNT:
        dropped += checkpoints[:-RECENT_CHECKPOINTS_COUNT]
    drop(session=session, run_id=run_id, sequences=dropped)
    return len(dropped)


def superfluous(points: Sequence[Point]) -> list[int]:
    """Returns, for each pair between the ends, the sequence of the point with less effect on the curves."""
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
    """Returns the sequences of old spaces, which the page does not draw."""
    return sequences[:-RECENT_SPACES_COUNT] if len(sequences) > MOST_SPACES_COUNT else []


def _span(values: Iterable[float]) -> float:
    found = list(values)
    return (max(found) - min(found)) or 1.0


def _area(a: Point, b: Point, c: Point, spans: Sequence[float], width: float) -> float:
    """Returns the area of the largest triangle of the three points in any curve, each scaled to a unit square."""
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
    """Deletes these events, which must not include the newest. The run must not append meanwhile.

    Deletes each row by its key: after rapid growth, PostgreSQL's statistics would choose a slow plan.
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
