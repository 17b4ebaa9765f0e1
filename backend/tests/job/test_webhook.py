"""Webhooks: a run's events arrive, signed, once under their id, with any behavior of the receiver."""

import ipaddress
import json
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from patina.db import session_factory, transaction
from patina.job import journal
from patina.job.state import JobState
from patina.run.models import Run
from patina.settings import forget_settings
from patina.webhook import address, deliverer, outbox, sending, service
from patina.webhook.models import Webhook
from patina.webhook.signing import sign
from patina_dev.testing.wait import wait_until
from receiver import Receiver

ALLOWED = "127.0.0.0/8,*.lab.example"


@pytest.fixture(autouse=True)
def quick(services: object, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Sets short pauses, and a network that webhooks may reach."""
    monkeypatch.setattr(deliverer, "PERIOD_S", 0.05)
    monkeypatch.setattr(outbox, "FIRST_PAUSE_S", 0.001)
    monkeypatch.setattr(outbox, "PAUSE_FACTOR", 1.0)
    monkeypatch.setenv("PATINA_WEBHOOK_PRIVATE_ADDRESSES", ALLOWED)
    forget_settings()
    yield
    monkeypatch.undo()
    forget_settings()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    server = Receiver()
    yield server
    server.close()


def _forbid_private(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATINA_WEBHOOK_PRIVATE_ADDRESSES", "")
    forget_settings()


def _add(client: TestClient, url: str, **changes: object) -> dict[str, Any]:
    answer = client.post("/api/v1/webhooks", json={"title": "Lab", "url": url} | changes)
    assert answer.status_code == 201, answer.text
    webhook: dict[str, Any] = answer.json()
    return webhook


def _deliveries(client: TestClient, webhook: dict[str, Any]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = client.get(f"/api/v1/webhooks/{webhook['id']}/deliveries").json()["items"]
    return items


def _ended(client: TestClient, webhook: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns its deliveries, once there is one and none is pending."""

    def _are_over() -> bool:
        found = _deliveries(client, webhook)
        return bool(found) and all(delivery["state"] != "pending" for delivery in found)

    wait_until("deliveries end", _are_over)
    return _deliveries(client, webhook)


def _ping(client: TestClient, webhook: dict[str, Any]) -> None:
    assert client.post(f"/api/v1/webhooks/{webhook['id']}/ping").status_code == 202


def _move(run_id: int, *states: JobState, message: str = "As it went", **values: Any) -> None:
    for state in states:
        with transaction() as session:
            run = session.get_one(Run, run_id)
            for name, value in values.items():
                setattr(run, name, value)
            code = "no_space" if state == JobState.FAILED else None
            journal.move(
                session=session, job=run, from_state=run.state, to_state=state, message=message, error_code=code
            )


def test_the_end_of_a_run_arrives_signed(client: TestClient, run_id: int, receiver: Receiver) -> None:
    webhook = _add(client, receiver.url)
    _move(run_id, JobState.RUNNING, JobState.SUCCEEDED)
    [delivery] = _ended(client, webhook)

    assert (delivery["state"], delivery["type"], delivery["tries_count"]) == ("delivered", "run.succeeded", 1)
    assert (delivery["last_status"], delivery["job_id"]) == (200, run_id)
    [came] = receiver.received
    assert came.path == "/hook?from=patina"
    assert came.headers["host"] == f"127.0.0.1:{receiver.port}"
    assert came.headers["content-type"] == "application/json"
    assert came.headers["webhook-id"] == delivery["message_id"]
    assert came.headers["webhook-signature"] == sign(
        secret=webhook["secret"],
        message_id=delivery["message_id"],
        timestamp=int(came.headers["webhook-timestamp"]),
        body=came.body,
    )
    message = json.loads(came.body)
    assert (message["type"], message["data"]["job_id"]) == ("run.succeeded", run_id)
    assert message["data"]["job_path"] == f"/runs/{run_id}"
    assert (message["data"]["profile"], message["data"]["message"]) == ("agrawal", "As it went")


@pytest.mark.parametrize(
    ("states", "values", "kind"),
    [
        ([JobState.FAILED], {}, "run.failed"),
        ([JobState.INTERRUPTED], {"resumes_left_count": 0}, "run.needs_you"),
        ([JobState.CANCELING, JobState.CANCELED], {}, "run.canceled"),
    ],
)
def test_other_ends_arrive_as_what_they_are(
    client: TestClient, run_id: int, receiver: Receiver, states: list[JobState], values: dict[str, Any], kind: str
) -> None:
    webhook = _add(client, receiver.url, kinds=["failed", "canceled", "needs_you"])
    _move(run_id, JobState.RUNNING, *states, **values)
    assert [delivery["type"] for delivery in _ended(client, webhook)] == [kind]


def test_an_interruption_with_a_resume_sends_nothing(client: TestClient, run_id: int, receiver: Receiver) -> None:
    webhook = _add(client, receiver.url)
    _move(run_id, JobState.RUNNING, JobState.INTERRUPTED, JobState.QUEUED, JobState.RUNNING, JobState.SUCCEEDED)
    assert [delivery["type"] for delivery in _ended(client, webhook)] == ["run.succeeded"]


def test_only_what_was_asked_for_arrives(client: TestClient, run_id: int, receiver: Receiver) -> None:
    wants_failures, wants_ends = _add(client, receiver.url, kinds=["failed"]), _add(client, receiver.url)
    _move(run_id, JobState.RUNNING, JobState.SUCCEEDED)
    assert len(_ended(client, wants_ends)) == 1
    assert _deliveries(client, wants_failures) == []


def test_a_move_that_is_rolled_back_sends_nothing(client: TestClient, run_id: int, receiver: Receiver) -> None:
    webhook = _add(client, receiver.url)
    _move(run_id, JobState.RUNNING)
    with session_factory()() as session:
        run = session.get_one(Run, run_id)
        journal.move(
            session=session, job=run, from_state=run.state, to_state=JobState.FAILED, message="", error_code="x"
        )
        session.rollback()
    _move(run_id, JobState.SUCCEEDED)
    assert [delivery["type"] for delivery in _ended(client, webhook)] == ["run.succeeded"]


def test_many_processes_pass_a_notice_on_once(client: TestClient, run_id: int, receiver: Receiver) -> None:
    webhooks = [_add(client, receiver.url) for _ in range(3)]
    _move(run_id, JobState.RUNNING, JobState.SUCCEEDED)

    def _pass_on(_: int) -> None:
        with transaction() as session:
            outbox.pass_on(session=session)

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(_pass_on, range(24)))
    found = [delivery for webhook in webhooks for delivery in _ended(client, webhook)]
    assert len({delivery["message_id"] for delivery in found}) == 1
    assert len(found) == len(receiver.received) == 3


def test_a_receiver_that_fails_first_is_tried_again_under_the_same_id(
    client: TestClient, run_id: int, receiver: Receiver
) -> None:
    receiver.script = [500, "drop", 302, 200]
    receiver.headers = {"Location": "http://127.0.0.1:1/elsewhere"}
    webhook = _add(client, receiver.url)
    _move(run_id, JobState.RUNNING, JobState.SUCCEEDED)
    [delivery] = _ended(client, webhook)
    assert (delivery["state"], delivery["tries_count"], delivery["last_status"]) == ("delivered", 4, 200)
    assert {came.headers["webhook-id"] for came in receiver.received} == {delivery["message_id"]}
    assert len({came.body for came in receiver.received}) == 1


def test_tries_are_bounded_and_the_last_word_is_kept(client: TestClient, run_id: int, receiver: Receiver) -> None:
    receiver.script = [500]
    webhook = _add(client, receiver.url)
    _move(run_id, JobState.RUNNING, JobState.SUCCEEDED)
    [delivery] = _ended(client, webhook)
    assert (delivery["state"], delivery["tries_count"]) == ("failed", outbox.TRIES_COUNT_LIMIT)
    assert delivery["last_message"] == "Answered 500 Internal Server Error"
    assert len(receiver.received) == outbox.TRIES_COUNT_LIMIT

    receiver.script = [204]
    path = f"/api/v1/webhooks/{webhook['id']}/deliveries/{delivery['id']}/redeliver"
    assert client.post(path).json()["state"] == "pending"
    [again] = _ended(client, webhook)
    assert (again["state"], again["message_id"], again["tries_count"]) == ("delivered", delivery["message_id"], 1)


@pytest.mark.parametrize(
    ("word", "said"),
    [("drip", "No answer within 1 s"), ("drop", "No answer: Server disconnected"), (302, "redirects are not followed")],
)
def test_a_ping_is_tried_once_and_says_what_became_of_it(
    client: TestClient, receiver: Receiver, word: int | str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if word == "drip":
        monkeypatch.setattr(sending, "TIMEOUT_S", 1.0)
    receiver.script, receiver.headers = [word], {"Location": receiver.url}
    webhook = _add(client, receiver.url)
    _ping(client, webhook)
    [delivery] = _ended(client, webhook)
    assert (delivery["state"], delivery["type"], delivery["tries_count"]) == ("failed", "ping", 1)
    assert said in delivery["last_message"]
    assert len(receiver.received) == 1 or word == "drip"  # it may not be reached within that second


def test_an_address_without_a_receiver_is_reported(client: TestClient) -> None:
    webhook = _add(client, "http://127.0.0.1:1/")
    _ping(client, webhook)
    [delivery] = _ended(client, webhook)
    assert (delivery["last_status"], delivery["state"]) == (None, "failed")
    assert "No answer" in delivery["last_message"]


def test_a_slow_receiver_does_not_hold_others_up(client: TestClient, receiver: Receiver) -> None:
    slow = Receiver()
    slow.script = ["drip"]
    try:
        drips, answers = _add(client, slow.url), _add(client, receiver.url)
        for _ in range(3):
            _ping(client, drips)
            _ping(client, answers)
        assert {delivery["state"] for delivery in _ended(client, answers)} == {"delivered"}
        assert {delivery["state"] for delivery in _deliveries(client, drips)} == {"pending"}
        slow.is_over.set()
        assert {delivery["state"] for delivery in _ended(client, drips)} == {"failed"}
    finally:
        slow.close()


def test_a_receiver_that_is_gone_is_switched_off(client: TestClient, run_id: int, receiver: Receiver) -> None:
    receiver.script = [410]
    webhook = _add(client, receiver.url)
    _move(run_id, JobState.RUNNING, JobState.SUCCEEDED)
    [delivery] = _ended(client, webhook)
    assert (delivery["state"], delivery["tries_count"]) == ("failed", 1)
    path = f"/api/v1/webhooks/{webhook['id']}"
    now = client.get(path).json()
    assert (now["is_enabled"], "410 Gone" in now["disabled_reason"]) == (False, True)
    answer = client.post(f"{path}/ping")
    assert (answer.status_code, answer.json()["code"]) == (409, "webhook_disabled")

    receiver.script = [200]
    assert client.patch(path, json={"is_enabled": True}).json()["disabled_reason"] is None
    _ping(client, webhook)
    assert _ended(client, webhook)[0]["state"] == "delivered"


def test_a_receiver_may_ask_for_more_time(client: TestClient, run_id: int, receiver: Receiver) -> None:
    receiver.script, receiver.headers = [503], {"Retry-After": "3600"}
    webhook = _add(client, receiver.url)
    _move(run_id, JobState.RUNNING, JobState.SUCCEEDED)
    wait_until("it was tried", lambda: [d["last_status"] for d in _deliveries(client, webhook)] == [503])
    with transaction() as session:
        claims = outbox.claim(session=session, limit=10)
    assert (claims, len(receiver.received)) == ([], 1)


def test_a_process_that_dies_while_it_sends_leaves_the_try_to_another(client: TestClient, receiver: Receiver) -> None:
    webhook = _add(client, receiver.url)
    with transaction() as session:
        service.ping(session=session, webhook_id=webhook["id"])
        [lost] = outbox.claim(session=session, limit=10)
        session.get_one(Webhook, webhook["id"]).busy_until = datetime.now(UTC) - timedelta(seconds=1)
    [delivery] = _ended(client, webhook)
    assert (lost.try_number, delivery["tries_count"], len(receiver.received)) == (1, 2, 1)


def test_the_secret_is_said_once(client: TestClient, receiver: Receiver) -> None:
    webhook = _add(client, receiver.url)
    assert webhook["secret"].startswith("whsec_")
    path = f"/api/v1/webhooks/{webhook['id']}"
    said = (client.get(path).text, client.get("/api/v1/webhooks").text, client.patch(path, json={"title": "New"}).text)
    assert not any("whsec_" in text for text in said)
    with transaction() as session:
        assert session.get_one(Webhook, webhook["id"]).secret == webhook["secret"]


def test_a_webhook_is_changed_and_removed_with_what_it_was_sent(client: TestClient, receiver: Receiver) -> None:
    webhook = _add(client, receiver.url)
    path = f"/api/v1/webhooks/{webhook['id']}"
    changed = client.patch(path, json={"title": " Ops ", "kinds": ["failed", "failed"], "url": receiver.url + "&b"})
    assert (changed.json()["title"], changed.json()["kinds"]) == ("Ops", ["failed"])
    _ping(client, webhook)
    _ended(client, webhook)
    assert receiver.received[0].path == "/hook?from=patina&b"
    assert client.delete(path).status_code == 204
    for answer in (
        client.get(path),
        client.delete(path),
        client.get(f"{path}/deliveries"),
        client.post(f"{path}/ping"),
    ):
        assert (answer.status_code, answer.json()["code"]) == (404, "webhook_unknown")


def test_deliveries_come_in_pages(client: TestClient, receiver: Receiver) -> None:
    webhook = _add(client, receiver.url)
    for _ in range(3):
        _ping(client, webhook)
    path = f"/api/v1/webhooks/{webhook['id']}/deliveries"
    first = client.get(path, params={"limit": 2}).json()
    rest = client.get(path, params={"limit": 2, "cursor": first["next_cursor"]}).json()
    assert [len(first["items"]), len(rest["items"]), rest["next_cursor"]] == [2, 1, None]
    answer = client.post(f"{path}/999/redeliver")
    assert (answer.status_code, answer.json()["code"]) == (404, "delivery_unknown")


def test_there_is_an_end_to_webhooks(client: TestClient, receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("patina.webhook.service.WEBHOOKS_COUNT_LIMIT", 1)
    _add(client, receiver.url)
    answer = client.post("/api/v1/webhooks", json={"title": "One more", "url": receiver.url})
    assert (answer.status_code, answer.json()["code"]) == (409, "too_many_webhooks")


@pytest.mark.parametrize(
    "url",
    ["ftp://example.com/", "http://", "http://user:x@example.com/", "https://example.com/#top", "https://exa mple.com",
     "http://example.com:99999/", "http://[::1", "https://", "http://example.com:0/"],
)  # fmt: skip
def test_what_is_no_web_address_is_refused(client: TestClient, url: str) -> None:
    answer = client.post("/api/v1/webhooks", json={"title": "Lab", "url": url})
    assert (answer.status_code, answer.json()["code"]) == (422, "request_invalid")


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "10.1.2.3", "169.254.169.254", "[::ffff:10.0.0.1]"]
)
def test_an_address_that_is_not_public_is_refused(
    client: TestClient, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _forbid_private(monkeypatch)
    answer = client.post("/api/v1/webhooks", json={"title": "Lab", "url": f"http://{host}/"})
    assert (answer.status_code, answer.json()["code"]) == (422, "webhook_address_refused")
    assert "PATINA_WEBHOOK_PRIVATE_ADDRESSES" in answer.json()["detail"]


def test_a_name_that_leads_elsewhere_later_is_refused_when_it_is_sent_to(
    client: TestClient, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhook = _add(client, f"http://localhost:{receiver.port}/")
    _forbid_private(monkeypatch)
    _ping(client, webhook)
    [delivery] = _ended(client, webhook)
    assert (delivery["state"], delivery["tries_count"], receiver.received) == ("failed", 1, [])
    assert "is not on the public internet" in delivery["last_message"]


def test_a_name_is_looked_up_once_and_what_was_checked_is_connected_to(
    client: TestClient, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that resolves to a public address first and to another later gains nothing."""
    answers: list[str] = []

    def _look_up(host: str, port: int) -> list[address.Address]:
        answers.append(host)
        return [ipaddress.ip_address("127.0.0.1" if len(answers) <= 2 else "127.0.0.2")]

    monkeypatch.setattr(address, "look_up", _look_up)
    webhook = _add(client, f"http://rebound.example:{receiver.port}/")
    _ping(client, webhook)
    [delivery] = _ended(client, webhook)
    assert (delivery["state"], answers) == ("delivered", ["rebound.example"] * 2)  # when added, and when sent
    assert receiver.received[0].headers["host"] == f"rebound.example:{receiver.port}"


def test_one_bad_address_of_a_name_spoils_it(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [ipaddress.ip_address("93.184.216.34"), ipaddress.ip_address("10.0.0.7")]
    monkeypatch.setattr(address, "look_up", lambda *_: found)
    answer = client.post("/api/v1/webhooks", json={"title": "Lab", "url": "https://two-faced.example/"})
    assert (answer.status_code, answer.json()["code"]) == (422, "webhook_address_refused")


def test_https_is_checked_against_the_name_and_not_the_address(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = tmp_path / "hook.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-keyout", str(tmp_path / "key.pem"), "-out", str(tmp_path / "cert.pem"), "-days", "2",
         "-subj", "/CN=hook.lab.example", "-addext", "subjectAltName=DNS:hook.lab.example"],
        check=True, capture_output=True,
    )  # fmt: skip
    certificate.write_text((tmp_path / "key.pem").read_text() + (tmp_path / "cert.pem").read_text())
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
    monkeypatch.setattr(address, "look_up", lambda *_: [ipaddress.ip_address("127.0.0.1")])
    server = Receiver(certificate=certificate)
    try:
        right = _add(client, f"https://hook.lab.example:{server.port}/")
        wrong = _add(client, f"https://other.lab.example:{server.port}/")
        for webhook in (right, wrong):
            _ping(client, webhook)
        assert _ended(client, right)[0]["state"] == "delivered"
        [refused] = _ended(client, wrong)
        assert (refused["state"], "CERTIFICATE_VERIFY_FAILED" in refused["last_message"]) == ("failed", True)
        assert len(server.received) == 1
    finally:
        server.close()


def test_a_webhook_with_much_to_send_keeps_no_other_from_its_turn(client: TestClient, receiver: Receiver) -> None:
    ids = [_add(client, receiver.url)["id"], _add(client, f"{receiver.url}/other")["id"]]
    turns: set[int] = set()
    with session_factory()() as session:  # never committed, so no delivery is sent

        def _both_had_theirs() -> bool:
            with session.begin_nested() as attempt:
                for webhook_id in ids:
                    service.ping(session=session, webhook_id=webhook_id)
                turns.update(claim.webhook_id for claim in outbox.claim(session=session, limit=1))
                attempt.rollback()
            return turns == set(ids)

        wait_until("each has had its turn", _both_had_theirs)
