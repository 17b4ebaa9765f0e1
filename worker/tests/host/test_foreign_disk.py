"""Foreign disks: the worker's namespace may unmount only disks without files that the worker uses."""

import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from fixture_types import MakeSandbox
from observe import device_of
from patina_dev.testing.wait import wait_until
from patina_worker.host.foreign_disk import foreign_disks
from worker_process import WorkerProcess


def _mount(*words: object) -> None:
    subprocess.run(["mount", *map(str, words)], check=True)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Yields a folder below which mounts are private, so that the host's umount does not propagate, on any host."""
    folder = tmp_path / "mounts"
    folder.mkdir()
    _mount("--bind", folder, folder)
    _mount("--make-private", folder)
    yield folder
    subprocess.run(["umount", "--recursive", str(folder)], check=True)


@pytest.fixture
def disks(make_sandbox: MakeSandbox) -> list[str]:
    """Returns two disks with file systems."""
    paths = [device_of(make_sandbox()).path or "" for _ in range(2)]
    for path in paths:
        subprocess.run(["mkfs.ext4", "-q", path], check=True)
    return paths


@pytest.fixture
def mounted(folder: Path, disks: list[str]) -> list[Path]:
    """Returns the mount points of the disks."""
    targets = [folder / "first", folder / "second"]
    for path, target in zip(disks, targets, strict=True):
        target.mkdir()
        _mount(path, target)
    return targets


def test_a_disk_is_foreign_unless_it_holds_one_of_our_trees_or_a_part_of_one(
    mounted: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = mounted
    assert foreign_disks(tmp_path / "state", first.parent / "disks") == [str(second), str(first)]
    for ours in (first, first / "core", first.parent):
        assert str(first) not in foreign_disks(ours)
    assert "/" not in foreign_disks()
    for name in ("PATINA_SPOOL", "PATINA_SCAN_FOLDERS", "DATABASE_PASSWORD_FILE"):
        with monkeypatch.context() as chosen:
            chosen.setenv(name, f"/elsewhere:{first}/ours")
            assert foreign_disks() == [str(second)]


def test_a_folder_that_may_be_scanned_keeps_the_disk_that_it_is_on(
    mounted: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = mounted
    (tmp_path / "link").symlink_to(first)
    for allowed in (first, tmp_path / "link", first / "tree"):
        monkeypatch.setenv("PATINA_SCAN_FOLDERS", str(allowed))
        assert foreign_disks() == [str(second)]
    monkeypatch.setenv("PATINA_SCAN_FOLDERS", str(first.parent))
    assert foreign_disks() == []


def test_a_link_of_ours_keeps_every_disk_that_it_leads_over(mounted: list[Path], tmp_path: Path) -> None:
    first, second = mounted
    (second / "store").mkdir()
    (first / "store").symlink_to("../second/store")
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "store").symlink_to(first / "store")

    assert foreign_disks(tmp_path / "state") == []
    assert foreign_disks(tmp_path / "state" / "store") == []


def test_a_link_that_leads_nowhere_or_round_is_no_hindrance(mounted: list[Path], tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir()
    (state / "round").symlink_to("round")
    (state / "longer").symlink_to("longer/and/longer")
    (state / "nowhere").symlink_to(tmp_path / "absent")

    assert foreign_disks(state, state / "round") == [str(mounted[1]), str(mounted[0])]


def test_a_disk_over_another_is_let_go_of_twice(folder: Path, disks: list[str]) -> None:
    target = folder / "stack"
    target.mkdir()
    for path in (*disks, disks[0]):
        _mount(path, target)

    assert foreign_disks() == [str(target)] * 3


def test_a_disk_that_goes_with_the_hosts_umount_is_left_alone(mounted: list[Path]) -> None:
    _mount("--make-shared", mounted[0].parent)

    assert foreign_disks() == []


def test_what_the_host_notes_of_its_mounts_stays_when_a_worker_lets_its_disk_go(
    folder: Path, disks: list[str], worker: WorkerProcess
) -> None:
    """umount(8) would remove the host's entry, and run the file system's own helper."""
    target = folder / "kept"
    target.mkdir()
    _mount("-o", "x-patina.kept", disks[0], target)
    noted = Path("/run/mount/utab")  # of libmount, for umount(8) and its helpers
    assert f"TARGET={target} " in noted.read_text(encoding="utf-8")
    worker.start()
    wait_until("the worker is ready", lambda: "ready." in worker.log())
    assert f"TARGET={target} " in noted.read_text(encoding="utf-8")
    worker.end(signal.SIGTERM)
