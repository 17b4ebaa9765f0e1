"""Retention rules of teams: the preview, the deletion, the loop that applies them; the storage of a team."""

import random
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import select

from patina.account.models import Team, Visibility
from patina.account.role import Role
from patina.audit.models import AuditEntry
from patina.db import transaction
from patina.delta.models import Holding
from patina.image.models import Image
from patina.retention.schemas import Rule
from patina.use_case.retain_images import choose
from patina.use_case.retention_keeper import apply_all
from patina_dev.testing.property import property_cases
from people import client_with, token_of
from trial_rows import make_image

PublishImage = Callable[..., int]
DAY_S = 86_400
EVERYTHING = {"expire_after_s": 0, "keeps_tagged": False}


@pytest.fixture
def team_id(client: TestClient) -> int:
    return int(client.post("/api/v1/teams", json={"name": "lab"}).json()["id"])


def share(image_id: int, team_id: int, *, days: float = 0, **changes: Any) -> None:
    """Makes the image one of the team, `days` old."""
    with transaction() as session:
        image = session.get_one(Image, image_id)
        image.visibility, image.team_id = Visibility.TEAM, team_id
        image.created_at = datetime.now(UTC) - timedelta(days=days)
        for name, value in changes.items():
            setattr(image, name, value)


@pytest.fixture
def image_ids(publish_image: PublishImage, team_id: int) -> list[int]:
    """Returns four images of the team, 0 to 3 days old; the last is the oldest."""
    made = [make_image(publish_image, f"image-{number}") for number in range(4)]
    for days, image_id in enumerate(reversed(made)):
        share(image_id, team_id, days=days + 0.5)
    return made[::-1]


def rule_of(team_id: int, action: str = "") -> str:
    return f"/api/v1/teams/{team_id}/retention{action}"


def previewed(client: TestClient, team_id: int, **rule: Any) -> list[int]:
    answer = client.post(rule_of(team_id, "/preview"), json=rule)
    assert answer.status_code == 200, answer.text
    return [item["id"] for item in answer.json()["items"]]


def listed(client: TestClient) -> list[int]:
    return [item["id"] for item in client.get("/api/v1/images").json()["items"]]


def test_the_newest_stay(client: TestClient, team_id: int, image_ids: list[int]) -> None:
    assert previewed(client, team_id, keep_last_count=2) == image_ids[2:]
    assert previewed(client, team_id, keep_last_count=0) == image_ids
    assert previewed(client, team_id, keep_last_count=4) == []


def test_the_newest_of_each_kind_stay(client: TestClient, team_id: int, image_ids: list[int]) -> None:
    share(image_ids[3], team_id, days=9, file_system="xfs")
    assert previewed(client, team_id, keep_last_count=1) == image_ids[1:3]


def test_images_go_that_are_older(client: TestClient, team_id: int, image_ids: list[int]) -> None:
    assert previewed(client, team_id, expire_after_s=2 * DAY_S) == image_ids[2:]
    assert previewed(client, team_id, expire_after_s=2 * DAY_S, keep_last_count=3) == image_ids[3:]
    [item, _] = client.post(rule_of(team_id, "/preview"), json={"expire_after_s": 2 * DAY_S}).json()["items"]
    assert item["reason"] == "older than 2 days, without a tag"


def test_tagged_protected_and_held_images_stay(
    client: TestClient, team_id: int, image_ids: list[int], make_device: Callable[..., int]
) -> None:
    tagged, protected, held, _ = image_ids
    client.post(f"/api/v1/images/{tagged}/tags", json={"reference": "mail:v1"})
    client.patch(f"/api/v1/images/{protected}", json={"is_protected": True})
    with transaction() as session:
        holding = Holding(
            device_id=make_device("holder"), image_id=held, generation="", verified_at=datetime.now(UTC), differs=False
        )
        session.add(holding)
    assert previewed(client, team_id, expire_after_s=0) == image_ids[3:]
    assert previewed(client, team_id, **EVERYTHING) == [tagged, image_ids[3]]


def test_images_outside_the_team_stay(
    client: TestClient, team_id: int, image_ids: list[int], publish_image: PublishImage
) -> None:
    make_image(publish_image, "of-everyone")
    with transaction() as session:
        session.get_one(Image, image_ids[0]).visibility = Visibility.EVERYONE
        session.get_one(Image, image_ids[0]).team_id = None
    assert previewed(client, team_id, **EVERYTHING) == image_ids[1:]


def test_what_the_preview_lists_goes_and_can_be_brought_back(
    client: TestClient, team_id: int, image_ids: list[int]
) -> None:
    read = client.put(rule_of(team_id), json={"keep_last_count": 1}).json()
    assert read["rule"] == {"keep_last_count": 1, "expire_after_s": None, "keeps_tagged": True}
    leaving = [item["id"] for item in read["preview"]["items"]]
    assert (leaving, read["preview"]["kept_count"]) == (image_ids[1:], 1)
    applied = client.post(rule_of(team_id, "/apply"), json={"image_ids": leaving})
    assert applied.json()["preview"]["items"] == []
    assert listed(client) == image_ids[:1]
    assert client.post(f"/api/v1/images/{image_ids[1]}/bring-back").status_code == 204


def test_a_preview_that_is_out_of_date_deletes_nothing(client: TestClient, team_id: int, image_ids: list[int]) -> None:
    client.put(rule_of(team_id), json={"keep_last_count": 1})
    client.patch(f"/api/v1/images/{image_ids[2]}", json={"is_protected": True})
    refused = client.post(rule_of(team_id, "/apply"), json={"image_ids": image_ids[1:]})
    assert (refused.status_code, refused.json()["code"]) == (409, "retention_changed")
    assert sorted(listed(client)) == sorted(image_ids)


def test_a_removed_rule_deletes_nothing(client: TestClient, team_id: int, image_ids: list[int]) -> None:
    client.put(rule_of(team_id), json={"keep_last_count": 0})
    client.put(rule_of(team_id), json={"keep_last_count": 3})  # replaces it
    assert client.delete(rule_of(team_id)).status_code == 204
    assert client.get(rule_of(team_id)).json() == {"rule": None, "preview": None}
    assert client.delete(rule_of(team_id)).json()["code"] == "retention_rule_missing"
    refused = client.post(rule_of(team_id, "/apply"), json={"image_ids": []})
    assert (refused.status_code, refused.json()["code"]) == (404, "retention_rule_missing")
    assert apply_all() == 0


@pytest.mark.parametrize("rule", [{}, {"keeps_tagged": False}, {"keep_last_count": -1}, {"expire_after_s": -1}])
def test_a_rule_that_deletes_nothing_is_refused(client: TestClient, team_id: int, rule: dict[str, Any]) -> None:
    assert client.put(rule_of(team_id), json=rule).status_code == 422


def test_the_loop_deletes_what_the_preview_lists_and_records_it(
    client: TestClient, team_id: int, image_ids: list[int]
) -> None:
    client.put(rule_of(team_id), json={"keep_last_count": 2})
    assert apply_all() == 2
    assert apply_all() == 0
    assert listed(client) == image_ids[:2]
    with transaction() as session:
        entries = session.scalars(select(AuditEntry).where(AuditEntry.action == "apply_retention")).all()
        [entry] = entries
        assert (entry.account_name, entry.path) == ("Patina", "team lab")
        assert len(entry.detail["changed"]) == 2


def test_members_see_the_rule_of_their_team_and_operators_change_it(
    app: FastAPI, client: TestClient, team_id: int, image_ids: list[int]
) -> None:
    with client_with(app, token_of("ada", Role.MEMBER)) as ada, client_with(app, token_of("eve", Role.MEMBER)) as eve:
        accounts = {item["name"]: item["id"] for item in client.get("/api/v1/accounts").json()["items"]}
        client.put(f"/api/v1/teams/{team_id}/members/{accounts['ada']}")
        client.put(rule_of(team_id), json={"keep_last_count": 3})
        assert [item["id"] for item in ada.get(rule_of(team_id)).json()["preview"]["items"]] == image_ids[3:]
        assert ada.put(rule_of(team_id), json={"keep_last_count": 0}).json()["code"] == "right_missing"
        for path in (rule_of(team_id), f"/api/v1/teams/{team_id}/storage"):
            refused = eve.get(path)
            assert (refused.status_code, refused.json()["code"]) == (404, "team_foreign")


def test_the_storage_of_a_team_counts_shared_chunks_apart(
    client: TestClient, team_id: int, capture_image: PublishImage, tmp_path: Path
) -> None:
    chunk = 2**18
    parts = {name: random.Random(name).randbytes(chunk) for name in "abcd"}
    made = {}
    for name, content in {"one": "ab", "two": "bc", "other": "cd"}.items():
        (tmp_path / name).write_bytes(b"".join(parts[part] for part in content))
        made[name] = capture_image(tmp_path / name)
    storage = f"/api/v1/teams/{team_id}/storage"
    empty = client.get(storage).json()
    assert empty == {"images_count": 0, "size_bytes": 0, "own_bytes": None, "shared_bytes": None, "elsewhere_count": 0}
    share(made["one"], team_id)
    share(made["two"], team_id)
    found = client.get(storage).json()
    assert (found["images_count"], found["size_bytes"]) == (2, 4 * chunk)
    # Random bytes do not get smaller: a and b are the team's, c is in the other image too.
    assert 2 * chunk <= found["own_bytes"] < 2.1 * chunk
    assert chunk <= found["shared_bytes"] < 1.1 * chunk


def test_the_choice_is_that_of_the_rule_s_words(client: TestClient, team_id: int, publish_image: PublishImage) -> None:
    """Compares with a second implementation, over drawn images and rules."""
    draw = random.Random(21)
    made = [make_image(publish_image, f"drawn-{number}") for number in range(12)]
    for _ in range(property_cases(40)):
        facts = {}
        for image_id in made:
            kind = draw.choice(["ext4", "xfs"])
            days, is_protected = draw.randrange(6) + 0.5, draw.random() < 0.2
            tags = ["a:b"] if draw.random() < 0.3 else []
            share(image_id, team_id, days=days, file_system=kind, is_protected=is_protected, tags=tags)
            facts[image_id] = (kind, days, is_protected, tags)
        last, oldest = draw.choice([None, 0, 1, 3]), draw.choice([None, 0, 2, 4])
        if last is None and oldest is None:
            continue
        rule = Rule(
            keep_last_count=last,
            expire_after_s=None if oldest is None else oldest * DAY_S,
            keeps_tagged=draw.random() < 0.5,
        )
        expected = []
        for image_id in sorted(facts, reverse=True):
            kind, age, is_protected, tags = facts[image_id]
            newer = sum(facts[other][0] == kind for other in facts if other > image_id)
            stays = is_protected or (rule.keeps_tagged and tags) or (last is not None and newer < last)
            if not stays and (oldest is None or age > oldest):
                expected.append(image_id)
        with transaction() as session:
            chosen = choose(session=session, team=session.get_one(Team, team_id), rule=rule)
            assert [each.image.id for each in chosen] == expected, rule
