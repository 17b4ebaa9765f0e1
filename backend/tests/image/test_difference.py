"""The difference of two images, by the real core."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from patina.account.models import Visibility
from patina.db import transaction
from patina.image.models import Image
from patina.settings import settings
from people import People

Factory = Callable[..., int]
CHUNK_BYTES = 65_536
SIZE_BYTES = 16 * CHUNK_BYTES


def test_two_images_differ_where_the_device_was_written_to(
    client: TestClient, capture_image: Factory, tmp_path: Path
) -> None:
    device = tmp_path / "disk"
    device.write_bytes(os.urandom(SIZE_BYTES))
    first = capture_image(device, "--chunk-size", str(CHUNK_BYTES))
    changed = tmp_path / "changed"
    content = bytearray(device.read_bytes())
    content[3 * CHUNK_BYTES + 5] ^= 1
    changed.write_bytes(content)
    second = capture_image(changed, "--chunk-size", str(CHUNK_BYTES))
    found = client.get(f"/api/v1/images/{first}/difference", params={"other": second}).json()
    assert (found["first"]["id"], found["second"]["id"]) == (first, second)
    assert (found["changed_bytes"], found["changed_extents_count"]) == (CHUNK_BYTES, 1)
    counts = [found[which]["chunks_count"] for which in ("shared", "only_first", "only_second")]
    assert counts == [15, 1, 1]
    cells, cell_bytes = found["map"]["changed_bytes"], found["map"]["cell_bytes"]
    differing = [place * cell_bytes for place, of_cell in enumerate(cells) if of_cell]
    assert (differing[0], differing[-1]) == (3 * CHUNK_BYTES, 4 * CHUNK_BYTES - cell_bytes)
    same = client.get(f"/api/v1/images/{first}/difference", params={"other": first}).json()
    assert (same["changed_bytes"], same["only_first"]["chunks_count"]) == (0, 0)


def test_a_private_image_is_compared_by_those_who_see_it(
    people: People, capture_image: Factory, tmp_path: Path
) -> None:
    device = tmp_path / "disk"
    device.write_bytes(os.urandom(SIZE_BYTES))
    image_id = capture_image(device)
    other = tmp_path / "other"
    other.write_bytes(device.read_bytes())
    private = capture_image(other)
    with transaction() as session:
        image = session.get_one(Image, private)
        image.account_id, image.visibility = people.account_id["ada"], Visibility.PRIVATE
    url = f"/api/v1/images/{image_id}/difference"
    assert people.client["ada"].get(url, params={"other": private}).status_code == 200
    refused = [people.client["eve"].get(url, params={"other": number}) for number in (private, 987_654)]
    assert [answer.json()["code"] for answer in refused] == ["image_unknown"] * 2
    assert refused[0].text.replace(str(private), "N") == refused[1].text.replace("987654", "N")


def test_an_image_that_cannot_be_compared_is_named(client: TestClient, capture_image: Factory, tmp_path: Path) -> None:
    device = tmp_path / "disk"
    device.write_bytes(os.urandom(SIZE_BYTES))
    image_id = capture_image(device)
    url = f"/api/v1/images/{image_id}/difference"
    unknown = client.get(url, params={"other": 987_654})
    assert (unknown.status_code, unknown.json()["code"]) == (404, "image_unknown")
    assert "987654" in unknown.json()["detail"]
    assert client.get(url).status_code == 422
    (settings().index_dir / "disk.caibx").write_bytes(b"damaged")
    damaged = client.get(url, params={"other": image_id})
    assert damaged.json()["code"] == "index_invalid"


def test_a_core_that_cannot_be_run_is_named_once(
    client: TestClient, capture_image: Factory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = tmp_path / "disk"
    device.write_bytes(os.urandom(SIZE_BYTES))
    image_id = capture_image(device)
    absent = settings().model_copy(update={"core": tmp_path / "no-core"})
    monkeypatch.setattr("patina.core.supervised.settings", lambda: absent)
    answer = client.get(f"/api/v1/images/{image_id}/difference", params={"other": image_id})
    assert (answer.status_code, answer.json()["code"]) == (503, "core_unavailable")
    assert answer.json()["detail"].count("make native") == 1
