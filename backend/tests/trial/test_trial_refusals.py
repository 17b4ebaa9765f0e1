"""Trials that are refused, each with its reason."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from host_rows import REPORT
from patina.db import transaction
from patina.device.state import DeviceCondition
from patina.host import service as host_service
from patina.image.models import Image
from patina.trial import describe
from run_requests import run_body
from trial_rows import GIB, IMPORTED, intake, make_image, trial_body

Factory = Callable[..., int]
TYPED = {"stable_id": "sandbox-1", "size_bytes": GIB, "typed": "/dev/sandbox-1"}
MANY_FILES = """
define fileset name=many,size=1k,entries=20000000,prealloc
define process name=program
{
  thread name=reader
  {
    flowop openfile name=open,filesetname=many,fd=1
  }
}
"""


@pytest.fixture
def device_id(make_device: Factory) -> int:
    return make_device()


def refused(client: TestClient, body: dict[str, Any]) -> tuple[int, str, str]:
    """Returns the status, the code and the message. Nothing was stored, and the device is free unless it was not."""
    before = [device["state"] for device in client.get("/api/v1/devices").json()["items"]]
    answer = client.post("/api/v1/trials", json=body)
    assert answer.status_code >= 400, answer.text
    assert client.get("/api/v1/trials").json()["items"] == []
    assert [device["state"] for device in client.get("/api/v1/devices").json()["items"]] == before
    return answer.status_code, answer.json()["code"], answer.json()["detail"]


@pytest.mark.parametrize(
    ("image", "said"),
    [
        (
            {"size_bytes": 2 * GIB},
            "has 2.00 GiB (2,147,483,648 bytes), device /dev/sandbox-1 1.00 GiB (1",
        ),
        ({"mode": "metadata"}, "metadata only"),
        ({"file_system": "f2fs"}, "cannot be mounted on host local: this host's kernel lacks f2fs"),
        (IMPORTED | {"intake": intake("foreign"), "file_system": None}, "is unknown"),
        (IMPORTED | {"intake": intake("foreign", is_clean=False)}, "not found clean"),
        (IMPORTED | {"intake": intake("foreign", is_clean=None)}, "not found clean"),
    ],
)
def test_an_image_that_cannot_be_measured_is_refused(
    client: TestClient, device_id: int, publish_image: Factory, image: dict[str, Any], said: str
) -> None:
    whole, bad = make_image(publish_image), make_image(publish_image, "bad", **image)
    status, code, detail = refused(client, trial_body(device_id, whole, bad))
    assert (status, code) == (409, "not_measurable")
    assert "bad" in detail
    assert said in detail


@pytest.mark.parametrize("file_system", ["xfs", "btrfs", "ext2"])
def test_only_ext3_and_ext4_lose_their_journal(
    client: TestClient, device_id: int, publish_image: Factory, file_system: str
) -> None:
    image_id = make_image(publish_image, file_system=file_system)
    body = trial_body(device_id, arms=[{"image_id": image_id, "has_journal": False}])
    status, code, detail = refused(client, body)
    assert (status, code) == (409, "not_measurable")
    assert f"is {file_system}; only ext3, ext4" in detail


def test_an_image_that_is_unknown_deleted_or_elsewhere_is_refused(
    client: TestClient, device_id: int, publish_image: Factory
) -> None:
    assert refused(client, trial_body(device_id, 999))[:2] == (404, "image_unknown")
    deleted, elsewhere = make_image(publish_image, "deleted"), make_image(publish_image, "elsewhere")
    with transaction() as session:
        session.get_one(Image, deleted).deleted_at = datetime.now(UTC)
        other = host_service.heartbeat(session=session, name="other", report=REPORT)
        session.get_one(Image, elsewhere).host = other
    assert refused(client, trial_body(device_id, deleted))[:2] == (404, "image_deleted")
    assert refused(client, trial_body(device_id, elsewhere))[:2] == (409, "image_elsewhere")


def test_files_without_data_are_not_read(client: TestClient, device_id: int, publish_image: Factory) -> None:
    image_id = make_image(publish_image, recipe={"data_mode": "sparse"})
    body = trial_body(device_id, image_id, workloads=[{"kind": "find"}, {"kind": "grep"}])
    status, code, detail = refused(client, body)
    assert (status, code) == (409, "trial_needs_data")
    assert "grep would read nothing" in detail
    assert client.post("/api/v1/trials", json=trial_body(device_id, image_id)).status_code == 202


@pytest.mark.parametrize(
    ("workload", "code", "said"),
    [
        ({"kind": "personality", "name": "mine", "spec": "\n  define nothing"}, "workload_invalid", ":2:"),
        ({"kind": "personality", "name": "varmial"}, "workload_invalid", "built in are fileserver, large-file"),
        ({"kind": "personality", "name": "README.md"}, "workload_invalid", "no workload 'README.md'"),
        ({"kind": "fio", "job": "[read]\nfilename=/dev/sda"}, "fio_job_invalid", "Line 2: "),
        ({"kind": "postmark", "files_count": 0}, "request_invalid", "files_count"),
        ({"kind": "personality", "name": "varmail", "seconds": 0}, "request_invalid", "seconds"),
        ({"kind": "personality", "name": "../varmail"}, "request_invalid", "name"),
        ({"kind": "filebench"}, "request_invalid", "filebench"),
    ],
)
def test_a_workload_that_cannot_be_run_is_refused(
    client: TestClient, device_id: int, publish_image: Factory, workload: dict[str, Any], code: str, said: str
) -> None:
    body = trial_body(device_id, make_image(publish_image), workloads=[{"kind": "find"}, workload])
    assert refused(client, body)[:2] == (422, code)
    assert said in refused(client, body)[2]


def test_a_mistake_in_a_specification_has_its_line_and_column(client: TestClient) -> None:
    answer = client.post("/api/v1/workloads/description", json={"spec": "set mode quit firstdone\n  bogus x"})
    assert (answer.status_code, answer.json()["code"]) == (422, "workload_invalid")
    assert answer.json()["detail"].startswith("workload.f:2:3: ")


def test_a_specification_beyond_its_memory_is_refused(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(describe, "MEMORY_BYTES", 128 * 2**20)
    answer = client.post("/api/v1/workloads/description", json={"spec": MANY_FILES})
    assert (answer.status_code, answer.json()["code"]) == (422, "workload_too_large")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"workloads": [{"kind": "grep"}, {"kind": "grep"}]}, "two workloads are called grep"),
        ({"repetitions_count": 2}, "repetitions_count"),
        ({"repetitions_count": 1000, "workloads": [{"kind": "find"}, {"kind": "du"}] * 6}, "two workloads"),
        ({"arms": [{}]}, "give image_id, run_id or ages"),
        ({"arms": [{"image_id": 1, "run_id": 1}]}, "give image_id, run_id or ages"),
        ({"arms": [{"image_id": 1}] * 11, "repetitions_count": 1000}, "more than 10000 repetitions"),
        ({"arms": []}, "arms"),
        ({"workloads": []}, "workloads"),
        ({"seed": 2**53}, "seed"),
        ({"speed": "fast"}, "speed"),
    ],
)
def test_a_request_that_does_not_fit_together_is_refused(
    client: TestClient, device_id: int, changes: dict[str, Any], said: str
) -> None:
    status, code, detail = refused(client, trial_body(device_id, 1) | changes)
    assert (status, code) == (422, "request_invalid")
    assert said in detail


def test_two_bases_of_a_group_are_refused(client: TestClient, device_id: int, publish_image: Factory) -> None:
    arms = [{"image_id": make_image(publish_image, name), "is_base": True} for name in ("one", "two")]
    status, code, detail = refused(client, trial_body(device_id, arms=arms))
    assert (status, code) == (422, "two_bases")
    assert "Agrawal 2007 70 % and Agrawal 2007 70 % (two)" in detail


def test_the_device_is_confirmed_and_ready(client: TestClient, make_device: Factory, publish_image: Factory) -> None:
    image_id = make_image(publish_image)
    device_id = make_device(holds="ext4")
    for wrong in ({"typed": None}, {"typed": "/dev/other"}, {"stable_id": "sandbox-2"}, {"size_bytes": 1}):
        body = trial_body(device_id, image_id, confirmation=TYPED | wrong)
        assert refused(client, body)[:2] == (409, "confirmation_mismatch")
    assert refused(client, trial_body(999, image_id))[1] == "device_unknown"
    mounted = make_device("mounted", condition=DeviceCondition.PROTECTED, condition_reason="mounted at /home")
    assert refused(client, trial_body(mounted, image_id, stable_id="mounted"))[:2] == (409, "device_protected")
    lost = make_device("lost", condition=DeviceCondition.LOST)
    assert refused(client, trial_body(lost, image_id, stable_id="lost"))[:2] == (409, "device_not_ready")


def test_a_busy_device_refuses_a_trial_that_does_not_wait(
    client: TestClient, device_id: int, publish_image: Factory
) -> None:
    image_id = make_image(publish_image)
    run_id = client.post("/api/v1/runs", json=run_body(device_id)).json()["id"]
    status, code, detail = refused(client, trial_body(device_id, image_id))
    assert (status, code) == (409, "device_busy")
    assert f"run {run_id}" in detail
    waiting = client.post("/api/v1/trials", json=trial_body(device_id, image_id, waits=True)).json()
    assert (waiting["state"], waiting["is_waiting"]) == ("queued", True)
    assert waiting["message"] == "Waits until /dev/sandbox-1 is free"


def test_a_silent_host_refuses_a_trial_that_does_not_wait(
    client: TestClient, device_id: int, host_id: int, publish_image: Factory
) -> None:
    from patina.host.models import Host

    image_id = make_image(publish_image)
    with transaction() as session:
        session.get_one(Host, host_id).heartbeat_at = datetime.now(UTC) - timedelta(days=1)
    assert refused(client, trial_body(device_id, image_id))[:2] == (409, "host_lost")
    assert client.post("/api/v1/trials", json=trial_body(device_id, image_id, waits=True)).status_code == 202
