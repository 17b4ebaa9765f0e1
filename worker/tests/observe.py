"""Reads the real state of rows, events, processes and devices for the tests."""

import os
from pathlib import Path
from typing import NoReturn

import pytest
from sqlalchemy import select

from patina.core.contract.phase import Phase
from patina.db import transaction
from patina.device import lease
from patina.device.models import Device
from patina.job.models import JobEvent
from patina.job.state import ENDED, JobState
from patina.run.models import Run
from patina_dev.testing.wait import wait_until
from patina_worker.jobs.claim import Claim, lease_ttl


def run_of(run_id: int) -> Run:
    with transaction() as session:
        return session.get_one(Run, run_id)


def device_of(device_id: int) -> Device:
    with transaction() as session:
        return session.get_one(Device, device_id)


def lease_of(run_id: int) -> int:
    """Returns the id of the lease that the run holds or held."""
    lease_id = run_of(run_id).lease_id
    assert lease_id is not None
    return lease_id


def claim_of(run_id: int) -> Claim:
    """Returns the claim of a worker that begins the run."""
    lease_id = lease_of(run_id)
    with transaction() as session:
        fence = lease.claim(session=session, lease_id=lease_id, ttl=lease_ttl())
    assert fence is not None
    return Claim(lease_id=lease_id, fence=fence)


def payloads_of(run_id: int) -> list[dict[str, object]]:
    with transaction() as session:
        rows = session.query(JobEvent).filter_by(job_id=run_id).order_by(JobEvent.sequence).all()
    assert [row.follows for row in rows] == [0, *(row.sequence for row in rows[:-1])]
    return [row.payload for row in rows]


def wait_for_end(run_id: int) -> Run:
    wait_until(f"run {run_id} ends", lambda: _place_of(run_id)[0] in ENDED)
    return run_of(run_id)


def _place_of(run_id: int) -> tuple[JobState, str | None]:
    """Returns only the state and phase, because waits poll them."""
    with transaction() as session:
        state, phase = session.execute(select(Run.state, Run.phase).where(Run.id == run_id)).one()
    return state, phase


def _fail_as(run: Run) -> NoReturn:
    pytest.fail(f"run {run.id} is {run.state}: {run.message}\n{run.error_log}")


def wait_for_phase(run_id: int, phase: Phase) -> None:
    """Waits until the worker has written that the run is in the phase. A core held at a gate keeps it there."""

    def _is_there() -> bool:
        state, reached = _place_of(run_id)
        if state in ENDED:
            _fail_as(run_of(run_id))
        return state == JobState.RUNNING and reached == phase

    wait_until(f"run {run_id} is in {phase}", _is_there)


def samples_count(run_id: int) -> int:
    return sum(payload["type"] == "sample" for payload in payloads_of(run_id))


def wait_for_stable_aging(run_id: int) -> None:
    """Waits until the run has stored some samples of stable aging."""

    def _is_under_way() -> bool:
        if _place_of(run_id)[0] not in (JobState.QUEUED, JobState.RUNNING):
            _fail_as(run_of(run_id))
        return samples_count(run_id) >= 2

    wait_until(f"run {run_id} is under way", _is_under_way)


def _target(fd: Path) -> str:
    """Returns the target of a descriptor; empty when it was closed meanwhile, as an aging core does all the time."""
    try:
        return os.readlink(fd)
    except FileNotFoundError:
        return ""


def cores_on(path: str) -> list[int]:
    """Returns processes of patina-core that have the device node open, of any parent."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().split(b"\0")
            if not any(word.endswith(b"patina-core") for word in words[:2]):  # second word: behind an interpreter
                continue
            if path in [_target(fd) for fd in (process / "fd").iterdir()]:
                found.append(int(process.name))
        except OSError:
            continue
    return found


def look_at_devices() -> None:
    """Updates the rows of devices as the worker does every few seconds, after a test has written to one."""
    from patina_worker import heartbeat
    from patina_worker.host import inventory
    from patina_worker.host.disk_watch import Watch

    inventory.refresh(heartbeat.report(), Watch().look())


def assert_device_is_free(device_id: int) -> None:
    """Asserts: no lease, no mount in any namespace, no lock, no core; the kernel grants exclusive access."""
    from patina_worker.host import device_node, device_users, probe

    device = device_of(device_id)
    assert device.active_lease is None
    assert device.path is not None
    block = probe.find_device(device.path)
    assert block is not None
    assert probe.why_in_use(block, device_users.look()) is None
    assert cores_on(device.path) == []
    with device_node.held(device.path), device_node.opened_alone(device.path):
        pass
