"""Hostile files: each is read in linear time, and the API's memory stays within a fixed bound.

The bound of time is on the processor time of the API's process, not on a clock. It is many times the need of any
of these files. A quadratic read of a file takes minutes.
"""

import io
import json
import os
import re
import select
import socket
import stat
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest

from patina_dev.testing.api import ApiProcess
from patina_dev.testing.owner import HEADER_LINE, HEADERS
from patina_dev.testing.wait import HANG_S
from patina_stack.services import PrivateServices

MIB = 2**20
PROCESSOR_BOUND_S = 20.0
# Above the process's memory after a first, harmless request.
MEMORY_BOUND_BYTES = 160 * MIB
BODY_LIMIT_BYTES = 2 * MIB
UNDERSTOOD = 200


def _peak_bytes(api: ApiProcess) -> int:
    assert api.process is not None
    status = Path(f"/proc/{api.process.pid}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    assert found is not None
    return int(found[1]) * 1024


def _processor_s(api: ApiProcess) -> float:
    """Returns the processor time of the process since its start."""
    assert api.process is not None
    user, system = Path(f"/proc/{api.process.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@dataclass
class Reader:
    """Sends files to the API; stores its memory before the first hostile one."""

    api: ApiProcess
    client: httpx2.Client
    first_bytes: int

    def sent(self, name: str, content: bytes, **fields: str) -> httpx2.Response:
        return self.client.post("/api/v1/profile_readings", files={"files": (name, content)}, data=fields)

    def judged(self, name: str, content: bytes, **fields: str) -> tuple[int, Any]:
        before_s = _processor_s(self.api)
        answer = self.sent(name, content, **fields)
        took_s = _processor_s(self.api) - before_s
        assert took_s < PROCESSOR_BOUND_S, f"{took_s:.2f} s"
        grown_bytes = _peak_bytes(self.api) - self.first_bytes
        assert grown_bytes < MEMORY_BOUND_BYTES, f"{grown_bytes / MIB:.0f} MiB"
        return answer.status_code, answer.json()


@pytest.fixture(scope="module")
def reader(services: PrivateServices) -> Iterator[Reader]:
    """Yields one process for all: memory kept after one file counts against the next one's bound."""
    api = ApiProcess()
    api.start()
    with httpx2.Client(base_url=api.url, headers=HEADERS, timeout=HANG_S) as client:
        first = Reader(api, client, 0)
        assert first.sent("a.csv", b"histogram,edge,weight\nage,1,1\n").status_code == UNDERSTOOD
        yield Reader(api, client, _peak_bytes(api))
    api.close()


def zipped(*entries: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            archive.writestr(name, content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def test_a_gigabyte_of_rows_is_refused_while_it_comes(reader: Reader) -> None:
    head = (
        "POST /api/v1/profile_readings HTTP/1.1\r\n"
        f"Host: 127.0.0.1:{reader.api.port}\r\n"
        "Content-Type: multipart/form-data; boundary=x\r\n"
        "Transfer-Encoding: chunked\r\n"
    ).encode() + HEADER_LINE
    begin = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.csv"\r\n\r\n'
    piece = b"4096 1\n" * 9362
    before_s = _processor_s(reader.api)
    sent_bytes = 0
    with socket.create_connection(("127.0.0.1", reader.api.port), timeout=HANG_S) as connection:
        connection.sendall(head + b"\r\n%x\r\n%s\r\n" % (len(begin), begin))
        connection.setblocking(False)
        answer = b""
        waiting = b""
        while b"file_too_large" not in answer and sent_bytes < 2**30:
            waiting = waiting or b"%x\r\n%s\r\n" % (len(piece), piece)
            readable, writable, _ = select.select([connection], [connection], [], HANG_S)
            assert readable or writable
            if readable:
                answer += connection.recv(65536)
            if writable:
                with suppress(ConnectionError):
                    count = connection.send(waiting)
                    waiting, sent_bytes = waiting[count:], sent_bytes + count
    assert answer.startswith(b"HTTP/1.1 413")
    assert _processor_s(reader.api) - before_s < PROCESSOR_BOUND_S
    assert sent_bytes < 64 * MIB
    assert _peak_bytes(reader.api) - reader.first_bytes < MEMORY_BOUND_BYTES


def test_a_gigabyte_that_is_announced_is_refused_before_it_comes(reader: Reader) -> None:
    with socket.create_connection(("127.0.0.1", reader.api.port), timeout=HANG_S) as connection:
        connection.sendall(
            b"POST /api/v1/profile_readings HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1073741824\r\n"
            b"Content-Type: multipart/form-data; boundary=x\r\n" + HEADER_LINE + b"\r\n"
        )
        assert b" 413 " in connection.recv(65536)


@pytest.mark.parametrize("length_is_told", [True, False])
def test_who_sends_too_much_still_gets_the_answer(reader: Reader, length_is_told: bool) -> None:
    body = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.csv"\r\n\r\n' + b"1 1\n" * (5 * MIB)
    pieces = (body[at : at + 65536] for at in range(0, len(body), 65536))
    answer = reader.client.post(
        "/api/v1/profile_readings",
        content=body if length_is_told else pieces,
        headers={"Content-Type": "multipart/form-data; boundary=x"},
    )
    assert (answer.status_code, answer.json()["code"]) == (413, "file_too_large")


def test_half_a_million_rows_are_read_as_far_as_they_are_reported(reader: Reader) -> None:
    content = b"".join(b"%d 1\n" % i for i in range(200_000))
    status, reading = reader.judged("a.txt", content, histogram="size")
    assert (status, len(reading["rows"]), len(reading["histograms"]["size"])) == (UNDERSTOOD, 4096, 256)
    assert "Only the first 4096 rows" in reading["problems"][-1]["message"]
    assert "merge some" in reading["rows"][256]["problem"]


@pytest.mark.parametrize(
    ("name", "content", "field"),
    [
        ("age_distribution.txt", lambda: b"1000000000\n" + b"1 1\n" * 400_000, "rows"),
        ("a.csv", lambda: b"histogram,edge,weight\n" + b"age,1,1\n" * 200_000, "rows"),
        ("a.csv", lambda: b"histogram,edge,weight\n" + b"color,x,y\n" * 200_000, "rows"),
        ("a.csv", lambda: b"histogram,edge,weight\nage,1,1\n" + b"," * (BODY_LIMIT_BYTES - 1000), "rows"),
        ("a.csv", lambda: b'histogram,edge,weight\nage,1,1\nage,"' + b"1" * (BODY_LIMIT_BYTES - 1000), "rows"),
        ("a.txt", lambda: b"0 1 0\n" + b"1 " * (BODY_LIMIT_BYTES // 2 - 1000), "rows"),
        ("a.txt", lambda: b"0 1 0\n" + b"9" * (BODY_LIMIT_BYTES - 1000) + b" 1 1\n", "rows"),
        ("a.txt", lambda: b"0 1 0\n" + b"\n" * 490_000, "rows"),
        ("a.txt", lambda: b"0 1 0\n" + b"0,0" * (BODY_LIMIT_BYTES // 3 - 1000), "rows"),
        ("a.json", lambda: b'{"age":[' + b"{}," * 300_000, "rows"),
        ("a.json", lambda: b'{"age":[{"age":1,"weight":' + b"9" * 1_000_000 + b"}]}", "rows"),
        ("a.json", lambda: b'{"age":[{"age":1,"weight":' + b"[" * 1_000_000, "problems"),
        ("a.json", lambda: b"{" + b'"a":{' * 200_000, "problems"),
        ("a.json", lambda: b'{"junk":[' + b"[]," * 340_000, "problems"),
        ("a.json", lambda: b'{"title":"' + b"\\ud800" * 170_000 + b'"}', "problems"),
        ("a.json", lambda: b"{" + b'"size":1,' * 110_000, "problems"),
        ("a.csv", lambda: "histogram,edge,weight\nage,1,1\n".encode("utf-16") + b"a\x00" * 900_000, "rows"),
    ],
    ids=lambda value: None if callable(value) else value,
)
def test_a_text_that_is_made_to_hurt_is_answered_at_once(
    reader: Reader, name: str, content: Callable[[], bytes], field: str
) -> None:
    status, reading = reader.judged(name, content(), histogram="depth")
    assert status == UNDERSTOOD
    assert 0 < len(reading[field]) <= 4096
    assert len(json.dumps(reading)) < 2 * MIB


@pytest.mark.parametrize(
    ("name", "content", "refusal"),
    [
        ("a.txt", lambda: b"0 1 0\n" + b"\n" * (BODY_LIMIT_BYTES - 1000), (422, "file_not_understood")),
        ("a.json", lambda: b'{"junk":[' + b"[]," * 690_000, (413, "file_too_large")),
        ("a.json", lambda: b"[" * (BODY_LIMIT_BYTES - 1000), (422, "file_not_understood")),
        ("a.bin", lambda: bytes(BODY_LIMIT_BYTES - 1000), (422, "file_not_understood")),
        ("a.csv", lambda: b"1" * BODY_LIMIT_BYTES, (413, "file_too_large")),
    ],
    ids=lambda value: None if callable(value) else str(value),
)
def test_what_cannot_be_a_profile_is_refused_at_once(
    reader: Reader, name: str, content: Callable[[], bytes], refusal: tuple[int, str]
) -> None:
    status, problem = reader.judged(name, content())
    assert (status, problem["code"]) == refusal


def _link() -> zipfile.ZipInfo:
    link = zipfile.ZipInfo("size_distribution.txt")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    return link


def _encrypted() -> bytes:
    content = bytearray(zipped(("a.csv", b"age 1 1")))
    content[6] |= 1
    content[content.index(b"PK\x01\x02") + 8] |= 1
    return bytes(content)


def _with_false_size() -> bytes:
    """Returns an archive with a false size of an entry."""
    content = bytearray(zipped(("a.csv", bytes(64 * MIB))))
    directory = content.index(b"PK\x01\x02")
    for place in (22, directory + 24):
        content[place : place + 4] = (100).to_bytes(4, "little")
    return bytes(content)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (lambda: zipped(("a.csv", bytes(MEMORY_BOUND_BYTES + 32 * MIB))), "unpacks to more than 4 MiB"),
        (lambda: zipped(*((f"{i}.csv", bytes(3 * MIB)) for i in range(8))), "unpacks to more than 4 MiB"),
        (lambda: _with_false_size(), ""),
        (lambda: zipped(("../../etc/passwd", b"x")), "leads out of the archive"),
        (lambda: zipped(("..\\..\\boot.ini", b"x")), "leads out of the archive"),
        (lambda: zipped(("/etc/passwd", b"x")), "leads out of the archive"),
        (lambda: zipped(("C:\\boot.ini", b"x")), "leads out of the archive"),
        (lambda: zipped((_link(), b"/etc/passwd")), "is a link"),
        (lambda: zipped(("a.zip", b"x")), "is an archive again"),
        (lambda: zipped(("a.csv", zipped(("a.csv", b"x")))), "is an archive again"),
        (lambda: zipped(*((f"{i}.csv", b"x") for i in range(17))), "has 17 entries; the limit is 16"),
        (lambda: zipped(*((f"{i}", b"") for i in range(15_000))), "the limit is 16"),
        (lambda: zipped(), "has no file in it"),
        (lambda: _encrypted(), "is encrypted"),
        (lambda: zipped(("a.csv", b"x"))[:-10], "is a damaged zip"),
        (lambda: b"PK\x03\x04" + b"x" * 1000, "is a damaged zip"),
        (lambda: zipped(("a.csv", b"histogram" * 1000)).replace(b"\x08\x00", b"\x0e\x00"), "compressed in a way"),
    ],
    ids=lambda value: None if callable(value) else value or "false size",
)
def test_an_archive_that_is_made_to_hurt_is_refused(reader: Reader, content: Callable[[], bytes], said: str) -> None:
    status, problem = reader.judged("p.zip", content())
    assert (status, problem["code"]) == (422, "archive_refused")
    assert said in problem["detail"]


def test_a_name_that_is_made_to_hurt_is_told_printable_and_short(reader: Reader) -> None:
    status, reading = reader.judged("..\\../" + "a\x1b[31m" * 500 + ".csv", b"histogram,edge,weight\nage,1,1\n")
    name = reading["rows"][0]["file"]
    assert (status, len(name) <= 200, name.isprintable()) == (UNDERSTOOD, True, True)


@pytest.mark.slow
def test_two_files_of_the_largest_kind_at_once_stay_within_the_bound(reader: Reader) -> None:
    content = b'{"junk":[' + b"[]," * 340_000
    with ThreadPoolExecutor(8) as threads:
        answers = [threads.submit(reader.sent, "a.json", content) for _ in range(8)]
        assert {answer.result().status_code for answer in answers} == {UNDERSTOOD}
    assert _peak_bytes(reader.api) - reader.first_bytes < MEMORY_BOUND_BYTES
