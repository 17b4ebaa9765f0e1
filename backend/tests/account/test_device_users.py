"""Which devices members may use: each, those of a team, none; in the API and by the function that workers ask."""

import random
from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from patina.account.actor import Actor, current_actor
from patina.account.models import CredentialKind
from patina.account.role import Role
from patina.db import transaction
from patina.device.models import Device
from patina.device.state import DeviceUsers
from patina_dev.testing.property import property_cases
from people import People, client_with, token_of
from run_requests import run_body
from trial_rows import make_image, trial_body

Factory = Callable[..., int]

USABLE = {"members": {"ada", "bob", "eve", "olga"}, "team": {"ada", "bob", "olga"}, "operators": {"olga"}}


def limit(people: People, device_id: int, users: str, by: str = "olga") -> Any:
    body = {"users": users, "team_id": people.team_id if users == "team" else None}
    return people.client[by].put(f"/api/v1/devices/{device_id}/users", json=body)


@pytest.mark.parametrize("users", list(USABLE))
def test_a_device_is_used_by_those_it_is_for(
    people: People, make_device: Factory, publish_image: Factory, users: str
) -> None:
    device_id, image_id = make_device(), make_image(publish_image)
    assert limit(people, device_id, users).json()["users"] == users
    confirmation = {"stable_id": "sandbox-1", "size_bytes": 2**30, "typed": "/dev/sandbox-1"}
    action = {"kind": "restore", "device_id": device_id, "image_id": image_id, "confirmation": confirmation}
    run = run_body(device_id, confirmation=confirmation, waits=True)
    shared = {name: value for name, value in run.items() if name not in ("device_id", "confirmation")}
    member = {"device_id": device_id, "confirmation": confirmation}
    requests = {
        "/runs": run,
        "/batches": shared | {"members": [member, member]},
        "/trials": trial_body(device_id, image_id, waits=True),
        "/actions": action,
    }
    # Those who may not come first: the jobs of the others hold the device.
    for name in sorted(("ada", "bob", "eve", "olga"), key=lambda name: name in USABLE[users]):
        client = people.client[name]
        shown = client.get(f"/api/v1/devices/{device_id}").json()
        assert shown["is_usable"] is (name in USABLE[users])
        assert shown["users_team_name"] == ("lab" if users == "team" else None)
        told = {path: client.post(f"/api/v1{path}", json=body).text for path, body in requests.items()}
        told["removal"] = "" if name in USABLE[users] else client.delete(f"/api/v1/devices/{device_id}").text
        refused = {path for path, text in told.items() if "may not use device /dev/sandbox-1" in text}
        assert refused == (set() if name in USABLE[users] else set(told)), (name, told)


def test_a_job_is_not_queued_again_on_a_device_that_is_no_longer_its_users(
    people: People, make_device: Factory, publish_image: Factory
) -> None:
    device_id, image_id, eve = make_device(), make_image(publish_image), people.client["eve"]
    trial = eve.post("/api/v1/trials", json=trial_body(device_id, image_id)).json()
    eve.post(f"/api/v1/jobs/{trial['id']}/stop")
    limit(people, device_id, "team")
    again = eve.post(f"/api/v1/jobs/{trial['id']}/retry")
    assert (again.status_code, again.json()["code"]) == (403, "device_not_yours")
    limit(people, device_id, "members")
    assert eve.post(f"/api/v1/jobs/{trial['id']}/retry").status_code == 202


def test_only_operators_choose_who_uses_a_device(people: People, make_device: Factory) -> None:
    device_id = make_device()
    assert limit(people, device_id, "operators", by="ada").json()["code"] == "right_missing"
    path = f"/api/v1/devices/{device_id}/users"
    for body in ({"users": "team"}, {"users": "members", "team_id": people.team_id}):
        assert people.client["olga"].put(path, json=body).json()["code"] == "team_missing"
    unknown = people.client["olga"].put(path, json={"users": "team", "team_id": 987654})
    assert unknown.json()["code"] == "team_unknown"


def test_a_token_of_an_operator_may_do_less(app: FastAPI, people: People, make_device: Factory) -> None:
    device_id = make_device()
    limit(people, device_id, "operators")
    with client_with(app, token_of("omar", Role.MEMBER, most=Role.MEMBER)) as member:
        assert member.post("/api/v1/runs", json=run_body(device_id)).json()["code"] == "device_not_yours"


def test_a_team_that_uses_a_device_stays(client: TestClient, people: People, make_device: Factory) -> None:
    limit(people, make_device(), "team")
    assert client.delete(f"/api/v1/teams/{people.team_id}").json()["code"] == "team_in_use"


@pytest.mark.slow
def test_the_function_for_workers_agrees_with_the_api(people: People, make_device: Factory) -> None:
    generator = random.Random(36)
    teams = {"ada": people.team_id, "bob": people.team_id, "eve": people.other_team_id}
    device_id = make_device()
    for _ in range(property_cases(10)):
        with transaction() as session:
            device = session.get_one(Device, device_id)
            device.users = generator.choice(list(DeviceUsers))
            team = generator.choice([people.team_id, people.other_team_id])
            device.users_team_id = team if device.users == DeviceUsers.TEAM else None
            session.flush()
            for name in ("ada", "bob", "eve", "olga"):
                account_id, role = people.account_id[name], Role.OPERATOR if name == "olga" else Role.MEMBER
                team_ids = frozenset({teams[name]} if name in teams else ())
                token = current_actor.set(Actor(account_id, name, role, 1, CredentialKind.TOKEN, team_ids))
                by_api = device.is_usable
                current_actor.reset(token)
                assert session.scalar(select(func.may_use_device(account_id, device_id))) is by_api
            older = session.scalar(select(func.may_use_device(None, device_id)))
            assert older is (device.users == DeviceUsers.MEMBERS), "a job without an account uses what all may use"
