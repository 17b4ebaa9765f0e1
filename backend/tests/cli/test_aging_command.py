"""Commands of runs and batches, against the served application; the test is the worker."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import select, update

from commands import Patina, answered, printed, refusal
from patina.db import transaction
from patina.job.models import Job
from patina.job.state import JobState
from patina.run.models import Run

Factory = Callable[..., int]


@pytest.fixture
def devices(make_device: Factory) -> list[str]:
    """Returns the paths of two devices; the second holds a file system."""
    make_device("sandbox-1")
    make_device("sandbox-2", holds="ext4")
    return ["/dev/sandbox-1", "/dev/sandbox-2"]


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Returns a function that sets how runs end while the command watches them."""

    def _end(**states: JobState) -> None:
        def _pause(_: float) -> None:
            with transaction() as session:
                for job, state in zip(session.scalars(select(Job).order_by(Job.id)), states.values(), strict=True):
                    code = {"error_code": "no_space"} if state == JobState.FAILED else {}
                    session.execute(update(Job).where(Job.id == job.id).values(state=state, **code))

        monkeypatch.setattr("patina.cli.batch.sleep", _pause)

    return _end


def runs() -> list[dict[str, Any]]:
    with transaction() as session:
        return [run.settings for run in session.scalars(select(Run).order_by(Run.id))]


def test_several_devices_are_aged_with_equal_settings(
    patina: Patina, devices: list[str], ends: Callable[..., None]
) -> None:
    ends(first=JobState.SUCCEEDED, second=JobState.SUCCEEDED)
    words = ("--workload", "churn", "--fullness", 50, "--file-system", "xfs", "--set", "ops_count=100")
    made = answered(patina("age", *devices, *words, "--confirm", devices[1], "--json"))
    assert [run["device"]["path"] for run in made["runs"]] == devices
    first, second = runs()
    assert first == second
    assert (first["workload"], first["file_system"], first["fullness"], first["ops_count"]) == (
        "churn",
        "xfs",
        0.5,
        100,
    )


def test_a_device_is_aged_with_every_setting_of_the_dialog(
    patina: Patina, devices: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def _interrupt(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("patina.cli.client.time.sleep", _interrupt)
    words = ("--profile", "agrawal", "--profile-version", 1, "--seed", 7, "--max-rmse", 30, "--max-seconds", 60)
    more = ("--mode", "unbounded", "--threads", 3, "--capture", "exact", "--note", "why", "--image-name", "mine")
    options = ("--mkfs-options", "-i 8192", "--mount-options", "nodelalloc")
    assert patina("age", devices[0], *words, *more, *options)[0] == 130
    with transaction() as session:
        run = session.scalars(select(Run)).one()
        assert (
            run.settings
            | {
                "profile_version_number": 1,
                "seed": 7,
                "max_rmse": 0.3,
                "max_seconds": 60,
                "mode": "unbounded",
                "threads_count": 3,
                "capture_mode": "exact",
                "added_mkfs_options": "-i 8192",
                "added_mount_options": "nodelalloc",
            }
            == run.settings
        )
        assert (run.note, run.image_name) == ("why", "mine")


def test_each_device_of_a_batch_may_have_its_file_system(
    patina: Patina, devices: list[str], ends: Callable[..., None]
) -> None:
    ends(first=JobState.SUCCEEDED, second=JobState.SUCCEEDED)
    each = ("--file-system", "btrfs", "--file-system", "xfs", "--image-name", "one", "--image-name", "two")
    answered(patina("age", *devices, *each, "--workload", "fresh", "--confirm", devices[1], "--json"))
    assert [settings["file_system"] for settings in runs()] == ["btrfs", "xfs"]
    wrong = ("--mkfs-options", "-n 4096") * 3
    assert "is given 3 times for 2 devices" in refusal(patina("age", *devices, *wrong), 2)
    assert "--image-name is given 1 times" in refusal(patina("age", *devices, "--image-name", "one"), 2)


def test_a_batch_with_a_failed_run_ends_with_an_error(
    patina: Patina, devices: list[str], ends: Callable[..., None]
) -> None:
    ends(first=JobState.SUCCEEDED, second=JobState.FAILED)
    status, out, err = patina("age", *devices, "--workload", "fresh", "--confirm", devices[1])
    assert (status, "1 of 2 runs did not succeed" in err) == (1, True)
    assert "failed" in out


def test_a_device_that_is_not_confirmed_starts_no_run(patina: Patina, devices: list[str]) -> None:
    said = refusal(patina("age", *devices, "--workload", "fresh"))
    assert "serial, path or name" in said
    assert "The option is --confirm." in said
    assert runs() == []


def test_a_run_is_shown_with_its_goal_and_the_settings_that_are_not_by_default(
    patina: Patina, devices: list[str], ends: Callable[..., None]
) -> None:
    ends(first=JobState.SUCCEEDED, second=JobState.FAILED)
    words = ("--workload", "churn", "--fullness", 50, "--set", "seed=7", "--confirm", devices[1])
    patina("age", *devices, *words)
    first, second = (run["id"] for run in answered(patina("runs", "--json"))["items"][::-1])
    shown = printed(patina("run", "show", first))
    for text in ("workload", "churn", "50.0 %", "seed 7", "/dev/sandbox-1", "succeeded"):
        assert text in shown
    assert "failed" in printed(patina("run", "show", second))
    assert answered(patina("run", "show", first, "--json"))["seed"] == 7
    assert "There is no run 999" in refusal(patina("run", "show", 999))


def test_who_leaves_a_batch_is_told_how_to_come_back(
    patina: Patina, devices: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def _interrupt(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("patina.cli.batch.sleep", _interrupt)
    status, _, err = patina("age", *devices, "--workload", "fresh", "--confirm", devices[1])
    assert (status, "`patina batch follow 1` watches it" in err) == (130, True)
    assert len(runs()) == 2


def test_a_run_that_cannot_be_extended_is_refused(patina: Patina, run_id: int) -> None:
    assert "only one that has succeeded can be extended" in refusal(patina("extend", run_id, "--max-overwrites", 5))
    assert "There is no run 999" in refusal(patina("extend", 999, "--max-overwrites", 5))
    assert str(run_id) in printed(patina("runs"))
