"""Imports through the API: uploads resume after an interruption; unsupported files are refused."""

import fcntl
import os
import socket
import struct
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import update

from patina.db import transaction
from patina.image_import import upload
from patina.image_import.models import Intake
from patina.job.models import Job
from patina.job.state import JobState
from patina.settings import settings
from patina_dev.testing.api import ApiProcess
from patina_dev.testing.archive import Layout
from patina_dev.testing.content import assert_same_content
from patina_dev.testing.owner import HEADER_LINE, HEADERS
from patina_dev.testing.served import ServedApp
from patina_dev.testing.wait import HANG_S, wait_until

MIB = 2**20
ImageFactory = Callable[..., int]


@pytest.fixture(autouse=True)
def _spool(host_id: int) -> Iterator[None]:
    yield
    for file in settings().spool_dir.glob("*"):
        file.unlink()


def begun(client: TestClient, size_bytes: int, **changes: Any) -> Any:
    body: dict[str, object] = {"name": "foreign", "kind": "foreign", "file_name": "a.img", "size_bytes": size_bytes}
    headers = {"Idempotency-Key": changes.pop("key")} if "key" in changes else {}
    return client.post("/api/v1/intakes", json=body | changes, headers=headers)


def sent(client: TestClient, intake_id: int, data: bytes, offset: int = 0) -> Any:
    return client.patch(f"/api/v1/intakes/{intake_id}/file", content=data, headers={"Upload-Offset": str(offset)})


def spooled(intake_id: int) -> Path:
    with transaction() as session:
        return session.get_one(Intake, intake_id).spool_path


def code(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


def qcow2(folder: Path, *options: str, name: str = "a.qcow2", size: str = "8M") -> bytes:
    subprocess.run(["qemu-img", "create", "-q", "-f", "qcow2", *options, name, size], cwd=folder, check=True)
    return (folder / name).read_bytes()


def test_a_file_is_sent_in_pieces_and_queued(client: TestClient) -> None:
    data = os.urandom(3 * MIB)
    made = begun(client, len(data), source="a camera's card")
    assert made.status_code == 201
    intake = made.json()
    assert made.headers["Location"] == f"/api/v1/intakes/{intake['id']}"
    assert (intake["state"], intake["received_bytes"], intake["format"]) == ("uploading", 0, None)
    for offset in range(0, len(data), MIB):
        answer = sent(client, intake["id"], data[offset : offset + MIB], offset)
        assert answer.json()["received_bytes"] == offset + MIB
    assert_same_content(spooled(intake["id"]), data)
    assert answer.json()["format"] == "raw"
    done = client.post(f"/api/v1/intakes/{intake['id']}/finish", json={"sha256": "0" * 64})
    assert (done.status_code, done.json()["state"]) == (202, "queued")
    again = client.post(f"/api/v1/intakes/{intake['id']}/finish", json={})
    assert (again.status_code, again.json()["state"]) == (202, "queued")


def test_zeroes_take_no_room_in_the_spool(client: TestClient) -> None:
    intake_id = begun(client, 32 * MIB).json()["id"]
    sent(client, intake_id, bytes(16 * MIB) + b"x" + bytes(16 * MIB - 1))
    file = spooled(intake_id)
    assert file.stat().st_size == 32 * MIB
    assert file.stat().st_blocks * 512 <= 2 * MIB
    assert file.read_bytes()[16 * MIB - 1 : 16 * MIB + 2] == b"\0x\0"


def test_another_offset_is_refused_with_the_right_one(client: TestClient) -> None:
    intake_id = begun(client, MIB).json()["id"]
    sent(client, intake_id, b"a" * 1000)
    for offset in (0, 999, 1001):
        answer = sent(client, intake_id, b"b" * 10, offset)
        assert code(answer) == (409, "offset_mismatch")
        assert answer.headers["Upload-Offset"] == "1000"
    assert sent(client, intake_id, b"a" * 10, 1000).json()["received_bytes"] == 1010


def test_more_bytes_than_were_said_are_refused_and_what_fits_is_not_lost(client: TestClient) -> None:
    intake_id = begun(client, 1024).json()["id"]
    sent(client, intake_id, b"a" * 512)
    assert code(sent(client, intake_id, b"a" * 600, 512)) == (422, "upload_too_long")

    def _without_length() -> Iterator[bytes]:
        yield b"a" * 600

    answer = client.patch(
        f"/api/v1/intakes/{intake_id}/file", content=_without_length(), headers=HEADERS | {"Upload-Offset": "512"}
    )
    assert code(answer) == (422, "upload_too_long")
    assert sent(client, intake_id, b"a" * 512, 512).json()["received_bytes"] == 1024


def test_a_file_that_has_not_come_whole_is_not_taken_in(client: TestClient) -> None:
    intake_id = begun(client, 1024).json()["id"]
    sent(client, intake_id, b"a" * 512)
    assert code(client.post(f"/api/v1/intakes/{intake_id}/finish", json={})) == (409, "upload_incomplete")


def test_only_one_connection_sends_a_file(client: TestClient) -> None:
    intake_id = begun(client, 1024).json()["id"]
    sent(client, intake_id, b"a" * 512)
    with spooled(intake_id).open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        answer = sent(client, intake_id, b"a" * 512, 512)
        assert code(answer) == (409, "upload_under_way")
        assert answer.headers["Retry-After"]
    assert sent(client, intake_id, b"a" * 512, 512).status_code == 200


def test_one_key_begins_one_intake(client: TestClient) -> None:
    first = begun(client, 1024, key="k").json()
    sent(client, first["id"], b"a" * 512)
    again = begun(client, 1024, key="k").json()
    assert (again["id"], again["received_bytes"]) == (first["id"], 512)
    assert code(begun(client, 2048, key="k")) == (409, "idempotency_key_reused")


def test_a_name_is_kept_while_its_file_is_on_its_way_and_while_an_image_has_it(
    client: TestClient, capture_image: ImageFactory, tmp_path: Path
) -> None:
    intake_id = begun(client, 1024).json()["id"]
    assert code(begun(client, 1024)) == (409, "image_name_taken")
    client.post(f"/api/v1/jobs/{intake_id}/stop")
    assert begun(client, 1024).status_code == 201
    device = tmp_path / "device"
    device.write_bytes(b"x" * MIB)
    image_id = capture_image(device)
    name = client.get(f"/api/v1/images/{image_id}").json()["name"]
    client.delete(f"/api/v1/images/{image_id}")
    assert code(begun(client, 1024, name=name)) == (409, "image_name_taken")


def test_a_run_whose_images_name_was_taken_by_an_import_gets_a_number(
    client: TestClient, capture_image: ImageFactory, tmp_path: Path
) -> None:
    from patina.image.models import Image

    (tmp_path / "one").write_bytes(b"x" * MIB)
    first = capture_image(tmp_path / "one")
    with transaction() as session:
        session.execute(update(Image).values(name="agrawal-70-ext4-2"))
    (tmp_path / "two").write_bytes(b"y" * MIB)
    second = capture_image(tmp_path / "two")
    assert client.get(f"/api/v1/images/{first}").json()["name"] == "agrawal-70-ext4-2"
    assert client.get(f"/api/v1/images/{second}").json()["name"] == "agrawal-70-ext4-2-2"


@pytest.mark.parametrize(
    "changes",
    [
        {"name": ""},
        {"name": "42"},
        {"name": "../etc"},
        {"name": "a b"},
        {"name": "-rf"},
        {"name": "a" * 101},
        {"kind": "aged"},
        {"format": "vmdk"},
        {"kind": "patina"},
        {"file_name": ""},
        {"other": 1},
    ],
)
def test_what_the_server_cannot_work_with_is_refused(client: TestClient, changes: dict[str, object]) -> None:
    assert code(begun(client, 1024, **changes)) == (422, "request_invalid")
    assert code(begun(client, 0)) == (422, "request_invalid")


def test_files_on_their_way_have_a_quota(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(settings().__dict__, "intake_quota_bytes", 2048)
    first = begun(client, 1024).json()["id"]
    assert code(begun(client, 1025, name="other")) == (409, "intake_quota_exceeded")
    client.post(f"/api/v1/jobs/{first}/stop")
    assert begun(client, 1025, name="other").status_code == 201


def test_an_unknown_or_ended_intake_takes_nothing(client: TestClient) -> None:
    assert code(sent(client, 99, b"x")) == (404, "job_unknown")
    assert code(client.get("/api/v1/intakes/99")) == (404, "job_unknown")
    intake_id = begun(client, 1024).json()["id"]
    assert client.post(f"/api/v1/jobs/{intake_id}/stop").json()["state"] == "canceled"
    assert client.post(f"/api/v1/jobs/{intake_id}/stop").json()["state"] == "canceled"
    assert code(sent(client, intake_id, b"x")) == (409, "intake_ended")
    assert code(client.post(f"/api/v1/intakes/{intake_id}/finish", json={})) == (409, "intake_ended")


def begun_at(api: ApiProcess | ServedApp, size_bytes: int) -> str:
    """Returns the address of a new intake on a server in its own process."""
    body = {"name": "foreign", "kind": "foreign", "file_name": "a.img", "size_bytes": size_bytes}
    answer = httpx2.post(f"{api.url}/api/v1/intakes", headers=HEADERS, json=body)
    return f"{api.url}/api/v1/intakes/{answer.json()['id']}"


@contextmanager
def half_sent(
    api: ApiProcess | ServedApp, address: str, data: bytes, stop: int, start: int = 0
) -> Iterator[socket.socket]:
    """Yields a connection that has sent the file's bytes from `start` to `stop`, and announced the rest."""
    path = address.removeprefix(api.url)
    what = f"Upload-Offset: {start}\r\nContent-Length: {len(data) - start}"
    head = f"PATCH {path}/file HTTP/1.1\r\nHost: 127.0.0.1\r\n{what}\r\n"
    with socket.create_connection(("127.0.0.1", api.port)) as connection:
        connection.sendall(head.encode() + HEADER_LINE + b"\r\n" + data[start:stop])
        files = settings().spool_dir
        wait_until("bytes come", lambda: any(file.stat().st_size > start for file in files.glob("*")))
        yield connection


def _received_bytes(address: str) -> int:
    return int(httpx2.get(address, headers=HEADERS).json()["received_bytes"])


def test_what_came_before_a_connection_broke_is_kept(server: ServedApp) -> None:
    data = os.urandom(8 * MIB)
    address = begun_at(server, len(data))
    with half_sent(server, address, data, 5 * MIB):
        pass
    received = wait_until(
        "what came is counted", lambda: int(httpx2.get(address, headers=HEADERS).json()["received_bytes"])
    )
    assert 0 < received <= 5 * MIB
    rest = httpx2.patch(f"{address}/file", content=data[received:], headers=HEADERS | {"Upload-Offset": str(received)})
    assert rest.json()["received_bytes"] == len(data)
    assert_same_content(spooled(rest.json()["id"]), data)


@pytest.mark.slow
def test_a_server_that_is_killed_counts_no_byte_that_is_not_there(api: ApiProcess) -> None:
    data = os.urandom(8 * MIB)
    address = begun_at(api, len(data))
    httpx2.patch(f"{address}/file", content=data[:MIB], headers=HEADERS | {"Upload-Offset": "0"})
    with half_sent(api, address, data, 5 * MIB, start=MIB):
        assert api.process is not None
        api.process.kill()
        api.process.wait()
    api.start()
    assert httpx2.get(address, headers=HEADERS).json()["received_bytes"] == MIB
    rest = httpx2.patch(f"{address}/file", content=data[MIB:], headers=HEADERS | {"Upload-Offset": str(MIB)})
    assert_same_content(spooled(rest.json()["id"]), data)


def test_one_that_is_canceled_while_bytes_come_takes_no_more(server: ServedApp) -> None:
    data = os.urandom(8 * MIB)
    address = begun_at(server, len(data))
    with half_sent(server, address, data, 5 * MIB) as connection:
        assert httpx2.post(f"{address.replace('intakes', 'jobs')}/stop", headers=HEADERS).json()["state"] == "canceled"
        connection.sendall(data[5 * MIB :])
        answer = connection.recv(65_536)
        while b"intake_ended" not in answer and (more := connection.recv(65_536)):
            answer += more
    assert answer.startswith(b"HTTP/1.1 409")
    assert b"intake_ended" in answer


def test_intakes_are_listed_newest_first(client: TestClient) -> None:
    ids = [begun(client, 1024, name=f"image{number}").json()["id"] for number in range(3)]
    client.post(f"/api/v1/jobs/{ids[1]}/stop")
    page = client.get("/api/v1/intakes", params={"limit": 2}).json()
    assert [item["id"] for item in page["items"]] == [ids[2], ids[1]]
    rest = client.get("/api/v1/intakes", params={"cursor": page["next_cursor"]}).json()
    assert [item["id"] for item in rest["items"]] == [ids[0]]
    still_open = client.get("/api/v1/intakes", params={"is_open": True}).json()
    assert [item["id"] for item in still_open["items"]] == [ids[2], ids[0]]


def refused(client: TestClient, data: bytes, **changes: object) -> str:
    """Returns the code by which a file is refused after its first bytes."""
    intake_id = begun(client, len(data), **changes).json()["id"]
    answer = sent(client, intake_id, data)
    assert answer.status_code == 422
    intake = client.get(f"/api/v1/intakes/{intake_id}").json()
    assert (intake["state"], intake["error_code"]) == ("failed", answer.json()["code"])
    assert intake["message"] == answer.json()["detail"]
    return str(answer.json()["code"])


def test_a_qcow2_file_that_needs_another_is_refused_with_its_first_bytes(client: TestClient, tmp_path: Path) -> None:
    (tmp_path / "base").write_bytes(bytes(8 * MIB))
    backed = qcow2(tmp_path, "-b", "base", "-F", "raw")
    assert refused(client, backed) == "qcow2_needs_more"
    apart = qcow2(tmp_path, "-o", "data_file=data.raw,data_file_raw=on", name="b.qcow2")
    assert refused(client, apart) == "qcow2_needs_more"
    secret = ["--object", "secret,id=s,data=x"]
    # With AES: to make a LUKS key, qemu-img measures the processor, and fails on a busy one.
    locked = bytearray(qcow2(tmp_path, *secret, "-o", "encrypt.format=aes,encrypt.key-secret=s", name="c"))
    assert locked[32:36] == struct.pack(">I", 1)
    for method in (1, 2):  # AES, LUKS
        locked[32:36] = struct.pack(">I", method)
        assert refused(client, bytes(locked)) == "qcow2_needs_more"
    strange = bytearray(qcow2(tmp_path, name="d"))
    strange[72:80] = struct.pack(">Q", 1 << 9)
    assert refused(client, bytes(strange)) == "qcow2_needs_more"


def test_a_qcow2_file_that_is_none_is_refused(client: TestClient, tmp_path: Path) -> None:
    good = qcow2(tmp_path)
    assert refused(client, good[:100]) == "file_damaged"
    assert refused(client, good[:4] + b"\0\0\0\7" + good[8:]) == "file_damaged"
    corrupt = bytearray(good)
    corrupt[72:80] = struct.pack(">Q", 1 << 1)
    assert refused(client, bytes(corrupt)) == "file_damaged"
    assert refused(client, b"no such thing" * 100, format="qcow2") == "format_contradicted"
    assert refused(client, good, format="raw") == "format_contradicted"


def test_an_archive_is_known_by_its_first_bytes(client: TestClient, tmp_path: Path) -> None:
    data = Layout().made().write(tmp_path / "a.tar").read_bytes()
    intake_id = begun(client, len(data)).json()["id"]
    assert sent(client, intake_id, data[:512]).json()["format"] == "oci.tar"
    assert refused(client, data, name="b", format="raw.zst") == "format_contradicted"


def test_sizes_that_no_device_can_have_are_refused(client: TestClient, tmp_path: Path) -> None:
    assert refused(client, qcow2(tmp_path, size="100T")) == "image_size_refused"
    odd = bytearray(qcow2(tmp_path, name="odd"))
    odd[24:32] = struct.pack(">Q", 8 * MIB + 1)
    assert refused(client, bytes(odd)) == "image_size_refused"
    assert refused(client, b"x" * 1000) == "image_size_refused"


def test_first_bytes_that_come_one_by_one_are_looked_at_once_they_are_enough(
    client: TestClient, tmp_path: Path
) -> None:
    (tmp_path / "base").write_bytes(bytes(8 * MIB))
    data = qcow2(tmp_path, "-b", "base", "-F", "raw")
    intake_id = begun(client, len(data)).json()["id"]
    assert sent(client, intake_id, data[:300]).json()["format"] is None
    assert code(sent(client, intake_id, data[300:600], 300)) == (422, "qcow2_needs_more")


@pytest.mark.usefixtures("as_root")
def test_a_full_disk_keeps_what_came_and_goes_on_once_there_is_room(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(tmp_path)], check=True)
    try:
        monkeypatch.setitem(settings().__dict__, "spool", tmp_path)
        data = os.urandom(4 * MIB)
        intake_id = begun(client, len(data)).json()["id"]
        assert code(sent(client, intake_id, data)) == (507, "spool_full")
        received = client.get(f"/api/v1/intakes/{intake_id}").json()["received_bytes"]
        assert 0 < received <= 2 * MIB
        assert code(sent(client, intake_id, data[received:], received)) == (507, "spool_full")
        subprocess.run(["mount", "-o", "remount,size=16m", str(tmp_path)], check=True)
        received = client.get(f"/api/v1/intakes/{intake_id}").json()["received_bytes"]
        assert sent(client, intake_id, data[received:], received).json()["received_bytes"] == len(data)
        assert_same_content(spooled(intake_id), data)
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)


def test_an_interrupted_intake_is_taken_in_again_or_canceled(client: TestClient) -> None:
    intake_id = begun(client, 1024).json()["id"]
    sent(client, intake_id, b"a" * 1024)
    client.post(f"/api/v1/intakes/{intake_id}/finish", json={})
    with transaction() as session:
        session.execute(update(Job).values(state=JobState.INTERRUPTED))
    assert client.post(f"/api/v1/intakes/{intake_id}/finish", json={}).json()["state"] == "queued"
    with transaction() as session:
        session.execute(update(Job).values(state=JobState.RUNNING))
    asked = client.post(f"/api/v1/jobs/{intake_id}/stop").json()
    assert asked["state"] == "canceling"
    assert asked["stop_requested_at"] is not None


def test_files_that_are_announced_at_once_share_the_quota(server: ServedApp, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(settings().__dict__, "intake_quota_bytes", 3 * MIB)

    def _begin(number: int) -> int:
        body = {"name": f"file-{number}", "kind": "foreign", "file_name": "a.img", "size_bytes": 2 * MIB}
        return httpx2.post(f"{server.url}/api/v1/intakes", headers=HEADERS, json=body, timeout=HANG_S).status_code

    with ThreadPoolExecutor(8) as threads:
        assert sorted(threads.map(_begin, range(8))) == [201, *[409] * 7]


def test_an_upload_leaves_the_rest_of_the_disk_to_others(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload, "RESERVED_SHARE", 1)
    monkeypatch.setattr(upload, "MOST_RESERVED_BYTES", 2**62)
    intake_id = begun(client, 1024).json()["id"]
    assert code(sent(client, intake_id, b"x" * 1024)) == (507, "spool_full")


def test_an_import_is_private_or_for_a_team_if_so_begun(client: TestClient, host_id: int) -> None:
    team_id = client.post("/api/v1/teams", json={"name": "lab"}).json()["id"]
    private = begun(client, 512, name="mine", sharing={"visibility": "private"}).json()
    assert private["visibility"] == "private"
    shared = begun(client, 512, name="ours", sharing={"visibility": "team", "team_id": team_id}).json()
    assert (shared["visibility"], shared["team_name"]) == ("team", "lab")
    assert begun(client, 512, name="all").json()["visibility"] == "everyone"
    assert code(begun(client, 512, name="none", sharing={"visibility": "team"})) == (422, "team_missing")
