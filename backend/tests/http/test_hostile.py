"""Hostile requests: each is refused with a problem, never with a 500."""

import json
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from fastapi import FastAPI, Response
from fastapi.testclient import TestClient

from patina.http import body_limit, patient_protocol
from patina.http.answer_headers import AnswerHeaders
from patina.http.body_limit import MAX_BODY_BYTES
from patina.profile import keeping
from patina.settings import forget_settings
from patina_dev.testing.owner import HEADER_LINE
from patina_dev.testing.served import ServedApp
from patina_dev.testing.wait import wait_until

BEYOND = 2**63
PROFILE: dict[str, Any] = {
    "name": "kept",
    "title": "Kept",
    "source": "Measured in 2026",
    "message": "First look",
    "author": "Ada",
    "histograms": {
        "size": [{"bytes": 4096, "weight": 1}],
        "depth": [{"depth": 0, "weight": 1, "subdirs": 0}, {"depth": 1, "weight": 1, "subdirs": 3}],
        "age": [{"age": 1, "weight": 1}, {"age": 10, "weight": 1}],
    },
}


@pytest.mark.parametrize(
    "path",
    [
        f"/api/v1/runs/{BEYOND}",
        f"/api/v1/jobs/{BEYOND}/events",
        f"/api/v1/runs?device_id={BEYOND}",
        f"/api/v1/runs?cursor={BEYOND}",
        f"/api/v1/devices/{BEYOND}",
        f"/api/v1/devices/{BEYOND}/holding",
        f"/api/v1/images/{BEYOND}",
        f"/api/v1/images/{BEYOND}/manifest.json",
        f"/api/v1/batches/{BEYOND}",
        f"/api/v1/actions?device_id={BEYOND}",
        f"/api/v1/intakes/{BEYOND}",
        f"/api/v1/hosts/{BEYOND}",
        f"/api/v1/webhooks/{BEYOND}",
    ],
)
def test_a_number_that_no_row_can_have_is_refused(client: TestClient, path: str) -> None:
    answer = client.get(path)
    assert answer.status_code in (404, 405, 422), answer.text
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_position_that_no_event_can_have_is_refused(client: TestClient, run_id: int) -> None:
    for path, headers in (
        (f"/api/v1/jobs/{run_id}/stream", {"Last-Event-ID": str(BEYOND)}),
        (f"/api/v1/jobs/{run_id}/stream?after={BEYOND}", {}),
        (f"/api/v1/jobs/stream?follow={run_id}:{BEYOND}", {}),
        (f"/api/v1/jobs/stream?follow={run_id}:0", {"Last-Event-ID": f"{run_id}:{BEYOND}"}),
    ):
        answer = client.get(path, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (422, "request_invalid"), (path, answer.text)


def test_text_that_cannot_be_stored_is_refused(client: TestClient) -> None:
    assert client.post("/api/v1/profiles", json=PROFILE | {"name": "whole"}).status_code == 201
    for change in ({"name": "a\0b"}, {"title": "a\0b"}, {"description": "\0"}):
        answer = client.post("/api/v1/profiles", json=PROFILE | change)
        assert (answer.status_code, answer.json()["code"]) == (422, "request_invalid"), answer.text
    answer = client.get("/api/v1/profiles/%00")
    assert answer.status_code in (404, 422), answer.text


@pytest.mark.parametrize("name", ["Host", "Origin"])
@pytest.mark.parametrize("value", ["[", "[::1", "http://[", "127.0.0.1:a", "\x80", ""])
def test_a_malformed_name_of_a_server_is_refused(client: TestClient, name: str, value: str) -> None:
    answer = client.post("/api/v1/jobs/1/stop", headers={name.encode(): value.encode("latin-1")})
    assert answer.status_code in (403, 404, 421), answer.text
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("path", ["/%00", "/assets/%00", "/" + "a" * 5000, "/" + "a/" * 3000, "/..%2f..%2fetc/passwd"])
def test_a_path_that_names_no_file_gets_the_page_or_nothing(client: TestClient, path: str) -> None:
    assert client.get(path).status_code in (200, 404)


def test_a_body_that_is_too_large_is_refused(client: TestClient) -> None:
    note = {"note": "x" * MAX_BODY_BYTES}
    answer = client.patch("/api/v1/runs/1", json=note)
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")
    in_pieces = (b"x" * 2**20 for _ in range(4))  # no Content-Length says how many
    answer = client.patch("/api/v1/runs/1", content=in_pieces)
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")


@pytest.mark.parametrize(
    ("path", "headers", "status"),
    [
        ("/api/v1/devices", {}, 200),
        ("/api/v1/devices/0", {}, 404),
        ("/api/v1/devices", {"Host": "elsewhere.example"}, 421),
        ("/healthz", {}, 200),
    ],
)
def test_no_answer_may_be_framed_or_read_as_another_type(
    client: TestClient, path: str, headers: dict[str, str], status: int
) -> None:
    answer = client.get(path, headers=headers)
    assert answer.status_code == status
    assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(("url", "value"), [("https://patina.lab", "max-age=31536000"), ("http://10.0.0.5:8040", None)])
def test_a_server_behind_tls_is_reached_over_tls_alone(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch, url: str, value: str | None
) -> None:
    monkeypatch.setenv("PATINA_ADVERTISED_URL", url)
    forget_settings()
    answering = AnswerHeaders(app)
    monkeypatch.undo()
    forget_settings()
    answer = TestClient(answering, base_url="http://127.0.0.1").get("/healthz")
    assert answer.headers.get("strict-transport-security") == value


WHOLE = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n" + HEADER_LINE + b"\r\n"


@pytest.mark.parametrize("begun", [b"", b"GET /healthz HT", WHOLE[:-2], WHOLE + WHOLE[:-2], WHOLE + b"\r\n"])
def test_a_connection_on_which_no_request_is_completed_is_closed(
    server: ServedApp, monkeypatch: pytest.MonkeyPatch, begun: bytes
) -> None:
    monkeypatch.setattr(patient_protocol, "HEAD_S", 0.05)
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(begun)
        answers = b""
        while piece := connection.recv(2**16):
            answers += piece
    assert answers.count(b"HTTP/1.1 200 OK") == begun.count(WHOLE)


def test_a_body_of_which_nothing_more_comes_is_refused(server: ServedApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(body_limit, "STALL_S", 0.05)
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        head = b"POST /api/v1/devices HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        connection.sendall(head + HEADER_LINE + b"Content-Length: 100\r\n\r\n{")
        assert connection.recv(2**16).startswith(b"HTTP/1.1 408 ")


def test_a_stream_outlasts_the_wait_for_a_request(
    server: ServedApp, monkeypatch: pytest.MonkeyPatch, run_id: int
) -> None:
    """The request is complete; its response may take longer."""
    monkeypatch.setattr(patient_protocol, "HEAD_S", 0.05)
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(WHOLE.replace(b"/healthz", f"/api/v1/jobs/{run_id}/stream".encode()))
        assert connection.recv(2**16).startswith(b"HTTP/1.1 200 ")
        connection.settimeout(0.5)
        with suppress(TimeoutError):  # no more data, and not closed
            while piece := connection.recv(2**16):
                pass
            pytest.fail(f"closed after {piece!r}")


def _talk(server: ServedApp, *pieces: bytes, receive_bytes: int | None = None) -> socket.socket:
    connection = socket.socket()
    if receive_bytes is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
    connection.connect(("127.0.0.1", server.port))
    for piece in pieces:
        connection.sendall(piece)
    return connection


def _rest_of(connection: socket.socket) -> bytes:
    """Returns the bytes received until the server closes the connection."""
    said = b""
    with suppress(ConnectionError):
        while piece := connection.recv(2**16):
            said += piece
    return said


ENDLESS = {
    "headers": WHOLE[:-2] + b"a:\r\n" * patient_protocol.HEAD_BYTES,
    "one header": WHOLE[:-2] + b"a: " + b"x" * 4 * patient_protocol.HEAD_BYTES,
    "an address": b"GET /" + b"x" * 4 * patient_protocol.HEAD_BYTES,
}


@pytest.mark.parametrize("head", ENDLESS.values(), ids=ENDLESS.keys())
def test_a_head_that_never_ends_is_refused_before_it_fills_the_memory(server: ServedApp, head: bytes) -> None:
    with _talk(server) as connection:
        with suppress(ConnectionError):
            connection.sendall(head)
        said = _rest_of(connection)
    assert said == b"" or said.startswith(b"HTTP/1.1 431 ")  # the response may be lost: the client was still sending
    assert b"frame-ancestors 'none'" in said or said == b""


FORM = b'--b\r\nContent-Disposition: form-data; name="files"; filename="a"\r\n\r\n'


def test_trailers_are_refused_however_much_came_before_them(server: ServedApp) -> None:
    head = WHOLE.replace(b"GET", b"POST").replace(b"/healthz", b"/api/v1/nothing")
    with _talk(server, head[:-2] + b"Transfer-Encoding: chunked\r\n\r\n") as connection:
        assert connection.recv(2**16).startswith(b"HTTP/1.1 405 ")
        with suppress(ConnectionError):
            connection.sendall(b"100000\r\n" + b" " * 2**20 + b"\r\n0\r\n")
            while True:
                connection.sendall(b"a: b\r\n" * 1000)
        assert b"HTTP/1.1 " not in _rest_of(connection), "a second answer would be taken for the next request's"
        wait_until("the connection is gone from the server", lambda: not server.connections_count)


@pytest.mark.parametrize("framing", [b"0\r\n" + b"a:\r\n" * patient_protocol.HEAD_BYTES, b"1\r\n \r\n" * 2**16])
def test_what_stands_around_a_body_is_no_larger_than_the_body(server: ServedApp, framing: bytes) -> None:
    head = WHOLE.replace(b"GET", b"POST")[:-2] + b"Transfer-Encoding: chunked\r\n\r\n"
    with _talk(server, head) as connection:
        with suppress(ConnectionError):
            connection.sendall(framing)
            while True:  # as long as the server reads
                connection.sendall(b"1\r\n \r\n" if framing.startswith(b"1") else b"a:\r\n")
        assert b"200 OK" not in _rest_of(connection)


@pytest.mark.parametrize(
    ("path", "kind", "first"),
    [("devices", b"application/json", b"{"), ("profile_readings", b"multipart/form-data; boundary=b", FORM)],
)
def test_a_body_that_comes_byte_by_byte_is_refused(
    server: ServedApp, monkeypatch: pytest.MonkeyPatch, path: str, kind: bytes, first: bytes
) -> None:
    monkeypatch.setattr(body_limit, "WHOLE_S", 0.2)
    head = HEADER_LINE.join(
        (b"POST /api/v1/%b HTTP/1.1\r\n" % path.encode(), b"Host: 127.0.0.1\r\nContent-Type: %b\r\n" % kind)
    )
    with _talk(server, head + b"Content-Length: 100000\r\n\r\n" + first) as connection:
        connection.settimeout(0.01)
        said = b""
        while not said:
            connection.sendall(b" ")
            with suppress(TimeoutError):
                said = connection.recv(2**16)
    assert said.startswith(b"HTTP/1.1 408 ")


def test_a_client_that_goes_on_sending_after_the_answer_is_cut_off(
    server: ServedApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(patient_protocol, "LINGER_S", 0.2)
    head = b"POST /api/v1/nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\n"
    with _talk(server, head) as connection:
        assert connection.recv(2**16).startswith(b"HTTP/1.1 405 ")
        with suppress(ConnectionError):
            while True:
                connection.sendall(b" ")
        wait_until("the connection is gone from the server", lambda: not server.connections_count)


def test_a_request_behind_a_stream_does_not_hide_that_the_client_is_gone(
    server: ServedApp, monkeypatch: pytest.MonkeyPatch, run_id: int
) -> None:
    monkeypatch.setattr(patient_protocol, "PIPELINED_S", 0.05)
    stream = WHOLE.replace(b"/healthz", f"/api/v1/jobs/{run_id}/stream".encode())
    with _talk(server, stream, WHOLE) as connection:
        assert _rest_of(connection).count(b"HTTP/1.1 200 ") <= 1  # and it is closed
    wait_until("the stream has ended", lambda: server.app.state.hub._streams_count == 0)


@pytest.fixture
def large(server: ServedApp) -> bytes:
    """Returns the request of a response larger than any buffer of the kernel."""

    @server.app.get("/healthz/large")
    def _large() -> Response:
        return Response(b"x" * 64 * 2**20)

    route = server.app.router.routes.pop()
    server.app.router.routes.insert(0, route)
    return WHOLE.replace(b"/healthz", b"/healthz/large")


@pytest.mark.parametrize("reads", [False, True], ids=["nothing", "a byte now and then"])
def test_a_client_that_does_not_take_its_answer_is_cut_off(
    server: ServedApp, monkeypatch: pytest.MonkeyPatch, large: bytes, reads: bool
) -> None:
    monkeypatch.setattr(patient_protocol, "RATE_S" if reads else "UNREAD_S", 0.3)
    with _talk(server, large, receive_bytes=4096) as connection:

        def _is_cut_off() -> bool:
            if reads:
                with suppress(ConnectionError):
                    connection.recv(1)
            return not server.connections_count

        connection.recv(1)
        wait_until("the connection is gone from the server", _is_cut_off)


def test_a_refusal_is_no_larger_than_what_is_refused(client: TestClient) -> None:
    body = {str(number): 0 for number in range(100_000)} | {"x" * 100_000: 0}
    answer = client.post("/api/v1/webhooks", json=body)
    assert (answer.status_code, answer.json()["code"]) == (422, "request_invalid")
    assert len(answer.content) < 100_000
    assert "more" in answer.json()["detail"]


def test_half_a_character_is_refused_in_words(client: TestClient, make_device: Callable[..., int]) -> None:
    device_id = make_device()
    for stable_id, status in (("\ud800", 422), ("x" * 501, 422)):
        confirmation = {"stable_id": stable_id, "size_bytes": 1}
        body = {"kind": "trace", "device_id": device_id, "confirmation": confirmation}
        assert client.post("/api/v1/actions", content=json.dumps(body)).status_code == status


def test_an_unforeseen_error_has_the_headers_of_every_answer(
    server: ServedApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    @server.app.get("/healthz/bug")
    def _bug() -> None:
        raise KeyError("unforeseen")

    server.app.router.routes.insert(0, server.app.router.routes.pop())
    with _talk(server, WHOLE.replace(b"/healthz", b"/healthz/bug")) as connection:
        assert b"frame-ancestors 'none'" in (said := connection.recv(2**16))
        assert said.startswith(b"HTTP/1.1 500 ")
    with _talk(server, b"no request\r\n\r\n") as connection:
        assert b"frame-ancestors 'none'" in (said := _rest_of(connection))
        assert said.startswith(b"HTTP/1.1 400 ")


def test_profiles_have_an_end(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "MOST_PROFILES_COUNT", 1)
    answer = client.post("/api/v1/profiles", json=PROFILE)
    assert (answer.status_code, answer.json()["code"]) == (409, "too_many_profiles")


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_page_of_another_site_loads_nothing_and_may_link(client: TestClient, site: str) -> None:
    """A browser would load an image or a script of that address without a preflight, at a cost for the server."""
    loaded = client.get("/api/v1/devices", headers={"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"})
    assert (loaded.status_code, loaded.json()["code"]) == (403, "origin_refused")
    fetched = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "navigate"}
    linked = client.get("/api/v1/devices", headers=fetched | {"Sec-Fetch-Dest": "document"})
    framed = client.get("/api/v1/devices", headers=fetched | {"Sec-Fetch-Dest": "iframe"})
    assert (linked.status_code, framed.status_code) == (200, 403)
    assert client.get("/api/v1/devices", headers={"Sec-Fetch-Site": "same-origin"}).status_code == 200
