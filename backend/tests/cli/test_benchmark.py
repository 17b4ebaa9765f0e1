"""The exit status of a benchmark that fails is that of a shell."""

import sys
from pathlib import Path

import pytest

from patina.cli.benchmark import run_benchmark


@pytest.mark.parametrize(
    ("script", "status", "words"),
    [
        ("raise SystemExit(7)", 7, "failed with exit status 7."),
        ("import os; os.kill(os.getpid(), 9)", 137, "was ended by signal 9 (Killed)."),
    ],
)
def test_a_benchmark_that_fails_gives_its_status(script: str, status: int, words: str, tmp_path: Path) -> None:
    with (tmp_path / "output").open("w", encoding="utf-8") as output:
        failure = run_benchmark([sys.executable, "-c", script], output=output)
    assert failure is not None
    assert (failure.status, failure.said) == (status, f"{sys.executable} {words}")


def test_a_benchmark_that_cannot_be_run_gives_the_status_of_a_shell(tmp_path: Path) -> None:
    (tmp_path / "not-executable").touch()
    for name, status in (("missing", 127), ("not-executable", 126)):
        with (tmp_path / "output").open("w", encoding="utf-8") as output:
            failure = run_benchmark([str(tmp_path / name)], output=output)
        assert failure is not None
        assert (failure.status, "cannot be run" in failure.said) == (status, True)


def test_a_benchmark_that_succeeds_has_no_failure(tmp_path: Path) -> None:
    with (tmp_path / "output").open("w", encoding="utf-8") as output:
        assert run_benchmark([sys.executable, "-c", "print('done')"], output=output) is None
    assert (tmp_path / "output").read_text(encoding="utf-8") == "done\n"
