"""Pace of a device: by its own runs, by those of its kind, or by a careful guess; and its basis."""

from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient

from patina.db import transaction
from patina.device import lease
from patina.job.state import JobState
from patina.run.pace import OTHER_OPS_PER_S, REFERENCE_OPS_PER_S, ROTATIONAL_OPS_PER_S
from run_rows import stored_run

DeviceFactory = Callable[..., int]


def _run(device_id: int, ops_per_s: float, state: JobState = JobState.SUCCEEDED, **columns: str) -> None:
    with transaction() as session:
        run = stored_run(
            session=session,
            device_id=device_id,
            state=state,
            error_code="no_space" if state == JobState.FAILED else None,
            done=1,
            total=1,
            summary={"ops_per_s": ops_per_s},
            **columns,
        )
        lease.release(session=session, lease_id=run.lease_id or 0)


def _pace(client: TestClient, device_id: int, **of: str) -> tuple[float, str, int]:
    answer = client.get("/api/v1/pace", params={"device_id": device_id, **of}).json()
    return answer["ops_per_s"], answer["basis"], answer["runs_count"]


def test_the_pace_is_the_median_of_the_devices_own_recent_runs(client: TestClient, make_device: DeviceFactory) -> None:
    device_id = make_device()
    for rate in (10.0, 200.0, 300.0):
        _run(device_id, rate)
    _run(device_id, 9e9, JobState.FAILED)
    _run(make_device("sandbox-2"), 7.0)
    assert _pace(client, device_id) == (200.0, "device", 3)
    for _ in range(10):
        _run(device_id, 50.0)
    assert _pace(client, device_id) == (50.0, "device", 10)


def test_a_new_device_takes_the_pace_of_its_kind(client: TestClient, make_device: DeviceFactory) -> None:
    _run(make_device(), 40.0)
    _run(make_device("disk", kind="attached", medium=None, is_rotational=True), 9.0)
    assert _pace(client, make_device("sandbox-2")) == (40.0, "kind", 1)
    assert _pace(client, make_device("disk-2", kind="attached", medium=None, is_rotational=True)) == (9.0, "kind", 1)


@pytest.mark.parametrize(("is_rotational", "guess"), [(True, ROTATIONAL_OPS_PER_S), (False, OTHER_OPS_PER_S)])
def test_without_any_run_the_pace_is_a_careful_guess(
    client: TestClient, make_device: DeviceFactory, is_rotational: bool, guess: float
) -> None:
    assert _pace(client, make_device(is_rotational=is_rotational)) == (guess, "default", 0)


def test_for_a_capacity_without_a_device_the_pace_is_a_careful_guess(client: TestClient) -> None:
    answer = client.get("/api/v1/pace").json()
    assert answer == {"ops_per_s": OTHER_OPS_PER_S, "basis": "default", "runs_count": 0}


def test_the_pace_of_an_unknown_device_is_refused(client: TestClient, host_id: int) -> None:
    answer = client.get("/api/v1/pace", params={"device_id": 99})
    assert (answer.status_code, answer.json()["code"]) == (404, "device_unknown")


def test_a_pace_is_of_the_mode_and_the_file_system_that_are_asked_about(
    client: TestClient, make_device: DeviceFactory
) -> None:
    device_id = make_device()
    _run(device_id, 9_000.0, mode="unbounded", file_system="ext4")
    _run(device_id, 4_000.0, mode="faithful", file_system="ext4")
    _run(device_id, 2_000.0, mode="faithful", file_system="btrfs")
    assert _pace(client, device_id, mode="faithful", file_system="ext4") == (4_000.0, "device", 1)
    assert _pace(client, device_id, mode="faithful", file_system="btrfs") == (2_000.0, "device", 1)
    assert _pace(client, device_id, mode="reference", file_system="ext4") == (REFERENCE_OPS_PER_S, "default", 0)
    assert _pace(client, device_id, mode="faithful", file_system="xfs") == (OTHER_OPS_PER_S, "default", 0)
