"""Tables of the command, in a terminal of 80 columns and in a pipe."""

import io
from collections.abc import Callable
from typing import cast

import pytest
from rich.console import Console
from sqlalchemy import update

from commands import Patina, printed
from patina.cli.terminal import facts, print_columns, print_table
from patina.db import transaction
from patina.device.models import Device
from patina.job.models import Job
from patina.job.state import JobState
from patina.run.models import Run
from run_rows import stored_run

Factory = Callable[..., int]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Returns a function that gives the lines that were printed to a terminal of 80 columns."""
    console = Console(file=io.StringIO(), width=80, force_terminal=True, markup=False, color_system=None)
    monkeypatch.setattr("patina.cli.terminal.console", console)
    return lambda: [line.rstrip() for line in cast("io.StringIO", console.file).getvalue().splitlines()]


def test_runs_are_listed_in_80_columns_with_whole_devices_and_states(
    patina: Patina, make_device: Factory, terminal: Callable[[], list[str]]
) -> None:
    with transaction() as session:
        run = stored_run(session=session, device_id=make_device("sandbox-1"), tags=["paper", "first draft"])
        number = run.id
        session.get_one(Run, number).name = "A name that is much longer than the terminal has room for it"
        failed = {"state": JobState.FAILED, "error_code": "core_failed", "message": "The core ended with status 1."}
        session.execute(update(Job).where(Job.id == number).values(**failed))
    printed(patina("runs"))
    lines = terminal()
    assert max(map(len, lines)) <= 80
    assert lines[0].split() == ["run", "name", "goal", "full", "file", "system", "device", "state"]
    assert lines[1].split()[0] == str(number)
    assert lines[1].split()[-5:] == ["agrawal", "70%", "ext4", "/dev/sandbox-1", "failed"]
    assert lines[-1].strip() == "The core ended with status 1."


def test_devices_are_listed_with_their_names(
    patina: Patina, make_device: Factory, terminal: Callable[[], list[str]]
) -> None:
    device_id = make_device("sandbox-1")
    with transaction() as session:
        session.get_one(Device, device_id).name = "bench"
    printed(patina("devices"))
    head, first = terminal()
    assert head.split()[:2] == ["device", "name"]
    assert first.split()[:2] == ["/dev/sandbox-1", "bench"]


def test_what_fits_is_listed_whole(terminal: Callable[[], list[str]]) -> None:
    print_columns([["1", "ext4", "remark"]], ["run", "file system", ""], spare=("file system",))
    assert terminal() == ["run  file system", "1    ext4         remark"]


def test_an_empty_list_says_so(patina: Patina, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = patina("images", "nothing")
    assert (status, out.split()[0], err) == (0, "image", "The list is empty.")


def test_facts_in_a_pipe_have_no_blanks_at_the_ends_of_lines(capsys: pytest.CaptureFixture[str]) -> None:
    table = facts()
    table.add_row("name", "short")
    table.add_row("note", "long " * 60)
    print_table(table)
    first, second = capsys.readouterr().out.splitlines()
    assert (first, second) == ("name  short", f"note  {('long ' * 60).rstrip()}")
