"""Who sees profiles, jobs and their results, and who changes them: on every route, and in every list."""

import json
import random
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from patina.account.actor import Actor, current_actor
from patina.account.models import CredentialKind, Visibility
from patina.account.role import Role
from patina.account.visibility import Shared, is_seen, seen
from patina.core.contract.age import CaptureSummary
from patina.db import transaction
from patina.image import service as image_service
from patina.image.models import Image
from patina.job.models import Job
from patina.job.state import JobState
from patina.profile.models import Profile, ProfileVersion
from patina.scan.kind import SCAN
from patina.scan.schemas import ScanCreate
from patina.settings import PROJECT_DIR
from patina_dev.testing.property import property_cases
from people import People
from run_requests import run_body
from study_rows import capacity_body
from trial_rows import make_image, trial_body

Factory = Callable[..., int]
Answer = tuple[int, str]

DOCUMENT = json.loads((PROJECT_DIR / "frontend" / "openapi.json").read_text(encoding="utf-8"))
OPERATIONS = {
    operation["operationId"]: (method.upper(), path, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
}
MISSING = {"name": "no-such-profile"}  # of the others: a number
PROFILE: dict[str, Any] = {
    "name": "lab-files",
    "title": "Ours",
    "message": "First",
    "author": "ada",
    "histograms": {
        "size": [{"bytes": 4096, "weight": 1}, {"bytes": 8192, "weight": 2}],
        "depth": [{"depth": 0, "weight": 1, "subdirs": 0}, {"depth": 1, "weight": 1, "subdirs": 3}],
        "age": [{"age": 1, "weight": 1}, {"age": 10, "weight": 1}],
    },
}
# Parameters of paths that name what an account shares, and those that do not. A new one belongs to either.
SHARED = {"name", "run_id", "job_id", "batch_id", "trial_id", "study_id", "action_id", "scan_id", "intake_id"}
NOT_SHARED = {
    "search_id",
    *("account_id", "credential_id", "delivery_id", "device_id", "format_name", "host_id", "image_id", "link_id"),
    *("number", "prefix", "team_id", "token_id", "webhook_id"),
}
# Members of bodies and queries that name what an account shares. image_id: image/test_sharing.py.
NAMED = {"profile", "replay_of", "parent", "run_id", "job_id", "follow"}
BODIES: dict[str, Any] = {
    "update_profile": {"title": "Mine"},
    "add_profile_version": {name: PROFILE[name] for name in ("message", "author", "histograms")},
    "change_stop_conditions": {"max_seconds": 60},
    "change_run": {"note": "Mine"},
    "extend_run": {"confirmation": {"stable_id": "sandbox-1", "size_bytes": 2**30}, "max_rmse": 0.1},
    "finish_intake": {},
    "send_intake_bytes": None,
}
QUERIES = {"export_profile_version": "patina", "export_trial": "csv", "export_study": "csv"}


def paths() -> list[str]:
    """Returns the operations whose path names what an account shares."""
    return [name for name, (_, path, _) in OPERATIONS.items() if name != "get_chunk" and _of(path)]


def _parameters(path: str) -> list[str]:
    return re.findall(r"{(\w+)}", path)


def _of(path: str) -> str | None:
    return next((name for name in _parameters(path) if name in SHARED), None)


def start(client: TestClient, path: str, body: dict[str, Any]) -> Any:
    answer = client.post(f"/api/v1{path}", json=body)
    assert answer.status_code < 300, answer.text
    return answer.json()


class Ours:
    """A profile, a run, a batch, a trial, a study, an action, a scan and an import, which ada has made."""

    def __init__(self, people: People, make_device: Factory, publish_image: Factory) -> None:
        ada, self.people = people.client["ada"], people
        self.ids: dict[str, Any] = {"name": start(ada, "/profiles", PROFILE)["name"]}
        image_id = make_image(publish_image)
        devices = {name: make_device(name) for name in ("one", "two", "three", "four", "five")}
        self.device_id = devices["one"]
        self.ids["run_id"] = start(ada, "/runs", run_body(devices["one"], "one", profile="lab-files", note="secret"))[
            "id"
        ]
        members = [
            {"device_id": devices[name], "confirmation": {"stable_id": name, "size_bytes": 2**30}}
            for name in ("two", "three")
        ]
        batch = start(ada, "/batches", {"profile": "lab-files", "fullness": 0.5, "members": members})
        self.ids["batch_id"], self.batch_runs = batch["id"], [run["id"] for run in batch["runs"]]
        self.ids["trial_id"] = start(ada, "/trials", trial_body(devices["four"], image_id, stable_id="four"))["id"]
        self.ids["study_id"] = start(ada, "/studies", capacity_body())["id"]
        restore = {"kind": "restore", "device_id": devices["five"], "image_id": image_id}
        typed = {"stable_id": "five", "size_bytes": 2**30, "typed": "/dev/five"}
        self.ids["action_id"] = start(ada, "/actions", restore | {"confirmation": typed})["id"]
        self.ids["scan_id"] = start(ada, "/scans", {"directory": "/srv/data"})["id"]
        file = {"name": "theirs", "format": "raw", "size_bytes": 4096, "file_name": "theirs.raw", "kind": "foreign"}
        self.ids["intake_id"] = start(ada, "/intakes", file)["id"]
        self.ids["job_id"] = self.ids["run_id"]

    def jobs(self) -> list[int]:
        names = ("run_id", "trial_id", "study_id", "action_id", "scan_id", "intake_id")
        return [*(self.ids[name] for name in names), self.batch_runs[0]]

    def share(self, visibility: str, **team: int) -> None:
        ada, body = self.people.client["ada"], {"visibility": visibility} | team
        answers = [ada.put(f"/api/v1/jobs/{job_id}/sharing", json=body) for job_id in self.jobs()]
        answers.append(ada.put("/api/v1/profiles/lab-files/sharing", json=body))
        assert [answer.status_code for answer in answers] == [200] * 8, [answer.text for answer in answers]


@pytest.fixture
def ours(people: People, make_device: Factory, publish_image: Factory) -> Ours:
    return Ours(people, make_device, publish_image)


def test_every_parameter_of_a_path_is_known() -> None:
    assert {name for _, path, _ in OPERATIONS.values() for name in _parameters(path)} == SHARED | NOT_SHARED


def asked(client: TestClient, action: str, value: object) -> Answer:
    """Returns the answer to a request for that profile or job, without its name."""
    method, path, operation = OPERATIONS[action]
    name = _of(path)
    filled = path.replace(f"{{{name}}}", str(value)).replace("{number}", "1")
    body = BODIES.get(action, {"visibility": "everyone"} if action.startswith("share_") else None)
    if "requestBody" in operation and action != "send_intake_bytes":
        assert body is not None, f"{action} needs a body in BODIES"
    query = {"format": QUERIES[action]} if action in QUERIES else {}
    headers = {"If-Match": "*", "Upload-Offset": "0"}
    answer = client.request(method, filled, json=body, params=query, headers=headers)
    return answer.status_code, answer.text.replace(str(value), "N")


@pytest.mark.parametrize("who", ["eve", "vera"])
def test_no_route_tells_a_stranger_of_another_teams(ours: Ours, people: People, who: str) -> None:
    """Not even that it is there: the answer is that for one that does not exist."""
    ours.share("team", team_id=people.team_id)
    client, wrong = people.client[who], []
    for action in paths():
        name = _of(OPERATIONS[action][1]) or ""
        told, missing = asked(client, action, ours.ids[name]), asked(client, action, MISSING.get(name, 987654))
        if told != missing or told[0] not in (403, 404):
            wrong.append((action, told, missing))
    assert wrong == []


def test_a_stranger_is_told_of_what_everyone_sees(ours: Ours, people: People) -> None:
    """So the test before would find a route that tells."""
    reads = [action for action in paths() if OPERATIONS[action][0] == "GET" and action != "stream_job"]
    seen_by_eve = {
        action: asked(people.client["eve"], action, ours.ids[_of(OPERATIONS[action][1]) or ""])[0] for action in reads
    }
    assert {action: status for action, status in seen_by_eve.items() if status != 200} == {}


def named_in_requests() -> Iterator[tuple[str, str]]:
    """Yields each operation with a member of its body or query that names what an account shares."""
    for action, (_, _, operation) in OPERATIONS.items():
        for parameter in operation.get("parameters", []):
            if parameter["in"] == "query" and parameter["name"] in NAMED:
                yield action, parameter["name"]
        for content in operation.get("requestBody", {}).get("content", {}).values():
            yield from ((action, name) for name in sorted(set(_members(content["schema"]))) if name in NAMED)


def _members(schema: dict[str, Any], known: frozenset[str] = frozenset()) -> Iterator[str]:
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        if name in known:
            return
        known, schema = known | {name}, DOCUMENT["components"]["schemas"][name]
    for name, member in schema.get("properties", {}).items():
        yield name
        yield from _members(member, known)
    for part in [schema.get("items"), *schema.get("anyOf", []), *schema.get("oneOf", [])]:
        yield from _members(part, known) if part else ()


def requests_naming(device_id: int, profile: str, run_id: int) -> dict[tuple[str, str], tuple[str, dict[str, Any]]]:
    """Returns a request for each member that names what an account shares."""
    forecast = {"profile": profile, "fullness": 0.5, "capacity_bytes": 2**30}
    run = run_body(device_id, "six", profile=profile)
    replay = run_body(device_id, "six", workload="replay", replay_of=run_id, profile=None, fullness=None)
    member = {name: run.pop(name) for name in ("device_id", "confirmation")}
    members = [member, member]
    ages = {"profile": profile, "fullness": 0.5}
    again = {"workload": "replay", "replay_of": run_id}
    trial = trial_body(device_id, stable_id="six")
    return {
        ("make_forecast", "profile"): ("/forecasts", forecast),
        ("simulate_run", "profile"): ("/simulations", forecast),
        ("start_run", "profile"): ("/runs", run | member),
        ("start_run", "replay_of"): ("/runs", replay),
        ("start_batch", "profile"): ("/batches", run | {"members": members}),
        ("start_batch", "replay_of"): ("/batches", again | {"members": members}),
        ("start_trial", "run_id"): ("/trials", trial | {"arms": [{"run_id": run_id}]}),
        ("start_trial", "profile"): ("/trials", trial | {"arms": [{"ages": ages}]}),
        ("start_trial", "replay_of"): ("/trials", trial | {"arms": [{"ages": again}]}),
        ("create_profile", "parent"): (
            "/profiles",
            PROFILE | {"name": "fork", "parent": {"name": profile, "number": 1}},
        ),
        ("make_shared_link", "profile"): ("/shared-links", {"profile": profile}),
        ("make_shared_link", "job_id"): ("/shared-links", {"job_id": run_id}),
    }


# Queries: what they list is tested below.
LISTS = {("list_notices", "job_id"), ("list_images", "profile"), ("list_images", "run_id"), ("count_images", "profile")}
LISTS |= {("save_search", "profile"), ("list_runs", "profile")}  # the words of a search
LISTS |= {("list_shared_links", "profile"), ("list_shared_links", "job_id")}  # shared_link/test_shared_links.py


def test_no_request_uses_what_another_team_has(ours: Ours, people: People, make_device: Factory) -> None:
    ours.share("team", team_id=people.team_id)
    device_id, eve, wrong = make_device("six"), people.client["eve"], []
    theirs = requests_naming(device_id, "lab-files", ours.ids["run_id"])
    missing = requests_naming(device_id, MISSING["name"], 987654)
    assert set(theirs) == set(named_in_requests()) - LISTS - {("stream_jobs", "follow")}
    for member, (path, body) in theirs.items():
        answers = [eve.post(f"/api/v1{path}", json=each) for each in (body, missing[member][1])]
        told = [
            (answer.status_code, answer.text.replace("lab-files", "N").replace(MISSING["name"], "N"))
            for answer in answers
        ]
        told = [(status, text.replace(str(ours.ids["run_id"]), "R").replace("987654", "R")) for status, text in told]
        if told[0] != told[1] or told[0][0] not in (404, 409):
            wrong.append((member, told))
    assert wrong == []
    streams = [
        eve.get("/api/v1/jobs/stream", params={"follow": f"{number}:0"}) for number in (ours.ids["run_id"], 987654)
    ]
    assert [answer.json()["code"] for answer in streams] == ["job_unknown"] * 2


def listed_to(client: TestClient) -> dict[str, list[Any]]:
    """Returns what each list shows to the client."""
    lists = ("profiles", "jobs", "runs", "batches", "trials", "studies", "actions", "intakes")
    return {name: [item["id"] for item in client.get(f"/api/v1/{name}").json()["items"]] for name in lists}


def test_the_lists_leave_out_what_is_not_seen(ours: Ours, people: People) -> None:
    before = listed_to(people.client["eve"])
    ours.share("private")
    after = listed_to(people.client["eve"])
    assert [len(before[name]) - len(after[name]) for name in before] == [1, 8, 3, 1, 1, 1, 1, 1]
    assert after["jobs"] == after["runs"], "the run of the image is left"
    assert listed_to(people.client["ada"]) == listed_to(people.client["olga"]) == before
    ours.share("team", team_id=people.team_id)
    assert listed_to(people.client["vi"]) == before
    assert listed_to(people.client["vera"]) == after


def test_a_batch_is_shared_as_a_whole(ours: Ours, people: People) -> None:
    people.client["ada"].put(f"/api/v1/jobs/{ours.batch_runs[1]}/sharing", json={"visibility": "private"})
    codes = [people.client["eve"].get(f"/api/v1/runs/{run_id}").json().get("code") for run_id in ours.batch_runs]
    assert codes == ["job_unknown"] * 2


def test_a_device_is_held_by_a_private_run_to_those_who_do_not_see_it(ours: Ours, people: People) -> None:
    ours.share("private")
    waiting = start(
        people.client["eve"],
        "/runs",
        run_body(
            ours.device_id,
            "one",
            waits=True,
            confirmation={"stable_id": "one", "size_bytes": 2**30, "typed": "/dev/one"},
        ),
    )
    run = f"run {ours.ids['run_id']}"
    for who, holder in (("eve", "a private run"), ("vera", "a private run"), ("ada", run), ("olga", run)):
        client = people.client[who]
        device = client.get(f"/api/v1/devices/{ours.device_id}").json()
        assert (device["active_lease"]["holder"], device["state_reason"]) == (holder, f"leased by {holder}")
        [listed] = [item for item in client.get("/api/v1/devices").json()["items"] if item["id"] == ours.device_id]
        assert listed["active_lease"]["holder"] == holder
        [job] = [item for item in client.get("/api/v1/jobs").json()["items"] if item["id"] == waiting["id"]]
        assert job["waits_for"] == holder
    refused = people.client["eve"].post("/api/v1/actions", json={
        "kind": "restore", "device_id": ours.device_id, "image_id": 1,
        "confirmation": {"stable_id": "one", "size_bytes": 2**30},
    })  # fmt: skip
    assert refused.json()["code"] == "device_busy"
    assert "by a private run since" in refused.json()["detail"]


def test_a_key_of_another_account_starts_nothing_and_tells_nothing(
    ours: Ours, people: People, make_device: Factory
) -> None:
    body, key = run_body(make_device("six"), "six"), {"Idempotency-Key": "the same"}
    made = people.client["ada"].post("/api/v1/runs", json=body | {"sharing": {"visibility": "private"}}, headers=key)
    assert (made.status_code, made.json()["visibility"]) == (202, "private")
    again = people.client["eve"].post("/api/v1/runs", json=body | {"sharing": {"visibility": "private"}}, headers=key)
    assert (again.status_code, again.json()["code"]) == (409, "idempotency_key_reused")
    assert str(made.json()["id"]) not in again.json()["detail"]


CHANGES = ["update_profile", "share_profile", "archive_profile", "share_job", "stop_job", "retry_job", "pause_run"]
CHANGES += ["resume_run", "change_stop_conditions", "change_run", "extend_run", "stop_batch", "finish_intake"]
CHANGES += ["send_intake_bytes", "unarchive_profile", "delete_profile", "add_profile_version"]


def test_others_change_nothing_that_they_see(ours: Ours, people: People) -> None:
    changes = {action for action in paths() if OPERATIONS[action][0] != "GET"}
    assert changes == set(CHANGES)
    for action in CHANGES:
        status, text = asked(people.client["eve"], action, ours.ids[_of(OPERATIONS[action][1]) or ""])
        assert (status, json.loads(text)["code"]) == (403, "not_yours"), (action, text)
        assert "was made by ada" in text


def test_the_team_and_operators_change_what_is_shared(ours: Ours, people: People) -> None:
    ours.share("team", team_id=people.team_id)
    for who in ("bob", "olga"):
        note = people.client[who].patch(f"/api/v1/runs/{ours.ids['run_id']}", json={"note": who})
        assert (note.status_code, note.json()["is_changeable"]) == (200, True)
        title = people.client[who].patch("/api/v1/profiles/lab-files", json={"title": who}, headers={"If-Match": "*"})
        assert (title.status_code, title.json()["team_name"]) == (200, "lab")
    assert people.client["vi"].get("/api/v1/profiles/lab-files").json()["title"] == "olga"


def test_what_is_older_than_accounts_is_every_members(ours: Ours, people: People) -> None:
    with transaction() as session:
        session.get_one(Job, ours.ids["run_id"]).account_id = None
        session.scalars(select(Profile).where(Profile.name == "lab-files")).one().account_id = None
    assert asked(people.client["eve"], "change_run", ours.ids["run_id"])[0] == 200
    assert asked(people.client["eve"], "update_profile", "lab-files")[0] == 200
    shared = people.client["eve"].put("/api/v1/profiles/lab-files/sharing", json={"visibility": "private"}).json()
    assert (shared["account_name"], shared["visibility"]) == ("eve", "private")


def test_the_name_of_a_profile_that_is_not_seen_is_taken(ours: Ours, people: People) -> None:
    ours.share("private")
    answer = people.client["eve"].post("/api/v1/profiles", json=PROFILE)
    assert (answer.status_code, answer.json()["code"]) == (409, "profile_exists")
    assert answer.json()["detail"] == "The name lab-files is taken. Choose another one."


def test_a_built_in_profile_is_everyones(people: People) -> None:
    answer = people.client["olga"].put("/api/v1/profiles/agrawal/sharing", json={"visibility": "private"})
    assert answer.json()["code"] == "profile_read_only"


def test_a_fork_does_not_tell_of_a_parent_that_is_not_seen(ours: Ours, people: People) -> None:
    fork = PROFILE | {"name": "fork", "parent": {"name": "lab-files", "number": 1}}
    start(people.client["ada"], "/profiles", fork)
    ours.share("private")
    for who, parent in (("ada", {"name": "lab-files", "number": 1}), ("eve", None)):
        assert people.client[who].get("/api/v1/profiles/fork").json()["parent"] == parent
        items = people.client[who].get("/api/v1/profiles").json()["items"]
        assert [item["parent"] for item in items if item["name"] == "fork"] == [parent]


def test_a_fork_is_seen_by_those_who_see_its_parent(ours: Ours, people: People) -> None:
    ours.share("team", team_id=people.team_id)
    fork = start(
        people.client["bob"], "/profiles", PROFILE | {"name": "fork", "parent": {"name": "lab-files", "number": 1}}
    )
    assert (fork["account_name"], fork["team_name"]) == ("bob", "lab")
    fork = start(
        people.client["bob"], "/profiles", PROFILE | {"name": "other", "parent": {"name": "agrawal", "number": 1}}
    )
    assert (fork["account_name"], fork["visibility"]) == ("bob", "everyone")


def test_a_run_begins_as_asked_or_as_its_profile(ours: Ours, people: People, make_device: Factory) -> None:
    ours.share("team", team_id=people.team_id)
    bob, sharing = people.client["bob"], {"visibility": "everyone"}
    begun = start(bob, "/runs", run_body(make_device("six"), "six", profile="lab-files"))
    assert (begun["visibility"], begun["team_name"], begun["account_name"]) == ("team", "lab", "bob")
    begun = start(bob, "/runs", run_body(make_device("seven"), "seven", profile="lab-files", sharing=sharing))
    assert (begun["visibility"], begun["team_id"]) == ("everyone", None)
    others = {"visibility": "team", "team_id": people.other_team_id}
    refused = bob.post("/api/v1/runs", json=run_body(make_device("eight"), "eight", sharing=others))
    assert refused.json()["code"] == "not_a_member"


def test_what_is_made_of_a_private_image_is_private(
    people: People, make_device: Factory, publish_image: Factory
) -> None:
    with transaction() as session:
        digest = session.scalars(
            select(ProfileVersion.digest).join(Profile.latest_version).where(Profile.name == "agrawal")
        ).one()
    recipe = {"profile": "agrawal", "profile_version_number": 1, "profile_digest": digest, "data_mode": "sparse"}
    image_id = make_image(publish_image, recipe=recipe)
    with transaction() as session:
        image = session.get_one(Image, image_id)
        image.account_id, image.visibility = people.account_id["ada"], Visibility.PRIVATE
    ada = people.client["ada"]
    devices = {name: make_device(name) for name in ("one", "two", "three")}
    confirmations = {name: {"stable_id": name, "size_bytes": 2**30, "typed": f"/dev/{name}"} for name in devices}
    again = {"device_id": devices["one"], "confirmation": confirmations["one"]}
    restore = {
        "kind": "restore",
        "device_id": devices["two"],
        "image_id": image_id,
        "confirmation": confirmations["two"],
    }
    trial = trial_body(devices["three"], image_id, stable_id="three")
    trial["arms"][0]["gets_data"] = True
    requests = {f"/images/{image_id}/reproductions": again, "/actions": restore, "/trials": trial}
    for path, body in requests.items():
        made = start(ada, path, body)
        assert (made["visibility"], made["account_name"]) == ("private", "ada"), path
    [run] = made["runs"]
    assert people.client["eve"].get(f"/api/v1/runs/{run['id']}").status_code == 404


def test_notices_of_a_job_are_for_those_who_see_it(ours: Ours, people: People) -> None:
    people.client["ada"].post(f"/api/v1/jobs/{ours.ids['run_id']}/stop")
    ours.share("private")
    found = {
        who: people.client[who].get("/api/v1/notices", params={"job_id": ours.ids["run_id"]}) for who in ("ada", "eve")
    }
    assert {who: len(answer.json()["items"]) for who, answer in found.items()} == {"ada": 1, "eve": 0}


def test_the_image_of_a_run_is_seen_by_those_who_see_the_run(people: People, publish_image: Factory) -> None:
    made = make_image(publish_image)
    with transaction() as session:
        image = session.get_one(Image, made)
        assert image.run is not None
        image.run.account_id, image.run.visibility = people.account_id["ada"], Visibility.TEAM
        image.run.team_id = people.team_id
        capture = CaptureSummary.model_validate(image.capture)
        again = image_service.publish(
            session=session, run=image.run, index_name="again.caibx", capture=capture, layout=None
        )
        assert again.sharing == image.run.sharing
    assert [people.client[who].get(f"/api/v1/images/{again.id}").status_code for who in ("bob", "eve")] == [200, 404]


@pytest.mark.slow
def test_random_rows_are_seen_as_by_a_search_in_python(people: People, host_id: int) -> None:
    """The condition of lists and the check of one row agree with the definition."""
    generator = random.Random(31)
    teams = {"ada": people.team_id, "bob": people.team_id, "vi": people.team_id}
    teams |= {"eve": people.other_team_id, "vera": people.other_team_id}
    with transaction() as session:
        made = [
            SCAN.make(
                host=session.get_one(Job.host.property.mapper.class_, host_id), request=ScanCreate(directory="/srv")
            )
            for _ in range(12)
        ]
        for job in made:
            job.state = JobState.CANCELED
        session.add_all(made)
    for _ in range(property_cases(4)):
        with transaction() as session:
            rows: list[Job] = list(session.scalars(select(Job)))
            for row in rows:
                row.account_id = generator.choice([None, *people.account_id.values()])
                allowed = [each for each in Visibility if row.account_id is not None or each != Visibility.PRIVATE]
                row.visibility = generator.choice(allowed)
                team = generator.choice([people.team_id, people.other_team_id])
                row.team_id = team if row.visibility == Visibility.TEAM else None
            session.flush()
            for name, account_id in people.account_id.items():
                role = Role.OPERATOR if name in ("olga",) else Role.MEMBER
                team_ids = frozenset({teams[name]} if name in teams else ())
                token = current_actor.set(Actor(account_id, name, role, 1, CredentialKind.TOKEN, team_ids))
                try:
                    wanted = {row.id for row in rows if _is_wanted(row, account_id, role, teams.get(name))}
                    assert set(session.scalars(select(Job.id).where(seen(Job)))) == wanted
                    assert {row.id for row in rows if is_seen(row)} == wanted
                finally:
                    current_actor.reset(token)


def _is_wanted(row: Shared, account_id: int, role: Role, team_id: int | None) -> bool:
    is_mine = row.account_id == account_id or (row.team_id is not None and row.team_id == team_id)
    return row.visibility == Visibility.EVERYONE or is_mine or role == Role.OPERATOR
