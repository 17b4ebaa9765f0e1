"""`patina study` against the API; the test is the worker."""

import json

import pytest

from commands import Patina, answered, printed, refusal
from patina.db import transaction
from patina.job.models import Job
from patina.job.state import JobState
from study_rows import capacity_summary, cleaning_summary, found

START = ("study", "start", "capacity", "--did", 16, "--policy", "best", "--policy", "next", "--seeds", 2)


def started(patina: Patina, *words: object) -> int:
    number: int = answered(patina(*words, "--detach", "--json"))["id"]
    return number


def ended(study_id: int, state: JobState = JobState.SUCCEEDED, **values: object) -> None:
    with transaction() as session:
        job = session.get_one(Job, study_id)
        for name, value in ({"state": state} | values).items():
            setattr(job, name, value)


def test_a_plan_is_started_with_changes_listed_and_shown(patina: Patina, host_id: int) -> None:
    words = (*START, "--size", "64MiB", "--operations", 100, "--dnor", 6, "--note", "why")
    study_id = started(patina, *words)
    study = answered(patina("study", "show", study_id, "--json"))
    assert study["settings"] == {
        "kind": "capacity",
        "policies": ["best", "next"],
        "did_blocks": [16],
        "dnor_blocks": 6,
        "seeds_count": 2,
        "usable_bytes": 64 * 2**20,
        "operations_count": 100,
    }
    assert (study["name"], study["note"]) == ("Capacity, as published", "why")
    found(study_id, 0, capacity_summary(total_blocks=16384 * 2), capacity_summary(total_blocks=16384 * 2))
    table = printed(patina("study", "show", study_id)).splitlines()
    assert table[1].split() == ["best", "16", "-", "2", "100.00", "±", "0.00", "%", "0.18", "±", "0.00", "%"]
    assert table[2].split() == ["next", "16", "-", "0", "-", "-"]
    assert table[3] == f"Study {study_id}: queued, 2 of 4 results."
    listed = printed(patina("study", "list")).splitlines()[1].split()
    assert listed[:6] == [str(study_id), "Capacity,", "as", "published", "capacity", "2"]


def test_a_plan_of_cleaning_takes_its_own_options(patina: Patina, host_id: int) -> None:
    words = ("--clean", "greedy", "--policy", "best", "--fullness", 0.5, "--size", "1GiB", "--band", "8MiB")
    study_id = started(patina, "study", "start", "cleaning", *words, "--times", 2, "--name", "Mine", "--host", "local")
    study = answered(patina("study", "show", study_id, "--json"))
    assert (study["name"], study["settings"]["band_bytes"], study["settings"]["times"]) == ("Mine", 8 * 2**20, 2)
    found(study_id, 1, cleaning_summary())
    table = printed(patina("study", "show", study_id)).splitlines()
    assert table[2].split() == ["greedy", "16", "50", "%", "1", "0.250", "2.000"]


def test_a_study_is_followed_to_its_end(patina: Patina, host_id: int) -> None:
    study_id = started(patina, *START)
    ended(study_id)
    assert f"Study {study_id}: succeeded" in printed(patina("follow", study_id))
    assert answered(patina("follow", study_id, "--json"))["id"] == study_id
    ended(study_id, JobState.FAILED, error_code="core_died", message="best, DID 16, seed 1: too small")
    status, _, err = patina("follow", study_id)
    assert (status, "ended failed: best, DID 16, seed 1: too small" in err) == (1, True)
    ended(study_id, JobState.INTERRUPTED, error_code=None, resumes_left_count=0)
    assert "ended interrupted" in patina("follow", study_id)[2]


def test_results_are_exported(patina: Patina, host_id: int) -> None:
    study_id = started(patina, *START)
    found(study_id, 0, capacity_summary())
    assert len(printed(patina("study", "show", study_id, "--format", "csv")).splitlines()) == 2
    assert json.loads(printed(patina("study", "show", study_id, "--format", "json")))["type"] == "patina_study"
    assert "one of the two" in refusal(patina("study", "show", study_id, "--format", "csv", "--json"), 2)


def test_the_plans_are_listed(patina: Patina, host_id: int) -> None:
    assert "did-fullness" in printed(patina("study", "plans"))
    assert answered(patina("study", "plans", "--json"))["plans"][0]["name"] == "capacity"


@pytest.mark.parametrize(
    ("words", "said", "status"),
    [
        (("study", "start", "speed"), "There is no plan 'speed'", 2),
        (("study", "start", "cleaning", "--policy", "luckiest"), "must be 'best'", 1),
        (("study", "start", "cleaning", "--operations", 5), "there is no such field", 1),
        (("study", "start", "capacity", "--size", "large"), "large", 1),
        (("study", "start", "capacity", "--host", "elsewhere"), "elsewhere", 1),
        (("study", "show", 99), "There is no study 99.", 1),
    ],
)
def test_what_cannot_be_is_refused(
    patina: Patina, host_id: int, words: tuple[object, ...], said: str, status: int
) -> None:
    assert said in refusal(patina(*words), status)
