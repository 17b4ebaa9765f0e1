"""Who sees an image and who changes it: its account, its team, everyone; on every route that names an image."""

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from patina.account.models import Account, Visibility
from patina.db import transaction
from patina.image.models import Image
from patina.settings import PROJECT_DIR, settings
from patina_dev.testing.property import property_cases
from people import People

ImageFactory = Callable[..., int]

DOCUMENT = json.loads((PROJECT_DIR / "frontend" / "openapi.json").read_text(encoding="utf-8"))
ROUTES = [
    (method.upper(), path) for path, methods in DOCUMENT["paths"].items() for method in methods if "{image_id}" in path
]
REPRODUCTION = {"device_id": 1, "confirmation": {"stable_id": "a", "size_bytes": 1}}
# By the last part of the path.
BODIES: dict[str, dict[str, Any]] = {
    "sharing": {"visibility": "everyone"},
    "tags": {"reference": "mail:v1"},
    "{image_id}": {},
    "reproductions": REPRODUCTION,
}


@pytest.fixture
def image_id(capture_image: ImageFactory, tmp_path: Path, people: People) -> int:
    """Returns an image that ada has made."""
    (tmp_path / "device").write_bytes(b"\1" * 2**20)
    made = capture_image(tmp_path / "device")
    with transaction() as session:
        session.get_one(Image, made).account_id = people.account_id["ada"]
    return made


def share(people: People, image_id: int, visibility: str, by: str = "ada", **team: int) -> Any:
    return people.client[by].put(f"/api/v1/images/{image_id}/sharing", json={"visibility": visibility} | team)


def seen_by(people: People, image_id: int) -> set[str]:
    """Returns who sees the image, the same in the list, in its counts and by its number."""
    found = set()
    for name, client in people.client.items():
        listed = [item["id"] for item in client.get("/api/v1/images").json()["items"]] == [image_id]
        counted = client.get("/api/v1/images/facets").json()["images_count"] == 1
        shown = client.get(f"/api/v1/images/{image_id}").status_code == 200
        assert listed == counted == shown, name
        found |= {name} if shown else set()
    return found


def test_an_image_is_seen_by_those_it_is_shared_with(people: People, image_id: int) -> None:
    assert seen_by(people, image_id) == {"ada", "bob", "eve", "olga", "vera", "vi"}
    assert share(people, image_id, "private").json()["visibility"] == "private"
    assert seen_by(people, image_id) == {"ada", "olga"}
    shared = share(people, image_id, "team", team_id=people.team_id).json()
    assert (shared["team_name"], shared["account_name"]) == ("lab", "ada")
    assert seen_by(people, image_id) == {"ada", "bob", "olga", "vi"}


def test_who_leaves_a_team_no_longer_sees_what_it_shares(client: TestClient, people: People, image_id: int) -> None:
    share(people, image_id, "team", team_id=people.team_id)
    client.delete(f"/api/v1/teams/{people.team_id}/members/{people.account_id['bob']}")
    client.delete(f"/api/v1/teams/{people.team_id}/members/{people.account_id['ada']}")
    assert seen_by(people, image_id) == {"ada", "olga", "vi"}


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_no_route_tells_others_of_a_private_image(people: People, image_id: int, method: str, path: str) -> None:
    """Not even that it is there: the answer is that of a number that no image has."""
    share(people, image_id, "private")
    answers = []
    for number in (image_id, 4711):
        filled = path.replace("{image_id}", str(number)).replace("{format_name}", "raw").replace("{number}", "0")
        filled = filled.replace("{link_id}", "1")
        body: dict[str, Any] | None = (
            BODIES.get(path.rpartition("/")[2]) if method in ("POST", "PUT", "PATCH") else None
        )
        answer = people.client["eve"].request(
            method, filled, json=body, params={"reference": "mail:v1", "other": number}
        )
        answers.append((answer.status_code, answer.text.replace(str(number), "N")))
    assert answers[0] == answers[1]
    assert '"image_unknown"' in answers[0][1]


@pytest.mark.parametrize(("name", "may"), [("ada", True), ("bob", True), ("olga", True), ("eve", False)])
def test_an_image_of_everyone_is_changed_by_its_account_its_team_and_operators(
    people: People, image_id: int, name: str, may: bool
) -> None:
    share(people, image_id, "team", team_id=people.team_id)
    if name == "eve":
        share(people, image_id, "everyone")
    client = people.client[name]
    assert client.get(f"/api/v1/images/{image_id}").json()["is_changeable"] is may
    answer = client.delete(f"/api/v1/images/{image_id}")
    assert answer.status_code == (204 if may else 403), answer.text
    if not may:
        assert answer.json()["code"] == "not_yours"
        assert "ada" in answer.json()["detail"]
        assert share(people, image_id, "private", by=name).json()["code"] == "not_yours"
    else:
        assert client.post(f"/api/v1/images/{image_id}/bring-back").status_code == 204


def test_a_viewer_of_the_team_changes_nothing(people: People, image_id: int) -> None:
    share(people, image_id, "team", team_id=people.team_id)
    assert share(people, image_id, "everyone", by="vi").json()["code"] == "right_missing"


def test_sharing_names_a_team_that_one_is_in(people: People, image_id: int) -> None:
    assert share(people, image_id, "team").json()["code"] == "team_missing"
    assert share(people, image_id, "everyone", team_id=people.team_id).json()["code"] == "team_missing"
    assert share(people, image_id, "team", team_id=people.other_team_id).json()["code"] == "not_a_member"
    assert share(people, image_id, "team", team_id=4711).json()["code"] == "team_unknown"
    assert share(people, image_id, "team", by="olga", team_id=people.other_team_id).status_code == 200
    assert seen_by(people, image_id) == {"ada", "eve", "olga", "vera"}


def test_an_image_older_than_accounts_becomes_that_of_who_makes_it_private(people: People, image_id: int) -> None:
    with transaction() as session:
        session.get_one(Image, image_id).account_id = None
    assert share(people, image_id, "private", by="eve").json()["account_name"] == "eve"
    assert seen_by(people, image_id) == {"eve", "olga"}


def test_teams_are_made_once_and_go_when_they_share_nothing(client: TestClient, people: People, image_id: int) -> None:
    assert client.post("/api/v1/teams", json={"name": "lab"}).json()["code"] == "team_name_taken"
    share(people, image_id, "team", team_id=people.team_id)
    assert client.delete(f"/api/v1/teams/{people.team_id}").json()["code"] == "team_in_use"
    share(people, image_id, "everyone")
    assert client.delete(f"/api/v1/teams/{people.team_id}").status_code == 204
    assert client.delete(f"/api/v1/teams/{people.team_id}").json()["code"] == "team_unknown"
    [left] = people.client["vi"].get("/api/v1/teams").json()["items"]
    assert (left["name"], [member["name"] for member in left["members"]]) == ("others", ["eve", "vera"])
    assert people.client["eve"].get("/api/v1/me").json()["teams"] == [{"id": left["id"], "name": "others"}]


@pytest.mark.slow
def test_a_random_catalog_is_seen_as_by_a_search_in_python(people: People, publish_image: ImageFactory) -> None:
    generator = random.Random(20)
    made = []
    for number in range(12):
        (settings().index_dir / f"{number}.caibx").write_bytes(b"")
        made.append(publish_image(f"{number}.caibx"))
    names = ["ada", "bob", "eve"]
    for _ in range(property_cases(4)):
        with transaction() as session:
            for image in session.scalars(select(Image)):
                image.account_id = people.account_id[generator.choice(names)]
                image.visibility = generator.choice(list(Visibility))
                team = generator.choice([people.team_id, people.other_team_id])
                image.team_id = team if image.visibility == Visibility.TEAM else None
                session.flush()
            rows = session.execute(
                select(Image.id, Image.visibility, Image.team_id, Account.name).join(
                    Account, Image.account_id == Account.id
                )
            ).all()
        teams = {"ada": people.team_id, "bob": people.team_id, "vi": people.team_id, "eve": people.other_team_id}
        teams["vera"] = people.other_team_id
        for name, client in people.client.items():
            wanted = {
                row.id
                for row in rows
                if name in ("olga", row.name) or row.visibility == "everyone" or row.team_id == teams.get(name)
            }
            listed = {item["id"] for item in client.get("/api/v1/images").json()["items"]}
            assert listed == wanted <= set(made), name
            assert client.get("/api/v1/images/facets").json()["images_count"] == len(wanted)
