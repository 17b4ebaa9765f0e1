"""Deleted images: listed and named as deleted until their grace period is over, to those who see them."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from patina.db import transaction
from patina.image.models import Image
from patina.settings import settings
from people import People
from trial_rows import make_image

Factory = Callable[..., int]


def trash(client: TestClient) -> list[Any]:
    return [item["id"] for item in client.get("/api/v1/images/deleted").json()["items"]]


@pytest.fixture
def image_id(people: People, publish_image: Factory) -> int:
    """Returns an image of ada, which she has deleted."""
    made = make_image(publish_image, "lost", account_id=people.account_id["ada"])
    assert trash(people.client["ada"]) == []
    assert people.client["ada"].delete(f"/api/v1/images/{made}").status_code == 204
    return made


def delete_earlier(image_id: int, by: timedelta) -> None:
    with transaction() as session:
        image = session.get_one(Image, image_id)
        assert image.deleted_at is not None
        image.deleted_at -= by


def test_a_deleted_image_is_in_the_trash_and_says_that_it_is_deleted(people: People, image_id: int) -> None:
    ada = people.client["ada"]
    [item] = ada.get("/api/v1/images/deleted").json()["items"]
    assert (item["id"], item["name"], item["is_changeable"]) == (image_id, "lost", True)
    answer = ada.get(f"/api/v1/images/{image_id}")
    assert (answer.status_code, answer.json()["code"]) == (404, "image_deleted")
    assert answer.json()["detail"].startswith("Image lost is deleted.")
    assert ada.post(f"/api/v1/images/{image_id}/bring-back").status_code == 204
    assert trash(ada) == []
    assert ada.get(f"/api/v1/images/{image_id}").status_code == 200


def test_after_the_grace_period_it_is_as_if_it_had_never_been(people: People, image_id: int) -> None:
    ada = people.client["ada"]
    delete_earlier(image_id, timedelta(seconds=settings().gc_grace_s - 60))
    assert trash(ada) == [image_id]
    delete_earlier(image_id, timedelta(seconds=120))
    assert trash(ada) == []
    assert ada.get(f"/api/v1/images/{image_id}").json()["code"] == "image_unknown"
    assert ada.post(f"/api/v1/images/{image_id}/bring-back").json()["code"] == "image_unknown"


def test_the_trash_is_seen_as_the_images_were(people: People, image_id: int) -> None:
    [item] = people.client["eve"].get("/api/v1/images/deleted").json()["items"]
    assert item["is_changeable"] is False
    ada = people.client["ada"]
    ada.post(f"/api/v1/images/{image_id}/bring-back")
    ada.put(f"/api/v1/images/{image_id}/sharing", json={"visibility": "private"})
    ada.delete(f"/api/v1/images/{image_id}")
    for who, code in (("eve", "image_unknown"), ("vera", "image_unknown"), ("olga", "image_deleted")):
        client = people.client[who]
        assert client.get(f"/api/v1/images/{image_id}").json()["code"] == code, who
        assert trash(client) == ([image_id] if who == "olga" else [])


def test_the_last_deleted_image_comes_first(people: People, image_id: int, publish_image: Factory) -> None:
    newer = make_image(publish_image, "newer", account_id=people.account_id["ada"])
    people.client["ada"].delete(f"/api/v1/images/{newer}")
    assert trash(people.client["ada"]) == [newer, image_id]
