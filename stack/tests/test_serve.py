"""The API as several processes at one port."""

import os
import signal
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from patina_stack.services import PrivateServices
from patina_stack.testing_api import ApiProcess

PATIENCE_S = 60


@pytest.fixture
def api(services: PrivateServices, tmp_path: Path) -> Iterator[ApiProcess]:
    process = ApiProcess(tmp_path / "log", processes_count=2)
    process.start()
    yield process
    process.close()


def _servers(api: ApiProcess) -> list[int]:
    """Those that take requests: they listen at the API's port."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(path.read_text().rpartition(")")[2].split()[1])
            words = (path.parent / "cmdline").read_bytes()
        except OSError:
            continue
        if api.process is not None and parent == api.process.pid and b"spawn_main" in words:
            found.append(int(path.parent.name))
    return found


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _await(what: str, pids: list[int]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while any(_is_alive(pid) for pid in pids):
        assert time.monotonic() < deadline, what
        time.sleep(0.1)


def test_several_processes_answer_at_one_port_and_end_together(api: ApiProcess) -> None:
    servers = _servers(api)
    assert len(servers) == 2
    for _ in range(20):
        with urllib.request.urlopen(f"{api.url}/api/v1/runs", timeout=30) as answer:
            assert answer.status == 200
    api.stop()
    _await("they end with the one that made them", servers)


def test_none_of_them_outlives_the_one_that_made_them(api: ApiProcess) -> None:
    servers = _servers(api)
    assert api.process is not None
    os.kill(api.process.pid, signal.SIGKILL)
    api.process.wait()
    _await("no orphan keeps the port", servers)


def test_one_that_was_killed_is_replaced(api: ApiProcess) -> None:
    servers = _servers(api)
    os.kill(servers[0], signal.SIGKILL)
    deadline = time.monotonic() + PATIENCE_S
    while len(now := [pid for pid in _servers(api) if _is_alive(pid)]) < 2 or servers[0] in now:
        assert time.monotonic() < deadline, "another one takes its place"
        time.sleep(0.1)
    with urllib.request.urlopen(f"{api.url}/healthz", timeout=30) as answer:
        assert answer.status == 200
