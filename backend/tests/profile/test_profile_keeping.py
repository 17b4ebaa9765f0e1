"""Users' profiles: made, edited concurrently, forked, archived, deleted."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select, text, update
from sqlalchemy.exc import DBAPIError

from lock_waits import waiting_count
from patina.db import transaction
from patina.profile import service
from patina.profile.models import Profile, ProfileVersion
from patina.settings import settings
from patina_dev.testing.wait import wait_until
from run_requests import run_body

ImageFactory = Callable[..., int]

HISTOGRAMS: dict[str, Any] = {
    "size": [{"bytes": 4096, "weight": 1}, {"bytes": 8192, "weight": 2}],
    "depth": [{"depth": 0, "weight": 1, "subdirs": 0}, {"depth": 1, "weight": 1, "subdirs": 3}],
    "age": [{"age": 1, "weight": 1}, {"age": 10, "weight": 1}],
}
BODY: dict[str, Any] = {
    "name": "mail-server",
    "title": "Mail server",
    "description": "# Ours\nWith *Markdown*",
    "source": "Measured in 2026",
    "tags": ["mail", "small files", "mail"],
    "histograms": HISTOGRAMS,
    "message": "First look",
    "author": "Ada",
}


def aged(weight: float) -> dict[str, Any]:
    return HISTOGRAMS | {"age": [{"age": 1, "weight": 1}, {"age": 10, "weight": weight}]}


def made(client: TestClient, **changes: Any) -> Any:
    return client.post("/api/v1/profiles", json=BODY | changes)


def test_profiles_are_listed_by_title_whatever_its_letters(client: TestClient) -> None:
    made(client, name="lower", title="mail in small letters")
    made(client, name="upper", title="Mail In Capitals")
    titles = [item["title"] for item in client.get("/api/v1/profiles").json()["items"]]
    assert titles == sorted(titles, key=str.lower)


def saved(client: TestClient, weight: float, etag: str | None, author: str = "Ada", name: str = "mail-server") -> Any:
    return client.post(
        f"/api/v1/profiles/{name}/versions",
        json={"histograms": aged(weight), "message": f"Weight {weight}", "author": author},
        headers={} if etag is None else {"If-Match": etag},
    )


def code(answer: Any) -> tuple[int, str]:
    assert answer.headers["content-type"] == "application/problem+json"
    return answer.status_code, answer.json()["code"]


def test_a_profile_is_kept_with_its_first_version(client: TestClient) -> None:
    answer = made(client)
    assert answer.status_code == 201
    assert answer.headers["Location"] == "/api/v1/profiles/mail-server"
    profile = client.get(answer.headers["Location"])
    assert profile.json() == answer.json()
    assert profile.headers["ETag"] == answer.headers["ETag"]
    kept = profile.json()
    assert (kept["tags"], kept["is_builtin"], kept["parent"], kept["archived_at"]) == (
        ["mail", "small files"], False, None, None,
    )  # fmt: skip
    assert kept["versions_count"] == kept["latest_version"]["number"] == 1
    assert {name: kept["latest_version"][name] for name in HISTOGRAMS} == HISTOGRAMS
    assert re.fullmatch("[0-9a-f]{64}", kept["latest_version"]["digest"])


def test_a_name_is_given_once(client: TestClient) -> None:
    made(client)
    assert code(made(client)) == (409, "profile_exists")
    assert code(made(client, name="agrawal")) == (409, "profile_exists")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"name": "Mail"}, "name"),
        ({"name": "-mail"}, "name"),
        ({"name": "m" * 64}, "name"),
        ({"title": "   "}, "title"),
        ({"title": "a\x00b"}, "title"),
        ({"description": "a\x00b"}, "description"),
        ({"author": ""}, "author"),
        ({"message": ""}, "message"),
        ({"name": "new"}, "name"),
        ({"tags": ["t" * 41]}, "tags.0"),
        ({"tags": [str(i) for i in range(21)]}, "tags"),
        ({"histograms": HISTOGRAMS | {"age": [{"age": 1, "weight": -1}]}}, "histograms.age.0.weight"),
        ({"owner": "me"}, "owner"),
    ],
)
def test_a_field_that_makes_no_sense_is_named(client: TestClient, change: dict[str, Any], field: str) -> None:
    answer = made(client, **change)
    assert code(answer) == (422, "request_invalid")
    assert [error["field"] for error in answer.json()["errors"]] == [field]


def test_bins_in_the_wrong_place_are_pointed_at(client: TestClient) -> None:
    wrong = HISTOGRAMS | {"age": [{"age": 5, "weight": 1}, {"age": 5, "weight": 1}, {"age": 4, "weight": 1}]}
    answer = made(client, histograms=wrong)
    assert code(answer) == (422, "profile_invalid")
    assert [error["field"] for error in answer.json()["errors"]] == ["histograms.age.1.age", "histograms.age.2.age"]


def test_an_edit_makes_a_new_version_and_leaves_the_old_one(client: TestClient) -> None:
    etag = made(client).headers["ETag"]
    answer = saved(client, 7, etag, author="Grace")
    assert (answer.status_code, answer.headers["Location"]) == (201, "/api/v1/profiles/mail-server/versions/2")
    assert answer.headers["ETag"] == client.get("/api/v1/profiles/mail-server").headers["ETag"] != etag
    assert saved(client, 8, answer.headers["ETag"]).json()["number"] == 3
    items = client.get("/api/v1/profiles/mail-server/versions").json()["items"]
    assert [(v["number"], v["author"], v["message"]) for v in items] == [
        (3, "Ada", "Weight 8"), (2, "Grace", "Weight 7"), (1, "Ada", "First look"),
    ]  # fmt: skip
    assert "age" not in items[0]
    old = client.get("/api/v1/profiles/mail-server/versions/1").json()
    assert (old["age"], old["digest"]) == (HISTOGRAMS["age"], items[2]["digest"])
    latest = client.get("/api/v1/profiles/mail-server").json()["latest_version"]
    assert latest == client.get("/api/v1/profiles/mail-server/versions/3").json()


def test_an_edit_must_say_which_state_it_means(client: TestClient) -> None:
    made(client)
    assert code(saved(client, 7, None)) == (428, "precondition_required")
    assert code(client.patch("/api/v1/profiles/mail-server", json={"title": "T"})) == (428, "precondition_required")
    assert saved(client, 7, "*").status_code == 201


def test_the_second_of_two_edits_is_told_what_the_first_one_did(client: TestClient) -> None:
    etag = made(client).headers["ETag"]
    first = saved(client, 7, etag, author="Grace").json()
    second = saved(client, 8, etag)
    assert code(second) == (412, "profile_changed")
    assert second.json()["current"] == {name: first[name] for name in ("number", "message", "author", "created_at")}
    late = client.patch("/api/v1/profiles/mail-server", json={"title": "Late"}, headers={"If-Match": etag})
    assert code(late) == (412, "profile_changed")
    assert client.get("/api/v1/profiles/mail-server").json()["title"] == "Mail server"


def test_of_people_who_save_at_once_exactly_one_wins(client: TestClient) -> None:
    etag = made(client).headers["ETag"]
    people = ["Ada", "Grace", "Barbara", "Frances"]
    with ThreadPoolExecutor(len(people)) as threads:
        with transaction() as session:
            # All of them have the same state, and wait for the same row.
            session.scalar(select(Profile).where(Profile.name == "mail-server").with_for_update())
            saving = [threads.submit(saved, client, 7 + i, etag, author) for i, author in enumerate(people)]
            wait_until("all of them wait for the row", lambda: waiting_count() == len(people))
        answers = [each.result() for each in saving]
    won = [answer for answer in answers if answer.status_code == 201]
    lost = [answer for answer in answers if answer.status_code != 201]
    assert len(won) == 1
    for answer in lost:
        assert code(answer) == (412, "profile_changed")
        assert answer.json()["current"]["author"] == won[0].json()["author"]
    assert client.get("/api/v1/profiles/mail-server").json()["versions_count"] == 2


def test_saving_the_same_histograms_again_makes_no_version(client: TestClient) -> None:
    etag = made(client).headers["ETag"]
    answer = saved(client, 1, etag)
    assert code(answer) == (409, "version_unchanged")
    assert client.get("/api/v1/profiles/mail-server").headers["ETag"] == etag


def test_what_stands_around_the_histograms_is_changed_alone(client: TestClient) -> None:
    etag = made(client).headers["ETag"]
    answer = client.patch(
        "/api/v1/profiles/mail-server", json={"title": "Post", "tags": ["x"]}, headers={"If-Match": f"W/{etag}"}
    )
    assert answer.status_code == 200
    changed = answer.json()
    assert (changed["title"], changed["tags"], changed["source"]) == ("Post", ["x"], BODY["source"])
    assert changed["versions_count"] == 1
    assert answer.headers["ETag"] == client.get("/api/v1/profiles/mail-server").headers["ETag"] != etag


def test_a_built_in_profile_stays_as_it_is(client: TestClient) -> None:
    etag = client.get("/api/v1/profiles/agrawal").headers["ETag"]
    refused = (409, "profile_read_only")
    assert code(saved(client, 7, etag, name="agrawal")) == refused
    assert code(client.patch("/api/v1/profiles/agrawal", json={}, headers={"If-Match": etag})) == refused
    assert code(client.post("/api/v1/profiles/agrawal/archive")) == refused
    assert code(client.post("/api/v1/profiles/agrawal/unarchive")) == refused
    assert code(client.delete("/api/v1/profiles/agrawal")) == refused


def test_a_fork_remembers_its_parent(client: TestClient) -> None:
    parent = {"name": "agrawal", "number": 1}
    fork = made(client, parent=parent).json()
    assert fork["parent"] == parent
    items = {p["name"]: p["parent"] for p in client.get("/api/v1/profiles").json()["items"]}
    assert (items["mail-server"], items["agrawal"]) == (parent, None)


def test_a_parent_that_is_not_there_is_named(client: TestClient) -> None:
    assert code(made(client, parent={"name": "unknown", "number": 1})) == (404, "profile_unknown")
    assert code(made(client, parent={"name": "agrawal", "number": 9})) == (404, "version_unknown")


def test_a_version_that_is_not_there_is_refused_with_those_there_are(client: TestClient) -> None:
    answer = client.get("/api/v1/profiles/agrawal/versions/2")
    assert code(answer) == (404, "version_unknown")
    assert "it has 1 to 1" in answer.json()["detail"]


@pytest.mark.parametrize("name", ["agrawl", "AGRAWAL", "a%00b", "%F0%9F%92%A9", "a" * 300])
def test_what_is_no_name_is_no_profile(client: TestClient, name: str) -> None:
    assert code(client.get(f"/api/v1/profiles/{name}")) == (404, "profile_unknown")


def test_an_archived_profile_leaves_the_list_and_comes_back(client: TestClient) -> None:
    def listed(archived: str) -> list[str]:
        items = client.get("/api/v1/profiles", params={"archived": archived}).json()["items"]
        return [p["name"] for p in items]

    etag = made(client).headers["ETag"]
    answer = client.post("/api/v1/profiles/mail-server/archive")
    assert (answer.status_code, answer.json()["archived_at"] is None) == (200, False)
    assert answer.headers["ETag"] != etag
    assert client.post("/api/v1/profiles/mail-server/archive").json() == answer.json()
    assert ("mail-server" in listed("false"), listed("true")) == (False, ["mail-server"])
    assert client.get("/api/v1/profiles/mail-server").status_code == 200
    assert client.post("/api/v1/profiles/mail-server/unarchive").json()["archived_at"] is None
    assert ("mail-server" in listed("false"), listed("true")) == (True, [])


def test_a_profile_that_nothing_refers_to_is_deleted_with_its_versions(client: TestClient) -> None:
    saved(client, 7, made(client).headers["ETag"])
    assert client.delete("/api/v1/profiles/mail-server").status_code == 204
    assert code(client.get("/api/v1/profiles/mail-server")) == (404, "profile_unknown")
    assert code(client.delete("/api/v1/profiles/mail-server")) == (404, "profile_unknown")
    with transaction() as session:
        assert session.scalar(select(ProfileVersion).where(ProfileVersion.author == "Ada")) is None


def test_a_name_given_again_has_another_state(client: TestClient) -> None:
    etag = made(client).headers["ETag"]
    client.delete("/api/v1/profiles/mail-server")
    made(client)
    assert code(saved(client, 7, etag)) == (412, "profile_changed")


def test_a_profile_with_forks_is_not_deleted(client: TestClient) -> None:
    made(client)
    made(client, name="fork", parent={"name": "mail-server", "number": 1})
    answer = client.delete("/api/v1/profiles/mail-server")
    assert code(answer) == (409, "profile_in_use")
    assert "forks" in answer.json()["detail"]
    assert "Archive it instead" in answer.json()["detail"]
    client.delete("/api/v1/profiles/fork")
    assert client.delete("/api/v1/profiles/mail-server").status_code == 204


def test_a_profile_with_runs_is_not_deleted(client: TestClient, publish_image: ImageFactory) -> None:
    made(client)
    (settings().index_dir / "a.caibx").write_bytes(b"")
    publish_image("a.caibx")
    with transaction() as session:
        version = service.get_version(session=session, name="mail-server", number=1)
        for table in ("run", "image"):
            session.execute(text(f"UPDATE {table} SET profile_version_id = :id"), {"id": version.id})
    answer = client.delete("/api/v1/profiles/mail-server")
    assert code(answer) == (409, "profile_in_use")
    assert client.post("/api/v1/profiles/mail-server/archive").status_code == 200


@pytest.mark.parametrize("statement", ["UPDATE profile_version SET message = 'x'", "DELETE FROM profile_version"])
def test_the_database_itself_keeps_versions(client: TestClient, statement: str) -> None:
    with pytest.raises(DBAPIError, match=r"immutable|goes only with its profile"), transaction() as session:
        session.execute(text(statement))


def test_a_users_profile_under_a_new_built_in_name_is_left_alone(client: TestClient) -> None:
    with transaction() as session:
        session.execute(update(Profile).where(Profile.name == "meyer").values(is_builtin=False, title="Mine"))
        service.load_builtin(session=session, folder=settings().profiles_dir)
    assert client.get("/api/v1/profiles/meyer").json()["title"] == "Mine"


def test_a_run_takes_the_version_that_was_asked_for(client: TestClient, make_device: Callable[..., int]) -> None:
    """Started again after an edit, it has the same plan."""
    saved(client, 3, made(client).headers["ETag"])
    body = run_body(make_device(), profile="mail-server", fullness=0.5)
    assert code(client.post("/api/v1/runs", json=body | {"profile_version_number": 3})) == (404, "version_unknown")
    run = client.post("/api/v1/runs", json=body | {"profile_version_number": 1}).json()
    assert (run["profile"]["name"], run["profile_version_number"]) == ("mail-server", 1)

    forecast = {"profile": "mail-server", "fullness": 0.5, "capacity_bytes": 2**30}
    first, latest = (
        client.post("/api/v1/forecasts", json=forecast | version).json()
        for version in ({"profile_version_number": 1}, {})
    )
    assert first["overwrites"] != latest["overwrites"]
    no_name = {**forecast, "profile": None, "histograms": HISTOGRAMS, "profile_version_number": 1}
    assert code(client.post("/api/v1/forecasts", json=no_name)) == (422, "request_invalid")
