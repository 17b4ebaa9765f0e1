"""The sessions of the documents run as they are written, each document on a new server."""

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest

from patina_dev.testing.installation import services_of
from patina_dev.testing.planted import PASSWORD, assert_no_secret_in_logs
from patina_dev.testing.session import Block, Shell, Step, blocks
from patina_stack import PROJECT_DIR
from patina_stack.services import free_port

# Commands that are not run here: a pattern of the whole command, and the reason.
NOT_RUN = {
    r"make (test|check|soak)\b.*": "runs tests; this is one of them",
    r"make (setup|dist)\b.*": "every run of the tests begins with the one, and the debian layer with the other",
    r".*\b(NAME|NOUN)\b.*": "has a placeholder",
    r"echo TOKEN \|.*": "needs a second machine: stack/tests/test_hosts.py joins hosts",
    r"cmake -(S native -B|-build) native/build-debug.*": "builds the core anew, for five minutes",
    r"patina (image push|image fetch|pull https:).*": "needs a second server: stack/tests/test_transfer.py has one",
    r"(?s)gdb .*": "is interactive",
    r"(?s).*\| dmsetup create\b.*": "needs device-mapper and a second disk: native/src/disk_model/stretch_test.cc",
    r"(?s).*\bshingle mount\b.*": "stays in the foreground: native/src/smrfs/smrfs_test.cc runs it",
    r".*-m patina_stack worker\b.*": "stays in the foreground: stack/tests/test_application.py runs it",
}
# Likewise, whole sections.
SECTIONS_NOT_RUN = {
    ("docs/operations.md", "Install on Debian"): "debian/tests/test_packages.py installs the packages",
}
# What a user types when a command asks.
ANSWERS = {"patina sign-in": f"ada\n{PASSWORD}\n"}
# Documents that begin with a server that has an owner, and what is on it.
BEGINNINGS = {
    "docs/cli.md": ("make run",),
    "docs/operations.md": (
        "make run",
        "bin/patina sandbox 64MiB",
        "bin/patina age /dev/loop0 --workload fresh --file-system ext4",
    ),
}
# Folders of the machine that the commands write to, and that a test must not.
COVERED = ("/mnt", "/var/backups")
LINKED = ("bin", "native", "profiles", "frontend", "stack", "backend", "worker", "migrations", "requirements", "docs")


def documents() -> list[str]:
    argv = ["git", "-c", "safe.directory=*", "ls-files", "*.md"]
    listed = subprocess.run(argv, cwd=PROJECT_DIR, capture_output=True, text=True, check=True).stdout.split()
    return [document for document in listed if any(True for _ in blocks(document))]


def reason_not_to_run(block: Block, step: Step) -> str | None:
    """Returns why a command is not run here; None if it is."""
    if (block.document, block.heading) in SECTIONS_NOT_RUN:
        return SECTIONS_NOT_RUN[block.document, block.heading]
    found = [reason for pattern, reason in NOT_RUN.items() if re.fullmatch(pattern, step.script)]
    return found[0] if found else None


def test_every_reason_not_to_run_a_command_is_needed() -> None:
    steps = [(block, step) for document in documents() for block in blocks(document) for step in block.steps()]
    for pattern in NOT_RUN:
        assert any(re.fullmatch(pattern, step.script) for _, step in steps), f"no command is {pattern}"
    sections = {(block.document, block.heading) for block, _ in steps}
    assert SECTIONS_NOT_RUN.keys() <= sections
    assert {"README.md", *BEGINNINGS} <= {document for document, _ in sections}


@pytest.fixture
def covered(as_root: None) -> Iterator[None]:
    """Covers the folders with empty ones, in the mount namespace of this test process."""
    for folder in COVERED:
        subprocess.run(["mount", "-t", "tmpfs", "none", folder], check=True)
    yield
    for folder in reversed(COVERED):
        subprocess.run(["umount", folder], check=True)


@pytest.fixture
def checkout() -> Iterator[Path]:
    """Yields a checkout whose state and other files are the test's own, and whose sources are this one's."""
    folder = Path(tempfile.mkdtemp(prefix="patina-session-"))
    folder.chmod(0o755)  # the unprivileged parts run programs in it
    for name in (*LINKED, "Makefile", ".venv", "pyproject.toml"):
        (folder / name).symlink_to(PROJECT_DIR / name)
    (folder / ".state").mkdir(mode=0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def shell(checkout: Path, tmp_path: Path, covered: None) -> Iterator[Shell]:
    """Yields a shell in the checkout; stops Patina at the end."""
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "patina").symlink_to(PROJECT_DIR / "bin/patina")
    (programs / "sudo").write_text('#!/bin/sh\nexec "$@"\n')  # the test is root already
    (programs / "sudo").chmod(0o755)
    ours = {k: v for k, v in os.environ.items() if not k.startswith(("DATABASE_URL", "REDIS_URL", "PATINA_"))}
    environment = ours | {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PATINA_STATE_DIR": str(checkout / ".state"),
        "PATINA_PORT": str(free_port()),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "LOGNAME": "ada",
    }
    made = Shell(checkout, environment, devices_of(checkout / ".state"))
    yield made
    made.run(Step("at the end", "make stop", None))
    made.close()
    assert_no_secret_in_logs(checkout / ".state")


def devices_of(state_dir: Path) -> Callable[[], list[str]]:
    """Returns a function that asks the database for the paths of the sandbox devices."""

    def _ask() -> list[str]:
        if not (state_dir / "services.json").exists():
            return []  # not started yet, or removed by the document
        services = services_of(state_dir)
        if not services.postgresql.pid():
            return []
        url = services.ports.database_url.replace("+psycopg", "")
        with psycopg.connect(url) as connection:
            if connection.execute("SELECT to_regclass('device')").fetchone() == (None,):
                return []  # before the migration
            rows = connection.execute("SELECT path FROM device WHERE kind = 'sandbox' AND path IS NOT NULL ORDER BY id")
            return [str(path) for (path,) in rows]

    return _ask


def begin(shell: Shell, commands: tuple[str, ...]) -> None:
    """Starts a server, makes its owner, and runs the other commands as the owner."""
    first, *others = commands
    shell.run(Step("at the beginning", first, None))
    enter = 'echo "$password" | bin/patina sign-in --link "$(bin/patina-admin link)" --name ada'
    shell.run(Step("at the beginning", f"password='{PASSWORD}'; {enter}", None))
    for command in others:
        shell.run(Step("at the beginning", command, None))


@pytest.mark.slow
@pytest.mark.parametrize("document", documents())
def test_the_commands_of_a_document_do_what_it_shows(document: str, shell: Shell) -> None:
    if document in BEGINNINGS:
        begin(shell, BEGINNINGS[document])
    for block in blocks(document):
        for step in block.steps():
            if reason_not_to_run(block, step) is None:
                words = " ".join(step.script.split()[:2])
                shell.run(step, answers=ANSWERS.get(words, ""))
