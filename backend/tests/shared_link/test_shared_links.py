"""Links that show an image, a profile, a run, a trial or a study: what, to whom, until when, and nothing else."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import func

from patina.account.models import AccountLink
from patina.db import transaction
from patina.image.models import Image
from patina.job.models import Job
from patina.profile.models import Profile
from patina.scan.kind import SCAN
from people import PASSWORD, People, client_with
from run_requests import run_body
from study_rows import capacity_body
from trial_rows import trial_body

Factory = Callable[..., int]
LISTS = (
    "images",
    "images/facets",
    "profiles",
    "runs",
    "jobs",
    "trials",
    "studies",
    "devices",
    "hosts",
    "shared-links?job_id=1",
)
KINDS = ("image", "profile", "run", "trial", "study")
RESPONSES = {"image": "image_id", "profile": "profile", "run": "run_id", "trial": "trial_id", "study": "study_id"}


class Shown:
    """Makes an image, a profile, a run, a trial and a study that are private to ada. Has the paths that read each of
    them."""

    def __init__(self, people: People, make_device: Factory, image_id: int) -> None:
        ada = people.client["ada"]

        def _start(path: str, body: dict[str, Any]) -> Any:
            answer = ada.post(f"/api/v1{path}", json=body)
            assert answer.status_code < 300, answer.text
            return answer.json()

        profile = ada.get("/api/v1/profiles/meyer/versions/1").json()
        made = {name: profile[name] for name in ("size", "depth", "age")}
        private = {"sharing": {"visibility": "private"}}
        files = {"name": "lab-files", "title": "Ours", "message": "First", "author": "ada", "histograms": made}
        _start("/profiles", files)
        ada.put("/api/v1/profiles/lab-files/sharing", json=private["sharing"])
        run = _start("/runs", run_body(make_device("one"), "one", profile="lab-files") | private)
        trial = _start("/trials", trial_body(make_device("two"), image_id, stable_id="two") | private)
        study = _start("/studies", capacity_body() | private)
        ada.put(f"/api/v1/images/{image_id}/sharing", json=private["sharing"])
        self.image_id = image_id
        self.ids = {
            "image": image_id,
            "profile": "lab-files",
            "run": run["id"],
            "trial": trial["id"],
            "study": study["id"],
        }
        self.named: dict[str, dict[str, Any]] = {
            "image": {"image_id": image_id},
            "profile": {"profile": "lab-files"},
            "run": {"job_id": run["id"]},
            "trial": {"job_id": trial["id"]},
            "study": {"job_id": study["id"]},
        }
        self.reads = {
            "image": [f"images/{image_id}", f"images/{image_id}/downloads", f"images/{image_id}/download/raw"],
            "profile": [f"profiles/lab-files{rest}" for rest in ("", "/versions", "/versions/1")],
            "run": [f"runs/{run['id']}", f"jobs/{run['id']}/events"],
            "trial": [f"trials/{trial['id']}{rest}" for rest in ("", "/measurements", "/export?format=csv")],
            "study": [f"studies/{study['id']}{rest}" for rest in ("", "/export?format=csv")],
        }


@pytest.fixture
def image_id(people: People, capture_image: Factory, tmp_path: Path) -> int:
    """Returns an image that ada has made."""
    (tmp_path / "device").write_bytes(b"\1" * 2**20)
    made = capture_image(tmp_path / "device")
    with transaction() as session:
        session.get_one(Image, made).account_id = people.account_id["ada"]
    return made


@pytest.fixture
def shown(people: People, make_device: Factory, image_id: int) -> Shown:
    return Shown(people, make_device, image_id)


@pytest.fixture
def guest(app: FastAPI) -> Iterator[TestClient]:
    """Yields a browser without an account."""
    with client_with(app) as client:
        yield client


def make_link(people: People, what: dict[str, Any], by: str = "ada") -> dict[str, Any]:
    answer = people.client[by].post("/api/v1/shared-links", json=what | {"expires_in_s": 3600})
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def open_link(client: TestClient, token: str) -> Any:
    return client.post("/api/v1/shared-links/opening", json={"token": token})


def read_by(client: TestClient, shown: Shown) -> set[str]:
    """Returns the kinds of which the client reads everything. It reads all or nothing of each."""
    found = set()
    for kind, paths in shown.reads.items():
        statuses = {client.get(f"/api/v1/{path}").status_code == 200 for path in paths}
        assert len(statuses) == 1, kind
        found |= {kind} if statuses == {True} else set()
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_link_shows_one_thing_and_nothing_else(people: People, shown: Shown, guest: TestClient, kind: str) -> None:
    made = make_link(people, shown.named[kind])
    assert made["url"] == f"http://127.0.0.1/shared#{made['token']}"
    assert read_by(guest, shown) == set()
    answer = open_link(guest, made["token"])
    assert answer.json() == dict.fromkeys(RESPONSES.values()) | {RESPONSES[kind]: shown.ids[kind]}
    [cookie] = answer.headers.get_list("set-cookie")
    assert "HttpOnly" in cookie
    assert read_by(guest, shown) == {kind}
    assert guest.get(f"/api/v1/{shown.reads[kind][0]}").json()["is_changeable"] is False
    for path in LISTS:
        assert guest.get(f"/api/v1/{path}").json()["code"] == "sign_in_required", path
    assert guest.get("/api/v1/me").json()["account"] is None
    assert guest.get("/api/v1/profiles/meyer").status_code == 404, "everyone with an account sees it"


@pytest.mark.parametrize("kind", KINDS)
def test_a_link_shows_it_to_an_account_that_does_not_see_it_otherwise(people: People, shown: Shown, kind: str) -> None:
    eve = people.client["eve"]
    assert read_by(eve, shown) == set()
    assert open_link(eve, make_link(people, shown.named[kind])["token"]).status_code == 200
    assert read_by(eve, shown) == {kind}
    assert eve.get(f"/api/v1/{shown.reads[kind][0]}").json()["is_changeable"] is False
    assert eve.get("/api/v1/profiles/meyer").status_code == 200, "the link takes nothing away"
    assert eve.post("/api/v1/shared-links", json=shown.named[kind]).status_code in (403, 404)


def test_what_a_guest_asks_for_in_vain_is_not_named(people: People, shown: Shown, guest: TestClient) -> None:
    open_link(guest, make_link(people, shown.named["run"])["token"])
    answer = guest.get("/api/v1/profiles/no-such-profile")
    assert (answer.json()["code"], "Profiles here: none" in answer.json()["detail"]) == ("profile_unknown", True)


@pytest.mark.parametrize("kind", KINDS)
def test_a_link_that_was_revoked_or_has_expired_shows_nothing(
    app: FastAPI, people: People, shown: Shown, kind: str
) -> None:
    ada, what = people.client["ada"], shown.named[kind]
    revoked, expired = make_link(people, what), make_link(people, what)
    [newest, _] = ada.get("/api/v1/shared-links", params=what).json()["items"]
    assert (newest["id"], "token" in newest) == (expired["id"], False)
    with client_with(app) as guest, client_with(app) as other:
        for visitor, made in ((guest, revoked), (other, expired)):
            open_link(visitor, made["token"])
            assert read_by(visitor, shown) == {kind}
        assert ada.delete(f"/api/v1/shared-links/{revoked['id']}").status_code == 204
        with transaction() as session:
            session.get_one(AccountLink, expired["id"]).expires_at = func.now()
        for visitor, made in ((guest, revoked), (other, expired)):
            assert read_by(visitor, shown) == set()
            assert visitor.get(f"/api/v1/{shown.reads[kind][0]}").json()["code"] == "sign_in_required"
            assert open_link(visitor, made["token"]).json()["code"] == "link_refused"
    assert ada.get("/api/v1/shared-links", params=what).json()["items"] == []
    assert ada.delete(f"/api/v1/shared-links/{revoked['id']}").json()["code"] == "link_unknown"


@pytest.mark.parametrize("kind", KINDS)
def test_only_who_may_change_a_thing_makes_links_to_it(people: People, shown: Shown, kind: str) -> None:
    what = shown.named[kind]
    made = make_link(people, what, by="olga")
    eve, hidden = people.client["eve"], {"image_unknown", "profile_unknown", "job_unknown"}
    place = f"/api/v1/shared-links/{made['id']}"
    assert eve.get("/api/v1/shared-links", params=what).json()["code"] in hidden
    assert eve.post("/api/v1/shared-links", json=what).json()["code"] in hidden
    assert eve.delete(place).json()["code"] in hidden
    shared = {"visibility": "everyone"}
    paths = {"image": f"images/{shown.image_id}", "profile": "profiles/lab-files"}
    people.client["ada"].put(f"/api/v1/{paths.get(kind, f'jobs/{shown.ids[kind]}')}/sharing", json=shared)
    assert eve.get("/api/v1/shared-links", params=what).json()["code"] == "not_yours"
    assert eve.post("/api/v1/shared-links", json=what).json()["code"] == "not_yours"
    assert eve.delete(place).json()["code"] == "not_yours"
    assert people.client["vi"].get("/api/v1/shared-links", params=what).json()["code"] == "right_missing"


def test_a_link_that_shows_something_makes_no_account(people: People, shown: Shown, guest: TestClient) -> None:
    made = make_link(people, shown.named["profile"])
    body = {"token": made["token"], "name": "mallory", "password": PASSWORD}
    assert guest.post("/api/v1/links/use", json=body).json()["code"] == "link_refused"
    assert open_link(guest, "patina-link-unknown").json()["code"] == "link_refused"


def test_an_invitation_shows_nothing_and_is_not_revoked_as_if_it_did(
    client: TestClient, people: People, guest: TestClient
) -> None:
    invited = client.post("/api/v1/links", json={"role": "viewer"}).json()
    assert open_link(guest, invited["token"]).json()["code"] == "link_refused"
    assert people.client["olga"].delete(f"/api/v1/shared-links/{invited['id']}").json()["code"] == "link_unknown"


def test_a_link_that_shows_something_is_not_revoked_as_an_invitation(
    client: TestClient, people: People, shown: Shown
) -> None:
    made = make_link(people, shown.named["trial"])
    assert client.delete(f"/api/v1/links/{made['id']}").json()["code"] == "link_unknown"
    assert made["id"] not in [item["id"] for item in client.get("/api/v1/links").json()["items"]]


def test_a_deleted_image_is_shown_by_no_link(people: People, image_id: int, guest: TestClient) -> None:
    made = make_link(people, {"image_id": image_id})
    assert people.client["ada"].delete(f"/api/v1/images/{image_id}").status_code == 204
    assert open_link(guest, made["token"]).json()["code"] == "image_deleted"


def test_the_links_to_a_profile_go_with_it(people: People, shown: Shown, guest: TestClient) -> None:
    fork = {"name": "fork", "parent": {"name": "lab-files", "number": 1}}
    ada = people.client["ada"]
    histograms = {name: ada.get("/api/v1/profiles/meyer/versions/1").json()[name] for name in ("size", "depth", "age")}
    ada.post("/api/v1/profiles", json=fork | {"title": "F", "message": "F", "author": "a", "histograms": histograms})
    made = make_link(people, {"profile": "fork"})
    assert ada.delete("/api/v1/profiles/fork", headers={"If-Match": "*"}).status_code == 204
    assert open_link(guest, made["token"]).json()["code"] == "link_refused"
    with transaction() as session:
        assert session.query(Profile).filter_by(name="fork").one_or_none() is None


def test_links_show_results_and_no_other_jobs(people: People, shown: Shown) -> None:
    ada = people.client["ada"]
    scan = ada.post("/api/v1/scans", json={"directory": "/srv/data"}).json()
    with transaction() as session:
        assert session.get_one(Job, scan["id"]).kind == SCAN.name
    answer = ada.post("/api/v1/shared-links", json={"job_id": scan["id"]})
    assert (answer.status_code, answer.json()["code"]) == (422, "not_shown_by_links")


@pytest.mark.parametrize("what", [{}, {"job_id": 1, "image_id": 1}, {"profile": "meyer", "job_id": 1}, {"device": 1}])
def test_a_link_shows_one_thing(people: People, what: dict[str, Any]) -> None:
    answer = people.client["ada"].post("/api/v1/shared-links", json=what)
    assert (answer.status_code, answer.json()["code"]) == (422, "request_invalid")
