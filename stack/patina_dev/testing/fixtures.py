"""Pytest fixtures: a private PostgreSQL and Redis for the whole test session, an empty database for each test.

Enable with `pytest_plugins = ["patina_dev.testing.fixtures"]`. The services are real; they live in a temporary folder
and end with the session.
"""

import ctypes
import errno
import gc
import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import hypothesis
import pytest
import redis
from sqlalchemy import QueuePool

from patina_dev.testing import database
from patina_dev.testing.bucket import BUCKET, BucketServer
from patina_dev.testing.forked import close_template
from patina_dev.testing.planted import assert_no_secret_in_logs
from patina_dev.testing.wait import wait_until
from patina_stack.services import PrivateServices

_CLONE_NEWNS = 0x00020000
_MS_REC, _MS_SLAVE, _MS_SHARED = 0x4000, 1 << 19, 1 << 20

# No test asserts a time, so no example has a deadline.
hypothesis.settings.register_profile("patina", deadline=None)
hypothesis.settings.load_profile("patina")

# Connections that the next test reuses: to connect takes longer than many tests.
KEPT_CONNECTIONS_COUNT = 4

MARKERS = {
    "root": "needs root: makes block devices, mounts or network namespaces. Every test that requests `as_root` has it.",
    "slow": "takes more than half a second of processor time: left out of `make test-fast`.",
}


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests() -> None:
    """Turns the garbage collector off during imports: it takes more than a third of that time, and finds nothing."""
    gc.disable()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Turns the garbage collector on, except for loaded modules."""
    loaded = yield
    gc.freeze()
    gc.enable()
    return loaded


def pytest_configure(config: pytest.Config) -> None:
    """Registers the markers; as root, separates the mounts from those of other test processes."""
    for name, meaning in MARKERS.items():
        config.addinivalue_line("markers", f"{name}: {meaning}")
    if os.geteuid() == 0:
        _enter_own_mount_namespace()


def pytest_unconfigure() -> None:
    """Ends the template process, if there is one."""
    close_template()


def _enter_own_mount_namespace() -> None:
    """Makes mounts from here on visible only to this process and its children, as on a host of their own."""
    [root] = [line for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines() if " / / " in line]
    libc = ctypes.CDLL(None, use_errno=True)
    failed = libc.unshare(_CLONE_NEWNS) or libc.mount(None, b"/", None, ctypes.c_ulong(_MS_REC | _MS_SLAVE), None)
    if not failed and " shared:" in root:  # as on that host: mounts propagate to namespaces made from here
        failed = libc.mount(None, b"/", None, ctypes.c_ulong(_MS_REC | _MS_SHARED), None)
    if failed:
        raise OSError(ctypes.get_errno(), "no mount namespace of its own")


@pytest.hookimpl(tryfirst=True)  # before pytest chooses by marker
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks tests that request `as_root`, directly or through a fixture."""
    for item in items:
        if "as_root" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.root)


@pytest.fixture(scope="session")
def as_root() -> None:
    """Skips the test without root."""
    if os.geteuid() != 0:
        pytest.skip("makes block devices, mounts or network namespaces: needs root")


@pytest.fixture(scope="session")
def services() -> Iterator[PrivateServices]:
    """Yields PostgreSQL with the migrated schema, and Redis; this process's environment names them."""
    state_dir = Path(tempfile.mkdtemp(prefix="patina-test-"))
    state_dir.chmod(0o755)
    run_dir = state_dir / "run"
    run_dir.mkdir()
    private = PrivateServices(state_dir=state_dir, run_dir=run_dir, survives_power_loss=False)
    private.start()
    os.environ.update(
        DATABASE_URL=private.ports.database_url,
        REDIS_URL=private.ports.redis_url,
        PATINA_STATE_DIR=str(state_dir),
        PATINA_HOST_NAME="local",
    )
    database.allow_replica(private.ports)
    database.prepare()
    yield private
    private.stop()
    assert_no_secret_in_logs(state_dir)
    shutil.rmtree(state_dir)


@pytest.fixture(scope="session")
def bucket_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BucketServer]:
    """Yields one S3 server for the whole session."""
    server = BucketServer(tmp_path_factory.mktemp("bucket") / "log")
    yield server
    server.close()


@pytest.fixture
def remote(
    services: PrivateServices,  # noqa: ARG001  its folder is in the settings
    bucket_server: BucketServer,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[BucketServer]:
    """Yields the server; the settings name its bucket, with a prefix for this test."""
    from patina.settings import forget_settings

    chosen = {
        "BUCKET": BUCKET,
        "PREFIX": f"test-{secrets.token_hex(4)}",
        "ENDPOINT": bucket_server.url,
        "ACCESS_KEY": bucket_server.access_key,
        "SECRET_KEY": bucket_server.secret_key,
        "PATIENCE_S": "0",
    }
    for name, value in chosen.items():
        monkeypatch.setenv(f"PATINA_STORE_{name}", value)
    forget_settings()
    yield bucket_server
    bucket_server.proxy.reset()
    monkeypatch.undo()
    forget_settings()


@pytest.fixture(scope="module")
def database_of_module(services: PrivateServices) -> None:  # noqa: ARG001  its database
    """Empties the database as `clean_database` does, once for a module whose tests change nothing in it."""
    from patina.db import engine

    database.reset(engine())


@pytest.fixture
def clean_database(services: PrivateServices) -> Iterator[None]:
    """Empties every table except for the built-in profiles, restarts ids at 1, empties Redis."""
    from patina.db import engine

    database.reset(engine())
    redis.Redis.from_url(services.ports.redis_admin_url).flushall()
    yield
    pool = engine().pool
    assert isinstance(pool, QueuePool)
    if pool.checkedin() > KEPT_CONNECTIONS_COUNT:
        engine().dispose()


@contextmanager
def mounted_privately(disk: str, folder: Path) -> Iterator[None]:
    """Mounts a disk below `folder`, privately: the host's umount does not propagate to other namespaces, on any host.

    The host unmounts it at the end.
    """
    subprocess.run(["mount", "--bind", folder, folder], check=True)
    try:
        subprocess.run(["mount", "--make-private", folder], check=True)
        subprocess.run(["mount", "--mkdir", disk, folder / "disk"], check=True)
        yield
    finally:
        subprocess.run(["umount", "--recursive", folder], check=True)


def await_free_disk(path: str) -> None:
    """Waits until the kernel grants exclusive access to the disk.

    A process that enters a mount namespace of its own meanwhile, a worker of another test, holds the disk for a moment.
    """
    wait_until(f"{path} is free", lambda: _is_free(path))


def _is_free(path: str) -> bool:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_EXCL | os.O_CLOEXEC))
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise
        return False
    return True
