"""`patina age` and `patina follow` on a terminal: they draw, and Ctrl-C leaves them while the run goes on."""

import json
import os
import pty
import re
import struct
import sys
import termios
from collections.abc import Iterator
from fcntl import ioctl

import pytest

from patina_dev.testing.installation import Installation, installation
from patina_dev.testing.owner import TOKEN

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("as_root")]
_CTRL_C = b"\x03"
# Never ends by itself on a sandbox device.
_ENDLESS = ("--workload", "churn", "--set", "ops_count=1000000000")


class Terminal:
    """A program whose terminal this test is."""

    def __init__(self, *words: object, environment: dict[str, str]) -> None:
        argv = [sys.executable, "-m", "patina.cli", *map(str, words)]
        self.pid, self._terminal = pty.fork()
        if self.pid == 0:
            os.execve(argv[0], argv, os.environ | environment)
        ioctl(self._terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 120, 0, 0))
        self.shown = ""

    def await_text(self, pattern: str) -> None:
        """Reads until it has shown the text. Raises AssertionError if it ends before."""
        while not re.search(pattern, self.shown):
            assert self._read(), f"it ended without {pattern}:\n{self.shown}"

    def press(self, key: bytes) -> None:
        os.write(self._terminal, key)

    def status(self) -> int:
        """Returns its exit status, once it has ended."""
        while self._read():
            pass
        _, status = os.waitpid(self.pid, 0)
        os.close(self._terminal)
        return os.waitstatus_to_exitcode(status)

    def _read(self) -> bool:
        try:
            piece = os.read(self._terminal, 65536)
        except OSError:  # the other side is closed
            return False
        self.shown += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", piece.decode(errors="replace"))
        return bool(piece)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    folder = tmp_path_factory.mktemp("terminal")
    folder.chmod(0o755)
    with installation(folder / "state") as made:
        made.up()
        yield made


def test_who_leaves_a_run_on_a_terminal_comes_back_and_ends_it(installed: Installation) -> None:
    environment = {"PATINA_URL": installed.url, "PATINA_TOKEN": TOKEN, "TERM": "xterm-256color"}
    device = json.loads(installed.patina("sandbox", "128MiB", "--json"))["path"]
    aging = Terminal("age", device, *_ENDLESS, environment=environment)
    aging.await_text(r"Aging, \w+ .*operations/s")
    aging.press(_CTRL_C)
    assert aging.status() == 130
    (found,) = re.findall(
        r"Run (\d+) goes on\. `patina follow \1` watches it, `patina cancel \1` ends it\.", aging.shown
    )
    assert _state(installed, found) == "running"

    following = Terminal("follow", found, environment=environment)
    following.await_text(r"Aging, \w+ .*operations/s")
    following.press(_CTRL_C)
    assert following.status() == 130
    assert f"Run {found} goes on" in following.shown
    assert _state(installed, found) == "running"

    watching = Terminal("follow", found, environment=environment)
    watching.await_text(r"Aging, \w+")
    installed.patina("cancel", found)
    assert watching.status() == 1
    assert f"Run {found} ended canceled" in watching.shown


def _state(installed: Installation, run: str) -> str:
    return str(json.loads(installed.patina("jobs", run, "--json"))["state"])
