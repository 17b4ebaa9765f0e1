"""A whole installation below a state folder of its own, driven by its commands."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from patina_dev.testing.owner import TOKEN, own
from patina_dev.testing.planted import assert_no_secret_in_logs
from patina_stack.services import PrivateServices

Ended = subprocess.CompletedProcess[str]


def run(module: str, *words: object, **environment: str) -> Ended:
    """Runs a module with these variables, and none of the surrounding installation. Returns the ended process."""
    ours = {k: v for k, v in os.environ.items() if not k.startswith(("DATABASE_URL", "REDIS_URL", "PATINA_"))}
    argv = [sys.executable, "-m", module, *map(str, words)]
    return subprocess.run(argv, env=ours | environment, capture_output=True, text=True, check=False)


def done(ended: Ended) -> str:
    """Returns the output of a command that succeeded."""
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def refusal(ended: Ended) -> str:
    """Returns the error of a command that was refused."""
    assert (ended.returncode, ended.stdout) == (1, "")
    return ended.stderr


def services_of(state_dir: Path) -> PrivateServices:
    """Returns the services of an installation, whichever the environment of this process names."""
    return PrivateServices(state_dir=state_dir, run_dir=state_dir / "run")


class Installation:
    """An application below a state folder of its own."""

    def __init__(self, state_dir: Path) -> None:
        self.state_dir = state_dir
        self.url = ""

    def up(self) -> None:
        """Starts it."""
        self.url = done(run("patina_stack", "up", PATINA_STATE_DIR=str(self.state_dir))).split()[3]
        own(services_of(self.state_dir).ports.database_url)

    def down(self) -> None:
        """Stops it."""
        done(run("patina_stack", "down", PATINA_STATE_DIR=str(self.state_dir)))

    def patina(self, *words: object) -> str:
        """Returns the output of the command."""
        return done(run("patina.cli", *words, PATINA_URL=self.url, PATINA_TOKEN=TOKEN))

    def admin(self, *words: object) -> Ended:
        """Runs `patina-admin`."""
        return run("patina_stack.admin", "--state-dir", self.state_dir, *words)


@contextmanager
def installation(folder: Path) -> Iterator[Installation]:
    """Yields one that is not started yet; stops and removes it at the end."""
    folder.mkdir(mode=0o755)
    made = Installation(folder)
    yield made
    made.down()
    assert_no_secret_in_logs(folder)
    shutil.rmtree(folder)
