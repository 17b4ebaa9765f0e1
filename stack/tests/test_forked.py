"""Forked processes behave like started ones, although their modules are loaded already."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from patina_dev.testing.forked import ForkedProcess, Template
from patina_dev.testing.wait import HANG_S

pytestmark = pytest.mark.slow  # the modules are loaded first


@pytest.fixture(scope="module")
def forking() -> Iterator[Template]:
    made = Template()
    yield made
    made.close()


def _run(forking: Template, statement: str, log: Path, **environment: str) -> ForkedProcess:
    argv = [sys.executable, "-m", "timeit", "-n", "1", "-r", "1", statement]
    return forking.fork(argv, environment=environment, log=log)


def test_its_status_output_environment_and_session_are_its_own(forking: Template, tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("before\n")
    ended = _run(
        forking, "import os; print(dict(os.environ), os.getsid(0) == os.getpid(), flush=True); os._exit(3)", log, A="b"
    )
    assert ended.wait(HANG_S) == 3
    assert ended.poll() == 3
    assert log.read_text() == "before\n{'A': 'b'} True\n"


def test_it_ends_as_a_module_ends(forking: Template, tmp_path: Path) -> None:
    assert _run(forking, "pass", tmp_path / "log").wait(HANG_S) == 0
    assert _run(forking, "1 / 0", tmp_path / "log").wait(HANG_S) == 1
    assert "ZeroDivisionError" in (tmp_path / "log").read_text()


def test_it_is_waited_for_and_killed(forking: Template, tmp_path: Path) -> None:
    process = _run(forking, "import signal; signal.pause()", tmp_path / "log")
    assert process.poll() is None
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.01)
    process.kill()
    assert process.wait(HANG_S) == -signal.SIGKILL
    process.terminate()  # no effect on an ended one


def test_what_one_shares_with_its_children_is_not_shared_with_the_next(forking: Template, tmp_path: Path) -> None:
    _run(forking, "from patina_worker import stopping; stopping.announce()", tmp_path / "log").wait(HANG_S)
    asked = "import os; from patina_worker import stopping; os._exit(stopping.is_announced())"
    assert _run(forking, asked, tmp_path / "log").wait(HANG_S) == 0


def test_it_goes_on_when_the_template_ends(tmp_path: Path) -> None:
    made = Template()
    process = _run(made, "import signal; signal.pause()", tmp_path / "log")
    made.close()
    assert process.poll() is None
    process.kill()
    assert process.wait(HANG_S) == -signal.SIGKILL


def test_what_takes_effect_at_execution_alone_is_refused(forking: Template, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="LD_PRELOAD"):
        _run(forking, "pass", tmp_path / "log", LD_PRELOAD="/usr/lib/libfaketime.so.1")


def test_a_template_that_has_ended_is_named() -> None:
    ours, theirs = socket.socketpair()
    theirs.close()
    with ours, pytest.raises(AssertionError, match="the template has ended"):
        ForkedProcess(ours)


@pytest.mark.parametrize(
    ("module", "why"),
    [
        ("import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()", "begun a thread"),
        ("from patina.settings import settings; settings()", "read the settings"),
    ],
    ids=["thread", "settings"],
)
def test_a_module_that_begins_something_is_not_forked(module: str, why: str, tmp_path: Path) -> None:
    (tmp_path / "begins.py").write_text(module)
    script = "from patina_dev.testing import template; template.LOADED = ('begins',); template.main()"
    unused = {"DATABASE_URL": "postgresql+psycopg://patina@127.0.0.1/none", "REDIS_URL": "redis://127.0.0.1/0"}
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | unused | {"PYTHONPATH": str(tmp_path)},
        capture_output=True, text=True, timeout=HANG_S, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert why in done.stderr
