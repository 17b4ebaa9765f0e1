"""Concurrent starts: one run for each device, one run for each key."""

import json
import urllib.error
import urllib.request
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from sqlalchemy import select

from patina.db import transaction
from patina.device.models import Lease
from patina.run.models import Run
from patina_dev.testing.owner import HEADERS
from patina_dev.testing.served import ServedApp
from patina_dev.testing.wait import HANG_S
from run_requests import run_body

AT_ONCE = 20
DeviceFactory = Callable[..., int]


def _start(server: ServedApp, body: dict[str, Any], key: str) -> tuple[int, dict[str, Any]]:
    headers = HEADERS | {"Content-Type": "application/json", "Idempotency-Key": key}
    request = urllib.request.Request(f"{server.url}/api/v1/runs", json.dumps(body).encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=HANG_S) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_the_same_start_sent_at_once_starts_one_run(server: ServedApp, make_device: DeviceFactory) -> None:
    body = run_body(make_device())
    with ThreadPoolExecutor(AT_ONCE) as threads:
        answers = list(threads.map(lambda _: _start(server, body, "once"), range(AT_ONCE)))
    assert {status for status, _ in answers} == {202}
    assert len({run["id"] for _, run in answers}) == 1
    with transaction() as session:
        assert len(session.scalars(select(Run)).all()) == 1


def test_of_twenty_starts_for_one_device_one_wins_and_the_others_are_told_who(
    server: ServedApp, make_device: DeviceFactory
) -> None:
    body = run_body(make_device())
    with ThreadPoolExecutor(AT_ONCE) as threads:
        answers = list(threads.map(lambda at: _start(server, body, f"key {at}"), range(AT_ONCE)))
    assert sorted(status for status, _ in answers) == [202] + [409] * (AT_ONCE - 1)
    assert {refusal["code"] for status, refusal in answers if status == 409} == {"device_busy"}
    with transaction() as session:
        assert len(session.scalars(select(Run)).all()) == 1
        assert len(session.scalars(select(Lease)).all()) == 1
