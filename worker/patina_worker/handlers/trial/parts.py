"""The parts of a repetition. Each begins on the image; most workloads have one."""

from dataclasses import replace

from patina.trial.measurement import TraceFigures
from patina.trial.workload import GitWorkload, Workload
from patina_worker.handlers.trial.bench import Measured, sum_if_known
from patina_worker.handlers.trial.device_traffic import total

_COUNTS = ("written_bytes", "metadata_written_bytes", "reads_count", "read_bytes", "read_jumps_count")


# Why a trace may lack events, and not only the proof that it has all.
_MISSED = frozenset({"tracer_died", "source_failed", "dropped_events", "sequence_gap", "garbage", "unseen_writes"})


def parts_of(workload: Workload) -> list[int | None]:
    """Returns the number of each part: of the unaged variant of git aging the commits pulled at each point. Other
    workloads have one part, without a number."""
    if isinstance(workload, GitWorkload) and workload.variant == "unaged":
        return [*workload.measured_at]
    return [None]


def measured_together(parts: list[Measured]) -> Measured:
    """Returns the last part's value and figures, with the points, the time and the traffic of all."""
    last = parts[-1]
    if len(parts) == 1:
        return last
    return replace(
        last,
        elapsed_s=sum(part.elapsed_s for part in parts),
        device=total(*(part.device for part in parts)),
        written_bytes=sum_if_known([part.written_bytes for part in parts]),
        points=[point for part in parts for point in part.points],
    )


def traced_together(parts: list[TraceFigures | None], *, is_whole: bool) -> TraceFigures | None:
    """Returns the sum of what the parts' traces recorded; None if one recorded nothing. `is_whole`: they recorded the
    workload alone. Otherwise, and if it missed an event, the reads and the kinds of writes are unknown."""
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    reason = next((part.incomplete_reason for part in known if part.incomplete_reason), None)
    sums = {name: sum_if_known([getattr(part, name) for part in known]) for name in _COUNTS}
    return known[0].model_copy(
        update={
            "touched_bytes": sum(part.touched_bytes for part in known),
            "incomplete_reason": reason,
            **(sums if is_whole and reason not in _MISSED else dict.fromkeys(_COUNTS)),
        }
    )
