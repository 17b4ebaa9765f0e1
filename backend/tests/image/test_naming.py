"""Names, tags, descriptions and protection of images; references; when names moved."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from lock_waits import waiting_count
from patina.account.models import Visibility
from patina.account.role import Role
from patina.db import transaction
from patina.image import naming
from patina.image.models import Image
from patina.image.schemas import ImageChange
from patina.settings import settings
from patina_dev.testing.wait import wait_until
from people import client_with, token_of
from trial_rows import make_image

PublishImage = Callable[..., int]


@pytest.fixture
def image_ids(publish_image: PublishImage) -> list[int]:
    return [make_image(publish_image, name) for name in ("one", "two")]


def change(client: TestClient, image_id: int, **members: Any) -> Any:
    return client.patch(f"/api/v1/images/{image_id}", json=members)


def tag(client: TestClient, image_id: int, reference: str) -> Any:
    return client.post(f"/api/v1/images/{image_id}/tags", json={"reference": reference})


def named(client: TestClient, reference: str) -> Any:
    answer = client.get("/api/v1/images/named", params={"reference": reference})
    return answer.json()["id"] if answer.status_code == 200 else answer.json()["code"]


def listed(client: TestClient, words: str) -> list[str]:
    return [item["name"] for item in client.get("/api/v1/images", params={"q": words}).json()["items"]]


def namings(client: TestClient, image_id: int) -> list[tuple[str, str | None, str | None]]:
    items = client.get(f"/api/v1/images/{image_id}/namings").json()["items"]
    return [
        (item["reference"], *((item[end] and item[end]["name"]) for end in ("earlier_image", "image")))
        for item in items
    ]


def test_a_renamed_image_is_found_by_its_new_name_alone(client: TestClient, image_ids: list[int]) -> None:
    one, _ = image_ids
    assert change(client, one, name="mail-server").json()["name"] == "mail-server"
    assert named(client, "mail-server") == one
    assert listed(client, "mail") == ["mail-server"]
    answer = client.get("/api/v1/images/named", params={"reference": "one"})
    assert answer.json()["code"] == "image_unknown"
    assert f"it named image {one}, now mail-server" in answer.json()["detail"]
    assert namings(client, one) == [("mail-server", None, "mail-server"), ("one", "mail-server", None)]
    assert change(client, one, name="one").status_code == 200
    assert named(client, "one") == one


def test_the_manifest_keeps_the_name_under_which_it_was_published(
    client: TestClient, publish_image: PublishImage
) -> None:
    (settings().index_dir / "index.caibx").write_bytes(b"index")
    image_id = publish_image("index.caibx")
    manifest = client.get(f"/api/v1/images/{image_id}/manifest.json")
    assert manifest.status_code == 200
    change(client, image_id, name="renamed", description="changed")
    tag(client, image_id, "mail:v1")
    assert client.get(f"/api/v1/images/{image_id}/manifest.json").content == manifest.content


def test_a_name_that_is_taken_is_refused_also_that_of_a_deleted_image(client: TestClient, image_ids: list[int]) -> None:
    one, two = image_ids
    assert client.delete(f"/api/v1/images/{two}").status_code == 204
    answer = change(client, one, name="two", description="not kept")
    assert (answer.status_code, answer.json()["code"]) == (409, "image_name_taken")
    shown = client.get(f"/api/v1/images/{one}").json()
    assert (shown["name"], shown["description"]) == ("one", "")
    for wrong in ("7", "a b", "", "a/b", "a:b", "x" * 101):
        assert change(client, one, name=wrong).status_code == 422, wrong


def test_a_run_that_publishes_meanwhile_gets_its_image(
    client: TestClient, image_ids: list[int], publish_image: PublishImage
) -> None:
    """The name that a run's image would get is taken by a renaming that is not committed yet."""
    (settings().index_dir / "index.caibx").write_bytes(b"index")
    probe = publish_image("index.caibx")
    name = client.get(f"/api/v1/images/{probe}").json()["name"]
    wanted = re.sub(r"\d+$", lambda number: str(int(number[0]) + 1), name)
    (settings().index_dir / "next.caibx").write_bytes(b"next")
    with ThreadPoolExecutor(1) as threads:
        with transaction() as session:
            image = session.get_one(Image, image_ids[0])
            naming.change_image(session=session, image=image, change=ImageChange(name=wanted))
            publishing = threads.submit(publish_image, "next.caibx")
            wait_until("the publication waits for the renaming", lambda: waiting_count() == 1)
        published = publishing.result()
    assert client.get(f"/api/v1/images/{published}").json()["name"] == f"{wanted}-2"


def test_a_description_is_searched(client: TestClient, image_ids: list[int]) -> None:
    one, _ = image_ids
    text = "# Mail\n\nOf the *Dovecot* servers."
    assert change(client, one, description=text).json()["description"] == text
    assert listed(client, "dovec") == ["one"]
    assert change(client, one, description="").json()["description"] == ""
    assert listed(client, "dovec") == []


def test_a_tag_moves_from_image_to_image(client: TestClient, image_ids: list[int]) -> None:
    one, two = image_ids
    assert tag(client, one, "mail:latest").json()["tags"] == ["mail:latest"]
    assert tag(client, one, "mail:v1").json()["tags"] == ["mail:latest", "mail:v1"]
    assert tag(client, one, "mail:v1").json()["tags"] == ["mail:latest", "mail:v1"]
    assert [named(client, each) for each in ("mail:latest", "mail", "mail:v1", "mail:v2")] == [
        one, one, one, "image_unknown",
    ]  # fmt: skip
    assert tag(client, two, "mail:latest").json()["tags"] == ["mail:latest"]
    assert named(client, "mail") == two
    assert client.get(f"/api/v1/images/{one}").json()["tags"] == ["mail:v1"]
    assert namings(client, one) == [
        ("mail:latest", "one", "two"), ("mail:v1", None, "one"), ("mail:latest", None, "one"),
    ]  # fmt: skip
    assert listed(client, "mail v1") == ["one"]
    (item,) = client.get("/api/v1/images", params={"q": "latest"}).json()["items"]
    assert (item["name"], item["tags"]) == ("two", ["mail:latest"])


def test_a_removed_tag_states_what_it_named(client: TestClient, image_ids: list[int]) -> None:
    one, two = image_ids
    tag(client, one, "mail:v1")
    wrong = client.delete(f"/api/v1/images/{two}/tags", params={"reference": "mail:v1"})
    assert (wrong.status_code, wrong.json()["code"]) == (404, "tag_unknown")
    assert client.delete(f"/api/v1/images/{one}/tags", params={"reference": "mail:v1"}).status_code == 204
    answer = client.get("/api/v1/images/named", params={"reference": "mail:v1"})
    assert f"it named image {one}, now one" in answer.json()["detail"]
    assert client.get(f"/api/v1/images/{one}").json()["tags"] == []


def test_a_digest_names_the_image(client: TestClient, image_ids: list[int]) -> None:
    one, _ = image_ids
    shown = client.get(f"/api/v1/images/{one}").json()
    assert named(client, f"@sha256:{shown['manifest_digest']}") == one
    assert named(client, f"@sha256:{shown['index_digest']}") in image_ids  # the two have the same content
    assert named(client, f"@sha256:{'0' * 64}") == "image_unknown"
    assert named(client, str(one)) == one
    assert named(client, "9" * 30) == "image_unknown"


@pytest.mark.parametrize(
    "reference", ["mail", "a/b/c:d", "Team/mail:v1", "mail:", ":v1", "mail:v 1", "0" * 40, "m:" + "x" * 101]
)
def test_what_is_not_a_tag_is_refused(client: TestClient, image_ids: list[int], reference: str) -> None:
    answer = tag(client, image_ids[0], reference)
    assert (answer.status_code, answer.json()["code"]) == (422, "tag_invalid")


def test_members_of_a_team_move_its_tags(app: FastAPI, client: TestClient, image_ids: list[int]) -> None:
    one, two = image_ids
    team_id = client.post("/api/v1/teams", json={"name": "lab"}).json()["id"]
    with client_with(app, token_of("ada", Role.MEMBER)) as ada, client_with(app, token_of("eve", Role.MEMBER)) as eve:
        accounts = {item["name"]: item["id"] for item in client.get("/api/v1/accounts").json()["items"]}
        client.put(f"/api/v1/teams/{team_id}/members/{accounts['ada']}")
        assert tag(ada, one, "lab/mail:v1").json()["tags"] == ["lab/mail:v1"]
        refused = tag(eve, two, "lab/mail:v1")
        assert (refused.status_code, refused.json()["code"]) == (403, "not_a_member")
        unknown = tag(ada, one, "nolab/mail:v1")
        assert (unknown.status_code, unknown.json()["code"]) == (404, "tag_team_unknown")
        removed = eve.delete(f"/api/v1/images/{one}/tags", params={"reference": "lab/mail:v1"})
        assert removed.json()["code"] == "not_a_member"
        assert named(eve, "lab/mail:v1") == one
        in_use = client.delete(f"/api/v1/teams/{team_id}")
        assert (in_use.status_code, in_use.json()["code"]) == (409, "team_in_use")


def test_a_tag_is_not_taken_from_an_image_of_another_account(
    app: FastAPI, client: TestClient, image_ids: list[int]
) -> None:
    one, two = image_ids
    with client_with(app, token_of("ada", Role.MEMBER)) as ada, client_with(app, token_of("eve", Role.MEMBER)) as eve:
        accounts = {item["name"]: item["id"] for item in client.get("/api/v1/accounts").json()["items"]}
        with transaction() as session:
            session.get_one(Image, one).account_id = accounts["ada"]
            session.get_one(Image, one).visibility = Visibility.PRIVATE
            session.get_one(Image, two).account_id = accounts["eve"]
        tag(ada, one, "mail:v1")
        refused = tag(eve, two, "mail:v1")
        assert (refused.status_code, refused.json()["code"]) == (409, "tag_taken")
        assert "one" not in refused.json()["detail"]
        # An image that is not shared has no name for others, neither now nor before.
        assert [named(eve, each) for each in ("mail:v1", "one", str(one))] == ["image_unknown"] * 3
        change(ada, one, name="mine")
        before = eve.get("/api/v1/images/named", params={"reference": "one"}).json()["detail"]
        assert "mine" not in before
        assert tag(client, two, "mail:v1").json()["tags"] == ["mail:v1"]  # an owner may
        assert namings(eve, two) == [("mail:v1", None, "two")]


def test_a_protected_image_is_not_deleted(client: TestClient, image_ids: list[int]) -> None:
    one, _ = image_ids
    assert change(client, one, is_protected=True).json()["is_protected"] is True
    refused = client.delete(f"/api/v1/images/{one}")
    assert (refused.status_code, refused.json()["code"]) == (409, "image_protected")
    assert change(client, one, is_protected=False).json()["is_protected"] is False
    assert client.delete(f"/api/v1/images/{one}").status_code == 204
