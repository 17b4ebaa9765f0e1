"""The host's own file of scan folders: changed by its command, read at each scan, trusted if root alone wrote it."""

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from patina.db import transaction
from patina.host.models import Host
from patina.job.models import Job
from patina.job.state import JobState
from patina.scan import service
from patina.scan.schemas import ScanCreate
from patina.settings import settings
from patina_dev.testing.wait import wait_until
from patina_worker.host import scan_folder_file, scan_folders
from patina_worker.host.scan_folder_file import FileUntrusted
from worker_process import WorkerProcess

pytestmark = pytest.mark.usefixtures("as_root")


@pytest.fixture
def state_dir(tmp_path: Path) -> Path:
    folder = tmp_path / "state"
    folder.mkdir(mode=0o755)
    return folder


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "projects"
    folder.mkdir()
    (folder / "file").write_bytes(b"x" * 4096)
    return folder


def command(state_dir: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "patina_worker.join", "scan-folders", "--state-dir", str(state_dir), *arguments]
    return subprocess.run(argv, capture_output=True, text=True, check=False)


def test_the_command_adds_lists_and_takes_back(state_dir: Path, tree: Path, tmp_path: Path) -> None:
    assert command(state_dir).stdout == ""
    assert command(state_dir, "--add", f"{tree}/", "--add", f"{tree}/../projects").stdout == f"{tree}\n"
    assert stat.S_IMODE((state_dir / "scan_folders").stat().st_mode) == 0o600
    assert command(state_dir, "--add", str(tmp_path)).stdout == f"{tree}\n{tmp_path}\n"
    assert command(state_dir, "--remove", str(tree)).stdout == f"{tmp_path}\n"
    assert scan_folder_file.read(state_dir) == [str(tmp_path)]
    assert os.listdir(state_dir) == ["scan_folders"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--add", "projects"), "is no absolute path"),
        (("--add", "/srv/a\n/etc"), "is no absolute path of printable characters"),
        (("--add", "/nothing/here"), "/nothing/here is no folder of this machine"),
        (("--remove", "/srv/other"), "/srv/other is not in"),
    ],
)
def test_the_command_refuses_with_a_sentence(state_dir: Path, arguments: tuple[str, ...], said: str) -> None:
    ended = command(state_dir, *arguments)
    assert (ended.returncode, ended.stdout) == (78, "")
    assert said in ended.stderr
    assert not (state_dir / "scan_folders").exists()


def _owned_by_another(state_dir: Path) -> None:
    os.chown(state_dir / "scan_folders", 65534, 65534)


def _writable_for_others(state_dir: Path) -> None:
    (state_dir / "scan_folders").chmod(0o666)


def _link(state_dir: Path) -> None:
    (state_dir / "scan_folders").rename(state_dir / "elsewhere")
    (state_dir / "scan_folders").symlink_to("elsewhere")


def _pipe(state_dir: Path) -> None:
    (state_dir / "scan_folders").unlink()
    os.mkfifo(state_dir / "scan_folders", 0o600)


def _in_an_open_folder(state_dir: Path) -> None:
    state_dir.chmod(0o777)


@pytest.mark.parametrize("attack", [_owned_by_another, _writable_for_others, _link, _pipe, _in_an_open_folder])
def test_a_file_that_others_could_have_written_allows_nothing(
    state_dir: Path, tree: Path, attack: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert command(state_dir, "--add", str(tree)).returncode == 0
    assert callable(attack)
    attack(state_dir)
    with pytest.raises(FileUntrusted):
        scan_folder_file.read(state_dir)
    own = settings().model_copy(update={"state_dir": state_dir, "scan_folders": "/srv/data"})
    monkeypatch.setattr("patina_worker.host.scan_folders.settings", lambda: own)
    assert scan_folders.folders() == ["/srv/data"]
    assert command(state_dir, "--add", "/tmp").returncode == 78


@pytest.fixture
def own_file() -> Iterator[Path]:
    """Yields the state folder of the workers of the tests; no folder is allowed after the test."""
    yield settings().state_dir
    (settings().state_dir / "scan_folders").unlink(missing_ok=True)


def allowed(host_id: int) -> list[str]:
    with transaction() as session:
        return list(session.get_one(Host, host_id).scan_folders)


def queued(directory: Path) -> int:
    with transaction() as session:
        return service.start_scan(session=session, create=ScanCreate(directory=str(directory))).id


def scan_of(scan_id: int) -> Job:
    with transaction() as session:
        return session.get_one(Job, scan_id)


def test_a_row_that_names_a_folder_allows_nothing(own_file: Path, tree: Path, host_id: int) -> None:
    from patina_worker import tasks

    with transaction() as session:
        session.get_one(Host, host_id).scan_folders = [str(tree)]
    scan_id = queued(tree)
    tasks.work(scan_id)
    assert (scan_of(scan_id).state, scan_of(scan_id).error_code) == (JobState.FAILED, "scan_not_allowed")


def test_a_running_worker_takes_a_change_without_a_restart(
    worker: WorkerProcess, own_file: Path, tree: Path, host_id: int
) -> None:
    worker.environment["PATINA_SCAN_FOLDERS"] = ""
    worker.start()
    worker.wait_until_ready()
    assert command(own_file, "--add", str(tree)).returncode == 0
    wait_until("the host reports the folder", lambda: allowed(host_id) == [str(tree)])
    scan_id = queued(tree)
    wait_until("the scan has ended", lambda: scan_of(scan_id).state in (JobState.SUCCEEDED, JobState.FAILED))
    assert scan_of(scan_id).state == JobState.SUCCEEDED, scan_of(scan_id).message
    assert command(own_file, "--remove", str(tree)).returncode == 0
    wait_until("the host reports no folder", lambda: allowed(host_id) == [])
    worker.end(signal.SIGTERM)
