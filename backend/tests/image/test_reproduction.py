"""Recipes carried out again: requests that are refused, and the run that is queued."""

from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from patina.db import transaction
from patina.image.models import Image, Origin
from patina.profile.models import Profile, ProfileVersion
from run_requests import GIB
from trial_rows import make_image

PublishImage = Callable[..., int]


@pytest.fixture
def image_id(publish_image: PublishImage) -> int:
    """Returns an image of version 1 of the profile agrawal."""
    with transaction() as session:
        digest = session.scalar(
            select(ProfileVersion.digest)
            .join(Profile, ProfileVersion.profile_id == Profile.id)
            .where(Profile.name == "agrawal", ProfileVersion.number == 1)
        )
    recipe = {"profile": "agrawal", "profile_version_number": 1, "profile_digest": digest, "seed": 21}
    return make_image(publish_image, "first", recipe=recipe)


def reproduce(client: TestClient, image_id: int, device_id: int, **headers: str) -> Any:
    confirmation = {"stable_id": "again", "size_bytes": GIB}
    body = {"device_id": device_id, "confirmation": confirmation}
    return client.post(f"/api/v1/images/{image_id}/reproductions", json=body, headers=headers)


def change_recipe(image_id: int, **changes: Any) -> None:
    with transaction() as session:
        image = session.get_one(Image, image_id)
        assert image.recipe is not None
        image.recipe = image.recipe | changes


def test_a_run_has_the_settings_of_the_recipe(
    client: TestClient, image_id: int, make_device: Callable[..., int]
) -> None:
    key = {"Idempotency-Key": "once"}
    device_id = make_device("again")
    answer = reproduce(client, image_id, device_id, **key)
    assert answer.status_code == 202, answer.text
    run = answer.json()
    assert (run["seed"], run["profile"]["name"], run["profile_version_number"]) == (21, "agrawal", 1)
    assert run["reproduces_id"] == image_id
    assert reproduce(client, image_id, device_id, **key).json()["id"] == run["id"]


def test_a_profile_is_found_by_its_digest_under_another_name(
    client: TestClient, image_id: int, make_device: Callable[..., int]
) -> None:
    change_recipe(image_id, profile="elsewhere", profile_version_number=7)
    run = reproduce(client, image_id, make_device("again")).json()
    assert (run["profile"]["name"], run["profile_version_number"]) == ("agrawal", 1)


def test_a_recipe_that_cannot_be_carried_out_here_is_refused(
    client: TestClient, image_id: int, make_device: Callable[..., int]
) -> None:
    device_id = make_device("again")
    change_recipe(image_id, profile_digest="0" * 64)
    refused = reproduce(client, image_id, device_id)
    assert (refused.status_code, refused.json()["code"]) == (409, "recipe_profile_missing")
    replayed = {"workload": "replay", "replay_of": 7, "profile": None, "profile_version_number": None, "fullness": None}
    change_recipe(image_id, **replayed)
    assert reproduce(client, image_id, device_id).json()["code"] == "operation_log_missing"
    facts = client.get(f"/api/v1/images/{image_id}").json()
    intake = {
        "kind": "patina", "source": "", "file_name": "a", "format": "oci.tar", "file_bytes": 1, "file_sha256": "0" * 64,
        "holds": "ext4", "is_clean": True, "check_message": "", "layout_message": "", "host": "far", "kernel": "6.1",
        "patina_version": "0.1.0", "tools": {}, "archive": None,
    }  # fmt: skip
    assert facts["intake"] is None
    with transaction() as session:
        image = session.get_one(Image, image_id)
        image.origin, image.run_id, image.intake = Origin.IMPORTED, None, intake
    refused = reproduce(client, image_id, device_id)
    assert (refused.status_code, refused.json()["code"]) == (409, "recipe_foreign")
    with transaction() as session:
        image = session.get_one(Image, image_id)
        image.recipe = image.summary = image.fullness = None
    refused = reproduce(client, image_id, device_id)
    assert (refused.status_code, refused.json()["code"]) == (409, "recipe_missing")


def test_an_image_that_reproduces_none_is_not_compared(client: TestClient, image_id: int) -> None:
    answer = client.get(f"/api/v1/images/{image_id}/reproduction")
    assert (answer.status_code, answer.json()["code"]) == (404, "not_a_reproduction")


def test_a_comparison_names_what_differs(client: TestClient, image_id: int, publish_image: PublishImage) -> None:
    again_id = make_image(publish_image, "again", recipe={"seed": 22, "kernel": "6.18"})
    with transaction() as session:
        session.get_one(Image, again_id).reproduces_id = image_id
    found = client.get(f"/api/v1/images/{again_id}/reproduction").json()
    assert found["image"] == {"id": image_id, "name": "first"}
    assert (found["has_same_plan"], found["has_same_layout"]) == (None, None)  # neither was measured
    changed = {item["name"]: (item["before"], item["now"]) for item in found["differences"]}
    assert (changed["seed"], changed["kernel"]) == (("21", "22"), ("6.1", "6.18"))
    client.delete(f"/api/v1/images/{image_id}")
