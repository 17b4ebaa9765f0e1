"""Devices and leases: limits on making, removing and holding them."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import httpx2
import pytest
import redis
from fastapi.testclient import TestClient
from sqlalchemy import select

from patina.db import transaction
from patina.device import lease
from patina.device import service as device_service
from patina.device.models import Lease
from patina.device.state import DeviceCondition
from patina.file_system.row import MIB
from patina.file_system.table import estimated_capacity_bytes
from patina_dev.testing.owner import HEADERS
from patina_dev.testing.served import ServedApp
from patina_dev.testing.wait import HANG_S
from patina_stack.services import PrivateServices

GIB = 2**30
DeviceFactory = Callable[..., int]
TTL = timedelta(hours=1)


def test_without_a_worker_a_sandbox_is_refused_saying_what_to_do(client: TestClient) -> None:
    answer = client.post("/api/v1/devices", headers=HEADERS, json={"size_bytes": GIB})
    assert (answer.status_code, answer.json()["code"]) == (409, "host_unknown")
    assert "start a worker" in answer.json()["detail"]


def test_a_sandbox_is_creating_until_the_worker_has_made_it(
    client: TestClient, host_id: int, services: PrivateServices
) -> None:
    answer = client.post("/api/v1/devices", headers=HEADERS, json={"size_bytes": GIB, "medium": "memory"})
    assert (answer.status_code, answer.json()["state"]) == (202, "creating")
    assert client.get(answer.headers["Location"]).json()["medium"] == "memory"
    broker = redis.Redis.from_url(services.ports.redis_url)
    assert broker.llen("patina:host.local") == 1


@pytest.mark.parametrize("size_bytes", [0, 1024, 64 * 2**20 + 1, 2**60])
def test_a_sandbox_of_a_senseless_size_is_refused(client: TestClient, host_id: int, size_bytes: int) -> None:
    answer = client.post("/api/v1/devices", headers=HEADERS, json={"size_bytes": size_bytes})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "size_bytes")


def test_sandboxes_beyond_the_hosts_quota_are_refused(client: TestClient, host_id: int) -> None:
    quota = 64 * GIB
    assert client.post("/api/v1/devices", headers=HEADERS, json={"size_bytes": quota}).status_code == 202
    answer = client.post("/api/v1/devices", headers=HEADERS, json={"size_bytes": GIB})
    assert (answer.status_code, answer.json()["code"]) == (409, "sandbox_quota_exceeded")


def test_of_many_who_ask_at_once_no_more_than_the_quota_get_one(server: ServedApp, host_id: int) -> None:
    def _make(_: int) -> int:
        return httpx2.post(
            f"{server.url}/api/v1/devices", headers=HEADERS, json={"size_bytes": 16 * GIB}, timeout=HANG_S
        ).status_code

    with ThreadPoolExecutor(12) as threads:
        answers = list(threads.map(_make, range(12)))
    assert sorted(answers) == [202] * 4 + [409] * 8


def test_a_sandbox_that_its_hosts_memory_can_never_hold_is_refused(client: TestClient, host_id: int) -> None:
    body = {"size_bytes": 32 * GIB, "medium": "memory"}  # the host has 4 GiB free
    answer = client.post("/api/v1/devices", headers=HEADERS, json=body)
    assert (answer.status_code, answer.json()["code"]) == (409, "memory_too_small")
    assert client.post("/api/v1/devices", headers=HEADERS, json={**body, "medium": "file"}).status_code == 202


def test_an_expired_sandbox_is_removed_unless_it_is_leased(
    client: TestClient, host_id: int, make_device: DeviceFactory
) -> None:
    over, soon = (datetime.now(UTC) + timedelta(hours=hours) for hours in (-1, 1))
    expired, held, fresh, lasting = (
        make_device(f"sandbox-{at}", expires_at=expires_at) for at, expires_at in enumerate((over, over, soon, None))
    )
    with transaction() as session:
        device = device_service.get_device(session=session, device_id=held)
        lease.acquire(session=session, device=device, holder="run 42")

    with transaction() as session:
        assert device_service.remove_expired_sandboxes(session=session, host_id=host_id) == [expired]
    conditions = {device["id"]: device["state"] for device in client.get("/api/v1/devices").json()["items"]}
    assert conditions == {expired: "busy", held: "busy", fresh: "available", lasting: "available"}
    with transaction() as session:
        assert device_service.get_device(session=session, device_id=expired).condition == DeviceCondition.REMOVING


def test_an_attached_device_is_never_removed(client: TestClient, make_device: DeviceFactory) -> None:
    device_id = make_device(kind="attached", medium=None)
    answer = client.delete(f"/api/v1/devices/{device_id}")
    assert (answer.status_code, answer.json()["code"]) == (409, "not_a_sandbox")


def test_a_leased_sandbox_is_not_removed(client: TestClient, make_device: DeviceFactory) -> None:
    device_id = make_device()
    with transaction() as session:
        device = device_service.get_device(session=session, device_id=device_id)
        lease.acquire(session=session, device=device, holder="run 42")
    answer = client.delete(f"/api/v1/devices/{device_id}")
    assert (answer.status_code, answer.json()["code"]) == (409, "device_busy")
    assert "run 42" in answer.json()["detail"]
    assert "Wait until it ends" in answer.json()["detail"]
    assert client.get(f"/api/v1/devices/{device_id}").json()["state"] == "busy"


def test_who_wants_a_traced_device_is_told_what_ends_a_trace(client: TestClient, make_device: DeviceFactory) -> None:
    device_id = make_device()
    with transaction() as session:
        device = device_service.get_device(session=session, device_id=device_id)
        lease.acquire(session=session, device=device, holder="trace 42")
    detail = client.delete(f"/api/v1/devices/{device_id}").json()["detail"]
    assert detail.endswith("Roll the device back, which ends the trace; or stop the trace and keep what was written.")


def test_removing_twice_is_removing_once(client: TestClient, make_device: DeviceFactory) -> None:
    device_id = make_device()
    first = client.delete(f"/api/v1/devices/{device_id}")
    second = client.delete(f"/api/v1/devices/{device_id}")
    assert (first.status_code, second.status_code) == (202, 202)


def test_an_unknown_device_is_not_found(client: TestClient) -> None:
    answer = client.get("/api/v1/devices/999")
    assert (answer.status_code, answer.json()["code"]) == (404, "device_unknown")


def test_a_protected_device_says_why(client: TestClient, make_device: DeviceFactory) -> None:
    make_device(kind="attached", medium=None, condition=DeviceCondition.PROTECTED, condition_reason="mounted at /")
    (device,) = client.get("/api/v1/devices").json()["items"]
    assert (device["state"], device["state_reason"]) == ("protected", "mounted at /")


def test_of_many_who_want_a_device_at_once_one_gets_it(make_device: DeviceFactory) -> None:
    device_id = make_device()
    start, outcomes = threading.Barrier(8), []

    def _want(number: int) -> None:
        start.wait()
        try:
            with transaction() as session:
                device = device_service.get_device(session=session, device_id=device_id)
                lease.acquire(session=session, device=device, holder=f"run {number}")
        except lease.DeviceBusy:
            outcomes.append("busy")
        else:
            outcomes.append("held")

    threads = [threading.Thread(target=_want, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["busy"] * 7 + ["held"]


@pytest.fixture
def lease_id(make_device: DeviceFactory) -> int:
    device_id = make_device()
    with transaction() as session:
        device = device_service.get_device(session=session, device_id=device_id)
        return lease.acquire(session=session, device=device, holder="run 1").id


def test_a_claimed_lease_cannot_be_claimed_again_until_it_expires(lease_id: int) -> None:
    with transaction() as session:
        assert lease.claim(session=session, lease_id=lease_id, ttl=TTL) == 1
        assert lease.claim(session=session, lease_id=lease_id, ttl=TTL) is None
        lease.renew(session=session, lease_id=lease_id, fence=1, ttl=timedelta(seconds=-1))
        assert lease.claim(session=session, lease_id=lease_id, ttl=TTL) == 2


def test_a_fenced_out_holder_can_neither_write_nor_renew(lease_id: int) -> None:
    with transaction() as session:
        lease.claim(session=session, lease_id=lease_id, ttl=timedelta(seconds=-1))
        lease.claim(session=session, lease_id=lease_id, ttl=TTL)
        lease.guard(session=session, lease_id=lease_id, fence=2)
        with pytest.raises(lease.LeaseLost):
            lease.guard(session=session, lease_id=lease_id, fence=1)
        with pytest.raises(lease.LeaseLost):
            lease.renew(session=session, lease_id=lease_id, fence=1, ttl=TTL)


def test_a_released_device_is_free_again(lease_id: int, client: TestClient) -> None:
    with transaction() as session:
        lease.release(session=session, lease_id=lease_id)
        with pytest.raises(lease.LeaseLost):
            lease.guard(session=session, lease_id=lease_id, fence=0)
        device = device_service.get_device(session=session, device_id=1)
        lease.acquire(session=session, device=device, holder="run 2")
        assert session.scalars(select(Lease.holder).order_by(Lease.id)).all() == ["run 1", "run 2"]


# `f_blocks * f_frsize` right after mkfs by the worker's recipes: e2fsprogs 1.47.0, xfsprogs 6.1.0, btrfs-progs 6.2.
MEASURED = [
    ("ext4", 128, 115_265_536),
    ("ext4", 512, 510_873_600),
    ("ext4", 1_024, 1_020_702_720),
    ("ext4", 16_384, 16_729_894_912),
    ("xfs", 300, 247_463_936),
    ("xfs", 1_024, 1_006_632_960),
    ("xfs", 65_536, 68_652_367_872),
    ("xfs", 262_144, 274_743_689_216),
    ("xfs", 2_097_152, 2_197_949_513_728),
    ("btrfs", 114, 119_537_664),
    ("btrfs", 1_024, 1_073_741_824),
    ("btrfs", 2_097_152, 2_199_023_255_552),
    ("ext3", 128, 115_298_304),
    ("ext3", 16_384, 16_729_985_024),
    ("ext2", 128, 132_075_520),
    ("ext2", 16_384, 16_864_202_752),
]


@pytest.mark.parametrize(("file_system", "size_mib", "capacity_bytes"), MEASURED)
def test_the_capacity_estimate_is_near_what_was_measured(file_system: str, size_mib: int, capacity_bytes: int) -> None:
    estimate = estimated_capacity_bytes(size_mib * MIB, file_system)
    assert estimate == pytest.approx(capacity_bytes, rel=0.02)


@pytest.mark.parametrize("size_bytes", [64 * MIB, 256 * MIB, GIB, 16 * GIB, 2**40])
def test_the_capacity_estimate_is_below_the_size_and_not_far(size_bytes: int) -> None:
    assert 0.8 * size_bytes < estimated_capacity_bytes(size_bytes, "ext4") < size_bytes
