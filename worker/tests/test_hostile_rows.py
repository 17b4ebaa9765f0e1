"""Hostile rows: the API's account, which may be compromised, writes them; the worker acts on them as root.

Each case puts one value into one column that the worker reads, then runs all of the worker's tasks. Nothing outside
the device and the worker's own folders may change, and the heartbeat must go on.
"""

import enum
import os
import random
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, update
from sqlalchemy.exc import SQLAlchemyError

from fixture_types import MIB, MakeSandbox, StartRun
from observe import device_of
from patina.db import Base, transaction
from patina.settings import settings

CASES_COUNT = int(os.environ.get("PATINA_HOSTILE_ROWS", "24"))
TABLES = ("device", "run", "intake", "lease", "profile_version", "host")
PAUSE = ("run", "pause_requested_at")  # waits until a user resumes it, as it should
CANARY = b"not the worker's to touch" * 40_000


def _columns() -> list[tuple[str, str]]:
    """Returns the columns that may have any value: no keys, no computed ones."""
    import patina_worker.tasks  # noqa: F401  # loads every model

    found = [Base.metadata.tables[name] for name in TABLES]
    return [
        (table.name, column.name)
        for table in found
        for column in table.columns
        if not column.primary_key
        and not column.foreign_keys
        and column.computed is None
        and (table.name, column.name) != PAUSE
    ]


class Canaries:
    """A file and a disk that must stay unchanged."""

    def __init__(self, folder: Path) -> None:
        self.file, self._backing = folder / "canary", folder / "disk"
        self.file.write_bytes(CANARY)
        self.file.chmod(0o600)
        self._backing.write_bytes(CANARY.ljust(64 * MIB, b"\0"))
        attach = ["losetup", "--find", "--show", str(self._backing)]
        self.disk = subprocess.run(attach, check=True, capture_output=True, text=True).stdout.strip()

    def assert_untouched(self) -> None:
        assert self.file.read_bytes() == CANARY
        assert self.file.stat().st_mode & 0o777 == 0o600
        assert self._backing.read_bytes() == CANARY.ljust(64 * MIB, b"\0")
        assert sorted(each.name for each in self.file.parent.iterdir()) == ["canary", "disk"]


@pytest.fixture
def canaries(as_root: None, tmp_path: Path) -> Iterator[Canaries]:
    made = Canaries(tmp_path)
    yield made
    subprocess.run(["losetup", "--detach", made.disk], check=True)


def _hostile(column: Column[Any], canaries: Canaries, chance: random.Random) -> object:
    paths = [canaries.disk, str(canaries.file), f"../../../..{canaries.file}", "/dev/null"]
    texts = [*paths, "", "--help", "x\n-o\ny", "a" * 5_000, "%n%s", "\u202e", "'; --"]
    if column.nullable and chance.random() < 0.1:
        return None
    try:
        kind = column.type.python_type
    except NotImplementedError:
        kind = dict
    if issubclass(kind, bool):
        return chance.choice([True, False])
    if issubclass(kind, int):
        return chance.choice([-1, 0, 1, 2**31, 2**62])
    if issubclass(kind, float):
        return chance.choice([float("nan"), float("inf"), -1.0, 0.0, 1e308])
    if issubclass(kind, datetime):
        return datetime(chance.choice([1970, 9999]), 1, 1, tzinfo=UTC)
    if issubclass(kind, str | enum.Enum):
        return chance.choice(texts)
    return chance.choice([{}, [], {"path": canaries.disk}, chance.choice(texts), 7, {"stable_id": 7, "size_bytes": []}])


def _intake(folder: Path) -> int:
    from intakes import queue

    folder.mkdir()
    (folder / "a.img").write_bytes(os.urandom(MIB))
    return queue(folder / "a.img")


@pytest.mark.slow
@pytest.mark.parametrize("case", range(CASES_COUNT))
def test_no_value_in_a_row_leads_the_worker_astray(
    case: int,
    canaries: Canaries,
    make_sandbox: MakeSandbox,
    start_run: StartRun,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    from patina_worker import heartbeat, tasks
    from patina_worker.jobs.reminder import Reminder

    chance = random.Random(case)
    table_name, column_name = chance.choice(_columns())
    table = Base.metadata.tables[table_name]
    run_id = start_run(make_sandbox(64 * MIB))
    intake_id = _intake(tmp_path_factory.mktemp("sent") / "files")
    value = _hostile(table.columns[column_name], canaries, chance)
    print(f"{table_name}.{column_name} = {value!r:.200}")  # noqa: T201  for the report of a failure
    try:
        with transaction() as session:
            session.execute(update(table).values({column_name: value}))
    except SQLAlchemyError:
        return  # the database refuses the value
    reminder = Reminder()
    for act in (
        lambda: None,
        lambda: tasks.work(run_id),
        lambda: tasks.work(intake_id),
        lambda: tasks.remove_sandbox(device_of(1).id),
    ):
        try:
            act()
        except Exception as error:  # noqa: BLE001  a failed task is only logged
            print(f"failed: {type(error).__name__}: {error}")  # noqa: T201
        try:
            heartbeat.beat(reminder=reminder)
        except heartbeat.PASSING as error:
            print(f"beat: {error}")  # noqa: T201
    canaries.assert_untouched()
    assert settings().state_dir.is_dir()
