"""The command, run in the process of the test."""

import sys
from collections.abc import Iterator

import pytest
import structlog

from commands import Patina
from patina.cli.app import run
from patina_dev.testing.served import ServedApp


@pytest.fixture(autouse=True, scope="package")
def _log_apart() -> Iterator[None]:
    """Keeps the log of the server, which is in this process too, out of the output of the commands."""
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.__stderr__))
    yield
    structlog.reset_defaults()


@pytest.fixture
def patina(server: ServedApp, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Patina:
    """Runs the command to its end, in this process. Returns its status and its output."""
    monkeypatch.setenv("PATINA_URL", server.url)

    def _run(*words: object) -> tuple[object, str, str]:
        monkeypatch.setattr(sys, "argv", ["patina", *map(str, words)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            run()
        out, err = capsys.readouterr()
        return ended.value.code, out, " ".join(err.split())

    return _run
