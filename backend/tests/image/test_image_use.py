"""Lineage of images and what uses them, as each account sees it."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from fastapi.testclient import TestClient

from patina.db import transaction
from patina.delta.models import Holding
from patina.image.models import Image, Origin
from people import People
from trial_rows import make_image, trial_body

Factory = Callable[..., int]


def use_of(client: TestClient, image_id: int) -> dict[str, Any]:
    answer = client.get(f"/api/v1/images/{image_id}/use")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def tree(client: TestClient, image_id: int) -> list[tuple[str, int, bool]]:
    return [(item["name"], item["depth"], item["is_deleted"]) for item in use_of(client, image_id)["lineage"]]


@pytest.fixture
def lineage(people: People, publish_image: Factory) -> dict[str, int]:
    """Returns five images of ada: a root with two children, of which the first has two."""
    made: dict[str, int] = {}
    for name, parent in (("root", None), ("one", "root"), ("two", "root"), ("one-a", "one"), ("one-b", "one")):
        origin = {} if parent is None else {"origin": Origin.TRIAL, "parent_id": made[parent]}
        made[name] = make_image(publish_image, name, account_id=people.account_id["ada"], **origin)
    return made


WHOLE = [("root", 0, False), ("one", 1, False), ("one-a", 2, False), ("one-b", 2, False), ("two", 1, False)]


def test_the_lineage_is_the_same_tree_from_each_of_its_images(people: People, lineage: dict[str, int]) -> None:
    for image_id in lineage.values():
        assert tree(people.client["eve"], image_id) == WHOLE


def test_a_deleted_image_stays_in_the_tree_and_is_marked(people: People, lineage: dict[str, int]) -> None:
    assert people.client["ada"].delete(f"/api/v1/images/{lineage['one']}").status_code == 204
    assert tree(people.client["ada"], lineage["two"])[1] == ("one", 1, True)


def test_private_images_divide_the_tree_for_those_who_do_not_see_them(people: People, lineage: dict[str, int]) -> None:
    people.client["ada"].put(f"/api/v1/images/{lineage['one']}/sharing", json={"visibility": "private"})
    eve, ada = people.client["eve"], people.client["ada"]
    assert tree(ada, lineage["one-a"]) == WHOLE
    assert tree(eve, lineage["root"]) == [WHOLE[0], WHOLE[4]]
    assert tree(eve, lineage["one-a"]) == [("one-a", 0, False)]


def test_devices_that_hold_it_and_trials_that_measure_it_are_listed(
    people: People, lineage: dict[str, int], make_device: Factory
) -> None:
    device_id, busy = make_device("disk"), make_device("busy")
    with transaction() as session:
        image = session.get_one(Image, lineage["one"])
        session.add(
            Holding(
                device_id=device_id, image_id=image.id, generation="1", verified_at=datetime.now(UTC), differs=False
            )
        )
    ada = people.client["ada"]
    named = ada.put(f"/api/v1/devices/{device_id}/name", json={"name": "mail server"})
    assert named.status_code == 200, named.text
    body = trial_body(busy, lineage["one"], stable_id="busy", sharing={"visibility": "private"})
    trial = ada.post("/api/v1/trials", json=body)
    assert trial.status_code == 202, trial.text
    found = use_of(ada, lineage["one"])
    assert found["devices"] == [{"id": device_id, "name": "mail server"}]
    assert [(item["id"], item["state"]) for item in found["trials"]] == [(trial.json()["id"], "queued")]
    assert use_of(people.client["eve"], lineage["one"])["trials"] == []
    assert use_of(ada, lineage["two"]) | {"lineage": []} == {"lineage": [], "devices": [], "trials": []}
