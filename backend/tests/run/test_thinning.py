"""Long runs: fewer samples are kept, and the curves stay the same."""

import itertools
import math
from typing import Any

import pytest
from fastapi.testclient import TestClient
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import insert, text, update

from patina.activity.payload import job_payload
from patina.db import transaction
from patina.job import journal
from patina.job.models import Job, JobEvent
from patina.run import thinning
from patina.run.thinning import (
    MOST_SAMPLES_COUNT,
    MOST_SPACES_COUNT,
    RECENT_SAMPLES_COUNT,
    RECENT_SPACES_COUNT,
    Point,
    superfluous,
)


def _sample(step: int, count: int) -> dict[str, Any]:
    """Returns a sample of a curve with a knee, a single deep spike, and noise."""
    rmse = 1e-6 if step == count // 3 else _rmse(step, count)
    histogram = {"rmse": rmse, "rmse_floor": 0.0, "observed_fractions": []}
    return {
        "type": "sample", "phase": "stable", "ops_count": step * 100, "elapsed_s": step / 2, "progress_fraction": 0.5,
        "eta_s": None, "ops_per_s": 1000.0 + step % 13, "live_files_count": 1, "live_bytes": 1, "fullness": 0.7,
        "fullness_statfs": None, "overwrites": 1.0, "no_space_count": 0,
        "histograms": {name: histogram for name in ("size", "depth", "age")},
    }  # fmt: skip


def _store(run_id: int, payloads: list[dict[str, Any]]) -> None:
    """Stores events after the one event of a queued run."""
    rows = [
        {"job_id": run_id, "sequence": at + 2, "follows": at + 1, "payload": payload}
        for at, payload in enumerate(payloads)
    ]
    with transaction() as session:
        session.execute(insert(JobEvent), rows)
        session.execute(update(Job).where(Job.id == run_id).values(last_sequence=len(rows) + 1))


def _thin(run_id: int) -> int:
    with transaction() as session:
        return thinning.thin(session=session, run_id=run_id)


def test_a_long_run_stays_under_the_limit_and_draws_the_same_picture(
    client: TestClient, run_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    most, recent = 2_400, 300
    assert most / recent == MOST_SAMPLES_COUNT / RECENT_SAMPLES_COUNT
    monkeypatch.setattr(thinning, "MOST_SAMPLES_COUNT", most)
    monkeypatch.setattr(thinning, "RECENT_SAMPLES_COUNT", recent)
    count = most + 600
    with transaction() as session:  # statistics of one row, as under a run that has just begun
        session.execute(text("ANALYZE job_event"))
    _store(run_id, [_sample(step, count) for step in range(count)])

    assert _thin(run_id) > 1_300
    assert _thin(run_id) == 0

    events: list[dict[str, Any]] = []
    while True:
        after = events[-1]["sequence"] if events else 0
        page = client.get(f"/api/v1/jobs/{run_id}/events", params={"after": str(after), "limit": "1000"}).json()[
            "items"
        ]
        if not page:
            break
        events += page
    sequences = [event["sequence"] for event in events]
    assert [event["follows"] for event in events] == [0, *sequences[:-1]]
    assert sequences[-recent:] == list(range(count + 2 - recent, count + 2))
    samples = [event["payload"] for event in events if event["payload"]["type"] == "sample"]
    assert samples[0]["ops_count"] == 0
    assert any(sample["histograms"]["age"]["rmse"] == 1e-6 for sample in samples)  # the spike is kept
    _assert_same_picture(samples, count)


def _assert_same_picture(samples: list[dict[str, Any]], count: int) -> None:
    """The drawn line is nowhere farther from the line of all samples than their noise."""
    by_step = {int(sample["ops_count"]) // 100: sample for sample in samples}
    steps = sorted(by_step)
    for before, after in itertools.pairwise(steps):
        assert after - before <= 4
        for step in range(before, after):
            assert abs(_rmse(step, count) - _rmse(before, count)) < 0.002


def _rmse(step: int, count: int) -> float:
    return 0.1 * math.exp(-6 * step / count) + 0.0001 * (1 + step % 7)


def test_of_checkpoints_the_newest_are_kept_and_nothing_else_is_lost(client: TestClient, run_id: int) -> None:
    checkpoint: dict[str, Any] = {"type": "checkpoint", "ops_count": 1, "elapsed_s": 1.0}
    step: dict[str, Any] = {"type": "step", "message": "kept"}
    _store(run_id, [checkpoint] * 50 + [step] + [checkpoint] * 50)
    assert _thin(run_id) == 84
    items = client.get(f"/api/v1/jobs/{run_id}/events").json()["items"]
    assert [event["payload"]["type"] for event in items] == ["state", "step", *["checkpoint"] * 16]
    assert [event["sequence"] for event in items][-1] == 102
    assert items[1]["follows"] == 1


def test_of_spaces_the_newest_few_are_kept(client: TestClient, run_id: int) -> None:
    def space(ops_count: int) -> dict[str, Any]:
        cells = {"device_bytes": 8192, "block_size_bytes": 4096, "cell_bytes": 4096, "free_blocks": [1, 0]}
        return {"type": "space", "ops_count": ops_count, "elapsed_s": 1.0, **cells}

    _store(run_id, [space(ops_count) for ops_count in range(MOST_SPACES_COUNT)])
    assert _thin(run_id) == 0
    with transaction() as session:
        journal.append(session=session, job_id=run_id, payload=job_payload.validate_python(space(MOST_SPACES_COUNT)))
    assert _thin(run_id) == MOST_SPACES_COUNT + 1 - RECENT_SPACES_COUNT
    state, *kept = client.get(f"/api/v1/jobs/{run_id}/events").json()["items"]
    assert [event["payload"]["ops_count"] for event in kept] == [13, 14, 15, 16]
    assert [event["follows"] for event in kept] == [state["sequence"], 15, 16, 17]


_finite = st.floats(-1e6, 1e6)


@given(st.lists(st.tuples(_finite, _finite), min_size=0, max_size=60))
def test_ends_are_kept_and_no_more_than_half_goes(ys: list[tuple[float, float]]) -> None:
    points = [Point(sequence=at + 1, x=float(at), ys=pair) for at, pair in enumerate(ys)]
    dropped = superfluous(points)
    assert len(set(dropped)) == len(dropped) <= len(points) / 2
    assert not {1, len(points)} & set(dropped)
