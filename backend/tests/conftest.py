"""What the backend's tests share: an HTTP client on the real application, a host, devices as a worker reports them."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest
from fastapi.testclient import TestClient

from patina.db import transaction
from patina.device.models import Device
from patina.device.state import DeviceCondition
from patina.host import service as host_service

GIB = 2**30


@pytest.fixture
def client(clean_database: None) -> Iterator[TestClient]:
    """The application on an empty database."""
    from patina.main import build_app

    with TestClient(build_app(), base_url="http://127.0.0.1") as test_client:
        yield test_client


@pytest.fixture
def host_id(clean_database: None) -> int:
    """A host that has just reported."""
    with transaction() as session:
        host = host_service.heartbeat(
            session=session,
            name="local",
            kernel="6.1",
            cores_count=2,
            memory_bytes=8 * GIB,
            tools={"mke2fs": "1.47.0"},
            device_allow=[],
        )
        return host.id


DeviceFactory = Callable[..., int]


@pytest.fixture
def make_device(host_id: int) -> DeviceFactory:
    """Rows of devices, as a worker's scan leaves them."""

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
