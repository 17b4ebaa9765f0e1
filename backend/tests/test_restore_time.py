"""The expected duration of a restore: by measured ones, of the closest kind there is, and never a guess."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from fastapi.testclient import TestClient

from patina.db import transaction
from patina.device_action.models import Restore
from patina.image.models import Image
from patina.job.state import JobState
from trial_rows import make_image

Factory = Callable[..., int]
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def _restored(client: TestClient, device_id: int, name: str, image_id: int, seconds: float, **columns: Any) -> None:
    confirmation = {"stable_id": name, "size_bytes": 2**30}
    body = {"kind": "restore", "device_id": device_id, "image_id": image_id, "confirmation": confirmation}
    made = client.post("/api/v1/actions", json=body)
    assert made.status_code == 202, made.text
    with transaction() as session:
        action = session.get_one(Restore, made.json()["id"])
        assert action.lease is not None
        action.lease.released_at = NOW
        ended = {"state": JobState.SUCCEEDED, "started_at": NOW, "finished_at": NOW + timedelta(seconds=seconds)}
        for column, value in (ended | columns).items():
            setattr(action, column, value)


def _expected(client: TestClient, device_id: int, image_id: int) -> tuple[float | None, str | None, int]:
    params = {"device_id": device_id, "image_id": image_id}
    answer = client.get("/api/v1/restore-time", params=params).json()
    return answer["expected_s"], answer["basis"], answer["restores_count"]


def test_the_closest_measured_restores_are_taken_and_scaled_by_size(
    client: TestClient, make_device: Factory, publish_image: Factory
) -> None:
    image_id, other_id = make_image(publish_image), make_image(publish_image, "other")
    one, two = make_device("one"), make_device("two")
    assert _expected(client, one, image_id) == (None, None, 0), "not invented"
    _restored(client, two, "two", other_id, 8)
    assert _expected(client, one, image_id) == (8, "host", 1)
    with transaction() as session:
        image = session.get_one(Image, image_id)
        image.size_bytes //= 2
    assert _expected(client, one, image_id) == (4, "host", 1)
    _restored(client, one, "one", other_id, 3)
    assert _expected(client, one, image_id) == (1.5, "device", 1)
    for seconds in (10, 30, 20):
        _restored(client, one, "one", image_id, seconds)
    assert _expected(client, one, image_id) == (20, "image", 3)


def test_a_restore_that_failed_or_never_began_measures_nothing(
    client: TestClient, make_device: Factory, publish_image: Factory
) -> None:
    image_id, device_id = make_image(publish_image), make_device("one")
    _restored(client, device_id, "one", image_id, 5, state=JobState.FAILED, error_code="io_error")
    _restored(client, device_id, "one", image_id, 5, state=JobState.CANCELED, started_at=None)
    assert _expected(client, device_id, image_id) == (None, None, 0)


def test_unknown_devices_and_images_are_named(client: TestClient, make_device: Factory, publish_image: Factory) -> None:
    image_id, device_id = make_image(publish_image), make_device("one")
    for params in ({"device_id": 999, "image_id": image_id}, {"device_id": device_id, "image_id": 999}):
        answer = client.get("/api/v1/restore-time", params=params)
        assert (answer.status_code, "999" in answer.json()["detail"]) == (404, True)
