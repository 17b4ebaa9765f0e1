"""Downloads from a real server: damage ends them; disconnected and slow clients cost nothing; others do not wait."""

import hashlib
import os
import socket
import threading
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx2
import pytest
from structlog.testing import capture_logs

from overwriting import overwrite
from patina.image.download import Download
from patina.image.transfer import DOWNLOAD_THREADS_COUNT
from patina.settings import settings
from patina_dev.testing.api import ApiProcess
from patina_dev.testing.owner import HEADER_LINE, HEADERS
from patina_dev.testing.served import ServedApp
from patina_dev.testing.store import CHUNK_BYTES, index_bytes, write_chunk
from patina_dev.testing.wait import HANG_S, wait_until

ImageFactory = Callable[..., int]
MIB, GIB = 2**20, 2**30
RECEIVE_BUFFER_BYTES = 64 * 2**10


def _publish_zeroes(publish_image: ImageFactory, size_bytes: int, chunk_bytes: int) -> int:
    """Publishes an image of zeroes, with noise in its first and last chunk."""
    store = settings().store_dir
    noise, zero = write_chunk(store, os.urandom(chunk_bytes)), write_chunk(store, bytes(chunk_bytes))
    between = [(chunk_bytes, zero)] * (size_bytes // chunk_bytes - 2)
    (settings().index_dir / "zeroes.caibx").write_bytes(
        index_bytes([(chunk_bytes, noise), *between, (chunk_bytes, noise)], chunk_bytes)
    )
    return publish_image("zeroes.caibx")


@pytest.fixture
def huge_id(publish_image: ImageFactory) -> int:
    """Returns an image larger than all socket buffers: only a stream can send it."""
    return _publish_zeroes(publish_image, 4 * GIB, CHUNK_BYTES)


class Readings:
    """Counts the application's reads of images."""

    def __init__(self) -> None:
        self.open_count = self.pieces_count = self.held_count = 0
        self.gate = threading.Event()
        self.gate.set()
        self._lock = threading.Lock()

    def _count(self, **changes: int) -> None:
        with self._lock:
            for name, change in changes.items():
                setattr(self, name, getattr(self, name) + change)

    def read(self, download: Download, start: int, stop: int) -> Generator[bytes]:
        """Reads as Download.read. All pieces but the first wait for the gate."""
        self._count(open_count=1)
        try:
            for number, piece in enumerate(_read(download, start, stop)):
                if number:
                    self._count(held_count=1)
                    self.gate.wait(HANG_S)
                    self._count(held_count=-1)
                self._count(pieces_count=1)
                yield piece
        finally:
            self._count(open_count=-1)


_read = Download.read


@pytest.fixture
def readings(server: ServedApp, monkeypatch: pytest.MonkeyPatch) -> Iterator[Readings]:
    """Yields the readings of `server`. Opens the gate at the end."""
    made = Readings()
    monkeypatch.setattr(Download, "read", lambda *arguments: made.read(*arguments))
    yield made
    made.gate.set()


Ask = Callable[[int, str], socket.socket]


@pytest.fixture
def ask() -> Iterator[Ask]:
    """Yields a function that requests a path; returns the connection with the response's first bytes."""
    with ExitStack() as connections:

        def _ask(port: int, path: str) -> socket.socket:
            client = connections.enter_context(socket.socket())
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
            client.settimeout(HANG_S)
            client.connect(("127.0.0.1", port))
            head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n".encode()
            client.sendall(head + HEADER_LINE + b"\r\n")
            assert client.recv(12).endswith(b" 200")
            return client

        yield _ask


def _memory_bytes() -> int:
    (line,) = [x for x in Path("/proc/self/status").read_text().splitlines() if x.startswith("VmRSS")]
    return int(line.split()[1]) * 1024


@pytest.mark.parametrize("damage", [Path.unlink, lambda chunk: overwrite(chunk, chunk.read_bytes()[:-1])])
@pytest.mark.parametrize("image_format", ["raw", "raw.zst", "qcow2"])
def test_a_damaged_chunk_on_the_way_breaks_the_connection_and_is_named_in_the_log(
    server: ServedApp,
    capture_image: ImageFactory,
    tmp_path: Path,
    image_format: str,
    damage: Callable[[Path], object],
) -> None:
    device = tmp_path / "device"
    parts = [os.urandom(CHUNK_BYTES) for _ in range(40)]
    device.write_bytes(b"".join(parts))
    url = f"{server.url}/api/v1/images/{capture_image(device)}/download/{image_format}"
    size = int(httpx2.head(url, headers=HEADERS).headers["Content-Length"])
    name = hashlib.sha256(parts[30]).hexdigest()
    damage(settings().store_dir / name[:4] / f"{name}.cacnk")
    got: list[int] = []
    with capture_logs() as logs, httpx2.stream("GET", url, headers=HEADERS, timeout=HANG_S) as answer:
        assert answer.status_code == 200
        with pytest.raises(httpx2.RemoteProtocolError):
            got.extend(map(len, answer.iter_raw()))
    assert 29 * CHUNK_BYTES < sum(got) < size
    assert [name in log["why"] for log in logs if log["event"] == "download ended early"] == [True]
    assert httpx2.get(f"{server.url}/healthz").status_code == 200


@pytest.mark.parametrize("image_format", ["raw", "raw.zst"])
def test_a_client_that_leaves_ends_the_work(
    server: ServedApp, readings: Readings, ask: Ask, huge_id: int, image_format: str
) -> None:
    client = ask(server.port, f"/api/v1/images/{huge_id}/download/{image_format}")
    for _ in range(100):
        assert client.recv(MIB)
    assert readings.open_count == 1
    client.close()
    wait_until("nothing is read any more", lambda: readings.open_count == 0)


@pytest.mark.slow
def test_clients_that_do_not_read_cost_no_work_no_thread_and_little_memory(
    server: ServedApp, readings: Readings, ask: Ask, huge_id: int
) -> None:
    path = f"/api/v1/images/{huge_id}/download/raw"
    ask(server.port, path).close()
    wait_until("the first one is over", lambda: readings.open_count == 0)
    before_bytes = _memory_bytes()
    for _ in range(60):
        ask(server.port, path)

    def _stands_still() -> bool:
        read = readings.pieces_count
        for _ in range(5):
            assert httpx2.get(f"{server.url}/healthz").status_code == 200
        return readings.pieces_count == read and server.app.state.download_threads.borrowed_tokens == 0

    wait_until("the work stands still", _stands_still)
    assert readings.open_count == 60
    assert _memory_bytes() - before_bytes < 60 * 8 * CHUNK_BYTES
    assert httpx2.get(f"{server.url}/api/v1/images", headers=HEADERS).status_code == 200


def test_others_are_answered_while_many_download(server: ServedApp, readings: Readings, ask: Ask, huge_id: int) -> None:
    readings.gate.clear()
    for _ in range(2 * DOWNLOAD_THREADS_COUNT):
        ask(server.port, f"/api/v1/images/{huge_id}/download/raw")
    wait_until("every thread of downloads is held", lambda: readings.held_count == DOWNLOAD_THREADS_COUNT)
    for path in ("/healthz", "/api/v1/images", f"/api/v1/images/{huge_id}/downloads"):
        assert httpx2.get(server.url + path, headers=HEADERS, timeout=HANG_S).status_code == 200
    assert readings.held_count == DOWNLOAD_THREADS_COUNT


def test_a_terabyte_of_zeroes_is_a_small_qcow2(server: ServedApp, publish_image: ImageFactory) -> None:
    image_id = _publish_zeroes(publish_image, 1024 * GIB, 4 * MIB)
    whole = httpx2.get(f"{server.url}/api/v1/images/{image_id}/download/qcow2", headers=HEADERS, timeout=HANG_S)
    assert whole.content[:4] == b"QFI\xfb"
    assert len(whole.content) < MIB + 2 * 4 * MIB
    raw = f"{server.url}/api/v1/images/{image_id}/download/raw"
    part = httpx2.get(raw, headers=HEADERS | {"Range": "bytes=-10"}, timeout=HANG_S)
    assert part.content == whole.content[-10:]


@pytest.mark.slow
def test_a_server_that_is_told_to_stop_does_not_wait_for_a_download(api: ApiProcess, ask: Ask, huge_id: int) -> None:
    """The client reads no more: a server that waited for the end of its download would never stop."""
    ask(api.port, f"/api/v1/images/{huge_id}/download/raw")
    api.stop()
