"""Digests of downloads: correct, stored, computed once, canceled with the server."""

import hashlib
import threading
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import func, select

from overwriting import overwrite
from patina.db import transaction
from patina.image import digest
from patina.image.content import DownloadFormat, Format, RawContent
from patina.image.digest import Digests, DigestsClosed
from patina.image.download import Download, open_download
from patina.image.models import Image, ImageDownload
from patina.settings import settings
from patina_dev.testing.wait import HANG_S, wait_until

ImageFactory = Callable[..., int]
FORMATS = ("raw", "raw.zst", "qcow2")


@pytest.fixture
def image_id(client: TestClient, capture_image: ImageFactory, tmp_path: Path) -> int:
    device = tmp_path / "device"
    device.write_bytes(bytes(2**20) + b"some data" * 99)
    return capture_image(device)


def _shown(client: TestClient, image_id: int) -> dict[str, dict[str, object]]:
    return {item["format"]: item for item in client.get(f"/api/v1/images/{image_id}/downloads").json()["items"]}


@pytest.mark.parametrize("image_format", FORMATS)
def test_a_digest_is_the_downloads_own_in_sha256sums_format_and_shown_from_then_on(
    client: TestClient, image_id: int, image_format: str
) -> None:
    before = _shown(client, image_id)[image_format]
    assert (before["sha256"], before["digest_progress_fraction"]) == (None, None)
    said = client.get(str(before["sha256_url"]))
    right = hashlib.sha256(client.get(str(before["url"])).content).hexdigest()
    assert said.text == f"{right}  {before['file_name']}\n"
    assert said.headers["Content-Type"].startswith("text/plain")
    assert _shown(client, image_id)[image_format]["sha256"] == right
    assert client.get(str(before["sha256_url"])).text == said.text


def test_a_digest_is_not_that_of_bytes_that_were_packed_anew(client: TestClient, image_id: int) -> None:
    url = str(_shown(client, image_id)["raw.zst"]["sha256_url"])
    assert client.get(url).status_code == 200
    with transaction() as session:
        row = session.get_one(ImageDownload, (image_id, "raw.zst"))
        row.etag, row.sha256 = '"of older bytes"', "0" * 64
    assert _shown(client, image_id)["raw.zst"]["sha256"] is None
    assert client.get(url).text[:64] != "0" * 64
    with transaction() as session:
        assert session.scalar(select(func.count()).select_from(ImageDownload)) == 1


def test_a_digest_of_a_damaged_image_is_refused_and_asked_for_again(client: TestClient, image_id: int) -> None:
    url = str(_shown(client, image_id)["raw"]["sha256_url"])
    chunks = list(settings().store_dir.glob("*/*.cacnk"))
    kept = [chunk.read_bytes() for chunk in chunks]
    for chunk in chunks:
        overwrite(chunk, b"damaged")
    answer = client.get(url)
    assert (answer.status_code, answer.json()["code"]) == (500, "chunk_corrupt")
    for chunk, data in zip(chunks, kept, strict=True):
        overwrite(chunk, data)
    assert client.get(url).status_code == 200


class _Gate(RawContent):
    """Ten bytes, released when the gate is opened; counts the readers."""

    def __init__(self) -> None:
        super().__init__(10)
        object.__setattr__(self, "opened", threading.Event())
        object.__setattr__(self, "reads", [])

    opened: threading.Event
    reads: list[int]

    def pieces(self, start: int, stop: int) -> Generator[bytes]:
        self.reads.append(stop - start)
        yield b"01234"
        self.opened.wait(HANG_S)
        yield b"56789"


class _GatedDownload(Download):
    def read(self, start: int, stop: int) -> Generator[bytes]:
        assert isinstance(self.content, _Gate)
        return self.content.pieces(start, stop)


@pytest.fixture
def gate() -> _Gate:
    return _Gate()


@pytest.fixture
def gated(client: TestClient, image_id: int, gate: _Gate, monkeypatch: pytest.MonkeyPatch) -> Iterator[Download]:
    """Yields the image's raw download, with the gate as its content."""

    def _open(image: Image, image_format: DownloadFormat) -> Download:
        return _GatedDownload(**(vars(open_download(image=image, image_format=image_format)) | {"content": gate}))

    monkeypatch.setattr("patina.image.router.open_download", _open)
    monkeypatch.setattr("patina.image.service.open_download", _open)
    with transaction() as session:
        download = _open(session.get_one(Image, image_id), Format.RAW)
    yield download
    gate.opened.set()


def test_while_a_digest_is_computed_its_progress_is_told_and_when_to_come_back(
    client: TestClient, image_id: int, gated: Download, gate: _Gate, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(digest, "WAIT_S", 0.01)
    url = f"/api/v1/images/{image_id}/download/raw.sha256"
    assert client.get(url).status_code == 503
    wait_until("half of it is read", lambda: _shown(client, image_id)["raw"]["digest_progress_fraction"] == 0.5)
    answer = client.get(url)
    assert (answer.status_code, answer.json()["code"], answer.headers["Retry-After"]) == (503, "digest_pending", "5")
    assert "50% done" in answer.json()["detail"]
    gate.opened.set()
    monkeypatch.setattr(digest, "WAIT_S", HANG_S)
    assert client.get(url).text.startswith(hashlib.sha256(b"0123456789").hexdigest())


def test_however_many_ask_at_once_a_digest_is_computed_once(
    client: TestClient, image_id: int, gated: Download, gate: _Gate
) -> None:
    url = f"/api/v1/images/{image_id}/download/raw.sha256"
    with ThreadPoolExecutor(8) as many:
        answers = [many.submit(client.get, url) for _ in range(8)]
        wait_until("it is being computed", lambda: gate.reads)
        gate.opened.set()
        assert {answer.result().text for answer in answers} == {
            f"{hashlib.sha256(b'0123456789').hexdigest()}  {gated.file_name}\n"
        }
    assert gate.reads == [10]


def test_a_server_that_stops_ends_its_computations_and_says_so(gated: Download, gate: _Gate) -> None:
    digests = Digests()
    under_way = digests.demand(gated)
    wait_until("the first is being computed", lambda: gate.reads)
    other = _GatedDownload(**(vars(gated) | {"etag": '"other"'}))
    waiting = digests.demand(other)
    closer = threading.Thread(target=digests.close)
    closer.start()
    wait_until("the second is canceled", waiting.future.cancelled)
    gate.opened.set()
    closer.join(HANG_S)
    assert isinstance(under_way.future.exception(), DigestsClosed)
    assert DigestsClosed.code == "server_stopping"
    assert digests.under_way(gated) is None
    assert digests.under_way(other) is None
