"""Downloads from a real server: damage ends them; clients that leave or dawdle cost nothing; others need not wait."""

import hashlib
import os
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

import httpx2
import pytest

from patina.settings import settings
from patina_stack.testing_api import ApiProcess
from patina_stack.testing_store import CHUNK_BYTES, index_bytes, write_chunk

ImageFactory = Callable[..., int]
PATIENCE_S = 15
# Far more than sockets buffer, or than fits into memory: only a stream can answer.
CHUNKS_COUNT = 2**40 // CHUNK_BYTES
TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


@pytest.fixture
def huge_id(publish_image: ImageFactory) -> int:
    """An image of 1 TiB: chunks of noise at both ends, zeroes between."""
    store = settings().store_dir
    noise, zero = write_chunk(store, os.urandom(CHUNK_BYTES)), write_chunk(store, bytes(CHUNK_BYTES))
    entries = [(CHUNK_BYTES, noise), *[(CHUNK_BYTES, zero)] * (CHUNKS_COUNT - 2), (CHUNK_BYTES, noise)]
    (settings().index_dir / "huge.caibx").write_bytes(index_bytes(entries))
    return publish_image("huge.caibx")


def _cpu_s(api: ApiProcess) -> float:
    assert api.process is not None
    fields = Path(f"/proc/{api.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_A_SECOND


def _memory_bytes(api: ApiProcess) -> int:
    assert api.process is not None
    (line,) = [x for x in Path(f"/proc/{api.process.pid}/status").read_text().splitlines() if x.startswith("VmRSS")]
    return int(line.split()[1]) * 1024


def _ask(api: ApiProcess, path: str) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", api.port), timeout=PATIENCE_S)
    client.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{api.port}\r\n\r\n".encode())
    assert client.recv(12).endswith(b" 200")
    return client


def _is_idle(api: ApiProcess) -> bool:
    before = _cpu_s(api)
    time.sleep(1)
    return _cpu_s(api) - before < 0.2


def _wait_until_idle(api: ApiProcess) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if _is_idle(api):
            return
    raise AssertionError("the API works on")


@pytest.mark.parametrize("damage", [Path.unlink, lambda chunk: chunk.write_bytes(chunk.read_bytes()[:-1])])
@pytest.mark.parametrize("image_format", ["raw", "raw.zst", "qcow2"])
def test_a_damaged_chunk_on_the_way_breaks_the_connection_and_is_named_in_the_log(
    api: ApiProcess, capture_image: ImageFactory, tmp_path: Path, image_format: str, damage: Callable[[Path], object]
) -> None:
    device = tmp_path / "device"
    parts = [os.urandom(CHUNK_BYTES) for _ in range(40)]
    device.write_bytes(b"".join(parts))
    url = f"{api.url}/api/v1/images/{capture_image(device)}/download/{image_format}"
    size = int(httpx2.head(url).headers["Content-Length"])
    name = hashlib.sha256(parts[30]).hexdigest()
    damage(settings().store_dir / name[:4] / f"{name}.cacnk")
    got: list[int] = []
    with httpx2.stream("GET", url, timeout=PATIENCE_S) as answer:
        assert answer.status_code == 200
        with pytest.raises(httpx2.RemoteProtocolError):
            got.extend(map(len, answer.iter_raw()))
    assert 29 * CHUNK_BYTES < sum(got) < size
    assert "download ended early" in api.log()
    assert name in api.log()
    assert httpx2.get(f"{api.url}/healthz").status_code == 200


@pytest.mark.parametrize("image_format", ["raw", "raw.zst"])
def test_a_client_that_leaves_ends_the_work(api: ApiProcess, huge_id: int, image_format: str) -> None:
    client = _ask(api, f"/api/v1/images/{huge_id}/download/{image_format}")
    for _ in range(100):
        assert client.recv(2**20)
    client.close()
    _wait_until_idle(api)


def test_clients_that_do_not_read_cost_no_work_no_thread_and_little_memory(api: ApiProcess, huge_id: int) -> None:
    path = f"/api/v1/images/{huge_id}/download/raw"
    _ask(api, path).close()
    _wait_until_idle(api)
    before = _memory_bytes(api)
    clients = [_ask(api, path) for _ in range(60)]
    _wait_until_idle(api)
    assert _memory_bytes(api) - before < 60 * 8 * CHUNK_BYTES
    asked_at = time.monotonic()
    assert httpx2.get(f"{api.url}/api/v1/images").status_code == 200
    assert time.monotonic() - asked_at < PATIENCE_S / 3
    for client in clients:
        client.close()


def test_others_are_answered_while_many_download(api: ApiProcess, huge_id: int) -> None:
    ended = threading.Event()

    def _download() -> None:
        client = _ask(api, f"/api/v1/images/{huge_id}/download/raw")
        while not ended.is_set():
            client.recv(2**20)
        client.close()

    threads = [threading.Thread(target=_download) for _ in range(8)]
    for thread in threads:
        thread.start()
    waits = []
    for _ in range(20):
        asked_at = time.monotonic()
        assert httpx2.get(f"{api.url}/healthz", timeout=PATIENCE_S).status_code == 200
        waits.append(time.monotonic() - asked_at)
    ended.set()
    for thread in threads:
        thread.join()
    assert sorted(waits)[len(waits) // 2] < 1


def test_a_terabyte_of_zeroes_is_a_small_qcow2_that_begins_at_once(api: ApiProcess, huge_id: int) -> None:
    url = f"{api.url}/api/v1/images/{huge_id}/download/qcow2"
    answer = httpx2.get(url, timeout=4 * PATIENCE_S)
    assert answer.content[:4] == b"QFI\xfb"
    assert len(answer.content) < 2**20 + 2 * CHUNK_BYTES
    part = httpx2.get(
        f"{api.url}/api/v1/images/{huge_id}/download/raw", headers={"Range": "bytes=-10"}, timeout=PATIENCE_S
    )
    assert part.content == answer.content[-10:]


def test_a_server_that_is_told_to_stop_does_not_wait_for_a_download(api: ApiProcess, huge_id: int) -> None:
    client = _ask(api, f"/api/v1/images/{huge_id}/download/raw")
    assert api.stop() < PATIENCE_S
    client.close()
    api.start()
