"""Kept paths of an emulated disk: as written after each unmount, while other data is generated."""

import hashlib
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from fixture_types import MIB, MakeSandbox
from observe import device_of
from patina_worker.host import emulator, file_system, sandbox
from patina_worker.tools.run import run_tool

SIZE_BYTES = 512 * MIB
ASKED: dict[str, object] = {"available_bytes": 256 * MIB, "kept_paths": ["database/**", "etc/*.conf"]}


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs"])
def test_they_are_as_written_after_an_unmount(make_sandbox: MakeSandbox, tmp_path: Path, kind: str) -> None:
    device = device_of(make_sandbox(SIZE_BYTES, emulation=ASKED))
    path = device.path or ""
    folder = sandbox.backing_file(stable_id=device.stable_id, medium=device.medium)
    assert run_tool([f"mkfs.{kind}", path]).returncode == 0
    options = "nodatasum" if kind == "btrfs" else "noatime"
    written = {name: os.urandom(MIB) for name in ("database/deep/table", "etc/a.conf", "etc/a.txt", "other")}
    with file_system.mounted(kind, path, tmp_path / "mount", options=options) as mount:
        for name, data in written.items():
            (mount / name).parent.mkdir(parents=True, exist_ok=True)
            (mount / name).write_bytes(data)
    figures = emulator.status(folder)
    # Some of it may look like metadata, or like a part of a node of btrfs, and is kept without being chosen.
    assert 3 * MIB // 2 < figures.chosen_bytes < 3 * MIB
    assert figures.lost_held_bytes == 0
    assert run_tool(["blockdev", "--flushbufs", path]).returncode == 0
    with file_system.mounted(kind, path, tmp_path / "mount", options=options) as mount:
        found = {name: (mount / name).read_bytes() for name in written}
        (mount / "database/deep/table").unlink()
    assert {name for name in written if found[name] == written[name]} == {"database/deep/table", "etc/a.conf"}
    assert emulator.status(folder).chosen_bytes < 2 * MIB


def _changed(file: Path) -> str:
    """Adds and changes rows of a database in transactions of their own. Returns its digest."""
    with closing(sqlite3.connect(file)) as database:
        database.execute("CREATE TABLE IF NOT EXISTS entries (id INTEGER PRIMARY KEY, data BLOB)")
        for _ in range(20):
            with database:
                database.executemany("INSERT INTO entries (data) VALUES (?)", [(os.urandom(500),) for _ in range(100)])
                database.execute("UPDATE entries SET data = randomblob(600) WHERE id % 7 = 0")
        return _digest(database)


def _digest(database: sqlite3.Connection) -> str:
    digest = hashlib.sha256()
    for row in database.execute("SELECT id, data FROM entries ORDER BY id"):
        digest.update(repr(row).encode())
    return digest.hexdigest()


def _found(file: Path) -> str:
    """Returns the digest of a database, or why it cannot be read."""
    try:
        with closing(sqlite3.connect(file)) as database:
            (answer,) = database.execute("PRAGMA integrity_check").fetchone()
            return _digest(database) if answer == "ok" else str(answer)
    except sqlite3.DatabaseError as error:
        return str(error)


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs"])
def test_a_database_below_one_is_whole_after_each_unmount(make_sandbox: MakeSandbox, tmp_path: Path, kind: str) -> None:
    path = device_of(make_sandbox(SIZE_BYTES, emulation=ASKED)).path or ""
    assert run_tool([f"mkfs.{kind}", path]).returncode == 0
    options = "nodatasum" if kind == "btrfs" else "noatime"
    kept, dropped = (Path(name) for name in ("database/entries", "entries"))
    with file_system.mounted(kind, path, tmp_path / "mount", options=options) as mount:
        (mount / kept).parent.mkdir()
        of_dropped = _changed(mount / dropped)
        digest = _changed(mount / kept)
    for _ in range(3):
        assert run_tool(["blockdev", "--flushbufs", path]).returncode == 0
        with file_system.mounted(kind, path, tmp_path / "mount", options=options) as mount:
            assert _found(mount / kept) == digest
            assert _found(mount / dropped) != of_dropped
            digest = _changed(mount / kept)


def test_a_disk_without_them_holds_nothing(make_sandbox: MakeSandbox, tmp_path: Path) -> None:
    device = device_of(make_sandbox(SIZE_BYTES, emulation={"available_bytes": 256 * MIB}))
    path = device.path or ""
    assert run_tool(["mkfs.ext4", path]).returncode == 0
    with file_system.mounted("ext4", path, tmp_path / "mount", options="noatime") as mount:
        (mount / "data").write_bytes(os.urandom(MIB))
    figures = emulator.status(sandbox.backing_file(stable_id=device.stable_id, medium=device.medium))
    assert (figures.held_bytes, figures.chosen_bytes) == (0, 0)
