"""Kills each part of the stack in each phase of a run: the run ends as it should, and leaves nothing behind."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
import redis
from sqlalchemy import select

from fixture_types import MIB, MakeSandbox, StartRun
from gates import Gates
from observe import (
    assert_device_is_free,
    cores_on,
    device_of,
    payloads_of,
    run_of,
    samples_count,
    wait_for_end,
    wait_for_phase,
)
from patina.core.contract.phase import Phase
from patina.db import engine, transaction
from patina.device.models import Lease
from patina.device.state import DeviceCondition
from patina.image.models import Image
from patina.job import service as job_service
from patina.job.service import AUTOMATIC_RESUMES_COUNT
from patina.job.state import JobState
from patina.run import steering
from patina.run.resuming import NotResumable
from patina.settings import settings
from patina_dev.testing.api import ApiProcess
from patina_dev.testing.loop_files import loop_files
from patina_dev.testing.wait import HANG_S, wait_until
from patina_stack import services as service_module
from patina_stack.process import Part
from patina_stack.services import PrivateServices
from patina_worker.host.mounts import all_mounts
from worker_process import WorkerProcess

SIZE_BYTES = 64 * MIB
# The gates at which the core waits while a part is killed. A run in memory restores its image to the device at the end.
POINTS = {
    Phase.PREPARE: "age.prepare",
    Phase.RAPID: "age.begin",
    Phase.STABLE: "age.stable",
    Phase.CAPTURE: "capture.finish",
    Phase.RESTORE: "restore.piece-1",
}
FAKETIME = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1"


@dataclass
class Stack:
    """Every part that may die, and the run that must survive."""

    services: PrivateServices
    worker: WorkerProcess
    gates: Gates
    run_id: int = 0

    def kill_core(self) -> None:
        for core in cores_on(device_of(run_of(self.run_id).device_id).path or ""):
            os.kill(core, signal.SIGKILL)

    def kill_worker(self) -> None:
        self.worker.end(signal.SIGKILL)
        self.worker.start()

    def kill_redis(self) -> None:
        self._kill_server(self.services.redis)

    def kill_postgresql(self) -> None:
        self._kill_server(self.services.postgresql)
        engine().dispose()  # the test's own connections

    def _kill_server(self, server: Part) -> None:
        pid = server.pid()
        assert pid is not None
        os.killpg(pid, signal.SIGKILL)
        wait_until(f"{server.name} is gone", lambda: server.pid() is None)
        self.services.start()


@pytest.fixture
def stack(services: PrivateServices, worker: WorkerProcess, gates: Gates) -> Stack:
    """Returns the stack with a running worker."""
    worker.start()
    worker.wait_until_ready()
    return Stack(services, worker, gates)


@pytest.fixture(autouse=True)
def _nothing_is_left() -> Iterator[None]:
    """Checks that no mount and no loop device is left, except for sandbox devices, which a fixture removes."""
    before = _mounts()
    yield
    # A killed core ends once the kernel has completed its writes.
    wait_until("what the runs had mounted is gone", lambda: _mounts() == before)


def _mounts() -> set[str]:
    """Returns the mounts of every namespace: a worker mounts in its own."""
    folder = f"{settings().state_dir}/mnt/run-"
    return {mount.target for mount in all_mounts() if mount.target.startswith(folder)}


def _kill_in_each(
    phases: tuple[Phase, ...], kill: Callable[[], None], stack: Stack, device_id: int, start_run: StartRun
) -> None:
    """Ages the device, and calls `kill` in each of the phases, while a gate holds the core."""
    closed = {phase: stack.gates.close(POINTS[phase]) for phase in phases}
    stack.run_id = start_run(device_id, "steady", in_memory=Phase.RESTORE in phases)
    for phase, gate in closed.items():
        with gate.held(stack.run_id):
            wait_for_phase(stack.run_id, phase)
            kill()


def _interruptions_count(run_id: int) -> int:
    return sum(payload.get("state") == "interrupted" for payload in payloads_of(run_id))


def _assert_ended_well(stack: Stack) -> None:
    run = wait_for_end(stack.run_id)
    assert run.state == JobState.SUCCEEDED, (run.message, run.error_log, stack.worker.log()[-3000:])
    payloads_of(stack.run_id)  # no gap
    assert_device_is_free(run.device_id)
    with transaction() as session:
        assert session.scalars(select(Lease).where(Lease.released_at.is_(None))).all() == []
        [image] = session.scalars(select(Image)).all()
    index = settings().index_dir / image.index_name
    argv = [str(settings().core), "verify", "--index", str(index), "--index-digest", image.index_digest]
    subprocess.run([*argv, "--store", str(settings().store_dir)], check=True, capture_output=True)


@pytest.mark.parametrize(
    ("kill", "phases"),
    [
        # A run goes on by itself three times.
        (Stack.kill_core, (Phase.RAPID, Phase.STABLE, Phase.CAPTURE)),
        (Stack.kill_worker, (Phase.RAPID, Phase.STABLE, Phase.CAPTURE)),
        (Stack.kill_worker, (Phase.RESTORE,)),
    ],
)
def test_a_runner_killed_at_each_phase_costs_the_run_an_interruption(
    kill: Callable[[Stack], None],
    phases: tuple[Phase, ...],
    stack: Stack,
    make_sandbox: MakeSandbox,
    start_run: StartRun,
) -> None:
    _kill_in_each(phases, lambda: kill(stack), stack, make_sandbox(SIZE_BYTES, medium="file"), start_run)
    _assert_ended_well(stack)
    assert _interruptions_count(stack.run_id) == len(phases)


@pytest.mark.parametrize("kill", [Stack.kill_redis, Stack.kill_postgresql])
def test_a_service_killed_at_each_phase_costs_the_run_nothing(
    kill: Callable[[Stack], None], stack: Stack, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    _kill_in_each(tuple(POINTS), lambda: kill(stack), stack, make_sandbox(SIZE_BYTES, medium="file"), start_run)
    _assert_ended_well(stack)
    assert _interruptions_count(stack.run_id) == 0


def test_an_api_killed_at_each_phase_costs_the_run_nothing(
    stack: Stack, api: ApiProcess, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    def _kill() -> None:
        assert api.process is not None
        api.process.kill()
        api.process.wait()
        api.start()

    _kill_in_each(tuple(POINTS), _kill, stack, make_sandbox(SIZE_BYTES, medium="file"), start_run)
    _assert_ended_well(stack)
    assert _interruptions_count(stack.run_id) == 0


def test_an_empty_redis_loses_no_run(stack: Stack, make_sandbox: MakeSandbox, start_run: StartRun) -> None:
    """Covers an interrupted run and a queued one."""
    gate = stack.gates.close("age.stable")
    first_id, second_device = start_run(make_sandbox(SIZE_BYTES), "steady"), make_sandbox(SIZE_BYTES)
    with gate.held(first_id):
        stack.worker.end(signal.SIGTERM)
    assert run_of(first_id).state == JobState.INTERRUPTED
    stack.run_id = start_run(second_device)
    redis.Redis.from_url(stack.services.ports.redis_admin_url).flushall()
    stack.kill_redis()
    stack.worker.start()

    for run_id in (stack.run_id, first_id):
        run = wait_for_end(run_id)
        assert run.state == JobState.SUCCEEDED, (run.message, run.error_log)


def test_a_run_asked_for_while_redis_is_down_starts_once_it_is_back(
    stack: Stack, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id = make_sandbox(SIZE_BYTES)
    stack.services.stop_redis()
    stack.run_id = start_run(device_id)
    assert run_of(stack.run_id).state == JobState.QUEUED
    stack.services.start()
    _assert_ended_well(stack)


@pytest.fixture
def medium(request: pytest.FixtureRequest) -> str:
    value: str = request.param
    return value


@pytest.fixture
def small_disk(services: PrivateServices, medium: str) -> Iterator[Path]:
    """Yields the folder of sandbox files, on a disk smaller than a sandbox device's size."""
    folder = settings().memory_dir if medium == "memory" else settings().sandbox_dir
    folder.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m,mode=700", "tmpfs", str(folder)], check=True)
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.mark.parametrize("medium", ["file", "memory"], indirect=True)
def test_a_sandbox_whose_disk_is_full_fails_the_run_and_says_so(
    medium: str,
    small_disk: Path,
    make_sandbox: MakeSandbox,
    start_run: StartRun,
) -> None:
    from patina_worker import tasks

    device_id = make_sandbox(SIZE_BYTES, medium=medium)
    run_id = start_run(device_id, data_mode="write", fullness=0.9)
    tasks.work(run_id)

    run = run_of(run_id)
    assert (run.state, run.error_code) == (JobState.FAILED, "sandbox_disk_full")
    assert str(small_disk) in (run.message or "")
    assert_device_is_free(device_id)

    subprocess.run(["mount", "-o", "remount,size=256m", str(small_disk)], check=True)
    again_id = start_run(device_id)
    tasks.work(again_id)
    assert run_of(again_id).state == JobState.SUCCEEDED


def _backing_file(path: str) -> Path:
    """Returns the backing file of a loop device."""
    return Path(loop_files()[path])


def test_a_loop_device_detached_under_a_run_stays_until_its_end_and_is_found_again(
    worker: WorkerProcess, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id, gate = make_sandbox(SIZE_BYTES), gates.close("age.stable")
    run_id = start_run(device_id, "steady")
    worker.start()
    with gate.held(run_id):
        subprocess.run(["losetup", "--detach", device_of(device_id).path or ""], check=True)

    assert wait_for_end(run_id).state == JobState.SUCCEEDED
    wait_until("the device is back", lambda: _is_attached(device_id))
    assert_device_is_free(device_id)


def _is_attached(device_id: int) -> bool:
    """Compares by backing file: the number of a detached loop device is soon reused."""
    device = device_of(device_id)
    return device.condition == DeviceCondition.READY and device.stable_id in loop_files().get(device.path or "", "")


def test_a_run_whose_device_vanished_fails_and_says_which(
    worker: WorkerProcess, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id, gate = make_sandbox(SIZE_BYTES), gates.close("age.stable")
    run_id = start_run(device_id, "steady")
    worker.start()
    with gate.held(run_id):
        worker.end(signal.SIGTERM)
    path = device_of(device_id).path or ""
    backing = _backing_file(path)
    subprocess.run(["losetup", "--detach", path], check=True)
    backing.unlink()

    worker.start()
    wait_until("the device is lost", lambda: device_of(device_id).condition == DeviceCondition.LOST)
    assert run_of(run_id).state == JobState.INTERRUPTED
    with transaction() as session, pytest.raises(NotResumable, match="lost"):
        steering.resume_run(session=session, run_id=run_id)
    with transaction() as session:
        assert session.scalars(select(Lease).where(Lease.released_at.is_(None))).all() == []


def test_a_device_that_stops_answering_fails_the_run_and_is_lost(
    worker: WorkerProcess, gates: Gates, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    """A loop device whose file is truncated answers every request with an error, like a disk that was pulled."""
    device_id, gate = make_sandbox(SIZE_BYTES), gates.close("age.stable")
    run_id = start_run(device_id, "slow")
    worker.start()
    path = device_of(device_id).path or ""
    with gate.held(run_id):
        os.truncate(_backing_file(path), 0)
        subprocess.run(["losetup", "--set-capacity", path], check=True)

    run = wait_for_end(run_id)
    assert run.state == JobState.FAILED, run.message
    assert run.error_code in {"read_only", "io_error"}, (run.error_code, run.message)
    wait_until("the device is lost", lambda: device_of(device_id).condition == DeviceCondition.LOST)
    assert device_of(device_id).active_lease is None
    assert cores_on(path) == []


@pytest.fixture
def database_clock(services: PrivateServices, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Yields the file with the offset of the database's clock."""
    folder = Path(tempfile.mkdtemp(prefix="patina-clock-"))
    folder.chmod(0o755)
    clock = folder / "clock"
    given = " ".join(f"{name}={value}" for name, value in _stepped_by(clock).items())
    postgres = folder / "postgres"
    postgres.write_text(f'#!/bin/sh\n{given} exec {service_module.POSTGRESQL_BIN}/postgres "$@"\n', encoding="utf-8")
    postgres.chmod(0o755)
    (folder / "initdb").symlink_to(service_module.POSTGRESQL_BIN / "initdb")
    with monkeypatch.context() as patched:
        patched.setattr(service_module, "POSTGRESQL_BIN", folder)
        _restart(services)
        yield clock
    server = services.postgresql.pid()
    _restart(services)
    for left in Path("/dev/shm").glob(f"*faketime_*_{server}"):
        left.unlink()
    shutil.rmtree(folder)


def _stepped_by(clock: Path) -> dict[str, str]:
    """Returns the environment that adds the offset in a file to a process's wall clock, not its monotonic clock."""
    clock.write_text("+0", encoding="utf-8")
    return {
        "LD_PRELOAD": FAKETIME,
        "FAKETIME_TIMESTAMP_FILE": str(clock),
        "FAKETIME_NO_CACHE": "1",
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }


def _restart(services: PrivateServices) -> None:
    engine().dispose()
    services.postgresql.stop(signal.SIGINT, patience_s=HANG_S)
    services.start()


@pytest.mark.parametrize("step_s", [7200, -7200])
def test_a_clock_that_is_stepped_neither_ends_a_run_nor_loses_its_host(
    step_s: int,
    database_clock: Path,
    worker: WorkerProcess,
    gates: Gates,
    make_sandbox: MakeSandbox,
    start_run: StartRun,
) -> None:
    """Steps the database's clock, the only one used for leases, presence and reminders."""
    device_id, gate = make_sandbox(SIZE_BYTES), gates.close("age.stable")
    run_id = start_run(device_id, "slow")
    worker.start()
    with gate.held(run_id):
        before, step = device_of(device_id).host.heartbeat_at, timedelta(seconds=step_s)
        database_clock.write_text(f"{step_s:+d}", encoding="utf-8")
        wait_until("its host is heard", lambda: (device_of(device_id).host.heartbeat_at - before) / step > 0.5)
        assert device_of(device_id).host.is_healthy

    seen_count = samples_count(run_id)
    wait_until("it goes on", lambda: samples_count(run_id) > seen_count + 2)
    run = run_of(run_id)
    assert (run.state, run.resumes_left_count) == (JobState.RUNNING, AUTOMATIC_RESUMES_COUNT)
    with transaction() as session:
        job_service.stop(session=session, job_id=run_id)
    assert wait_for_end(run_id).state == JobState.CANCELED
    assert_device_is_free(run_of(run_id).device_id)
