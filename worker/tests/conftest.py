"""Shared fixtures of the worker's tests: real sandbox devices, short profiles, a real worker process.

Every fixture removes its mounts, loop devices and processes, also after a failed test.
"""

import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI

from core_script import ScriptedCore
from fixture_types import MIB, AgeHere, MakeSandbox, RemoveSandbox, StartRun
from gates import Gates
from observe import device_of, run_of
from patina.db import transaction
from patina.device.models import Device
from patina.job import service as job_service
from patina.job.state import TERMINAL, JobState
from patina.profile.histogram import Histograms
from patina.profile.models import Profile
from patina.profile.service import make_version
from patina.settings import Settings, forget_settings, settings
from patina_dev.suite.throttle import throttled_at
from patina_dev.testing.api import ApiProcess
from patina_dev.testing.fixtures import await_free_disk
from patina_dev.testing.served import ServedApp, served
from patina_dev.testing.wait import wait_until
from patina_stack.services import PrivateServices
from worker_process import WorkerProcess

# Two equal bins of age, the first spanning this share of the horizon: T = K / share operations.
QUICK_SHARE = 0.5
STEADY_SHARE = 0.2
SLOW_SHARE = 0.0002
AGED_BYTES = 72 * MIB
MOST_LOG_CHARACTERS = 8000


@pytest.fixture
def host_id(clean_database: None) -> Iterator[int]:
    """Yields this host, as the worker reports it. Removes every sandbox device at the end.

    It reports once, and counts as healthy while the test runs.
    """
    from patina_worker import cleanup
    from patina_worker.heartbeat import report
    from patina_worker.host import checkpoint, sandbox

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATINA_HOST_SILENCE_S", "3600")
        forget_settings()
        yield report().id
        cleanup.clean_up()
        for folder in (*sandbox.folders(), settings().index_dir, settings().spool_dir, checkpoint.folder()):
            for file in folder.glob("*"):
                shutil.rmtree(file) if file.is_dir() else file.unlink()
    forget_settings()


def _store_profile(name: str, share: float) -> None:
    histograms = {
        "size": [{"bytes": 4096, "weight": 1}, {"bytes": 65536, "weight": 1}],
        "depth": [{"depth": 1, "weight": 1, "subdirs": 2}, {"depth": 2, "weight": 1, "subdirs": 4}],
        "age": [{"age": share * 1000, "weight": 1}, {"age": 1000, "weight": 1}],
    }
    version = make_version(
        number=1, histograms=Histograms.model_validate(histograms), message="for a test", author="a test"
    )
    with transaction() as session:
        session.add(
            Profile(name=name, title=name, description="", source="a test", is_builtin=False, versions=[version])
        )


@pytest.fixture
def profiles(clean_database: None) -> None:
    """Stores profiles: `quick` ends at once; `steady` ages long enough for a gate; `slow` ages for minutes."""
    _store_profile("quick", QUICK_SHARE)
    _store_profile("steady", STEADY_SHARE)
    _store_profile("slow", SLOW_SHARE)


@pytest.fixture
def make_sandbox(as_root: None, host_id: int) -> MakeSandbox:
    """Returns a function that makes a ready sandbox device as the worker does, and returns its id."""

    def _make(
        size_bytes: int = 128 * MIB,
        medium: str = "memory",
        host_name: str = "local",
        emulation: dict[str, object] | None = None,
        shingle: dict[str, object] | None = None,
    ) -> int:
        from patina.device import service as device_service
        from patina.device.schemas import SandboxCreate
        from patina_worker import tasks

        with transaction() as session:
            asked = {"size_bytes": size_bytes, "medium": medium, "host_name": host_name, "emulation": emulation}
            asked["shingle"] = shingle
            create = SandboxCreate.model_validate(asked)
            device_id = device_service.make_sandbox(session=session, create=create).id
        tasks.make_sandbox(device_id)
        return device_id

    return _make


@pytest.fixture
def remove_sandbox() -> RemoveSandbox:
    """Returns a function that asks for the removal of a sandbox device, and carries it out as the worker does."""

    def _remove(device_id: int) -> None:
        from patina.device import service as device_service
        from patina_worker import tasks

        with transaction() as session:
            device_service.remove_sandbox(session=session, device_id=device_id)
        tasks.remove_sandbox(device_id)

    return _remove


@pytest.fixture
def start_run(profiles: None) -> StartRun:
    """Returns a function that queues a run as the API does, and returns its id."""

    def _start(device_id: int, profile: str | None = "quick", **changes: object) -> int:
        from patina.run import service as run_service
        from patina.run.schemas import RunCreate

        with transaction() as session:
            device = session.get_one(Device, device_id)
            body = {
                "device_id": device_id,
                "profile": profile,
                "fullness": 0.5,
                "seed": 7,
                "confirmation": {
                    "stable_id": device.stable_id,
                    "size_bytes": device.size_bytes,
                    "typed": device.path,
                },
            }
            create = RunCreate.model_validate(body | changes)
            return run_service.start_run(session=session, create=create, idempotency_key=None).id

    return _start


@pytest.fixture
def gates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gates]:
    """Yields the gates of the cores of this process and of its workers."""
    made = Gates(tmp_path / "gates")
    monkeypatch.setenv("PATINA_GATES", str(made.folder))
    yield made
    made.open_all()


@pytest.fixture
def throttled(gates: Gates) -> Iterator[None]:
    """Limits cores to a third of the time, for a test that waits while they age."""
    with throttled_at(gates.close("age.stable").fifo):
        yield


@pytest.fixture
def age_here(host_id: int, gates: Gates) -> Iterator[AgeHere]:
    """Yields a function that ages in a thread of this process: cheaper than a worker process."""
    from patina_worker import tasks

    begun: dict[int, threading.Thread] = {}

    def _age(run_id: int) -> None:
        begun[run_id] = threading.Thread(target=tasks.work, args=(run_id,))
        begun[run_id].start()

    yield _age
    gates.open_all()
    for run_id, thread in begun.items():
        if run_of(run_id).state not in TERMINAL:  # the test has failed
            with transaction() as session:
                job_service.stop(session=session, job_id=run_id)
        thread.join()


@pytest.fixture
def worker(as_root: None, host_id: int, gates: Gates, tmp_path: Path) -> Iterator[WorkerProcess]:
    """Yields a worker that is not started yet."""
    process = WorkerProcess(tmp_path / "worker.log")
    yield process
    process.close()
    sys.stdout.write(process.log()[-MOST_LOG_CHARACTERS:])  # pytest shows it when the test has failed


@pytest.fixture(scope="session")
def app(services: PrivateServices) -> FastAPI:
    """Returns the API's application, built once."""
    from patina.main import build_app

    return build_app()


@pytest.fixture
def server(app: FastAPI, host_id: int) -> Iterator[ServedApp]:
    """Yields the API, served in a thread."""
    with served(app) as served_app:
        yield served_app


@pytest.fixture
def api(host_id: int, tmp_path: Path) -> Iterator[ApiProcess]:
    """Yields the API as a process, for a test that ends it. Others use `server`."""
    process = ApiProcess(tmp_path / "api.log")
    try:
        process.start()
        yield process
    finally:
        process.close()


@pytest.fixture
def scripted_core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ScriptedCore:
    """Replaces patina-core in this process by a scripted core. A worker process gets it by PATINA_CORE."""
    core = ScriptedCore(tmp_path / "scripted-core")
    monkeypatch.setattr("patina.core.supervised.settings", lambda: Settings.model_construct(core=core.path))
    return core


@pytest.fixture
def mounted(make_sandbox: MakeSandbox, tmp_path: Path) -> Iterator[Path]:
    """Yields a folder at which a disk is mounted."""
    folder, path = tmp_path / "disk", device_of(make_sandbox()).path or ""
    folder.mkdir()
    subprocess.run(["mkfs.ext4", "-q", path], check=True)
    subprocess.run(["mount", path, str(folder)], check=True)
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)
    await_free_disk(path)


@pytest.fixture
def no_intake_left(host_id: int) -> Iterator[None]:
    """Checks that no loop device and no mount of an intake is left."""
    from intakes import loops_over
    from patina_worker.host import mounts

    yield
    wait_until("no loop device is left", lambda: loops_over(settings().state_dir) == [])
    assert [mount for mount in mounts.all_mounts() if "intake" in mount.target] == []


@pytest.fixture
def aged(make_sandbox: MakeSandbox, start_run: StartRun) -> int:
    """Returns the id of a device that was aged, with data, and holds its image."""
    from patina_worker import tasks

    device_id = make_sandbox(AGED_BYTES)
    run_id = start_run(device_id, data_mode="materialize")
    tasks.work(run_id)
    assert run_of(run_id).state == JobState.SUCCEEDED, run_of(run_id).message
    return device_id
