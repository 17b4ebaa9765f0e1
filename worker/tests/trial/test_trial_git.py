"""Git aging on real file systems: commit by commit, measured between, and rolled back."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from fixture_types import MIB, MakeSandbox, StartRun
from observe import run_of
from patina.db import transaction
from patina.host.models import Host
from patina.job.state import JobState
from patina.settings import settings
from patina.trial.measurement import Measurement
from patina_worker.failure import ScratchNoSpace
from patina_worker.handlers.trial.repository import require_space
from patina_worker.handlers.trial.trial import scratch_folder
from trials import digest_of, done, measured, start

SIZE_BYTES = 72 * MIB
SMALL: dict[str, object] = {"kind": "git", "pulls_count": 2, "grep_every": 1, "files_count": 16}


@pytest.fixture
def fresh(make_sandbox: MakeSandbox, start_run: StartRun) -> int:
    """Returns the id of a device with a fresh ext4, which is its image."""
    from patina_worker import tasks

    device_id = make_sandbox(SIZE_BYTES)
    run_id = start_run(device_id, profile=None, workload="fresh", fullness=None)
    tasks.work(run_id)
    assert run_of(run_id).state == JobState.SUCCEEDED, run_of(run_id).message
    return device_id


@pytest.fixture
def scan_folder(tmp_path: Path, host_id: int, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "allowed"
    folder.mkdir()
    allowed = settings().model_copy(update={"scan_folders": str(folder)})
    monkeypatch.setattr("patina_worker.host.scan_folders.settings", lambda: allowed)
    with transaction() as session:
        session.get_one(Host, host_id).scan_folders = allowed.scan_folders_list
    return folder


def committed(folder: Path, *commits: dict[str, bytes]) -> Path:
    """Makes a repository with these commits: contents of files, by name."""
    folder.mkdir()
    who = {"GIT_CONFIG_GLOBAL": "/dev/null", "HOME": str(folder), "PATH": os.environ["PATH"]}
    who |= {f"GIT_{role}_{what}": f"{what}@localhost" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}

    def git(*argv: str) -> None:
        subprocess.run(["git", *argv], cwd=folder, env=who, check=True, capture_output=True)

    git("init", "--quiet")
    for number, files in enumerate(commits):
        for name, content in files.items():
            (folder / name).write_bytes(content)
        git("add", "--all")
        git("commit", "--quiet", "--message", f"commit {number}")
    return folder


def measurements(trial_id: int) -> list[Measurement]:
    found = [row.measurement for row in measured(trial_id)]
    return [each for each in found if each is not None]


def test_the_pulled_and_the_copied_variant_are_measured_at_the_same_commits(fresh: int) -> None:
    before = digest_of(fresh)
    trial = done(start(fresh, [SMALL | {"variant": "empty"}, SMALL | {"variant": "unaged"}]))

    assert trial.state == JobState.SUCCEEDED, (trial.message, [row.error_message for row in trial.repetitions])
    every = measurements(trial.id)
    assert len(every) == 6
    for each in every:
        assert [point.at for point in each.points] == [0, 1, 2]
        assert all(point.value > 0 and point.used_bytes > 0 for point in each.points)
        assert each.value == each.points[-1].value
        assert each.traced is not None
        assert each.traced.incomplete_reason is None
    empty = next(each for each in every if "clones_count" in each.figures)
    assert (empty.figures["clones_count"], empty.figures["removed_clones_count"]) == (1, 0)
    assert empty.written_bytes is not None
    assert empty.written_bytes > 0
    assert empty.device.written_bytes == sum(point.device_written_bytes for point in empty.points)
    assert trial.environment is not None
    assert trial.environment.tools["git"] != "missing"
    assert digest_of(fresh) == before
    assert not scratch_folder(trial.id).exists()


def test_every_repetition_pulls_the_same_commits(fresh: int) -> None:
    trial = done(start(fresh, [SMALL]))
    used = {tuple(point.used_bytes for point in each.points) for each in measurements(trial.id)}
    assert len(used) == 1


def test_the_full_variant_has_clones_until_three_quarters_are_used(fresh: int) -> None:
    trial = done(start(fresh, [SMALL | {"variant": "full", "files_count": 300, "pulls_count": 1}]))

    assert trial.state == JobState.SUCCEEDED, (trial.message, [row.error_message for row in trial.repetitions])
    for each in measurements(trial.id):
        assert each.figures["clones_count"] > 1
        assert 0.5 * SIZE_BYTES < each.points[0].used_bytes < 0.75 * SIZE_BYTES


def test_a_clone_whose_pull_fails_on_a_full_file_system_is_removed(fresh: int, scan_folder: Path) -> None:
    small, large = os.urandom(4 * MIB), os.urandom(12 * MIB)
    repository = committed(scan_folder / "repository", {"small": small}, {"large": large})
    git: dict[str, object] = {"kind": "git", "variant": "full", "repository": str(repository), "pulls_count": 1}
    trial = done(start(fresh, [git]))

    assert trial.state == JobState.SUCCEEDED, (trial.message, [row.error_message for row in trial.repetitions])
    for each in measurements(trial.id):
        assert each.figures["removed_clones_count"] > 0
        assert each.figures["removed_clones_count"] < each.figures["clones_count"]


def test_the_unaged_variant_of_a_repository_is_its_state_at_each_point(fresh: int, scan_folder: Path) -> None:
    growing = [{f"file-{number}": os.urandom(number * MIB)} for number in (1, 2, 4)]
    repository = committed(scan_folder / "repository", *growing)
    shared: dict[str, object] = {"kind": "git", "repository": str(repository), "pulls_count": 2, "grep_every": 1}
    trial = done(start(fresh, [shared | {"variant": "unaged"}, shared | {"variant": "empty"}]))

    assert trial.state == JobState.SUCCEEDED, (trial.message, [row.error_message for row in trial.repetitions])
    for each in measurements(trial.id):
        used = [point.used_bytes for point in each.points]
        assert used[0] < 4 * MIB < used[1] < 10 * MIB < used[2]


def test_a_repository_of_another_owner_is_read(fresh: int, scan_folder: Path) -> None:
    repository = committed(scan_folder / "repository", {"a": b"1"}, {"a": b"2"})
    for path in (repository, *repository.rglob("*")):
        os.chown(path, 12345, 12345)
    trial = done(start(fresh, [{"kind": "git", "repository": str(repository), "pulls_count": 1}]))
    assert trial.state == JobState.SUCCEEDED, (trial.message, [row.error_message for row in trial.repetitions])


def test_objects_that_lead_out_of_the_repository_are_refused(fresh: int, scan_folder: Path, tmp_path: Path) -> None:
    for name in ("alternates", "link"):
        repository = committed(scan_folder / name, {"a": b"1"}, {"a": b"2"})
        objects = repository / ".git" / "objects"
        if name == "link":
            shutil.move(objects / "pack", tmp_path / "pack")
            (objects / "pack").symlink_to(tmp_path / "pack")
        else:
            (objects / "info" / "alternates").write_text(f"{tmp_path}\n")
    git: dict[str, object] = {"kind": "git", "pulls_count": 1}
    workloads = [git | {"repository": str(scan_folder / name)} for name in ("alternates", "link")]
    trial = done(start(fresh, [*workloads, {"kind": "find"}]))
    failed = [row.error_message or "" for row in trial.repetitions if row.error_code is not None]
    assert len(failed) == 6
    assert all("leads out of the repository" in message for message in failed)


def test_a_last_clone_that_cannot_be_pulled_fails_the_repetition(fresh: int, scan_folder: Path) -> None:
    repository = committed(scan_folder / "repository", {"small": b"small"}, {"large": os.urandom(80 * MIB)})
    trial = done(start(fresh, [{"kind": "git", "repository": str(repository), "pulls_count": 1}, {"kind": "find"}]))

    failed = [row for row in trial.repetitions if row.error_code is not None]
    assert {row.error_code for row in failed} == {"workload_failed"}
    said = [row.error_message or "" for row in failed]
    assert all("git pull failed in the last clone" in message for message in said)
    assert all("No space left on device" in message for message in said)  # of git's own output


def test_a_repository_with_too_few_commits_is_named(fresh: int, scan_folder: Path) -> None:
    repository = committed(scan_folder / "repository", {"a": b"1"}, {"a": b"2"})
    trial = done(start(fresh, [{"kind": "git", "repository": str(repository), "pulls_count": 2}, {"kind": "find"}]))
    said = {row.error_message for row in trial.repetitions if row.error_code is not None}
    assert said == {"The repository has 2 commits in a row; 2 pulls need 3. Choose fewer pulls."}


def test_a_folder_without_a_repository_is_named(fresh: int, scan_folder: Path) -> None:
    (scan_folder / "empty").mkdir()
    git: dict[str, object] = {"kind": "git", "repository": str(scan_folder / "empty"), "pulls_count": 1}
    trial = done(start(fresh, [git, {"kind": "find"}]))
    assert {row.error_code for row in trial.repetitions} == {None, "workload_failed"}


def test_a_repository_without_a_commit_is_named(fresh: int, scan_folder: Path) -> None:
    repository = committed(scan_folder / "repository")
    git: dict[str, object] = {"kind": "git", "repository": str(repository), "pulls_count": 1}
    trial = done(start(fresh, [git, {"kind": "find"}]))
    said = {row.error_message for row in trial.repetitions if row.error_code is not None}
    assert said == {f"The repository {repository} has no commit."}


def test_a_repository_larger_than_the_scratch_disk_is_refused() -> None:
    with pytest.raises(ScratchNoSpace, match=r"takes up to .* Make room there"):
        require_space(2**60)


def test_a_link_out_of_the_scan_folder_is_not_followed(fresh: int, scan_folder: Path, tmp_path: Path) -> None:
    committed(tmp_path / "elsewhere", {"secret": b"1"}, {"secret": b"2"})
    (scan_folder / "link").symlink_to(tmp_path / "elsewhere")
    before = digest_of(fresh)
    git: dict[str, object] = {"kind": "git", "repository": str(scan_folder / "link"), "pulls_count": 1}
    trial = done(start(fresh, [git, {"kind": "find"}]))
    said = {row.error_message for row in trial.repetitions if row.error_code is not None}
    assert len(said) == 1
    assert f"does not allow a trial to read {tmp_path / 'elsewhere'}" in str(said)
    assert digest_of(fresh) == before


def test_a_hook_and_a_setting_of_the_repository_are_not_run(fresh: int, scan_folder: Path, tmp_path: Path) -> None:
    repository = committed(scan_folder / "repository", {"a": b"1"}, {"a": b"2"})
    trap = f"touch {tmp_path}/trapped"
    for hook in ("post-checkout", "post-merge", "reference-transaction", "post-update"):
        file = repository / ".git" / "hooks" / hook
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"#!/bin/sh\n{trap}\n")
        file.chmod(0o755)
    with (repository / ".git" / "config").open("a") as config:
        config.write(f'[core]\n\tfsmonitor = "{trap}"\n\talternateRefsCommand = "{trap}"\n')
        config.write(f'[uploadpack]\n\tpackObjectsHook = "{trap}"\n')
    trial = done(start(fresh, [{"kind": "git", "repository": str(repository), "pulls_count": 1}]))
    assert trial.state == JobState.SUCCEEDED, (trial.message, [row.error_message for row in trial.repetitions])
    assert not (tmp_path / "trapped").exists()
