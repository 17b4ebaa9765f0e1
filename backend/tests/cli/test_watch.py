"""What a command draws of a job while it waits for its end."""

import io
from typing import Any, cast

import pytest
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress

from patina.cli.client import Client
from patina.cli.watch import watch


class Answers:
    """Gives one answer after the other for the same path."""

    def __init__(self, *answers: dict[str, Any]) -> None:
        self._answers = iter(answers)

    def call_patiently(self, method: str, path: str) -> dict[str, Any]:
        assert (method, path) == ("GET", "/jobs/1")
        return next(self._answers)


def drawn(*answers: dict[str, Any]) -> str:
    """Returns the last line that is drawn of a job that gives these answers."""
    console = Console(file=io.StringIO(), width=60)
    with Progress(BarColumn(), DownloadColumn(binary_units=True), console=console) as progress:
        watch(cast("Client", Answers(*answers)), "/jobs/1", progress, progress.add_task("", total=None))
    return cast("io.StringIO", console.file).getvalue().splitlines()[-1]


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("patina.cli.watch.POLL_S", 0)


def test_a_job_that_succeeds_between_two_polls_has_a_full_bar() -> None:
    job = {"state": "running", "message": "Writing", "done": 147 * 2**20, "total": 256 * 2**20}
    assert "256.0/256.0 MiB" in drawn(job, job | {"state": "succeeded"})


def test_the_bar_of_a_job_that_fails_shows_how_far_it_came() -> None:
    job = {"state": "running", "message": "Writing", "done": 147 * 2**20, "total": 256 * 2**20}
    assert "147.0/256.0 MiB" in drawn(job, job | {"state": "failed"})
