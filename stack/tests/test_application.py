"""The stack from its command line: up, up again, down, nothing left; clear errors."""

import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from patina.settings import Settings
from patina_dev.testing.fixtures import await_free_disk, mounted_privately
from patina_dev.testing.installation import services_of
from patina_dev.testing.loop_files import loop_files
from patina_dev.testing.owner import HEADERS, own
from patina_dev.testing.planted import assert_no_secret_in_logs
from patina_dev.testing.wait import HANG_S, wait_until
from patina_stack.account import Account
from patina_stack.application import Application
from patina_stack.privileged import NotPrivileged
from patina_stack.process import Part
from patina_stack.services import free_port

pytestmark = pytest.mark.slow
needs_root = pytest.mark.usefixtures("as_root")


@contextmanager
def _closed_folder() -> Iterator[Path]:
    """Yields a state folder below a folder that only root may enter, like a clone in /root."""
    closed = Path(tempfile.mkdtemp(prefix="patina-closed-"))
    folder = closed / "state"
    folder.mkdir(mode=0o755)
    yield folder
    _stack("down", folder)
    assert_no_secret_in_logs(folder)
    shutil.rmtree(closed)


@pytest.fixture
def state_dir() -> Iterator[Path]:
    """Yields a state folder in which nothing was started."""
    with _closed_folder() as folder:
        yield folder


@pytest.fixture(scope="module")
def running() -> Iterator[Path]:
    """Yields one running application for the tests that do not change it."""
    with _closed_folder() as folder:
        up = _stack("up", folder)
        assert up.returncode == 0, up.stderr
        yield folder


def _stack(command: str, state_dir: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    ours = {k: v for k, v in os.environ.items() if not k.startswith(("DATABASE_URL", "REDIS_URL", "PATINA_"))}
    done = subprocess.run(
        [sys.executable, "-m", "patina_stack", command],
        env=ours | {"PATINA_STATE_DIR": str(state_dir)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if command == "up" and done.returncode == 0:
        own(services_of(state_dir).ports.database_url)
    return done


def _get(url: str) -> dict[str, object]:
    asked = urllib.request.Request(url, headers=HEADERS)
    with urllib.request.urlopen(asked, timeout=HANG_S) as response:
        answer: dict[str, object] = json.load(response)
        return answer


def _ours(state_dir: Path) -> list[str]:
    """Returns the processes, mounts and loop devices that name the state folder, or its folder in memory.

    The kernel may show the latter without its mount point; other applications of this host have their own.
    """
    left = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
        except OSError:
            continue
        if str(state_dir).encode() in words and process.name != str(os.getpid()):
            left.append(words.split(b"\0")[0].decode())
    left += [line for line in Path("/proc/self/mounts").read_text().splitlines() if str(state_dir) in line]
    memory = Settings(DATABASE_URL="", REDIS_URL="", state_dir=state_dir).memory_dir
    ours = (str(state_dir), f"/{memory.name}/")
    return left + [file for file in loop_files().values() if any(word in file for word in ours)]


@needs_root
def test_up_up_again_down_and_nothing_is_left(state_dir: Path) -> None:
    up = _stack("up", state_dir)
    assert up.returncode == 0, up.stderr
    url = up.stdout.split()[3]
    assert _get(f"{url}/readyz")["is_ready"] is True
    made = json.loads(_cli(url, "sandbox", "64MiB", "--json"))
    assert made["state"] == "available"
    in_memory = json.loads(_cli(url, "sandbox", "64MiB", "--memory", "--json"))
    assert all(Path(device["path"]).is_block_device() for device in (made, in_memory))

    again = _stack("up", state_dir)
    assert "already running" in again.stdout
    assert url in again.stdout

    down = _stack("down", state_dir)
    assert down.returncode == 0, down.stderr
    assert _ours(state_dir) == []

    assert _stack("up", state_dir).returncode == 0
    _await_states(url, {made["stable_id"]: "available", in_memory["stable_id"]: "lost"})


def _await_states(url: str, wanted: dict[str, str]) -> None:
    """Waits for the states: the worker examines its devices a moment after its first report."""

    def _are_there() -> bool:
        items = _get(f"{url}/api/v1/devices")["items"]
        assert isinstance(items, list)
        return {each["stable_id"]: each["state"] for each in items if each["stable_id"] in wanted} == wanted

    wait_until(f"the devices are {wanted}", _are_there)


def _cli(url: str, *arguments: str) -> str:
    argv = [sys.executable, "-m", "patina.cli", *arguments]
    return subprocess.run(argv, env=os.environ | {"PATINA_URL": url}, capture_output=True, text=True, check=True).stdout


@needs_root
def test_everything_but_the_worker_runs_without_privileges(running: Path) -> None:
    application = Application(state_dir=running)
    account_uid = pwd.getpwnam("patina").pw_uid
    for part in application.parts():
        status = Path(f"/proc/{part.pid()}/status").read_text()
        uid = int(status.split("Uid:")[1].split()[0])
        capabilities = int(status.split("CapEff:")[1].split()[0], 16)
        assert uid == (0 if part.name == "worker" else account_uid), part.name
        assert capabilities == 0 or part.name == "worker", part.name


@needs_root
def test_restarting_the_api_keeps_its_address_and_the_worker(running: Path) -> None:
    application = Application(state_dir=running)
    worker, api = application.worker.pid(), application.api.pid()
    url = application.url
    assert _stack("restart-api", running).returncode == 0
    assert _get(f"{url}/healthz") == {"status": "ok"}
    assert application.worker.pid() == worker
    assert application.api.pid() != api


@needs_root
def test_an_api_whose_program_was_changed_is_started_again_and_the_worker_is_not(running: Path) -> None:
    assert _stack("up", running).returncode == 0
    application = Application(state_dir=running)
    worker, api = application.worker.pid(), application.api.pid()
    os.utime(running / "run" / "api.pid", (0, 0))  # as if it had been started before every change
    assert _stack("up", running).returncode == 0
    assert application.worker.pid() == worker
    assert application.api.pid() not in (None, api)
    assert _get(f"{application.url}/readyz")["is_ready"] is True


@needs_root
def test_a_worker_in_the_foreground_takes_the_place_of_the_other(running: Path) -> None:
    assert _stack("up", running).returncode == 0
    application = Application(state_dir=running)
    ours = {k: v for k, v in os.environ.items() if not k.startswith(("DATABASE_URL", "REDIS_URL", "PATINA_"))}
    foreground = subprocess.Popen(
        [sys.executable, "-m", "patina_stack", "worker"],
        env=ours | {"PATINA_STATE_DIR": str(running)}, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert foreground.stderr is not None
    try:
        assert any("ready" in line for line in foreground.stderr), "its log is on standard error"
        assert application.worker.pid() is None
        made = json.loads(_cli(application.url, "sandbox", "64MiB", "--json"))
        assert made["state"] == "available"
    finally:
        foreground.send_signal(signal.SIGTERM)
        foreground.communicate()
    assert foreground.returncode == 0
    assert _stack("up", running).returncode == 0
    assert application.worker.pid() is not None


def test_a_worker_in_the_foreground_needs_an_application_that_runs(tmp_path_factory: pytest.TempPathFactory) -> None:
    alone = _stack("worker", tmp_path_factory.mktemp("state"))
    assert alone.returncode == 1
    assert "Start it with `make run` first" in alone.stderr


def test_a_worker_in_the_foreground_needs_root(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("DATABASE_URL", "postgresql://127.0.0.1:1/none")
    monkeypatch.setenv("REDIS_URL", "redis://127.0.0.1:1")
    with pytest.raises(NotPrivileged, match="needs root"):
        Application(state_dir=tmp_path_factory.mktemp("state")).become_worker()


@needs_root
def test_a_taken_port_is_left_alone(running: Path) -> None:
    Application(state_dir=running).stop_api()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        up = _stack("up", running, PATINA_PORT=str(port))
    assert up.returncode == 0, up.stderr
    assert f":{port}" not in up.stdout


def test_no_port_of_a_server_is_one_that_an_outgoing_connection_can_be_given() -> None:
    first, last = map(int, Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split())
    assert (first, last) != (1024, 65535)  # else there is no such port
    for _ in range(200):
        assert not first <= free_port() <= last


@needs_root
def test_killed_servers_are_started_again_with_their_data(running: Path) -> None:
    application = Application(state_dir=running)
    made = json.loads(_cli(application.url, "sandbox", "64MiB", "--json"))
    for part in application.parts():
        pid = part.pid()
        assert pid is not None
        os.killpg(pid, signal.SIGKILL)
    up = _stack("up", running)
    assert up.returncode == 0, up.stderr
    devices = json.loads(_cli(application.url, "devices", "--json"))["items"]
    assert made["stable_id"] in [device["stable_id"] for device in devices]


@needs_root
def test_a_part_that_cannot_start_says_why(state_dir: Path) -> None:
    up = _stack("up", state_dir, DATABASE_URL="postgresql+psycopg://nobody@127.0.0.1:1/none")
    assert up.returncode == 1
    assert "migrate failed with exit status" in up.stderr


def test_the_command_says_when_nothing_answers() -> None:
    argv = [sys.executable, "-m", "patina.cli", "devices"]
    done = subprocess.run(
        argv, env=os.environ | {"PATINA_URL": "http://127.0.0.1:1"}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "Start it with `make run`" in done.stderr.replace("\n", " ")


def test_a_reused_pid_is_not_ours(tmp_path_factory: pytest.TempPathFactory) -> None:
    part = Part("api", tmp_path_factory.mktemp("run"))
    (part.run_dir / "api.pid").write_text(json.dumps({"pid": os.getpid(), "start_ticks": 1}))
    assert part.pid() is None
    assert part.stop(signal.SIGKILL, patience_s=1) is False


def test_a_part_that_ends_before_it_is_noted_does_not_run(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = Part("redis", tmp_path_factory.mktemp("run"))
    popen = subprocess.Popen

    def _start_and_see_it_end(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
        process: subprocess.Popen[bytes] = popen(*arguments, **options)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # a zombie, as if it had been faster
        return process

    monkeypatch.setattr(subprocess, "Popen", _start_and_see_it_end)
    part.start(["false"], environment={}, cwd=part.run_dir)
    assert part.pid() is None


def test_a_part_of_which_a_thread_is_left_still_runs(tmp_path_factory: pytest.TempPathFactory) -> None:
    exit_thread = {"x86_64": 60, "aarch64": 93}[os.uname().machine]
    script = (
        "import ctypes, threading, time\n"
        "threading.Thread(target=time.sleep, args=(600,)).start()\n"
        f"ctypes.CDLL(None).syscall({exit_thread}, 0)\n"
    )
    part = Part("redis", tmp_path_factory.mktemp("run"))
    part.start([sys.executable, "-c", script], environment={}, cwd=part.run_dir)
    pid = part.pid()
    stat = Path(f"/proc/{pid}/stat")
    try:
        wait_until("its first thread has ended", lambda: ") Z " in stat.read_text())
        assert part.pid() == pid
    finally:
        assert part.stop(signal.SIGKILL, patience_s=30)
    assert part.pid() is None


@needs_root
def test_an_account_reaches_a_folder_below_a_closed_one_and_nothing_beside_it(state_dir: Path) -> None:
    (state_dir / "ours").write_text("ours")
    (state_dir.parent / "theirs").write_text("theirs")
    account = Account.for_folders(state_dir)
    read = [*account.command(["cat", str(state_dir / "ours")])]
    assert subprocess.run(read, capture_output=True, text=True, check=True).stdout == "ours"
    peek = [*account.command(["cat", str(state_dir.parent / "theirs")])]
    assert subprocess.run(peek, capture_output=True, check=False).returncode != 0


@needs_root
def test_a_part_of_a_closed_folder_does_not_keep_a_disk_busy_that_the_host_unmounts(state_dir: Path) -> None:
    file, folder, run_dir = state_dir / "disk.img", state_dir / "a disk", state_dir / "run"
    for made in (folder, run_dir):
        made.mkdir()
    with file.open("wb") as opened:
        opened.truncate(16 * 2**20)
    subprocess.run(["mkfs.ext4", "-q", str(file)], check=True)
    attach = ["losetup", "--find", "--show", str(file)]
    disk = subprocess.run(attach, capture_output=True, text=True, check=True).stdout.strip()
    part = None
    try:
        with mounted_privately(disk, folder):
            argv = Account.for_folders(run_dir).command(["sh", "-c", "echo started; exec sleep 600"])
            part = subprocess.Popen(argv, stdout=subprocess.PIPE)
            assert part.stdout is not None
            assert part.stdout.readline() == b"started\n"
        await_free_disk(disk)
    finally:
        if part is not None:
            part.kill()
            part.communicate()
        subprocess.run(["losetup", "--detach", disk], check=True)
