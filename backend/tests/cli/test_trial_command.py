"""`patina trial`, `trials` and `trial-results` against the API; the test is the worker."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from commands import Patina, printed, refusal
from patina.db import transaction
from patina.device.emulation import Emulation
from patina.device.models import Device
from patina.job.state import JobState
from patina.settings import PROJECT_DIR
from patina.trial.models import Trial
from patina_dev.testing.served import ServedApp
from patina_dev.testing.wait import HANG_S, wait_until
from trial_rows import end, make_image, measured

Factory = Callable[..., int]
CONFIRM = ("--confirm", "/dev/sandbox-1")
START = ("trial", "/dev/sandbox-1", "--image", "aged", *CONFIRM)


@pytest.fixture
def device_id(make_device: Factory, publish_image: Factory) -> int:
    """Returns a device. There is an image `aged`."""
    make_image(publish_image)
    return make_device()


@pytest.fixture
def start_patina(server: ServedApp) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Yields a function that starts the command as a shell does."""
    began: list[subprocess.Popen[str]] = []

    def _start(*words: object) -> subprocess.Popen[str]:
        changes = {"PATINA_URL": server.url, "PYTHONPATH": str(PROJECT_DIR / "backend"), "COLUMNS": "200"}
        argv = [sys.executable, "-m", "patina.cli", *map(str, words)]
        pipe = subprocess.PIPE
        began.append(subprocess.Popen(argv, env=os.environ | changes, stdout=pipe, stderr=pipe, text=True))
        return began[-1]

    yield _start
    for process in began:
        with suppress(ProcessLookupError):
            process.kill()
        process.wait()


def latest() -> Trial | None:
    with transaction() as session:
        return session.scalar(select(Trial).order_by(Trial.id.desc()).limit(1))


def waited_for() -> Trial:
    wait_until("a trial is stored", lambda: latest() is not None)
    found = latest()
    assert found is not None
    return found


def ended(trial_id: int, state: JobState = JobState.SUCCEEDED, **values: object) -> None:
    end(trial_id, JobState.INTERRUPTED)  # goes on by itself: the command stays
    end(trial_id, state, **values)


def test_a_trial_is_started_followed_and_its_results_are_printed(
    device_id: int, start_patina: Callable[..., subprocess.Popen[str]], patina: Patina, tmp_path: Path
) -> None:
    (tmp_path / "mine.f").write_text((PROJECT_DIR / "native" / "personalities" / "varmail.f").read_text())
    (tmp_path / "random.fio").write_text("[write]\nrw=randwrite\n")
    words = ("--workload", "find", "--workload", "varmail", "--workload", tmp_path / "mine.f")
    further = ("--workload", "kind:postmark", "--fio", tmp_path / "random.fio", "--seconds", 2, "--repetitions", 4)
    following = start_patina(*START, "--without-journal", 1, *words, *further, "--no-trace")
    trial = waited_for()
    asked: dict[str, Any] = trial.settings
    assert [(each["kind"], each.get("name")) for each in asked["workloads"]] == [
        ("find", None),
        ("personality", "varmail"),
        ("personality", "mine"),
        ("postmark", None),
        ("fio", "random"),
    ]
    assert [asked["workloads"][index]["seconds"] for index in (1, 2)] == [2, 2]
    assert (asked["repetitions_count"], asked["is_traced"]) == (4, False)
    assert [arm["has_journal"] for arm in asked["arms"]] == [True, False]
    measured(trial.id, 0, 0, [2.0, 2.5, 3.0], amplification=1.25, is_quiet=False)
    measured(trial.id, 1, 4, [123456.7])
    ended(trial.id)
    out, err = following.communicate(timeout=HANG_S)
    assert following.returncode == 0, err

    assert patina("trial-results", trial.id)[1] in out
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert "find (s) ext4, Agrawal 2007 70 % 2.5 1.258 to 3.742 - - 1.25" in lines
    assert "random (bytes/s) ext4 without journal, Agrawal 2007 70 % 123,457 - - - -" in lines
    assert f"Trial {trial.id}: succeeded, 4 of 40 measured, 3 disturbed." in lines


def test_predicted_times_have_a_column_where_there_are_some(
    device_id: int, start_patina: Callable[..., subprocess.Popen[str]], patina: Patina
) -> None:
    emulation = Emulation(available_bytes=2**30, model="disk", model_label="Disk of a test")
    with transaction() as session:
        session.get_one(Device, device_id).emulation = emulation.model_dump(mode="json")
    following = start_patina(*START, "--workload", "find", "--workload", "du")
    trial = waited_for()
    measured(trial.id, 0, 0, [2.0], predicted_s=4320.0)
    measured(trial.id, 0, 1, [2.5])
    ended(trial.id)
    lines = [" ".join(line.split()) for line in following.communicate(timeout=HANG_S)[0].splitlines()]
    assert "workload image mean 95 % interval ratio rank write amplification predicted" in lines
    assert "find (s) ext4, Agrawal 2007 70 % 2 - - - - 1 h 12 min on Disk of a test, took 41.0 s here" in lines
    assert "du (s) ext4, Agrawal 2007 70 % 2.5 - - - - -" in lines
    measured(trial.id, 0, 0, [2.0])
    assert "predicted" not in printed(patina("trial-results", trial.id))


def test_json_is_the_trial_as_the_api_has_it(
    device_id: int, start_patina: Callable[..., subprocess.Popen[str]], patina: Patina
) -> None:
    following = start_patina(*START, "--workload", "grep", "--json")
    trial = waited_for()
    ended(trial.id)
    document = json.loads(following.communicate(timeout=HANG_S)[0])
    assert (document["id"], document["state"]) == (trial.id, "succeeded")
    assert json.loads(patina("trial-results", trial.id, "--json")[1]) == document
    assert json.loads(patina("trials", "--json")[1])["items"][0]["id"] == trial.id
    listed = [line.split() for line in patina("trials")[1].splitlines()[1:]]
    assert listed == [[str(trial.id), "1", "x", "1", "x", "3", "0", "of", "3", "succeeded"]]


def test_a_trial_that_fails_is_told_with_its_reason(
    device_id: int, start_patina: Callable[..., subprocess.Popen[str]]
) -> None:
    following = start_patina(*START, "--workload", "grep")
    trial_id = waited_for().id
    ended(trial_id, JobState.FAILED, message="Nothing was measured", error_log="fio: no space")
    _, err = following.communicate(timeout=HANG_S)
    assert following.returncode == 1
    assert f"Trial {trial_id} ended failed: Nothing was measured fio: no space" in " ".join(err.split())


def test_who_leaves_a_trial_is_told_how_to_come_back(
    device_id: int, patina: Patina, monkeypatch: pytest.MonkeyPatch
) -> None:
    def _interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("patina.cli.measuring.trial.watch", _interrupted)
    status, _, err = patina(*START, "--workload", "grep")
    trial = waited_for()
    assert (status, trial.state) == (130, JobState.QUEUED)
    assert f"Trial {trial.id} goes on. `patina follow {trial.id}`" in err
    assert f"`patina cancel {trial.id}` ends it" in err


def test_results_come_as_files(
    device_id: int, start_patina: Callable[..., subprocess.Popen[str]], patina: Patina
) -> None:
    following = start_patina(*START, "--workload", "find")
    trial_id = waited_for().id
    measured(trial_id, 0, 0, [0.1 + 0.2])
    ended(trial_id)
    following.communicate(timeout=HANG_S)
    assert patina("trial-results", trial_id, "--format", "csv")[1].startswith("position,number,state,")
    assert json.loads(patina("trial-results", trial_id, "--format", "json")[1])["trial"]["id"] == trial_id
    assert r"\toprule" in patina("trial-results", trial_id, "--format", "latex")[1]
    for words, status, said in (
        ((trial_id, "--format", "xml"), 1, "format"),
        ((trial_id, "--format", "csv", "--json"), 2, "one of the two"),
        ((999,), 1, "There is no trial 999"),
    ):
        ended_with, out, err = patina("trial-results", *words)
        assert (ended_with, out) == (status, "")
        assert said in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*START,), "Name what to measure"),
        ((*START[:2], *CONFIRM, "--workload", "find"), "Name what to measure it on"),
        ((*START[:2], "--without-journal", "unheard", "--workload", "find"), "There is no image 'unheard'"),
        ((*START, "--workload", "varmial"), "There is no workload 'varmial'"),
        ((*START, "--workload", "/no/such.f"), "/no/such.f cannot be read: No such file"),
        ((*START, "--fio", "/no/such.fio"), "/no/such.fio cannot be read: No such file"),
        ((*START, "--workload", "kind:dd"), "dd"),
        ((*START, "--workload", "find", "--repetitions", 1), "repetitions_count"),
        ((*START[:2], "--image", "unheard", *CONFIRM, "--workload", "find"), "There is no image 'unheard'"),
        (("trial", "/dev/none", "--image", "aged", "--workload", "find"), "There is no device '/dev/none'"),
        ((*START[:-1], "/dev/other", "--workload", "find"), "serial, path or name"),
    ],
)
def test_a_trial_that_cannot_be_started_is_refused_in_a_sentence(
    make_device: Factory, publish_image: Factory, patina: Patina, words: tuple[object, ...], said: str
) -> None:
    make_image(publish_image)
    make_device(holds="ext4")
    status, out, err = patina(*words)
    assert (status, out) == (2 if "Name what" in said else 1, "")
    assert said in err
    assert latest() is None


def test_a_file_that_is_no_text_is_refused(device_id: int, patina: Patina, tmp_path: Path) -> None:
    (tmp_path / "bad.f").write_bytes(b"\xff\xfe")
    status, _, err = patina(*START, "--workload", tmp_path / "bad.f")
    assert status == 1
    assert "it is not text in UTF-8" in err


def test_a_plan_ages_its_images_first(device_id: int, patina: Patina, monkeypatch: pytest.MonkeyPatch) -> None:
    def _interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("patina.cli.measuring.trial.watch", _interrupted)
    status, _, err = patina("trial", "/dev/sandbox-1", "--plan", "write-amplification", "--repetitions", 5)
    assert status == 130, err
    trial = waited_for()
    request = trial.request
    assert (request["name"], request["adds_twins"]) == ("Write amplification", True)
    assert [workload["name"] for workload in trial.settings["workloads"]] == ["varmail"]
    assert trial.settings["repetitions_count"] == 5
    assert [arm["has_journal"] for arm in trial.settings["arms"] if arm["run_id"]].count(False) == 2
    assert "There is no plan 'none'. There are: rank-order" in refusal(
        patina("trial", "/dev/sandbox-1", "--plan", "none"), 2
    )
