"""The parts of a repetition. Each begins on the image; most workloads have one."""

from dataclasses import replace

from patina.trial.measurement import TraceFigures
from patina.trial.workload import GitWorkload, Workload
from patina_worker.handlers.trial.bench import Measured
from patina_worker.handlers.trial.device_traffic import total

_SUMS = ("written_bytes", "metadata_written_bytes", "reads_count", "read_bytes", "read_jumps_count")


def parts_of(workload: Workload) -> list[Workload]:
    """Returns the workload's parts: of the unaged twin of git aging, one for each measurement."""
    if isinstance(workload, GitWorkload) and workload.twin == "unaged":
        return [workload.model_copy(update={"pulls_count": at}) for at in workload.measured_at]
    return [workload]


def measured_together(parts: list[Measured]) -> Measured:
    """Returns the last part's value and figures, with the points, the time and the traffic of all."""
    last = parts[-1]
    if len(parts) == 1:
        return last
    written = [part.written_bytes for part in parts]
    return replace(
        last,
        elapsed_s=sum(part.elapsed_s for part in parts),
        device=total(*(part.device for part in parts)),
        written_bytes=None if None in written else sum(bytes_ for bytes_ in written if bytes_ is not None),
        points=[point for part in parts for point in part.points],
    )


def traced_together(parts: list[TraceFigures | None]) -> TraceFigures | None:
    """Returns the sum of what the parts' traces recorded; None if one recorded nothing."""
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return known[0].model_copy(
        update={
            "touched_bytes": sum(part.touched_bytes for part in known),
            "incomplete_reason": next((part.incomplete_reason for part in known if part.incomplete_reason), None),
        }
        | {name: _sum_of(known, name) for name in _SUMS}
    )


def _sum_of(parts: list[TraceFigures], name: str) -> int | None:
    values = [getattr(part, name) for part in parts]
    return None if None in values else sum(values)
