"""Scans of real trees: they return histograms without names, and follow no link out of the allowed folders."""

import json
import signal
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from core_script import ScriptedCore, error_line, golden
from patina.db import transaction
from patina.host.models import Host
from patina.job import service as job_service
from patina.job.models import Job
from patina.job.state import JobState
from patina.scan import service
from patina.scan.schemas import ScanCreate
from patina.settings import settings
from patina_dev.testing.wait import wait_until
from worker_process import WorkerProcess


@pytest.fixture
def tree(tmp_path: Path, host_id: int, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns an allowed folder with six files of 1 to 32 KiB in directories of three depths."""
    folder = tmp_path / "allowed"
    for depth, name in enumerate(("", "secret-project", "secret-project/deeper")):
        (folder / name).mkdir(parents=True, exist_ok=True)
        for i in range(2):
            (folder / name / f"secret-file-{i}").write_bytes(b"x" * (1024 << (2 * depth + i)))
    allowed = settings().model_copy(update={"scan_folders": f"{folder}:not-absolute"})
    monkeypatch.setattr("patina_worker.host.scan_folders.settings", lambda: allowed)
    with transaction() as session:
        session.get_one(Host, host_id).scan_folders = allowed.scan_folders_list
    return folder


def queued(directory: Path) -> int:
    with transaction() as session:
        return service.start_scan(session=session, create=ScanCreate(directory=str(directory))).id


def walk(scan_id: int) -> None:
    from patina_worker import tasks

    tasks.work(scan_id)


def scan_of(scan_id: int) -> Job:
    with transaction() as session:
        return session.get_one(Job, scan_id)


def test_a_tree_becomes_histograms_without_a_name(tree: Path) -> None:
    scan_id = queued(tree)
    walk(scan_id)
    walk(scan_id)  # delivered twice
    scan = scan_of(scan_id)
    assert scan.state == JobState.SUCCEEDED, scan.message
    assert scan.result is not None
    assert (scan.result["files_count"], scan.result["directories_count"]) == (6, 3)
    sizes = {b["bytes"]: b["weight"] for b in scan.result["profile"]["size"] if b["weight"]}
    assert sizes == {1024 << i: 1 for i in range(6)}
    assert [b["weight"] for b in scan.result["profile"]["depth"]] == [2, 2, 2]
    assert "secret" not in json.dumps(scan.result)


def test_a_link_out_of_the_folder_is_refused_by_the_worker(tree: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (tree / "link").symlink_to(outside)
    scan_id = queued(tree / "link")
    walk(scan_id)
    assert (scan_of(scan_id).state, scan_of(scan_id).error_code) == (JobState.FAILED, "scan_not_allowed")


@pytest.mark.parametrize("name", ["gone", "secret-file-0"])
def test_what_is_no_tree_fails_with_the_cores_reason(tree: Path, name: str) -> None:
    scan_id = queued(tree / name)
    walk(scan_id)
    assert (scan_of(scan_id).state, scan_of(scan_id).error_code) == (JobState.FAILED, "tree_unreadable")


def test_an_empty_tree_makes_no_profile(tree: Path) -> None:
    (tree / "empty").mkdir()
    scan_id = queued(tree / "empty")
    walk(scan_id)
    assert (scan_of(scan_id).state, scan_of(scan_id).error_code) == (JobState.FAILED, "profile_invalid")


@pytest.fixture
def endless_core(scripted_core: ScriptedCore) -> None:
    """Makes the walk endless: no real tree is large enough to be sure."""
    hello, progress, *_ = golden("scan")
    script = scripted_core.script("scan").when_told_to_stop(error_line("canceled", "told to stop"), status=30)
    script.say(hello, progress).hang()


def test_a_walk_shows_its_progress_and_ends_when_it_is_called_off(tree: Path, endless_core: None) -> None:
    scan_id = queued(tree)
    with ThreadPoolExecutor(1) as executor:
        walking = executor.submit(walk, scan_id)
        wait_until("progress", lambda: scan_of(scan_id).done > 0)
        with transaction() as session:
            assert job_service.stop(session=session, job_id=scan_id).state == JobState.CANCELING
        walking.result()
    assert scan_of(scan_id).state == JobState.CANCELED


def test_a_walk_ends_with_its_worker(tree: Path, endless_core: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("patina_worker.stopping.is_announced", lambda: True)
    scan_id = queued(tree)
    walk(scan_id)
    assert scan_of(scan_id).state == JobState.INTERRUPTED


def test_a_walk_whose_worker_died_is_interrupted_by_the_next_one(tree: Path, host_id: int) -> None:
    from patina_worker.jobs import recovery

    scan_id = queued(tree)
    with transaction() as session:
        session.get_one(Job, scan_id).state = JobState.RUNNING
    recovery.interrupt_dead_work(host_id=host_id, known_dead=())
    assert scan_of(scan_id).state == JobState.INTERRUPTED
    assert queued(tree) > scan_id


def test_a_folder_on_a_disk_of_its_own_is_scanned(worker: WorkerProcess, mounted: Path) -> None:
    """The folder is a link to the disk. test_foreign_disk.py covers the other cases."""
    (mounted / "tree").mkdir()
    (mounted / "tree" / "file").write_bytes(b"x" * 4096)
    link = mounted.parent / "link"
    link.symlink_to(mounted)
    worker.environment["PATINA_SCAN_FOLDERS"] = str(link)
    worker.start()
    wait_until("the worker is ready", lambda: "ready." in worker.log())

    scan_id = queued(link / "tree")
    wait_until("the scan has ended", lambda: scan_of(scan_id).state in (JobState.SUCCEEDED, JobState.FAILED))

    scan = scan_of(scan_id)
    assert scan.state == JobState.SUCCEEDED, scan.message
    assert scan.result is not None
    assert scan.result["files_count"] == 1
    worker.end(signal.SIGTERM)
