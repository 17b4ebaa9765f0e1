"""The results of a trial, from the repetitions that were measured so far."""

import hashlib
import json
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Double, cast, func, select
from sqlalchemy.orm import Session

from patina.trial import statistics
from patina.trial.measurement import Measurement, Point
from patina.trial.models import Repetition, RepetitionState
from patina.trial.schemas import Estimate, PredictedEstimate, RankChange, TrialFigure, TrialPoint
from patina.trial.settings import TrialSettings
from patina.trial.statistics import Interval
from patina.trial.workload import ROWS


@dataclass
class _Values:
    """The measured repetitions of a workload on an arm, in their order."""

    metric: list[float] = field(default_factory=list)
    amplification: list[float] = field(default_factory=list)
    space: list[float] = field(default_factory=list)
    metadata_share: list[float] = field(default_factory=list)
    elapsed_s: list[float] = field(default_factory=list)  # of those with a predicted time
    predicted_s: list[float] = field(default_factory=list)
    points: list[list[Point]] = field(default_factory=list)
    disturbed_count: int = 0


def of(*, session: Session, trial_id: int, settings: TrialSettings) -> tuple[list[TrialFigure], list[RankChange]]:
    """Returns a figure for each pair that has a value, and the orders that aging reversed."""
    values = _values(session, trial_id)
    figures = [
        _figure(settings, arm, workload, values)
        for workload in range(len(settings.workloads))
        for arm in range(len(settings.arms))
        if values[arm, workload].metric
    ]
    _rank(settings, figures)
    return figures, _changes(settings, values)


def digest_of(*, session: Session, trial_id: int) -> str | None:
    """Returns the SHA-256 that names the results: of each measurement as JSON with sorted keys and without spaces, one
    a line. None without a measurement."""
    documents = session.scalars(
        select(Repetition.measurement)
        .where(Repetition.trial_id == trial_id, Repetition.measurement.is_not(None))
        .order_by(Repetition.position)
        .execution_options(yield_per=16)
    )
    digest = None
    for document in documents:
        line = json.dumps(as_measured(document), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        digest = hashlib.sha256() if digest is None else digest
        digest.update(f"{line}\n".encode())
    return None if digest is None else digest.hexdigest()


def as_measured(document: object) -> dict[str, Any]:
    """Returns a stored measurement as it was stored, without fields that later versions added."""
    return Measurement.model_validate(document).model_dump(mode="json", exclude_unset=True)


def _values(session: Session, trial_id: int) -> dict[tuple[int, int], _Values]:
    found: dict[tuple[int, int], _Values] = defaultdict(_Values)
    of_measurement = Repetition.measurement
    rows = session.execute(
        select(
            Repetition.arm,
            Repetition.workload,
            cast(func.jsonb_extract_path_text(of_measurement, "value"), Double),
            cast(func.jsonb_extract_path_text(of_measurement, "write_amplification"), Double),
            func.jsonb_extract_path_text(of_measurement, "background", "is_quiet"),
            cast(func.jsonb_extract_path_text(of_measurement, "space_amplification"), Double),
            cast(func.jsonb_extract_path_text(of_measurement, "traced", "written_bytes"), Double),
            cast(func.jsonb_extract_path_text(of_measurement, "traced", "metadata_written_bytes"), Double),
            cast(func.jsonb_extract_path_text(of_measurement, "device", "elapsed_s"), Double),
            cast(func.jsonb_extract_path_text(of_measurement, "device", "predicted_s"), Double),
            func.jsonb_extract_path(of_measurement, "points"),
        )
        .where(Repetition.trial_id == trial_id, Repetition.state == RepetitionState.DONE)
        .order_by(Repetition.number)
    )
    for arm, workload, value, amplification, is_quiet, space, traced, metadata, elapsed_s, predicted_s, points in rows:
        values = found[arm, workload]
        values.metric.append(value)
        if amplification is not None:
            values.amplification.append(amplification)
        values.disturbed_count += is_quiet != "true"
        if space is not None:
            values.space.append(space)
        if traced and metadata:  # without a byte of it the file system marks none
            values.metadata_share.append(metadata / traced)
        if predicted_s is not None:
            values.predicted_s.append(predicted_s)
            values.elapsed_s += [] if elapsed_s is None else [elapsed_s]
        values.points.append([Point.model_validate(point) for point in points or []])
    return found


def _figure(settings: TrialSettings, arm: int, workload: int, values: dict[tuple[int, int], _Values]) -> TrialFigure:
    own = values[arm, workload]
    estimate = statistics.interval_of(own.metric)
    base = _base_of(settings, arm)
    ratio = None
    if base is not None and base != arm and values[base, workload].metric:
        ratio = statistics.ratio_of(estimate, statistics.interval_of(values[base, workload].metric))
    return TrialFigure(
        arm=arm,
        workload=workload,
        values=own.metric,
        outliers=statistics.outliers_of(own.metric),
        estimate=_estimate(estimate),
        ratio=None if ratio is None else _estimate(ratio),
        rank=None,
        write_amplification=_estimate_of(own.amplification),
        space_amplification=_estimate_of(own.space),
        metadata_share=_estimate_of(own.metadata_share),
        prediction=_predicted(own),
        disturbed_count=own.disturbed_count,
        points=_points(own.points),
    )


def _predicted(own: _Values) -> PredictedEstimate | None:
    predicted_s = _estimate_of(own.predicted_s)
    if predicted_s is None:
        return None
    return PredictedEstimate(elapsed_s=_estimate_of(own.elapsed_s), predicted_s=predicted_s)


def _points(of_repetitions: list[list[Point]]) -> list[TrialPoint]:
    """Returns the points, over all repetitions; each has them at the same places."""
    found = []
    for at_one_place in zip(*of_repetitions, strict=False):
        at = at_one_place[0].at
        estimate = _estimate(statistics.interval_of([point.value for point in at_one_place]))
        costs = [point.elapsed_s / point.pulls_count for point in at_one_place if point.elapsed_s is not None]
        found.append(TrialPoint(at=at, estimate=estimate, cost=_estimate_of(costs)))
    return found


def _estimate_of(values: list[float]) -> Estimate | None:
    return _estimate(statistics.interval_of(values)) if values else None


def _estimate(interval: Interval) -> Estimate:
    return Estimate(
        count=interval.count,
        mean=interval.mean,
        low=interval.low,
        high=interval.high,
        deviation=interval.deviation,
    )


def _base_of(settings: TrialSettings, arm: int) -> int | None:
    """Returns the base of the arm's group; None if it has none."""
    group = settings.arms[arm].group
    bases = [index for index, other in enumerate(settings.arms) if other.group == group and other.is_base]
    return bases[0] if bases else None


def _rank(settings: TrialSettings, figures: list[TrialFigure]) -> None:
    """Sets the rank of each figure among the groups in its state."""
    by_state: dict[tuple[int, str | None], dict[str, TrialFigure]] = defaultdict(dict)
    for figure in figures:
        arm = settings.arms[figure.arm]
        by_state[figure.workload, _state_of(settings, figure.arm)][arm.group or ""] = figure
    for (workload, _), of_groups in by_state.items():
        if len(of_groups) < 2:
            continue
        intervals = {group: statistics.interval_of(figure.values) for group, figure in of_groups.items()}
        ranks = statistics.ranks_of(intervals, is_more_better=_is_more_better(settings, workload))
        for group, figure in of_groups.items():
            figure.rank = ranks[group]


def _is_more_better(settings: TrialSettings, workload: int) -> bool:
    return ROWS[settings.workloads[workload].kind].is_more_better


def _state_of(settings: TrialSettings, arm: int) -> str:
    """Returns the state that arms of several groups share: their bases count as one."""
    return "" if settings.arms[arm].is_base else settings.arms[arm].state or ""


def _changes(settings: TrialSettings, values: dict[tuple[int, int], _Values]) -> list[RankChange]:
    changes = []
    states = sorted({_state_of(settings, arm) for arm in range(len(settings.arms))} - {""})
    for workload in range(len(settings.workloads)):
        before = _intervals(settings, values, workload, "")
        for state in states:
            after = _intervals(settings, values, workload, state)
            changes += [
                RankChange(workload=workload, state=state, first=first, second=second)
                for first, second in statistics.reversed_pairs(before, after)
            ]
    return changes


def _intervals(
    settings: TrialSettings, values: dict[tuple[int, int], _Values], workload: int, state: str
) -> dict[str, Interval]:
    """Returns the interval of each group in that state."""
    return {
        arm.group or "": statistics.interval_of(values[index, workload].metric)
        for index, arm in enumerate(settings.arms)
        if _state_of(settings, index) == state and values[index, workload].metric
    }
