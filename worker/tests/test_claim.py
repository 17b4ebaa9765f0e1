"""The right to touch a device: second claims, lost leases, dead holders, lost messages."""

import os
import subprocess
import threading
import time
from contextlib import nullcontext
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import update

from fixture_types import MIB, MakeSandbox, StartRun
from gates import Gates
from observe import assert_device_is_free, cores_on, device_of, lease_of, payloads_of, run_of
from patina.account.role import Role
from patina.account.service import add_account
from patina.db import transaction
from patina.device import lease
from patina.device.lease import DeviceBusy, LeaseLost
from patina.device.models import Device, Lease
from patina.device.state import DeviceUsers
from patina.host.models import Host
from patina.job import journal
from patina.job.models import Job
from patina.job.state import JobState
from patina.run.models import Run
from patina.settings import forget_settings
from patina_dev.testing.wait import wait_until
from patina_stack.services import PrivateServices

SIZE_BYTES = 64 * MIB
TTL = timedelta(seconds=60)


def _claim(run_id: int) -> int | None:
    with transaction() as session:
        return lease.claim(session=session, lease_id=lease_of(run_id), ttl=TTL)


def _start_in_database(run_id: int) -> None:
    """Leaves a run as a dead worker does: claimed and running, without a process."""
    assert _claim(run_id) == 1
    with transaction() as session:
        run = session.get_one(Run, run_id)
        journal.move(session=session, job=run, from_state=JobState.QUEUED, to_state=JobState.RUNNING, message="Started")


def _expire(run_id: int) -> None:
    with transaction() as session:
        past = datetime.now(UTC) - timedelta(seconds=1)
        session.execute(update(Lease).where(Lease.id == session.get_one(Run, run_id).lease_id).values(expires_at=past))


def test_a_second_claim_is_refused(make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    run_id = start_run(make_sandbox(SIZE_BYTES))
    assert _claim(run_id) == 1
    assert _claim(run_id) is None


def test_a_second_run_on_the_device_is_refused_by_the_database(make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    device_id = make_sandbox(SIZE_BYTES)
    start_run(device_id)
    with pytest.raises(DeviceBusy, match="run 1"):
        start_run(device_id)


def test_a_run_whose_lease_another_has_is_left_alone(make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    from patina_worker import tasks

    run_id = start_run(make_sandbox(SIZE_BYTES))
    assert _claim(run_id) == 1

    tasks.work(run_id)

    assert run_of(run_id).state == JobState.QUEUED
    assert len(payloads_of(run_id)) == 1


def test_a_run_that_has_ended_is_not_run_again(make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    from patina_worker import tasks

    run_id = start_run(make_sandbox(SIZE_BYTES))
    tasks.work(run_id)
    before = payloads_of(run_id)
    tasks.work(run_id)
    tasks.work(12345)

    assert run_of(run_id).state == JobState.SUCCEEDED
    assert payloads_of(run_id) == before


def test_a_job_whose_account_may_no_longer_use_the_device_writes_nothing(
    make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    from patina_worker import tasks
    from patina_worker.host.generation import generation_of

    device_id = make_sandbox(SIZE_BYTES)
    run_id = start_run(device_id)
    path = device_of(device_id).path or ""
    before = generation_of(path)
    with transaction() as session:
        account = add_account(session=session, name="ada", role=Role.MEMBER, password_hash=None)
        session.get_one(Run, run_id).account_id = account.id
        session.get_one(Device, device_id).users = DeviceUsers.OPERATORS

    tasks.work(run_id)

    run = run_of(run_id)
    assert (run.state, run.error_code) == (JobState.FAILED, "device_not_yours")
    assert generation_of(path) == before
    assert_device_is_free(device_id)

    with transaction() as session:
        session.get_one(Device, device_id).users = DeviceUsers.MEMBERS
    tasks.work(second := start_run(device_id))
    assert run_of(second).state == JobState.SUCCEEDED


def test_a_lost_lease_kills_the_core_and_silences_the_run(
    gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    from patina_worker import tasks

    device_id, gate = make_sandbox(SIZE_BYTES), gates.close("age.stable")
    run_id = start_run(device_id, "steady")
    thread = threading.Thread(target=tasks.work, args=(run_id,))
    thread.start()
    with gate.held(run_id):
        with transaction() as session:
            assert lease.seize(session=session, lease_id=lease_of(run_id), ttl=TTL) == 2
        events_count = len(payloads_of(run_id))
        wait_until("the run is silenced", lambda: not thread.is_alive())

    path = device_of(device_id).path or ""
    assert cores_on(path) == []
    assert len(payloads_of(run_id)) == events_count
    assert run_of(run_id).state == JobState.RUNNING  # the new holder of the lease ends it
    _assert_recovered(run_id, device_id)


def _assert_recovered(run_id: int, device_id: int) -> None:
    from patina_worker.jobs import recovery

    host_id = device_of(device_id).host_id
    assert recovery.interrupt_dead_work(host_id=host_id, known_dead=()) == []
    _expire(run_id)
    assert [work.label for work in recovery.interrupt_dead_work(host_id=host_id, known_dead=())] == [f"run {run_id}"]
    assert run_of(run_id).state == JobState.INTERRUPTED
    assert_device_is_free(device_id)


def test_a_lease_that_cannot_be_renewed_in_time_is_lost(
    monkeypatch: pytest.MonkeyPatch, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    from patina_worker.jobs.claim import Claim

    monkeypatch.setenv("PATINA_LEASE_S", "0")
    forget_settings()
    run_id = start_run(make_sandbox(SIZE_BYTES))
    claim = Claim(lease_id=lease_of(run_id), fence=1)
    time.sleep(0.01)
    with pytest.raises(LeaseLost, match="expired") as raised:
        claim.check()
    assert raised.value.code == "lease_lost"
    monkeypatch.undo()
    forget_settings()


def test_a_dead_run_is_not_ended_while_a_process_of_it_holds_the_device(
    make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    from patina_worker.host import device_node
    from patina_worker.jobs import recovery

    device_id = make_sandbox(SIZE_BYTES)
    run_id = start_run(device_id)
    _start_in_database(run_id)
    dead = recovery.active_work(host_id=1)
    assert [work.label for work in dead] == [f"run {run_id}"]
    with device_node.held(device_of(device_id).path or ""):
        assert recovery.interrupt_dead_work(host_id=1, known_dead=dead) == []
        assert run_of(run_id).state == JobState.RUNNING

    assert recovery.interrupt_dead_work(host_id=1, known_dead=dead) == dead
    assert run_of(run_id).state == JobState.INTERRUPTED
    assert_device_is_free(device_id)


def test_a_machine_that_takes_a_silent_hosts_name_waits_for_the_leases_there(
    make_sandbox: MakeSandbox, start_run: StartRun, host_id: int
) -> None:
    """Both may reach the same disk, and one machine's kernel does not see the other's locks."""
    from patina_worker import heartbeat
    from patina_worker.jobs.reminder import Reminder

    run_id = start_run(make_sandbox(SIZE_BYTES))
    _start_in_database(run_id)
    with transaction() as session:
        host = session.get_one(Host, host_id)
        host.worker_key, host.heartbeat_at = "key of another machine", datetime.now(UTC) - timedelta(days=1)
    heartbeat.prepare()
    heartbeat.beat(reminder=Reminder())
    assert run_of(run_id).state == JobState.RUNNING
    with transaction() as session:
        lease.renew(session=session, lease_id=lease_of(run_id), fence=1, ttl=TTL)  # it lives

    _expire(run_id)
    heartbeat.beat(reminder=Reminder())
    assert run_of(run_id).state == JobState.INTERRUPTED


def test_a_worker_ends_at_once_what_was_left_in_its_own_state_folder(
    make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    from patina_worker import heartbeat
    from patina_worker.jobs.reminder import Reminder

    run_id = start_run(make_sandbox(SIZE_BYTES))
    _start_in_database(run_id)
    heartbeat.prepare()
    heartbeat.beat(reminder=Reminder())
    assert run_of(run_id).state == JobState.INTERRUPTED


@pytest.mark.parametrize("path", ["a pipe", "/dev/" + "x" * 5000, "a name in memory"])
def test_a_malformed_row_keeps_no_other_from_its_end(
    make_sandbox: MakeSandbox, start_run: StartRun, tmp_path: Path, path: str
) -> None:
    """Otherwise the host would become silent again after each restart."""
    from patina_worker import heartbeat
    from patina_worker.jobs.reminder import Reminder

    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    spoilt, other = (start_run(make_sandbox(SIZE_BYTES)) for _ in range(2))
    for run_id in (spoilt, other):
        _start_in_database(run_id)
    with transaction() as session:
        run = session.get_one(Run, spoilt)
        run.confirmed = {}
        run.device.path = str(pipe) if path == "a pipe" else path
    heartbeat.prepare()
    heartbeat.beat(reminder=Reminder())
    assert run_of(other).state == JobState.INTERRUPTED


def test_a_dead_run_whose_device_is_gone_is_interrupted_too(
    make_sandbox: MakeSandbox, start_run: StartRun, tmp_path: Path
) -> None:
    """Covers a device name that another device has by now, with a job on it."""
    from patina_worker.host import device_node, sandbox
    from patina_worker.jobs import recovery

    device_id = make_sandbox(SIZE_BYTES)
    run_id = start_run(device_id)
    _start_in_database(run_id)
    device = device_of(device_id)
    sandbox.remove(stable_id=device.stable_id, medium=device.medium)
    other = tmp_path / "other.img"
    other.touch()
    os.truncate(other, SIZE_BYTES)
    path = device.path or ""
    # The name may be another test's device already.
    attached = subprocess.run(["losetup", path, other], check=False).returncode == 0
    try:
        dead = recovery.active_work(host_id=1)
        with device_node.held(path) if attached else nullcontext():
            assert recovery.interrupt_dead_work(host_id=1, known_dead=dead) == dead
    finally:
        if attached:
            subprocess.run(["losetup", "--detach", path], check=True)

    assert run_of(run_id).state == JobState.INTERRUPTED
    device = device_of(device_id)
    assert (device.condition, device.condition_reason) == ("lost", f"no longer at {path}")


def test_a_queued_run_whose_message_was_lost_is_sent_again(make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    from patina.host.models import Host
    from patina_worker.jobs.reminder import Reminder

    run_id = start_run(make_sandbox(SIZE_BYTES))
    reminder = Reminder()

    def _remind() -> int:
        with transaction() as session:
            return reminder.send(session=session, host=session.get_one(Host, 1))

    assert _remind() == 0
    with transaction() as session:
        session.execute(update(Job).where(Job.id == run_id).values(touched_at=datetime(2020, 1, 1, tzinfo=UTC)))
    assert [_remind(), _remind()] == [1, 0]


def test_once_the_worker_starts_a_lost_message_loses_nothing(
    services: PrivateServices, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    """The broker loses everything; the database does not."""
    import redis

    from patina.host.models import Host
    from patina_worker.jobs.reminder import Reminder

    run_id = start_run(make_sandbox(SIZE_BYTES))
    broker = redis.Redis.from_url(services.ports.redis_admin_url)
    broker.flushall()
    with transaction() as session:
        session.execute(update(Job).where(Job.id == run_id).values(touched_at=datetime(2020, 1, 1, tzinfo=UTC)))
    with transaction() as session:
        Reminder().send(session=session, host=session.get_one(Host, 1))

    wait_until("the message is there again", lambda: broker.llen("patina:host.local") == 1)
