"""Where the versions of a profile are used: counts, and the newest, of those that the sender sees."""

from collections.abc import Callable
from typing import Any

from fastapi.testclient import TestClient

from patina.account.models import Visibility
from patina.db import transaction
from patina.image.models import Image
from patina.profile import service
from people import People
from run_requests import run_body
from trial_rows import make_image, trial_body

Factory = Callable[..., int]


def uses_of(client: TestClient, name: str = "agrawal") -> Any:
    return client.get(f"/api/v1/profiles/{name}/uses").json()["items"]


def image_of_agrawal(publish_image: Factory, name: str) -> int:
    with transaction() as session:
        version_id = service.get_version(session=session, name="agrawal", number=1).id
    image_id = make_image(publish_image, name, profile_version_id=version_id)
    with transaction() as session:
        run = session.get_one(Image, image_id).run
        assert run is not None
        run.settings = run.settings | {"profile": "agrawal"}
        run.profile_version_id = version_id
    return image_id


def test_a_profile_without_uses_has_none(client: TestClient) -> None:
    assert uses_of(client, "meyer") == []
    missing = client.get("/api/v1/profiles/nothing-here/uses")
    assert (missing.status_code, missing.json()["code"]) == (404, "profile_unknown")


def test_runs_images_and_trials_are_counted_and_the_newest_named(
    client: TestClient, make_device: Factory, publish_image: Factory
) -> None:
    image_id = image_of_agrawal(publish_image, "aged")
    device_id = make_device("one")
    trial = client.post("/api/v1/trials", json=trial_body(device_id, image_id, stable_id="one", name="Finding"))
    assert trial.status_code == 202, trial.text
    runs = [
        client.post("/api/v1/runs", json=run_body(make_device(name), name)).json()["id"]
        for name in ("two", "three", "four", "five", "six")
    ]
    [version] = uses_of(client)
    assert version["number"] == 1
    assert version["runs"] == {"count": 6, "newest": [{"id": run_id, "name": ""} for run_id in reversed(runs)]}
    assert version["images"] == {"count": 1, "newest": [{"id": image_id, "name": "aged"}]}
    assert version["trials"] == {"count": 1, "newest": [{"id": trial.json()["id"], "name": "Finding"}]}
    assert uses_of(client, "meyer") == []


def test_a_trial_that_awaits_a_run_of_the_profile_is_counted(client: TestClient, make_device: Factory) -> None:
    run_id = client.post("/api/v1/runs", json=run_body(make_device("one"), "one")).json()["id"]
    body = trial_body(make_device("two"), stable_id="two", arms=[{"run_id": run_id}])
    trial = client.post("/api/v1/trials", json=body)
    assert trial.status_code == 202, trial.text
    [version] = uses_of(client)
    assert version["trials"] == {"count": 1, "newest": [{"id": trial.json()["id"], "name": ""}]}
    assert uses_of(client, "meyer") == []


def test_a_deleted_image_is_no_use(client: TestClient, publish_image: Factory) -> None:
    image_id = image_of_agrawal(publish_image, "aged")
    assert client.delete(f"/api/v1/images/{image_id}").status_code == 204
    [version] = uses_of(client)
    assert (version["images"], version["runs"]["count"]) == ({"count": 0, "newest": []}, 1)


def test_what_is_not_shared_with_the_sender_is_not_counted(
    client: TestClient, people: People, publish_image: Factory, make_device: Factory
) -> None:
    private = {"sharing": {"visibility": "private"}}
    ada, eve = people.client["ada"], people.client["eve"]
    run_id = ada.post("/api/v1/runs", json=run_body(make_device("one"), "one") | private).json()["id"]
    image_id = image_of_agrawal(publish_image, "aged")
    trial = ada.post("/api/v1/trials", json=trial_body(make_device("two"), image_id, stable_id="two") | private)
    with transaction() as session:
        image = session.get_one(Image, image_id)
        image.account_id, image.visibility = people.account_id["ada"], Visibility.PRIVATE
        aged_by_id = image.run_id
    [own] = uses_of(ada)
    assert [own[kind]["count"] for kind in ("runs", "images", "trials")] == [2, 1, 1]
    [others] = uses_of(eve)
    assert others["runs"] == {"count": 1, "newest": [{"id": aged_by_id, "name": ""}]}
    assert [others[kind]["newest"] for kind in ("images", "trials")] == [[], []]
    assert run_id not in [use["id"] for use in others["runs"]["newest"]]
    assert trial.json()["id"] not in [use["id"] for use in others["trials"]["newest"]]
    assert uses_of(people.client["olga"]) == uses_of(ada)
