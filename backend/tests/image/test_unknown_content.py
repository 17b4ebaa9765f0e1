"""Images of bytes without known content are marked, and restored only when that is accepted."""

from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient

from patina.file_system.table import UNKNOWN_CONTENT
from trial_rows import IMPORTED, intake, make_image

Factory = Callable[..., int]


def imported(publish_image: Factory, name: str, holds: str | None) -> int:
    facts = intake("foreign", is_clean=None) | {
        "file_name": "a.img", "format": "raw", "file_bytes": 4096, "file_sha256": "0" * 64, "holds": holds,
        "layout_message": "", "host": "lab-1", "kernel": "6.1", "patina_version": "1", "tools": {},
    }  # fmt: skip
    return make_image(publish_image, name, **(IMPORTED | {"intake": facts, "file_system": None}))


@pytest.mark.parametrize(("holds", "is_known"), [(UNKNOWN_CONTENT, False), ("swap", True), (None, True)])
def test_an_image_is_marked_where_nothing_known_was_found_in_it(
    client: TestClient, publish_image: Factory, holds: str | None, is_known: bool
) -> None:
    image_id = imported(publish_image, "bytes", holds)
    assert client.get(f"/api/v1/images/{image_id}").json()["is_content_known"] is is_known
    [item] = client.get("/api/v1/images").json()["items"]
    assert item["is_content_known"] is is_known


def test_it_is_restored_only_when_that_is_accepted(
    client: TestClient, publish_image: Factory, make_device: Factory
) -> None:
    device_id, image_id = make_device("disk"), imported(publish_image, "bytes", UNKNOWN_CONTENT)
    body = {
        "kind": "restore", "device_id": device_id, "image_id": image_id,
        "confirmation": {"stable_id": "disk", "size_bytes": 2**30, "typed": "/dev/disk"},
    }  # fmt: skip
    refused = client.post("/api/v1/actions", json=body)
    assert (refused.status_code, refused.json()["code"]) == (409, "content_unknown")
    assert "Image bytes" in refused.json()["detail"]
    assert client.get(f"/api/v1/devices/{device_id}").json()["state"] == "available"
    accepted = client.post("/api/v1/actions", json=body | {"accepts_unknown_content": True})
    assert accepted.status_code == 202, accepted.text
