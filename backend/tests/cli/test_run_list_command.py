"""The command that lists runs, against the served application."""

from collections.abc import Callable

import pytest
from sqlalchemy import update

from commands import Patina, answered, printed, refusal
from patina.db import transaction
from patina.job.models import Job
from patina.job.state import JobState
from patina.run.models import Run
from run_rows import stored_run

Factory = Callable[..., int]
LONG = "The device reported an error. " * 60


@pytest.fixture
def run_ids(make_device: Factory) -> list[int]:
    """Returns a queued run on ext4, and one on xfs that has failed with a message of several lines."""
    ids = []
    for name, file_system in (("one", "ext4"), ("two", "xfs")):
        device_id = make_device(name)
        with transaction() as session:
            run = stored_run(session=session, device_id=device_id, file_system=file_system, tags=[file_system, "paper"])
            ids.append(run.id)
    with transaction() as session:
        failed = {"state": JobState.FAILED, "error_code": "core_failed", "message": f"{LONG}\nIts log says why."}
        session.execute(update(Job).where(Job.id == ids[1]).values(**failed))
        session.get_one(Run, ids[1]).name = "Second try"
    return ids


def test_runs_are_listed_by_the_filters_of_the_page(patina: Patina, run_ids: list[int]) -> None:
    def _found(*words: object) -> list[int]:
        return [run["id"] for run in answered(patina("runs", *words, "--json"))["items"]]

    first, second = run_ids
    assert _found() == [second, first]
    assert _found("--ascending") == [first, second]
    assert (_found("--file-system", "xfs"), _found("--file-system", "xfs", "--file-system", "ext4", "--limit", 1)) == (
        [second],
        [second],
    )
    assert (_found("second", "TRY"), _found("paper"), _found("elsewhere")) == ([second], [second, first], [])
    assert (_found("--state", "queued"), _found("--tag", "paper", "--tag", "ext4")) == ([first], [second, first])
    assert (_found("--device", "/dev/one"), _found("--profile", "agrawal")) == ([first], [second, first])
    assert (_found("--batch", 7), _found("--archived"), _found("--workload", "churn")) == ([], [], [])
    assert (_found("--until", "2020-01-01"), _found("--since", "2020-01-01")) == ([], [second, first])
    host = answered(patina("hosts", "--json"))["items"][0]["name"]
    assert _found("--host", host, "--sort", "name", "--ascending") == [first, second]
    assert "There is no host elsewhere" in refusal(patina("runs", "--host", "elsewhere"))
    assert "'soon' is not a time" in refusal(patina("runs", "--since", "soon"), 2)
    assert "state" in refusal(patina("runs", "--state", "asleep"))


def test_a_piped_table_has_one_whole_line_for_each_run(patina: Patina, run_ids: list[int]) -> None:
    head, second, first = printed(patina("runs")).splitlines()
    assert head.split() == [
        *("run", "name", "goal", "full", "file", "system", "device", "size", "seed", "state", "made", "tags")
    ]
    assert second.endswith(f"{LONG} Its log says why.")
    assert second.split()[:7] == [str(run_ids[1]), "Second", "try", "agrawal", "70%", "xfs", "/dev/two"]
    assert first.index("agrawal") == second.index("agrawal") == head.index("goal")


def test_a_run_is_named_and_archived(patina: Patina, run_ids: list[int]) -> None:
    first, _ = run_ids
    printed(patina("run", "name", first, "Mail server"))
    printed(patina("run", "tag", first, "a", "b", "c"))
    printed(patina("run", "untag", first, "c"))
    said = printed(patina("run", "archive", first))
    assert said.strip() == f"Run {first}: Mail server; ext4, paper, a, b; in the archive."
    shown = printed(patina("run", "show", first))
    assert "Mail server" in shown
    assert "a, b" in shown
    assert [run["id"] for run in answered(patina("runs", "--archived", "--json"))["items"]] == [first]
    printed(patina("run", "untag", first, "ext4", "paper", "a", "b"))
    printed(patina("run", "unarchive", first))
    run = answered(patina("run", "name", first, "--json"))
    assert (run["name"], run["tags"], run["archived_at"]) == ("", [], None)


def test_runs_are_compared_by_what_differs(patina: Patina, run_ids: list[int]) -> None:
    first, second = run_ids
    shown = {line.split("  ")[0]: line for line in printed(patina("run", "compare", first, second)).splitlines()}
    assert shown["file system"].split()[-2:] == ["ext4", "xfs"]
    assert shown["name"].endswith("Second try")
    assert "capture_mode" not in shown
    assert [run["id"] for run in answered(patina("run", "compare", first, second, "--json"))["items"]] == run_ids
    assert "two or more runs" in refusal(patina("run", "compare", first), 2)


def test_the_settings_of_a_run_are_those_that_are_not_by_default(patina: Patina, run_ids: list[int]) -> None:
    [line] = [row for row in printed(patina("run", "show", run_ids[0])).splitlines() if row.startswith("settings")]
    assert "profile" not in line
    assert "append_fraction" not in line


def test_the_queue_of_a_run_is_shown(patina: Patina, run_ids: list[int]) -> None:
    first, _ = run_ids
    assert printed(patina("run", "queue", first)).strip() == f"No job is ahead of run {first}."
    with transaction() as session:
        running = {"state": JobState.RUNNING, "eta_s": 90.0}
        session.execute(update(Job).where(Job.id == first).values(**running))
        device_id = session.get_one(Run, first).device_id
        waiting = stored_run(session=session, device_id=device_id, lease=None).id
    said = printed(patina("run", "queue", waiting)).strip()
    assert said == f"run {first}: has the device, running, about 1 min 30 s left"
