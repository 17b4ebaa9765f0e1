"""Shingled disks in the API: what is asked and refused, and the options that runs on them get."""

from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from patina.db import transaction
from patina.device.models import Device
from patina.device.shingle import AppendShingle, CaveatShingle, with_added
from patina.file_system.options import mkfs_command, mount_list
from patina_dev.testing.owner import HEADERS
from run_requests import run_body
from trial_rows import make_image, trial_body

GIB = 2**30
MIB = 2**20
DeviceFactory = Callable[..., int]
CAVEAT = CaveatShingle(interface="caveat").model_dump(mode="json")
APPEND = AppendShingle(interface="strict-append").model_dump(mode="json")


def make(client: TestClient, size_bytes: int, shingle: dict[str, Any], **changes: Any) -> Any:
    body = {"size_bytes": size_bytes, "shingle": shingle} | changes
    return client.post("/api/v1/devices", headers=HEADERS, json=body)


@pytest.mark.parametrize(
    ("asked", "chosen"),
    [
        ({"interface": "caveat"}, {"interface": "caveat", "did_blocks": 16, "dnor_blocks": 0, "policy": "best"}),
        (
            {"interface": "strict-append", "did_blocks": 8, "clean": "oldest"},
            {"interface": "strict-append", "did_blocks": 8, "band_bytes": 64 * MIB, "clean": "oldest"},
        ),
    ],
)
def test_a_shingled_disk_has_what_was_asked_and_the_defaults(
    client: TestClient, host_id: int, asked: dict[str, Any], chosen: dict[str, Any]
) -> None:
    answer = make(client, GIB, asked)
    assert (answer.status_code, answer.json()["state"]) == (202, "creating")
    assert (answer.json()["shingle"], answer.json()["model"]) == (chosen, "Shingled disk in a file")
    assert answer.json()["emulation"] is None
    assert [offer["name"] for offer in answer.json()["file_systems"]] == ["smrfs"]


def test_an_emulated_shingled_disk_keeps_all_data(client: TestClient, host_id: int) -> None:
    kept = make(client, GIB, {"interface": "caveat"}, emulation={"model": "hitachi-80gb", "keeps_all": True})
    assert kept.status_code == 202, kept.text
    assert kept.json()["emulation"]["available_bytes"] == GIB
    assert kept.json()["model"] == "Emulated shingled disk (Hitachi 80 GB, 7200 rpm) in a file"
    dropped = make(client, GIB, {"interface": "caveat"}, emulation={"model": "hitachi-80gb"})
    assert (dropped.status_code, dropped.json()["code"]) == (422, "request_invalid")
    assert "keeps_all" in dropped.text


@pytest.mark.parametrize(
    "shingle",
    [
        {"interface": "drive-managed"},
        {"interface": "caveat", "did_blocks": 16, "dnor_blocks": 17},
        {"interface": "caveat", "did_blocks": 2**20 + 1},
        {"interface": "caveat", "policy": "greedy"},
        {"interface": "caveat", "band_bytes": 64 * MIB},
        {"interface": "strict-append", "dnor_blocks": 4},
        {"interface": "strict-append", "clean": "best"},
        {"interface": "strict-append", "band_bytes": 64 * MIB + 1},
    ],
)
def test_what_is_no_shingled_disk_is_refused(client: TestClient, host_id: int, shingle: dict[str, Any]) -> None:
    answer = make(client, GIB, shingle)
    assert (answer.status_code, answer.json()["code"]) == (422, "request_invalid")
    assert answer.json()["errors"][0]["field"].startswith("shingle")


@pytest.mark.parametrize(("size_bytes", "is_made"), [(144 * MIB, False), (145 * MIB, True)])
def test_a_disk_without_room_for_two_bands_is_refused(
    client: TestClient, host_id: int, size_bytes: int, is_made: bool
) -> None:
    """The metadata partition has 16 MiB, and the gap between the bands 64 KiB."""
    answer = make(client, size_bytes, {"interface": "strict-append"})
    if is_made:
        assert answer.status_code == 202, answer.text
        return
    assert (answer.status_code, answer.json()["code"]) == (422, "shingled_disk_too_small")
    assert "two bands need 128 MiB (134,283,264 bytes)" in answer.json()["detail"]


@pytest.mark.parametrize("shingle", [CAVEAT, APPEND])
def test_a_run_with_another_file_system_is_refused(
    client: TestClient, make_device: DeviceFactory, shingle: dict[str, Any]
) -> None:
    device_id = make_device(shingle=shingle)
    answer = client.post("/api/v1/runs", json=run_body(device_id))
    assert (answer.status_code, answer.json()["code"]) == (409, "disk_is_shingled")
    said = "/dev/sandbox-1 is a shingled disk; other file systems lose data on it. Choose smrfs."
    assert answer.json()["detail"] == said
    assert client.get(f"/api/v1/devices/{device_id}").json()["state"] == "available"


def test_a_trial_and_a_restore_with_another_file_system_are_refused(
    client: TestClient, make_device: DeviceFactory, publish_image: Callable[..., int]
) -> None:
    device_id = make_device(shingle=CAVEAT)
    image_id = make_image(publish_image)
    trial = client.post("/api/v1/trials", json=trial_body(device_id, image_id))
    assert (trial.status_code, trial.json()["code"]) == (409, "disk_is_shingled"), trial.text
    confirmation = {"stable_id": "sandbox-1", "size_bytes": GIB}
    body = {"kind": "restore", "device_id": device_id, "image_id": image_id, "confirmation": confirmation}
    restore = client.post("/api/v1/actions", json=body)
    assert (restore.status_code, restore.json()["code"]) == (409, "disk_is_shingled"), restore.text
    assert client.get(f"/api/v1/devices/{device_id}").json()["state"] == "available"


@pytest.mark.parametrize(
    ("shingle", "mkfs", "mount"),
    [
        (CAVEAT, "--interface caveat --did 16 --dnor 0", "policy=best"),
        (APPEND, "--interface strict-append --did 16 --band 64MiB", "clean=greedy"),
    ],
)
def test_a_run_has_the_options_of_its_disk(
    client: TestClient, make_device: DeviceFactory, shingle: dict[str, Any], mkfs: str, mount: str
) -> None:
    answer = client.post("/api/v1/runs", json=run_body(make_device(shingle=shingle)) | {"file_system": "smrfs"})
    assert answer.status_code == 202, answer.text
    assert (answer.json()["added_mkfs_options"], answer.json()["added_mount_options"]) == (mkfs, mount)


def test_added_options_replace_those_of_the_disk() -> None:
    device = Device(shingle=CAVEAT)
    mkfs, mount = with_added(device, "--did 512 --partition 32MiB", "buffer=1024,policy=worst")
    assert mkfs == "--interface caveat --dnor 0 --did 512 --partition 32MiB"
    assert mount == "buffer=1024,policy=worst"
    assert mkfs_command("smrfs", "UUID", GIB, mkfs)[3:] == (
        ["--uuid", "UUID", "--did", "512", "--interface", "caveat", "--dnor", "0", "--partition", "32MiB"]
    )
    assert mount_list("smrfs", with_added(device, "", "sync")[1]) == ["policy=best", "sync"]
    assert with_added(Device(), "--did 8", "sync") == ("--did 8", "sync")


def test_options_that_are_too_long_with_those_of_the_disk_are_refused(
    client: TestClient, make_device: DeviceFactory
) -> None:
    added = " ".join(["--partition 32MiB"] * 11)
    body = run_body(make_device(shingle=CAVEAT)) | {"file_system": "smrfs", "added_mkfs_options": added}
    answer = client.post("/api/v1/runs", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "options_refused"), answer.text


def test_only_a_sandbox_device_is_shingled(make_device: DeviceFactory) -> None:
    with pytest.raises(Exception, match="shingle_is_of_sandbox"):
        make_device(kind="attached", medium=None, shingle=CAVEAT)
    with transaction() as session:
        assert session.query(Device).count() == 0
