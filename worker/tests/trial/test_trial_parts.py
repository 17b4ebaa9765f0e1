"""Parts of a repetition, put together."""

import pytest

from patina.trial.measurement import DeviceTraffic, TraceFigures
from patina.trial.workload import GitWorkload, GrepWorkload
from patina_worker.handlers.trial.device_traffic import between, total
from patina_worker.handlers.trial.parts import parts_of, traced_together


def traced(reads_count: int | None, reason: str | None = None) -> TraceFigures:
    return TraceFigures(
        source="tracefs",
        touched_bytes=4096,
        incomplete_reason=reason,
        written_bytes=1,
        metadata_written_bytes=0,
        reads_count=reads_count,
        read_bytes=8192,
        read_jumps_count=1,
    )


def traffic(written_bytes: int, elapsed_s: float | None, predicted_s: float | None) -> DeviceTraffic:
    counts = dict.fromkeys(("reads_count", "read_bytes", "writes_count", "discarded_bytes", "flushes_count"), 1)
    return DeviceTraffic(**counts, written_bytes=written_bytes, elapsed_s=elapsed_s, predicted_s=predicted_s)


def test_only_the_unaged_variant_of_git_has_several_parts() -> None:
    git = GitWorkload(pulls_count=5, grep_every=2)
    assert parts_of(GrepWorkload()) == parts_of(git) == [None]
    assert parts_of(git.model_copy(update={"variant": "unaged"})) == [0, 2, 4, 5]


def test_traces_are_summed() -> None:
    found = traced_together([traced(2), traced(3)], is_whole=True)
    assert found is not None
    assert (found.touched_bytes, found.reads_count, found.read_bytes) == (8192, 5, 16384)
    assert found.layout_score == 1 - 2 / 4


def test_a_part_without_a_trace_leaves_none() -> None:
    assert traced_together([traced(2), None], is_whole=True) is None


@pytest.mark.parametrize(
    ("reason", "is_whole", "is_known"),
    [
        (None, True, True),
        ("unknown_generation", True, True),
        ("dropped_events", True, False),
        ("tracer_died", True, False),
        (None, False, False),
    ],
)
def test_counts_are_known_if_every_event_of_the_workload_alone_was_seen(
    reason: str | None, is_whole: bool, is_known: bool
) -> None:
    found = traced_together([traced(2), traced(3, reason)], is_whole=is_whole)
    assert found is not None
    assert found.incomplete_reason == reason
    assert (found.reads_count is not None) == is_known
    assert (found.layout_score is not None) == is_known


def test_traffic_is_summed_with_its_predicted_time_from_nothing_on() -> None:
    found = total(total(), traffic(10, 1.0, 60.0), traffic(20, 2.0, 3.5))
    assert (found.written_bytes, found.elapsed_s, found.predicted_s) == (30, 3.0, 63.5)
    assert total(traffic(10, 1.0, 60.0), traffic(20, 2.0, None)).predicted_s is None


def test_a_predicted_time_ends_with_its_emulator() -> None:
    found = between(traffic(10, 1.0, 60.0), traffic(30, 3.0, 61.5))
    assert (found.written_bytes, found.elapsed_s, found.predicted_s) == (20, 2.0, 1.5)
    assert between(traffic(10, 1.0, 60.0), traffic(30, 3.0, 0.5)).predicted_s is None
    assert between(traffic(10, 1.0, None), traffic(30, 3.0, 0.5)).predicted_s is None
