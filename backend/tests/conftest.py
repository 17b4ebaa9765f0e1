"""Shared fixtures: an HTTP client of the real application, a host, devices, images in a store."""

import hashlib
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy.orm import Session

from host_rows import REPORT
from patina.core.contract.age import CaptureSummary, Layout
from patina.db import transaction
from patina.device.models import Device
from patina.device.state import DeviceCondition
from patina.host import service as host_service
from patina.image import service as image_service
from patina.job.state import JobState
from patina.run.models import Run
from patina.settings import PROJECT_DIR, settings
from patina_dev.testing.api import ApiProcess
from patina_dev.testing.owner import HEADERS
from patina_dev.testing.served import ServedApp, served
from patina_dev.testing.wait import HANG_S
from patina_stack.services import PrivateServices
from people import People
from run_requests import run_body
from run_rows import settings_of, stored_run

GIB = 2**30


@pytest.fixture(scope="session", autouse=True)
def patient(services: PrivateServices) -> Iterator[None]:
    """Raises the product's timeouts, so that a slow machine fails no test.

    A test of such a limit sets one itself. Starts the services in every test: the order of tests in a process is
    random, and a test that needs only the settings must not depend on an earlier one.
    """
    with pytest.MonkeyPatch.context() as patch:
        for limit in (
            "patina.core.client.TIMEOUT_S",
            "patina.fit.fitter.START_PATIENCE_S",
            "patina.fit.fitter.ANSWER_PATIENCE_S",
            "patina.fit.fitter.QUEUE_PATIENCE_S",
            "patina.image.digest.WAIT_S",
            "patina.image.transfer.STALL_S",
            "patina.openid.provider.TIMEOUT_S",
            "patina.run.simulation.PATIENCE_S",
            "patina.trial.describe.PATIENCE_S",
            "patina.webhook.outbox.BUSY_S",
            "patina.webhook.sending.TIMEOUT_S",
        ):
            patch.setattr(limit, HANG_S)
        yield


@pytest.fixture(scope="session")
def app(services: PrivateServices) -> FastAPI:
    """Returns the application, built once: its state between requests is made anew at each start."""
    from patina.main import build_lasting_app

    return build_lasting_app()


@pytest.fixture(scope="session")
def second_app(services: PrivateServices) -> FastAPI:
    """Returns another application, so that a test may serve one on a port beside the one in its own process."""
    from patina.main import build_app

    return build_app()


@pytest.fixture
def client(app: FastAPI, clean_database: None) -> Iterator[TestClient]:
    """Yields a client of the application on an empty database: the owner."""
    origin = ("127.0.0.1", 50_000)
    with TestClient(app, base_url="http://127.0.0.1", client=origin, headers=HEADERS) as test_client:
        yield test_client


@pytest.fixture
def people(app: FastAPI, client: TestClient) -> People:
    """Returns accounts of two teams, and an operator."""
    return People(app, client)


@pytest.fixture
def server(second_app: FastAPI, clean_database: None) -> Iterator[ServedApp]:
    """Yields the application on an empty database and a real port, in a thread."""
    with served(second_app) as served_app:
        yield served_app


@pytest.fixture
def api(clean_database: None) -> Iterator[ApiProcess]:
    """Yields the application as a process, on an empty database, for a test that ends it. Others take `server`."""
    process = ApiProcess()
    process.start()
    yield process
    process.close()


@pytest.fixture
def host_id(clean_database: None) -> int:
    """Returns a host that has reported, and stays healthy for the duration of a test."""
    with transaction() as session:
        host = host_service.heartbeat(
            session=session,
            name="local",
            report=REPORT,
        )
        host.heartbeat_at = datetime.now(UTC) + timedelta(days=1)
        return host.id


DeviceFactory = Callable[..., int]


@pytest.fixture
def make_device(host_id: int) -> DeviceFactory:
    """Returns a factory of device rows, as a worker's inventory stores them."""

    def _make(stable_id: str = "sandbox-1", **changes: object) -> int:
        values: dict[str, object] = {
            "host_id": host_id,
            "stable_id": stable_id,
            "kind": "sandbox",
            "medium": "file",
            "path": f"/dev/{stable_id}",
            "size_bytes": GIB,
            "is_rotational": False,
            "condition": DeviceCondition.READY,
            "seen_at": datetime.now(UTC),
        }
        with transaction() as session:
            device = Device(**(values | changes))
            session.add(device)
            session.flush()
            return device.id

    return _make


@pytest.fixture
def run_id(client: TestClient, make_device: DeviceFactory) -> int:
    """Returns a queued run."""
    answer = client.post("/api/v1/runs", json=run_body(make_device()))
    assert answer.status_code == 202, answer.text
    identity: int = answer.json()["id"]
    return identity


ImageFactory = Callable[..., int]


def _contract(file: str, record: str) -> dict[str, object]:
    lines = (PROJECT_DIR / "native" / "contract" / file).read_text(encoding="utf-8").splitlines()
    return next(found for found in map(json.loads, lines) if found["type"] == record)


def _recipe(**changes: object) -> dict[str, object]:
    unknown = (
        "profile_digest",
        "recorded_digest",
        "capacity_bytes",
        "block_size_bytes",
        "device_model",
        "horizon_ops_count",
        "way",
    )
    made = {
        "schema_version": 1,
        "device_size_bytes": GIB,
        "file_system_uuid": "0000",
        "mkfs_command": ["mkfs.ext4"],
        "mkfs_features": [],
        "mount_options": "rw",
        "legs": [],
        "plan_digest": None,
        "kernel": "6.1",
        "host": "local",
        "patina_version": "0.1.0",
        "tools": {},
    }
    return settings_of() | dict.fromkeys(unknown) | made | changes


def _succeeded_run(session: Session, device_id: int) -> Run:
    return stored_run(
        session=session,
        device_id=device_id,
        holder="run of an image",
        state=JobState.SUCCEEDED,
        done=1,
        total=1,
        plan=_contract("age.jsonl", "plan"),
        summary=_contract("age.jsonl", "summary"),
        recipe=_recipe(),
    )


@pytest.fixture
def publish_image(make_device: DeviceFactory) -> Iterator[ImageFactory]:
    """Yields a factory of catalog rows for indexes in the index folder. Removes store and indexes after the test."""
    summary = _contract("capture.jsonl", "summary")
    layout = Layout.model_validate(_contract("layout.jsonl", "layout"))

    def _publish(index_name: str, **measured: object) -> int:
        digest = hashlib.sha256((settings().index_dir / index_name).read_bytes()).hexdigest()
        capture = CaptureSummary.model_validate(summary | {"index_digest": digest} | measured)
        with transaction() as session:
            run = _succeeded_run(session, make_device(f"sandbox-{index_name}"))
            return image_service.publish(
                session=session, run=run, index_name=index_name, capture=capture, layout=layout
            ).id

    settings().index_dir.mkdir(parents=True, exist_ok=True)
    yield _publish
    for folder in (settings().index_dir, settings().store_dir):
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def capture_image(publish_image: ImageFactory) -> ImageFactory:
    """Returns a factory of images of files, captured by the real core."""

    def _capture(device: Path, *options: str) -> int:
        index = settings().index_dir / f"{device.name}.caibx"
        places = {"--device": device, "--store": settings().store_dir, "--index": index}
        argv = [str(settings().core), "capture", *(str(word) for place in places.items() for word in place)]
        done = subprocess.run([*argv, "--mode", "exact", *options], capture_output=True, text=True, check=True)
        return publish_image(index.name, **json.loads(done.stdout.splitlines()[-1]))

    return _capture
