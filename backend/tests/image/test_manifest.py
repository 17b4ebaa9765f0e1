"""The origin of an image: its manifest, and the layout measured before its capture."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from patina.db import transaction
from patina.image.models import Image


@pytest.fixture
def image_id(capture_image: Callable[..., int], tmp_path: Path) -> int:
    device = tmp_path / "device"
    device.write_bytes(b"\1" * 2**20)
    return capture_image(device)


def test_the_manifest_is_the_document_that_its_digest_names(client: TestClient, image_id: int) -> None:
    image = client.get(f"/api/v1/images/{image_id}").json()

    answer = client.get(f"/api/v1/images/{image_id}/manifest.json")

    assert hashlib.sha256(answer.content).hexdigest() == image["manifest_digest"]
    assert answer.headers["ETag"] == f'"{image["manifest_digest"]}"'
    assert f"{image['name']}.manifest.json" in answer.headers["Content-Disposition"]
    manifest = answer.json()
    assert manifest["index_digest"] == image["index_digest"]
    assert manifest["recipe"] == image["recipe"]
    assert manifest["layout"]["layout_digest"]
    assert answer.content == json.dumps(manifest, sort_keys=True, indent=1).encode() + b"\n"


def test_a_row_that_was_changed_since_is_named(client: TestClient, image_id: int) -> None:
    with transaction() as session:
        recipe = session.get_one(Image, image_id).recipe
        assert recipe is not None
        changed = recipe | {"seed": recipe["seed"] ^ 1}
        session.execute(update(Image).where(Image.id == image_id).values(recipe=changed))

    answer = client.get(f"/api/v1/images/{image_id}/manifest.json")

    assert answer.status_code == 500
    assert answer.json()["code"] == "manifest_corrupt"
    assert "agrawal" in answer.json()["detail"]


def test_the_layout_is_the_one_that_was_measured_and_is_said_to_be_unknown_where_none_was(
    client: TestClient, image_id: int
) -> None:
    layout = client.get(f"/api/v1/images/{image_id}/layout").json()
    assert layout["files"]["layout_score"] > 0

    with transaction() as session:
        session.execute(update(Image).where(Image.id == image_id).values(layout=None))

    answer = client.get(f"/api/v1/images/{image_id}/layout")
    assert (answer.status_code, answer.json()["code"]) == (404, "layout_unknown")
