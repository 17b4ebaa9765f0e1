"""The worker as a process: it reports its host, runs alone, and survives a restart of its database."""

import base64
import fcntl
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import redis

from core_script import Halt
from fixture_types import MIB, MakeSandbox, StartRun
from observe import (
    assert_device_is_free,
    device_of,
    payloads_of,
    run_of,
    wait_for_end,
    wait_for_stable_aging,
)
from patina.db import engine, transaction
from patina.host import service as host_service
from patina.job import service as job_service
from patina.job.state import JobState
from patina.queue import host_queue
from patina.run import steering
from patina.settings import settings
from patina_dev.testing.fixtures import await_free_disk, mounted_privately
from patina_dev.testing.wait import HANG_S, wait_until
from patina_stack.services import PrivateServices
from worker_process import WorkerProcess


def test_a_worker_reports_its_host_and_a_second_one_is_refused(worker: WorkerProcess, tmp_path: Path) -> None:
    worker.start()
    wait_until("the worker is ready", lambda: "ready." in worker.log())
    with transaction() as session:
        [host] = host_service.list_hosts(session=session)
    assert host.is_healthy
    assert host.tools["mke2fs"].startswith("1.")

    second = WorkerProcess(tmp_path / "second.log")
    second.start()
    try:
        assert second.wait() == 78
        assert "Another worker runs on this state folder" in second.log()
    finally:
        second.close()


def test_a_worker_waits_for_what_a_killed_one_has_forked(worker: WorkerProcess) -> None:
    settings().state_dir.mkdir(parents=True, exist_ok=True)
    with (settings().state_dir / "worker.lock").open("a") as left_by_a_fork:
        fcntl.flock(left_by_a_fork, fcntl.LOCK_EX)
        worker.start()
        wait_until("the worker waits for the lock", worker.waits_for_a_lock)
    worker.wait_until_ready()


def test_what_is_no_message_does_not_end_the_worker(
    worker: WorkerProcess, services: PrivateServices, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    """Every host that has joined can put any message into the queue of every other."""
    broker = redis.Redis.from_url(services.ports.redis_url)
    queue = f"patina:{host_queue('local')}"
    device_id = make_sandbox()
    worker.start()
    wait_until("the worker is ready", lambda: "ready." in worker.log())
    body = base64.b64encode(b"[[1], {}, {}]").decode()
    properties = {"delivery_tag": "1", "delivery_info": {"exchange": "", "routing_key": ""}, "body_encoding": "base64"}
    envelope: dict[str, object] = {"body": body, "content-type": "application/json", "properties": properties}
    malformed = ["no JSON", "[]", "{}", '{"body": 1, "properties": 1}', "null", '"text"', "[" * 200_000]
    unknown: list[dict[str, object]] = [{"task": []}, {"task": "other", "id": "1"}]
    malformed += [json.dumps(envelope | {"headers": headers}) for headers in unknown]
    spoilt = {"task": "patina.work", "id": "1", "timelimit": 5, "eta": [], "retries": "x"}
    for message in [*malformed, *[json.dumps(envelope | {"headers": spoilt})] * 40]:
        broker.lpush(queue, message)
    wait_until("the worker has taken all of it", lambda: not broker.exists(queue))
    broker.set(queue, "in the place of the queue")
    wait_until("the worker has dropped it", lambda: not broker.exists(queue))
    assert wait_for_end(start_run(device_id)).state == JobState.SUCCEEDED


def test_a_worker_does_not_keep_a_disk_busy_that_the_host_unmounts(
    worker: WorkerProcess, make_sandbox: MakeSandbox, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = device_of(make_sandbox()).path or ""
    subprocess.run(["mkfs.ext4", "-q", path], check=True)
    with mounted_privately(path, tmp_path_factory.mktemp("disk")):
        worker.start()
        wait_until("the worker is ready", lambda: "ready." in worker.log())

    await_free_disk(path)


@pytest.mark.usefixtures("throttled")
def test_a_worker_that_begins_before_its_database_takes_over_what_was_left(
    services: PrivateServices, worker: WorkerProcess, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    run_id = start_run(make_sandbox(), "slow")
    worker.start()
    wait_for_stable_aging(run_id)
    worker.end(signal.SIGKILL)
    services.postgresql.stop(signal.SIGINT, patience_s=HANG_S)
    try:
        worker.start()
        wait_until("it waits", lambda: "not ready to begin; trying again" in worker.log())
    finally:
        services.start()
        engine().dispose()

    wait_until("it was interrupted", lambda: "interrupted" in [p.get("state") for p in payloads_of(run_id)])
    wait_until("it goes on", lambda: run_of(run_id).state == JobState.RUNNING)
    with transaction() as session:
        job_service.stop(session=session, job_id=run_id)
    assert wait_for_end(run_id).state == JobState.CANCELED


def test_a_worker_that_cannot_begin_ends_and_says_why(worker: WorkerProcess, tmp_path: Path) -> None:
    """Celery would serve tasks without having taken over the jobs that were left."""
    worker.environment["PATINA_STATE_DIR"] = str(tmp_path / "a file" / "state")
    (tmp_path / "a file").touch()
    worker.start()

    assert worker.wait() == 78
    assert "patina worker: It cannot begin: " in worker.log()
    assert "Not a directory" in worker.log()


@pytest.mark.usefixtures("throttled")
def test_a_run_goes_on_when_the_database_restarts(
    services: PrivateServices, worker: WorkerProcess, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    device_id = make_sandbox()
    run_id = start_run(device_id, "slow")
    worker.start()
    wait_for_stable_aging(run_id)

    services.postgresql.stop(signal.SIGINT, patience_s=HANG_S)
    services.start()
    engine().dispose()  # the connections of this process

    events_count = len(payloads_of(run_id))
    wait_until("new samples are stored", lambda: len(payloads_of(run_id)) > events_count + 2)
    assert run_of(run_id).state == JobState.RUNNING
    with transaction() as session:
        job_service.stop(session=session, job_id=run_id)
    assert wait_for_end(run_id).state == JobState.CANCELED
    assert_device_is_free(device_id)


@pytest.mark.usefixtures("throttled")
def test_runs_that_are_paused_for_long_keep_no_other_waiting(
    worker: WorkerProcess, make_sandbox: MakeSandbox, start_run: StartRun
) -> None:
    worker.environment["PATINA_TASKS_AT_ONCE"] = "7"
    worker.start()
    long = [start_run(make_sandbox(64 * MIB), "slow") for _ in range(6)]
    for run_id in long:
        wait_for_stable_aging(run_id)
        with transaction() as session:
            steering.pause_run(session=session, run_id=run_id)
    wait_until("they are paused", lambda: {run_of(run_id).state for run_id in long} == {JobState.PAUSED})

    assert wait_for_end(start_run(make_sandbox(64 * MIB))).state == JobState.SUCCEEDED

    for run_id in long:
        with transaction() as session:
            job_service.stop(session=session, job_id=run_id)
    for run_id in long:
        assert wait_for_end(run_id).state == JobState.CANCELED


def test_a_worker_killed_while_it_forks_leaves_no_child_with_its_lock(worker: WorkerProcess) -> None:
    worker.start()
    wait_until("it forks", lambda: len(worker.group()) > 1)
    worker.end(signal.SIGKILL)
    wait_until("all of it is gone", lambda: worker.group() == [])


@pytest.mark.slow
def test_a_child_that_asks_too_late_to_end_with_its_worker_ends(services: PrivateServices, tmp_path: Path) -> None:
    """It was forked a moment before the worker was killed, so the kernel sends it no signal."""
    pid_file, reached = tmp_path / "child", tmp_path / "reached"
    halt = Halt(tmp_path / "gate")
    script = f"""
import os
from pathlib import Path
from patina_worker import app
from patina_worker.host import single_worker

single_worker._worker_pids.append(os.getpid())
if os.fork() == 0:
    Path({str(pid_file)!r}).write_text(str(os.getpid()))
    Path({str(halt.path)!r}).read_text()
    app._in_child()
    Path({str(reached)!r}).touch()
    os._exit(0)
os.waitid(os.P_ALL, 0, os.WEXITED)
"""
    worker = subprocess.Popen([sys.executable, "-c", script])
    with halt.held(lambda: worker.poll() is not None):
        worker.kill()
        worker.wait()
    child = int(pid_file.read_text(encoding="utf-8"))
    wait_until("the child is gone", lambda: not Path(f"/proc/{child}/cwd").exists())
    assert not reached.exists()
