"""The results of a study so far: of each cell, means over seeds with their intervals."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TypeVar

from sqlalchemy import select
from sqlalchemy.orm import Session

from patina.core.contract.shingle import CapacitySummary, CleaningSummary
from patina.study.models import StudyResult
from patina.study.published import published_of
from patina.study.schemas import PublishedFigures, StudyCell, StudyEstimate
from patina.study.settings import BLOCK_BYTES, CapacitySettings, Cell, CleaningSettings
from patina.trial import statistics

Summary = CapacitySummary | CleaningSummary
AnySummary = TypeVar("AnySummary", CapacitySummary, CleaningSummary)


def _capacity(summary: CapacitySummary, settings: CapacitySettings) -> dict[str, float]:
    return {
        "over_allocation_fraction": summary.total_blocks / (settings.usable_bytes // BLOCK_BYTES) - 1,
        "unusable_fraction": summary.unusable_blocks / summary.total_blocks,
        "total_blocks": summary.total_blocks,
        "free_blocks": summary.free_blocks,
        "unusable_blocks": summary.unusable_blocks,
        "usable_blocks": summary.usable_blocks,
    }


def _cleaning(summary: CleaningSummary) -> dict[str, float]:
    return {
        "moved_ratio": summary.moved_blocks / summary.written_blocks if summary.written_blocks else 0.0,
        "written_ratio": summary.written_blocks / summary.total_blocks,
        "cleanings_count": summary.cleanings_count,
    }


def figures_of(summary: Summary, settings: CapacitySettings | CleaningSettings) -> dict[str, float]:
    """Returns the figures of one result, by name."""
    if isinstance(summary, CleaningSummary):
        return _cleaning(summary)
    assert isinstance(settings, CapacitySettings)
    return _capacity(summary, settings)


def summary_of(document: object, settings: CapacitySettings | CleaningSettings) -> Summary:
    """Returns a stored result."""
    model = CapacitySummary if isinstance(settings, CapacitySettings) else CleaningSummary
    return model.model_validate(document)


def rows_of(*, session: Session, study_id: int) -> Sequence[StudyResult]:
    """Returns the results, by cell and seed."""
    order = (StudyResult.cell, StudyResult.seed)
    return session.scalars(select(StudyResult).where(StudyResult.study_id == study_id).order_by(*order)).all()


def of(*, session: Session, study_id: int, settings: CapacitySettings | CleaningSettings) -> list[StudyCell]:
    """Returns every cell, also those without a result."""
    found: dict[int, list[Summary]] = defaultdict(list)
    for row in rows_of(session=session, study_id=study_id):
        found[row.cell].append(summary_of(row.summary, settings))
    return [_cell(settings, cell, found[index]) for index, cell in enumerate(settings.cells())]


def _cell(settings: CapacitySettings | CleaningSettings, cell: Cell, summaries: list[Summary]) -> StudyCell:
    values: dict[str, list[float]] = defaultdict(list)
    for summary in summaries:
        for name, value in figures_of(summary, settings).items():
            values[name].append(value)
    published = published_of(settings, cell)
    is_cleaning = isinstance(settings, CleaningSettings)
    return StudyCell(
        interface=cell.interface,
        policy=cell.policy,
        did_blocks=cell.did_blocks,
        fullness=cell.fullness,
        results_count=len(summaries),
        full_count=_count(summaries, lambda each: isinstance(each, CleaningSummary) and each.is_full)
        if is_cleaning
        else None,
        figures={name: _estimate(each) for name, each in values.items()},
        published=None if published is None else PublishedFigures.model_validate(published),
    )


def _count(summaries: list[Summary], is_counted: Callable[[Summary], bool]) -> int:
    return sum(is_counted(each) for each in summaries)


def _estimate(values: list[float]) -> StudyEstimate:
    interval = statistics.interval_of(values)
    half_width = None if interval.high is None else interval.high - interval.mean
    return StudyEstimate(mean=interval.mean, half_width=half_width)
