"""A confined tool has no settings, no network, and an account that no other process has."""

import os

import pytest

pytestmark = pytest.mark.usefixtures("as_root")


def _output(*argv: str) -> str:
    from patina_worker.tools.unprivileged import run_confined

    done = run_confined(argv, check=lambda: None, timeout_s=600, files=())
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_its_environment_holds_no_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATINA_DATABASE_URL", "postgresql://patina:secret@localhost/patina")
    names = {line.split("=", 1)[0] for line in _output("env").splitlines()}
    assert names <= {"LC_ALL", "PATH", "TMPDIR", "PATINA_GATES"}


def test_its_account_is_that_of_no_other_process() -> None:
    first, second = _output("id", "-u"), _output("id", "-u")
    assert first != second
    assert int(first) >= 2**30


def test_it_has_no_network() -> None:
    devices = [line.split(":")[0].strip() for line in _output("cat", "/proc/net/dev").splitlines()[2:]]
    assert devices == ["lo"]


def test_it_cannot_gain_a_capability() -> None:
    status = dict(line.split(":", 1) for line in _output("cat", "/proc/self/status").splitlines())
    assert {int(status[name], 16) for name in ("CapPrm", "CapEff", "CapBnd", "CapInh")} == {0}
    assert status["NoNewPrivs"].strip() == "1"


def test_it_can_neither_enter_nor_read_what_the_worker_has(tmp_path: os.PathLike[str]) -> None:
    from patina_worker.tools.unprivileged import run_confined

    with open(os.path.join(tmp_path, "secret"), "w", encoding="utf-8") as secret:
        os.fchmod(secret.fileno(), 0o600)
    done = run_confined(["cat", secret.name], check=lambda: None, timeout_s=600, files=())
    assert done.returncode == 1
    assert "Permission denied" in done.stderr
