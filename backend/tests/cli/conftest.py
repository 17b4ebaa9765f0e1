"""The command, run in the process of the test."""

import sys

import pytest

from commands import Patina
from patina.cli.app import run
from patina_dev.testing.served import ServedApp


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
