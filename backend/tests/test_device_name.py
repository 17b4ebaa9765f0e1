"""Names of devices: given, changed, taken away, and found by the command."""

from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from patina.db import transaction
from patina.device.models import Device
from people import People

Factory = Callable[..., int]


def test_a_device_is_named_and_its_name_is_taken_away(client: TestClient, make_device: Factory) -> None:
    url = f"/api/v1/devices/{make_device('sandbox-1')}"
    assert client.put(f"{url}/name", json={"name": "  mail server "}).json()["name"] == "mail server"
    assert client.get(url).json()["name"] == "mail server"
    assert client.get("/api/v1/devices").json()["items"][0]["name"] == "mail server"
    assert client.put(f"{url}/name", json={"name": None}).json()["name"] is None


@pytest.mark.parametrize("name", ["", "   ", "x" * 61, "two\nlines"])
def test_a_name_that_cannot_be_shown_is_refused(client: TestClient, make_device: Factory, name: str) -> None:
    answer = client.put(f"/api/v1/devices/{make_device('sandbox-1')}/name", json={"name": name})
    assert (answer.status_code, answer.json()["code"]) == (422, "request_invalid")


def test_who_may_not_use_a_device_does_not_name_it(people: People, make_device: Factory) -> None:
    device_id = make_device("sandbox-1")
    with transaction() as session:
        session.execute(update(Device).where(Device.id == device_id).values(users="operators"))
    for who, status in (("eve", 403), ("olga", 200)):
        answer = people.client[who].put(f"/api/v1/devices/{device_id}/name", json={"name": "mine"})
        assert answer.status_code == status, who
