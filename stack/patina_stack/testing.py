"""Pytest fixtures: a private PostgreSQL and Redis for the whole test session, an empty database for each test.

Enable with `pytest_plugins = ["patina_stack.testing"]`. The services are real; they live in a temporary folder
and end with the session.
"""

import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import hypothesis
import pytest
import redis
from sqlalchemy import text
from sqlalchemy.exc import OperationalError

from patina_stack.services import PrivateServices
from patina_stack.testing_bucket import BUCKET, BucketServer

PROJECT_DIR = Path(__file__).resolve().parents[2]
LOCK_PATIENCE_S = 60.0
FREE_PATIENCE_S = 30.0

# No test asserts a time, and no example of one does either.
hypothesis.settings.register_profile("patina", deadline=None)
hypothesis.settings.load_profile("patina")


@pytest.fixture(scope="session")
def services() -> Iterator[PrivateServices]:
    """PostgreSQL with the migrated schema, and Redis; this process's environment points at them."""
    state_dir = Path(tempfile.mkdtemp(prefix="patina-test-"))
    state_dir.chmod(0o755)
    run_dir = state_dir / "run"
    run_dir.mkdir()
    private = PrivateServices(state_dir=state_dir, run_dir=run_dir)
    private.start()
    os.environ.update(
        DATABASE_URL=private.ports.database_url,
        REDIS_URL=private.ports.redis_url,
        PATINA_STATE_DIR=str(state_dir),
        PATINA_HOST_NAME="local",
    )
    alembic = [sys.executable, "-m", "alembic", "-c", str(PROJECT_DIR / "migrations" / "alembic.ini")]
    subprocess.run([*alembic, "upgrade", "head"], check=True)
    yield private
    private.stop()
    shutil.rmtree(state_dir)


@pytest.fixture(scope="session")
def bucket_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BucketServer]:
    """One S3 server for the whole session."""
    server = BucketServer(tmp_path_factory.mktemp("bucket") / "log")
    yield server
    server.close()


@pytest.fixture
def remote(
    services: PrivateServices,  # noqa: ARG001  its folder is in the settings
    bucket_server: BucketServer,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[BucketServer]:
    """The settings name the bucket, and a prefix of the test's own in it."""
    from patina.settings import settings

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
    settings.cache_clear()
    yield bucket_server
    bucket_server.proxy.reset()
    monkeypatch.undo()
    settings.cache_clear()


def _empty(tables: str) -> None:
    """All locks or none: an application that runs looks for work by itself, and would wait for us while we wait."""
    from patina.db import engine

    deadline = time.monotonic() + LOCK_PATIENCE_S
    while True:
        try:
            with engine().begin() as connection:
                connection.execute(text(f"LOCK TABLE {tables} IN ACCESS EXCLUSIVE MODE NOWAIT"))
                connection.execute(text(f"TRUNCATE {tables} RESTART IDENTITY CASCADE"))
        except OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return


@pytest.fixture
def clean_database(services: PrivateServices) -> Iterator[None]:
    """Every table empty but for the built-in profiles, ids from 1, Redis empty."""
    from patina.db import Base, engine, transaction
    from patina.image import models  # noqa: F401  every table
    from patina.profile.service import load_builtin
    from patina.settings import settings

    tables = ", ".join(table.name for table in Base.metadata.sorted_tables)
    _empty(tables)
    redis.Redis.from_url(services.ports.redis_url).flushall()
    with transaction() as session:
        load_builtin(session=session, folder=settings().profiles_dir)
    yield
    engine().dispose()


@contextmanager
def mounted_privately(disk: str, folder: Path) -> Iterator[None]:
    """A disk is mounted below `folder`, where no umount of the host reaches another namespace, whatever host this is.

    When this ends, the host has unmounted it.
    """
    subprocess.run(["mount", "--bind", folder, folder], check=True)
    try:
        subprocess.run(["mount", "--make-private", folder], check=True)
        subprocess.run(["mount", "--mkdir", disk, folder / "disk"], check=True)
        yield
    finally:
        subprocess.run(["umount", "--recursive", folder], check=True)


def await_free_disk(path: str) -> None:
    """Until the kernel gives the disk to us alone: OSError, EBUSY, if it does not.

    Whoever enters a mount namespace of its own meanwhile, a worker of another test, has the disk for a moment.
    """
    deadline = time.monotonic() + FREE_PATIENCE_S
    while True:
        try:
            os.close(os.open(path, os.O_RDWR | os.O_EXCL | os.O_CLOEXEC))
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)
        else:
            return
