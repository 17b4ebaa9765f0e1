"""What the worker's tests share: sandbox devices that really exist, profiles that are short, a real worker process.

Every fixture takes away what it made, also after a failed test: no mount, loop device or process is left.
"""

import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI

from core_script import ScriptedCore
from fixture_types import MIB, AgeHere, MakeSandbox, StartRun
from gates import Gates
from observe import device_of, run_of
from patina.db import transaction
from patina.device.models import Device
from patina.job import service as job_service
from patina.job.state import TERMINAL
from patina.profile.models import Profile, ProfileVersion
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


@pytest.fixture
def host_id(clean_database: None) -> Iterator[int]:
    """This host, as the worker reports it. Takes away every sandbox device at the end.

    It reports itself once, and counts as healthy for as long as the test takes.
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
                file.unlink()
    forget_settings()


def _store_profile(name: str, share: float) -> None:
    age = [{"age": share * 1000, "weight": 1}, {"age": 1000, "weight": 1}]
    version = ProfileVersion(
        number=1,
        message="for a test",
        author="a test",
        digest="0" * 64,
        size=[{"bytes": 4096, "weight": 1}, {"bytes": 65536, "weight": 1}],
        depth=[{"depth": 1, "weight": 1, "subdirs": 2}, {"depth": 2, "weight": 1, "subdirs": 4}],
        age=age,
    )
    with transaction() as session:
        session.add(
            Profile(name=name, title=name, description="", source="a test", is_builtin=False, versions=[version])
        )


@pytest.fixture
def profiles(clean_database: None) -> None:
    """`quick` ends at once; `steady` ages long enough that a gate holds it on its way; `slow` ages for minutes."""
    _store_profile("quick", QUICK_SHARE)
    _store_profile("steady", STEADY_SHARE)
    _store_profile("slow", SLOW_SHARE)


@pytest.fixture
def make_sandbox(as_root: None, host_id: int) -> MakeSandbox:
    """A ready sandbox device, made as the worker makes it: its id."""

    def _make(size_bytes: int = 128 * MIB, medium: str = "memory", host_name: str = "local") -> int:
        from patina.device import service as device_service
        from patina.device.schemas import SandboxCreate
        from patina_worker import tasks

        with transaction() as session:
            asked = {"size_bytes": size_bytes, "medium": medium, "host_name": host_name}
            create = SandboxCreate.model_validate(asked)
            device_id = device_service.make_sandbox(session=session, create=create).id
        tasks.make_sandbox(device_id)
        return device_id

    return _make


@pytest.fixture
def start_run(profiles: None) -> StartRun:
    """A run queued as the API queues it: its id."""

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
    """For the cores of this process and of its workers."""
    made = Gates(tmp_path / "gates")
    monkeypatch.setenv("PATINA_GATES", str(made.folder))
    yield made
    made.open_all()


@pytest.fixture
def throttled(gates: Gates) -> Iterator[None]:
    """Cores age for a third of the time, in a test that waits while they do."""
    with throttled_at(gates.close("age.stable").fifo):
        yield


@pytest.fixture
def age_here(host_id: int, gates: Gates) -> Iterator[AgeHere]:
    """Begin to age in a thread of this process: cheaper than a worker, where the test is not about one."""
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
    """Not started yet."""
    process = WorkerProcess(tmp_path / "worker.log")
    yield process
    process.close()


@pytest.fixture(scope="session")
def app(services: PrivateServices) -> FastAPI:
    """The application of the API, built once."""
    from patina.main import build_app

    return build_app()


@pytest.fixture
def server(app: FastAPI, host_id: int) -> Iterator[ServedApp]:
    """The API in a thread."""
    with served(app) as served_app:
        yield served_app


@pytest.fixture
def api(host_id: int, tmp_path: Path) -> Iterator[ApiProcess]:
    """The API as a process, for a test that ends it. Others take `server`."""
    process = ApiProcess(tmp_path / "api.log")
    try:
        process.start()
        yield process
    finally:
        process.close()


@pytest.fixture
def scripted_core(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ScriptedCore:
    """In this process it stands in the place of patina-core. A worker process gets it by PATINA_CORE."""
    core = ScriptedCore(tmp_path / "scripted-core")
    monkeypatch.setattr("patina.core.supervised.settings", lambda: Settings.model_construct(core=core.path))
    return core


@pytest.fixture
def mounted(make_sandbox: MakeSandbox, tmp_path: Path) -> Iterator[Path]:
    """The folder at which a disk is mounted."""
    folder, path = tmp_path / "disk", device_of(make_sandbox()).path or ""
    folder.mkdir()
    subprocess.run(["mkfs.ext4", "-q", path], check=True)
    subprocess.run(["mount", path, str(folder)], check=True)
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)
    await_free_disk(path)


@pytest.fixture
def no_intake_left(host_id: int) -> Iterator[None]:
    """No loop device, no mount."""
    from intakes import loops_over
    from patina_worker.host import mounts

    yield
    wait_until("no loop device is left", lambda: loops_over(settings().state_dir) == [])
    assert [mount for mount in mounts.all_mounts() if "intake" in mount.target] == []
