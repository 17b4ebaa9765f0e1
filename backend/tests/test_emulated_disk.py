"""Emulated disks in the API: what is asked, the room they take, disk models, and faults on command."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from patina.db import transaction
from patina.device import lease
from patina.device.disk_model import DiskModel, disk_models
from patina.device.emulation import Emulation, FaultRead
from patina.device.models import Device
from patina.device.state import DeviceCondition
from patina.settings import PROJECT_DIR
from patina_dev.testing.owner import HEADERS
from people import People
from run_requests import run_body

GIB = 2**30
DeviceFactory = Callable[..., int]
EMULATION = Emulation(available_bytes=GIB, model_label=None).model_dump(mode="json")
FAULTS: list[dict[str, Any]] = [
    {"kind": "power_cut", "lost": "random", "seed": 7},
    {"kind": "read_error", "first_byte": 0, "length_bytes": 4096},
    {"kind": "write_error", "first_byte": GIB - 4096, "length_bytes": 4096},
    {"kind": "ends_early", "size_bytes": GIB // 2},
    {"kind": "disappears"},
    {"kind": "read_only"},
    {"kind": "slow", "delay_ms": 2},
    {"kind": "none"},
]


def make(client: TestClient, size_bytes: int, medium: str = "file", **emulation: Any) -> Any:
    body = {"size_bytes": size_bytes, "medium": medium, "emulation": emulation}
    return client.post("/api/v1/devices", headers=HEADERS, json=body)


def ask(client: TestClient, device_id: int, fault: dict[str, Any]) -> Any:
    return client.post(f"/api/v1/devices/{device_id}/faults", headers=HEADERS, json=fault)


def test_an_emulated_disk_has_what_was_asked_and_the_defaults(client: TestClient, host_id: int) -> None:
    answer = make(client, 2**50, data="text", seed=9, compressible_fraction=0.5)
    assert (answer.status_code, answer.json()["state"]) == (202, "creating")
    assert answer.json()["emulation"] == {
        "model": None,
        "model_label": None,
        "raid": None,
        "stretch_pieces_count": None,
        "data": "text",
        "seed": 9,
        "compressible_fraction": 0.5,
        "time": "fast",
        "keeps_all": False,
        "kept_paths": [],
        "available_bytes": 4 * GIB,
    }
    assert (answer.json()["size_bytes"], answer.json()["emulated"], answer.json()["fault"]) == (2**50, None, None)


def test_its_default_is_its_size_where_that_is_less_or_all_is_kept(client: TestClient, host_id: int) -> None:
    assert make(client, GIB).json()["emulation"]["available_bytes"] == GIB
    assert make(client, 8 * GIB, keeps_all=True).json()["emulation"]["available_bytes"] == 8 * GIB


@pytest.mark.parametrize("field", [{"data": "noise"}, {"compressible_fraction": 2}, {"seed": -1}, {"time": "slow"}])
def test_what_cannot_be_emulated_is_refused(client: TestClient, host_id: int, field: dict[str, Any]) -> None:
    answer = make(client, GIB, **field)
    assert (answer.status_code, answer.json()["code"]) == (422, "request_invalid")
    assert answer.json()["errors"][0]["field"] == f"emulation.{next(iter(field))}"


def test_paths_are_kept_as_written(client: TestClient, host_id: int) -> None:
    kept = ["database/**", "etc/*.conf", "a b/[xy]?"]
    assert make(client, GIB, kept_paths=kept).json()["emulation"]["kept_paths"] == kept


@pytest.mark.parametrize(
    "asked",
    [
        *({"kept_paths": [path]} for path in ("", "/etc/x", "a//b", "a/", "../x", "a/./b", "a\0b", "x" * 201)),
        {"kept_paths": ["x"] * 33},
        {"kept_paths": ["x"], "keeps_all": True},
    ],
)
def test_kept_paths_that_are_none_are_refused(client: TestClient, host_id: int, asked: dict[str, Any]) -> None:
    answer = make(client, GIB, **asked)
    assert (answer.status_code, answer.json()["code"]) == (422, "request_invalid")


def test_a_disk_model_is_shown_with_its_label_and_an_unknown_one_refused(client: TestClient, host_id: int) -> None:
    listed = client.get("/api/v1/disk-models").json()["items"]
    files = sorted((PROJECT_DIR / "native" / "disk_models").glob("*.json"))
    assert [model["name"] for model in listed] == [json.loads(file.read_text())["name"] for file in files]
    assert {"rotating", "flash"} <= {model["kind"] for model in listed}
    for model in listed:
        answer = make(client, GIB, model=model["name"], available_bytes=64 * 2**20)
        assert answer.json()["emulation"]["model_label"] == model["label"]
    answer = make(client, GIB, model="no-such-disk")
    assert (answer.status_code, answer.json()["code"]) == (422, "disk_model_unknown")


def test_a_disk_that_is_larger_than_its_model_is_refused(client: TestClient, host_id: int) -> None:
    model = client.get("/api/v1/disk-models").json()["items"][0]
    most = model["capacity_bytes"] // 4096 * 4096
    answer = make(client, most + 4096, model=model["name"])
    assert (answer.status_code, answer.json()["code"]) == (422, "disk_model_too_small")
    assert make(client, most, model=model["name"]).status_code == 202


RAID5 = {"level": 5, "disks_count": 4}


@pytest.mark.parametrize("field", [{"time": "accurate"}, {"raid": RAID5}, {"stretch_pieces_count": 8}])
def test_what_only_a_modelled_disk_has_needs_a_model(client: TestClient, host_id: int, field: dict[str, Any]) -> None:
    answer = make(client, GIB, **field)
    assert (answer.status_code, answer.json()["code"]) == (422, "request_invalid")
    [wrong] = answer.json()["errors"]
    assert wrong["field"] == f"emulation.{next(iter(field))}"
    assert "needs a disk model. Choose a model" in wrong["message"]


@pytest.mark.parametrize(
    ("field", "place", "message"),
    [
        ({"raid": {"level": 5, "disks_count": 2}}, "raid.disks_count", "RAID-5 needs 3 disks or more"),
        ({"raid": {"level": 1, "disks_count": 1}}, "raid.disks_count", "must be 2 or more"),
        ({"raid": {"level": 0, "disks_count": 65}}, "raid.disks_count", "must be 64 or less"),
        ({"raid": {"level": 6, "disks_count": 6}}, "raid.level", "must be 0, 1 or 5"),
        ({"stretch_pieces_count": 1}, "stretch_pieces_count", "must be 2 or more"),
        ({"stretch_pieces_count": 16_385}, "stretch_pieces_count", "must be 16,384 or less"),
    ],
)
def test_a_raid_or_a_stretch_that_cannot_be_is_refused_at_its_field(
    client: TestClient, host_id: int, field: dict[str, Any], place: str, message: str
) -> None:
    answer = make(client, GIB, model="hitachi-1tb", **field)
    assert answer.status_code == 422
    [wrong] = answer.json()["errors"]
    assert (wrong["field"], wrong["message"]) == (f"emulation.{place}", message)


@pytest.mark.parametrize(
    ("raid", "disks_of_data", "label"),
    [
        ({"level": 0, "disks_count": 2}, 2, "2 × Hitachi 1 TB, 7200 rpm, RAID-0"),
        ({"level": 1, "disks_count": 3}, 1, "3 × Hitachi 1 TB, 7200 rpm, RAID-1"),
        (RAID5, 3, "4 × Hitachi 1 TB, 7200 rpm, RAID-5"),
    ],
)
def test_a_raid_has_the_room_of_its_level_and_its_name(
    client: TestClient, host_id: int, raid: dict[str, Any], disks_of_data: int, label: str
) -> None:
    model = disk_models()["hitachi-1tb"]
    assert model.capacity_bytes > model.member_bytes
    most = (model.capacity_bytes if raid["level"] == 1 else disks_of_data * model.member_bytes) // 4096 * 4096
    asked: dict[str, Any] = {"model": "hitachi-1tb", "raid": raid, "available_bytes": GIB}
    refused = make(client, most + 4096, **asked).json()
    assert refused["code"] == "disk_model_too_small"
    assert label in refused["detail"]
    made = make(client, most, **asked)
    assert made.status_code == 202
    assert (made.json()["emulation"]["raid"], made.json()["emulation"]["model_label"]) == (raid, label)
    assert made.json()["model"] == f"Emulated disk ({label}) in a file"


def test_a_stretch_is_part_of_the_name_of_the_modelled_disk(client: TestClient, host_id: int) -> None:
    made = make(client, GIB, model="hitachi-1tb", stretch_pieces_count=8).json()
    assert made["emulation"]["stretch_pieces_count"] == 8
    assert made["emulation"]["model_label"] == "Hitachi 1 TB, 7200 rpm, stretched in 8 pieces"
    listed = client.get(f"/api/v1/devices/{made['id']}").json()
    assert listed["emulation"] == made["emulation"]


def test_an_odd_size_is_refused_in_words(client: TestClient, host_id: int) -> None:
    [wrong] = make(client, GIB + 512).json()["errors"]
    assert (wrong["field"], wrong["message"]) == ("size_bytes", "must be a multiple of 4.00 KiB")


def test_it_counts_in_the_quota_by_what_it_may_store(client: TestClient, host_id: int) -> None:
    for _ in range(3):
        assert make(client, 2**40, available_bytes=20 * GIB).status_code == 202
    answer = make(client, 2**40, available_bytes=5 * GIB)
    assert (answer.status_code, answer.json()["code"]) == (409, "sandbox_quota_exceeded")
    assert make(client, 2**40, available_bytes=4 * GIB).status_code == 202


def test_in_memory_it_takes_what_it_may_store(client: TestClient, host_id: int) -> None:
    assert make(client, 2**40, "memory", available_bytes=GIB).status_code == 202
    answer = make(client, 2**40, "memory", available_bytes=32 * GIB)  # the host has 4 GiB free
    assert (answer.status_code, answer.json()["code"]) == (409, "memory_too_small")


@pytest.mark.parametrize("fault", FAULTS, ids=[fault["kind"] for fault in FAULTS])
def test_a_fault_is_asked_of_an_emulated_disk(
    client: TestClient, make_device: DeviceFactory, fault: dict[str, Any]
) -> None:
    device_id = make_device(emulation=EMULATION)
    answer = ask(client, device_id, fault)
    assert answer.status_code == 202, answer.text
    asked = client.get(f"/api/v1/devices/{device_id}").json()["fault"]
    assert (asked["fault"], asked["done_at"], asked["error"]) == (fault, None, None)


def test_a_fault_of_another_device_is_refused(client: TestClient, make_device: DeviceFactory) -> None:
    answer = ask(client, make_device(), {"kind": "read_only"})
    assert (answer.status_code, answer.json()["code"]) == (409, "not_emulated")


def test_a_fault_of_a_disk_that_is_not_made_yet_is_refused(client: TestClient, make_device: DeviceFactory) -> None:
    device_id = make_device(emulation=EMULATION, condition=DeviceCondition.CREATING)
    answer = ask(client, device_id, {"kind": "read_only"})
    assert (answer.status_code, answer.json()["code"]) == (409, "disk_not_ready")


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "read_error", "first_byte": GIB - 4096, "length_bytes": 8192},
        {"kind": "write_error", "first_byte": GIB, "length_bytes": 1},
        {"kind": "ends_early", "size_bytes": GIB + 1},
    ],
)
def test_a_fault_outside_the_disk_is_refused(
    client: TestClient, make_device: DeviceFactory, fault: dict[str, Any]
) -> None:
    answer = ask(client, make_device(emulation=EMULATION), fault)
    assert (answer.status_code, answer.json()["code"]) == (422, "fault_out_of_range")


def test_a_second_fault_waits_for_the_result_of_the_first(client: TestClient, make_device: DeviceFactory) -> None:
    device_id = make_device(emulation=EMULATION)
    assert ask(client, device_id, {"kind": "read_only"}).status_code == 202
    answer = ask(client, device_id, {"kind": "none"})
    assert (answer.status_code, answer.json()["code"]) == (409, "fault_pending")
    with transaction() as session:
        device = session.get_one(Device, device_id)
        asked = FaultRead.model_validate(device.fault)
        device.fault = asked.model_copy(update={"done_at": asked.asked_at}).model_dump(mode="json")
    assert ask(client, device_id, {"kind": "none"}).status_code == 202


def test_a_fault_that_could_end_anothers_job_is_refused(people: People, make_device: DeviceFactory) -> None:
    device_id = make_device(emulation=EMULATION)
    assert people.client["ada"].post("/api/v1/runs", json=run_body(device_id)).status_code == 202
    refused = ask_as(people, "eve", device_id)
    assert (refused.status_code, refused.json()["code"]) == (403, "not_yours")
    assert ask_as(people, "ada", device_id).status_code == 202


def test_a_fault_of_a_device_for_others_is_refused(people: People, make_device: DeviceFactory) -> None:
    device_id = make_device(emulation=EMULATION, users="operators")
    assert ask_as(people, "eve", device_id).json()["code"] == "device_not_yours"
    assert ask_as(people, "olga", device_id).status_code == 202


def ask_as(people: People, name: str, device_id: int) -> Any:
    return people.client[name].post(f"/api/v1/devices/{device_id}/faults", json={"kind": "read_only"})


def test_a_fault_is_in_the_audit_trail(client: TestClient, people: People, make_device: DeviceFactory) -> None:
    device_id = make_device(emulation=EMULATION)
    assert ask_as(people, "olga", device_id).status_code == 202
    entries = client.get("/api/v1/audit").json()["items"]
    [entry] = [entry for entry in entries if entry["action"] == "inject_fault"]
    assert (entry["account_name"], entry["outcome"]) == ("olga", "done")
    assert "read_only" in entry["detail"]["changed"][f"device {device_id}"]["fault"][1]


def test_a_lease_without_a_job_refuses_no_fault(client: TestClient, make_device: DeviceFactory) -> None:
    device_id = make_device(emulation=EMULATION)
    with transaction() as session:
        lease.acquire(session=session, device=session.get_one(Device, device_id), holder="run 42")
    assert ask(client, device_id, {"kind": "read_only"}).status_code == 202


def test_every_disk_model_has_what_the_list_shows() -> None:
    for name, model in disk_models().items():
        assert isinstance(model, DiskModel)
        assert (model.name, bool(model.label), model.capacity_bytes > 0) == (name, True, True)


def test_an_image_of_a_disk_that_drops_data_has_no_contents_unless_asked(
    client: TestClient, make_device: DeviceFactory
) -> None:
    for name, emulation, asked, chosen in (
        ("drops", EMULATION, {}, "metadata"),
        ("asked", EMULATION, {"capture_mode": "allocated"}, "allocated"),
        ("btrfs", EMULATION, {"file_system": "btrfs"}, "metadata"),
        ("keeps", EMULATION | {"keeps_all": True}, {}, "allocated"),
        ("plain", None, {}, "allocated"),
    ):
        body = run_body(make_device(name, emulation=emulation), name, **asked)
        answer = client.post("/api/v1/runs", headers=HEADERS, json=body)
        assert (answer.status_code, answer.json().get("capture_mode")) == (202, chosen), (name, answer.text)


def test_without_contents_btrfs_needs_a_disk_that_generates_them(
    client: TestClient, make_device: DeviceFactory
) -> None:
    for name, emulation, refused in (
        ("drops", EMULATION, []),
        ("keeps", EMULATION | {"keeps_all": True}, ["metadata"]),
        ("plain", None, ["metadata"]),
    ):
        device = client.get(f"/api/v1/devices/{make_device(name, emulation=emulation)}").json()
        offer = next(each for each in device["file_systems"] if each["name"] == "btrfs")
        assert list(offer["refused_captures"]) == refused, name


def test_each_device_of_a_batch_has_its_usual_capture_mode(client: TestClient, make_device: DeviceFactory) -> None:
    named = {"drops": EMULATION, "plain": None}
    ids = {name: make_device(name, emulation=emulation) for name, emulation in named.items()}
    members = [
        {"device_id": device_id, "confirmation": {"stable_id": name, "size_bytes": GIB}}
        for name, device_id in ids.items()
    ]
    shared = {name: value for name, value in run_body(0).items() if name not in ("device_id", "confirmation")}
    for more, expected in (({}, ["metadata", "allocated"]), ({"capture_mode": "exact"}, ["exact", "exact"])):
        answer = client.post("/api/v1/batches", headers=HEADERS, json=shared | more | {"members": members})
        assert answer.status_code == 202, answer.text
        runs = answer.json()["runs"]
        assert [run["capture_mode"] for run in runs] == expected
        for run in runs:
            client.post(f"/api/v1/jobs/{run['id']}/stop", headers=HEADERS)
