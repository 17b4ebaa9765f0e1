"""A new kind of job needs only a request, a result and a handler to get all features of jobs."""

import contextlib
import importlib
import json
import os
import signal
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest

from observe import payloads_of
from patina.db import transaction
from patina.device.lease import LeaseLost
from patina.host.models import Host
from patina.job import service as job_service
from patina.job.kind import KINDS
from patina.job.models import Job
from patina.job.service import JobUnderWay
from patina.job.state import JobState
from patina.settings import settings
from patina.webhook import outbox
from patina.webhook.models import WebhookDelivery
from patina_dev.testing.owner import HEADERS
from patina_dev.testing.served import ServedApp
from patina_dev.testing.wait import wait_until
from worker_process import WorkerProcess

# The complete kind. Its job waits at a pipe until the test writes to that, or stops when requested.
_PACKAGE = '''
"""Counts to a number."""

import os
import time

from pydantic import BaseModel

from patina.job.kind import Kind
from patina.job.state import JobState
from patina_worker.jobs.handler import HANDLERS, Handler
from patina_worker.jobs.outcome import Done


class Request(BaseModel):
    number: int
    gate: str


class Result(BaseModel):
    counted: int


TOY = Kind(
    "toy",
    Request,
    Result,
    retries=frozenset({JobState.FAILED, JobState.CANCELED, JobState.INTERRUPTED}),
    turn_of=lambda job: f"toy of host {job.host.id}",
)


def handle(request, log, lock):
    log.enter("Counting")
    for i in range(request.number):
        log.progress(i + 1, request.number, "numbers")
    while not os.path.exists(request.gate):
        log.go_on()
        time.sleep(0.01)
    if request.number == 0:
        raise ZeroDivisionError("There is nothing to count")
    return Done(f"Counted to {request.number}", Result(counted=request.number))


HANDLERS[TOY.name] = Handler(handle)
'''

# A worker with this kind.
_WORKER = """
import toy
from patina_worker.__main__ import main

main()
"""


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Yields the folder of the package `toy`, loaded here."""
    folder = tmp_path_factory.mktemp("toy")
    (folder / "toy.py").write_text(_PACKAGE, encoding="utf-8")
    (folder / "toy_worker.py").write_text(_WORKER, encoding="utf-8")
    sys.path.insert(0, str(folder))
    importlib.import_module("toy")
    yield folder
    sys.path.remove(str(folder))


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    return tmp_path / "open"


@pytest.fixture
def toy_worker(package: Path, worker: WorkerProcess) -> WorkerProcess:
    """Returns a worker process that has loaded the package, not started yet."""
    worker.environment["PYTHONPATH"] = str(package)
    worker.module = "toy_worker"
    return worker


def submit(gate: Path, number: int = 3, *, host_name: str = "local") -> int:
    kind = KINDS["toy"]
    with transaction() as session:
        host = session.query(Host).filter_by(name=host_name).one()
        job = kind.make(host=host, request=kind.request.model_validate({"number": number, "gate": str(gate)}))
        return job_service.submit(session=session, job=job, message=f"Queued on {host.name}").id


def job_of(job_id: int) -> Job:
    with transaction() as session:
        return session.get_one(Job, job_id)


def wait_for(job_id: int, state: JobState) -> Job:
    wait_until(f"job {job_id} is {state}", lambda: job_of(job_id).state == state)
    return job_of(job_id)


def wait_for_count(job_id: int) -> None:
    wait_until("it has counted", lambda: job_of(job_id).done == 3)


def test_it_is_claimed_says_how_far_it_is_and_has_a_result(toy_worker: WorkerProcess, gate: Path) -> None:
    toy_worker.start()
    job_id = submit(gate)
    wait_for_count(job_id)
    job = job_of(job_id)
    assert (job.state, job.message, job.total, job.unit, job.attempt) == ("running", "Counting", 3, "numbers", 1)
    gate.touch()
    job = wait_for(job_id, JobState.SUCCEEDED)
    assert (job.result, job.message) == ({"counted": 3}, "Counted to 3")
    assert [payload["type"] for payload in payloads_of(job_id)] == ["state", "state", "state", "progress", "state"]
    toy_worker.end(signal.SIGTERM)


def test_it_stops_when_it_is_told_to_and_is_done_when_it_is_tried_again(
    toy_worker: WorkerProcess, server: ServedApp, gate: Path
) -> None:
    toy_worker.start()
    job_id = submit(gate)
    wait_for_count(job_id)
    stopped = httpx2.post(f"{server.url}/api/v1/jobs/{job_id}/stop", headers=HEADERS).json()
    assert stopped["state"] == "canceling"
    assert wait_for(job_id, JobState.CANCELED).message == "Canceled"
    gate.touch()
    again = httpx2.post(f"{server.url}/api/v1/jobs/{job_id}/retry", headers=HEADERS).json()
    assert (again["state"], again["stop_requested_at"], again["finished_at"]) == ("queued", None, None)
    job = wait_for(job_id, JobState.SUCCEEDED)
    assert (job.attempt, job.result) == (2, {"counted": 3})
    refused = httpx2.post(f"{server.url}/api/v1/jobs/{job_id}/retry", headers=HEADERS)
    assert (refused.status_code, refused.json()["code"]) == (409, "not_retriable")
    toy_worker.end(signal.SIGTERM)


def test_it_is_interrupted_when_its_worker_is_killed_and_done_by_the_next_one(
    toy_worker: WorkerProcess, gate: Path
) -> None:
    toy_worker.start()
    job_id = submit(gate)
    wait_for_count(job_id)
    toy_worker.end(signal.SIGKILL)
    assert job_of(job_id).state == JobState.RUNNING
    toy_worker.start()
    assert "the worker died" in wait_for(job_id, JobState.INTERRUPTED).message
    with transaction() as session:
        job_service.retry(session=session, job_id=job_id)
    gate.touch()
    assert wait_for(job_id, JobState.SUCCEEDED).attempt == 2
    toy_worker.end(signal.SIGTERM)


def test_it_is_interrupted_when_its_process_alone_is_killed(toy_worker: WorkerProcess, gate: Path) -> None:
    """The kernel does so when memory runs out: the worker lives, and its next heartbeat finds the dead job."""
    toy_worker.start()
    job_id = submit(gate)
    wait_for_count(job_id)
    os.kill(_process_of(job_id), signal.SIGKILL)
    wait_for(job_id, JobState.INTERRUPTED)
    toy_worker.end(signal.SIGTERM)


def _process_of(job_id: int) -> int:
    """Returns the process that holds the job's lock; /proc/locks has no owner of open file description locks."""
    place = f":{(settings().state_dir / 'jobs.lock').stat().st_ino} {job_id} {job_id}"
    (found,) = [process for process in Path("/proc").glob("[0-9]*") if place in _descriptors_of(process)]
    return int(found.name)


def _descriptors_of(process: Path) -> str:
    """Returns the fdinfo of the process's open files; files and process may be gone meanwhile."""
    said = ""
    with contextlib.suppress(OSError):
        for info in (process / "fdinfo").iterdir():
            with contextlib.suppress(OSError):
                said += info.read_text()
    return said


def test_it_is_handed_back_when_its_worker_stops(toy_worker: WorkerProcess, gate: Path) -> None:
    toy_worker.start()
    job_id = submit(gate)
    wait_for_count(job_id)
    toy_worker.end(signal.SIGTERM)
    assert (job_of(job_id).state, job_of(job_id).message) == (JobState.INTERRUPTED, "The worker was stopped")


def test_what_its_handler_raises_is_in_its_row(package: Path, host_id: int, gate: Path) -> None:
    from patina_worker import tasks

    gate.touch()
    job_id = submit(gate, 0)
    tasks.work(job_id)
    tasks.work(job_id)  # delivered twice
    job = job_of(job_id)
    assert (job.state, job.error_code, job.attempt) == (JobState.FAILED, "internal", 1)
    assert "There is nothing to count" in job.message
    assert "ZeroDivisionError" in (job.error_log or "")


def test_a_request_that_is_none_ends_it(package: Path, host_id: int, gate: Path) -> None:
    from patina_worker import tasks

    job_id = submit(gate)
    with transaction() as session:
        session.get_one(Job, job_id).request = {"number": "many"}
    tasks.work(job_id)
    assert (job_of(job_id).state, job_of(job_id).error_code) == (JobState.FAILED, "internal")


def test_a_host_does_one_at_a_time(package: Path, host_id: int, gate: Path) -> None:
    first = submit(gate)
    with pytest.raises(JobUnderWay, match=f"Toy {first} is under way there"):
        submit(gate)
    with transaction() as session:
        job_service.stop(session=session, job_id=first)
    second = submit(gate)
    with transaction() as session, pytest.raises(JobUnderWay, match=f"Toy {second} is under way there"):
        job_service.retry(session=session, job_id=first)


def test_who_was_given_it_by_mistake_leaves_it_alone(package: Path, host_id: int, gate: Path) -> None:
    """Covers a job of another host, and one that another process has begun meanwhile."""
    from patina_worker import tasks
    from patina_worker.jobs import lock

    gate.touch()
    job_id = submit(gate)
    with lock.held(job_id):
        tasks.work(job_id)
    assert job_of(job_id).state == JobState.QUEUED
    with transaction() as session:
        session.get_one(Host, host_id).name = "another"
    tasks.work(job_id)
    assert job_of(job_id).state == JobState.QUEUED


def test_an_attempt_that_was_given_up_writes_nothing_more(package: Path, host_id: int, gate: Path) -> None:
    """The worker of the first attempt seemed dead, and another attempt has begun."""
    from patina_worker.jobs.claim import AttemptClaim
    from patina_worker.jobs.log import JobLog

    job_id = submit(gate)
    with transaction() as session:
        job = session.get_one(Job, job_id)
        job.state, job.attempt = JobState.RUNNING, 2
    slow = JobLog(job_id=job_id, claim=AttemptClaim(job_id=job_id, attempt=1))
    with pytest.raises(LeaseLost):
        slow.progress(1, 3, "numbers")
    assert job_of(job_id).done == 0


def test_it_ends_with_its_host(package: Path, host_id: int, gate: Path) -> None:
    from patina.use_case import remove_host as removal_service

    job_id = submit(gate)
    with transaction() as session:
        job = session.get_one(Job, job_id)
        job.state, job.attempt = JobState.RUNNING, 1
        session.get_one(Host, host_id).heartbeat_at = datetime.now(UTC) - timedelta(days=1)
    with transaction() as session:
        removal_service.remove_host(session=session, host_id=host_id)
    assert (job_of(job_id).state, job_of(job_id).message) == (JobState.INTERRUPTED, "Host local was removed")


def test_its_end_is_told_to_webhooks_and_it_is_in_the_list(package: Path, server: ServedApp, gate: Path) -> None:
    from patina_worker import tasks

    hook = {"title": "a test", "url": "https://example.com/hook", "kinds": ["succeeded"]}
    httpx2.post(f"{server.url}/api/v1/webhooks", headers=HEADERS, json=hook).raise_for_status()
    gate.touch()
    job_id = submit(gate)
    tasks.work(job_id)

    notice = httpx2.get(f"{server.url}/api/v1/notices", headers=HEADERS, params={"job_id": job_id}).json()["items"][0]
    assert (notice["kind"], notice["message"]) == ("succeeded", "Counted to 3")
    with transaction() as session:
        outbox.pass_on(session=session)
    with transaction() as session:
        delivery = session.query(WebhookDelivery).filter_by(job_id=job_id).one()
    assert delivery.type == "toy.succeeded"
    assert json.loads(delivery.body)["data"]["job_path"] == f"/devices?activity={job_id}"
    listed = httpx2.get(f"{server.url}/api/v1/jobs", headers=HEADERS, params={"kind": "toy", "is_open": False}).json()[
        "items"
    ]
    assert [(item["id"], item["state"], item["host"]["name"], item["device"]) for item in listed] == [
        (job_id, "succeeded", "local", None)
    ]
