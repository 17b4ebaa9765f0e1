"""Backup of an installation into a folder, and its restore into an empty one.

A row is written after its index, an index after its chunks, and the chunks of a deleted row are collected a grace
period later: files that are copied after the dump contain every image that the dump names. A backup into a folder that
has one copies only new files, and the old one stays whole until the new one is.
"""

import fcntl
import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
from sqlalchemy import URL, make_url

from patina import __version__
from patina.errors import PatinaError
from patina.image.chunk import relative_path
from patina.image.index import Index
from patina.role_names import ACCESS_SCHEMA
from patina_stack.account import Account
from patina_stack.mirror import Mirrored, copy_file, mirror, prune
from patina_stack.process import ProcessFailed
from patina_stack.services import POSTGRESQL_BIN

SCHEMA_VERSION = 1
NOTE = "backup.json"
DUMP = "database.dump"
# Below the state folder. What a joined host has is on that host.
FOLDERS = ("images", "store", "operation-logs")
KEY = "manifest.key"


def back_up(*, database_url: str, state_dir: Path, manifest_key: Path, folder: Path) -> dict[str, Any]:
    """Makes or renews the backup in `folder`. Returns its note. Raises ProcessFailed."""
    begun = [folder / name for name in (NOTE, f"{DUMP}.part")]
    if folder.exists() and any(folder.iterdir()) and not any(file.exists() for file in begun):
        raise ProcessFailed(f"{folder} is not empty, and has no backup. Name another folder.")
    with _connection(database_url) as connection:
        images_count, revision = _facts(connection)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with _alone(folder):
        return _renew(folder, database_url, state_dir, manifest_key, images_count, revision)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Raises ProcessFailed while another process writes a backup into the folder."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise ProcessFailed(f"Another backup into {folder} is under way.") from error
    finally:
        os.close(descriptor)


def _renew(
    folder: Path, database_url: str, state_dir: Path, manifest_key: Path, images_count: int, revision: str
) -> dict[str, Any]:
    part = folder / f"{DUMP}.part"
    # The functions that make roles belong to the server, as the roles do.
    _run("pg_dump", database_url, "--format=custom", f"--exclude-schema={ACCESS_SCHEMA}", f"--file={part}")
    mirrored = Mirrored()
    for name in FOLDERS:
        if (state_dir / name).is_dir():
            mirror(state_dir / name, folder / name, mirrored)
    copy_file(manifest_key, folder / KEY, mirrored)
    os.sync()
    part.replace(folder / DUMP)
    note = {
        "schema_version": SCHEMA_VERSION,
        "patina_version": __version__,
        "database_revision": revision,
        "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "images_count": images_count,
        "files_count": mirrored.files_count,
        "copied_count": mirrored.copied_count,
        "copied_bytes": mirrored.copied_bytes,
    }
    (folder / NOTE).write_text(json.dumps(note, indent=2) + "\n", encoding="utf-8")
    note["removed_count"] = sum(prune(state_dir / name, folder / name) for name in FOLDERS)
    os.sync()
    return note


def restore(
    *, database_url: str, state_dir: Path, manifest_key: Path, account: Account, folder: Path
) -> dict[str, Any]:
    """Restores a backup into an empty database and the state folder. Returns its note, with `damaged`, the names of
    images that lack a file. Raises ProcessFailed."""
    note = note_of(folder)
    with _connection(database_url) as connection:
        if connection.execute("SELECT 1 FROM pg_tables WHERE schemaname = 'public'").fetchone() is not None:
            raise ProcessFailed("The database is not empty. Restore with a new state folder, or an empty database.")
    options = ("--no-owner", "--no-privileges", "--exit-on-error", "--single-transaction")
    _run("pg_restore", database_url, *options, last=[str(folder / DUMP)])
    mirrored = Mirrored()
    for name in FOLDERS:
        if (folder / name).is_dir():
            mirror(folder / name, state_dir / name, mirrored)
    if (folder / KEY).exists():  # a backup of an earlier version has none
        account.write_secret(manifest_key, (folder / KEY).read_text(encoding="utf-8"))
    os.sync()
    with _connection(database_url) as connection:
        # No worker has this database yet. One that reported right before the backup would keep its host's name.
        connection.execute("UPDATE host SET heartbeat_at = heartbeat_at - interval '1 day'")
        damaged = _damaged(connection, state_dir)
    return note | {"files_count": mirrored.files_count, "damaged": damaged}


def note_of(folder: Path) -> dict[str, Any]:
    """Returns the note of a backup. Raises ProcessFailed."""
    try:
        note: dict[str, Any] = json.loads((folder / NOTE).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ProcessFailed(f"{folder} has no backup: {NOTE} cannot be read ({error}).") from error
    if note.get("schema_version") != SCHEMA_VERSION:
        raise ProcessFailed(f"The backup in {folder} is of a later version of Patina. Restore it with that version.")
    return note


def _damaged(connection: psycopg.Connection, state_dir: Path) -> list[str]:
    """Returns the names of images with an index in the folder that lacks a chunk, or differs from its digest. Images of
    other hosts and of the bucket have no index here."""
    rows = connection.execute("SELECT name, index_name, index_digest FROM image WHERE deleted_at IS NULL ORDER BY id")
    return [name for name, file, digest in rows if not _is_whole(state_dir, file, digest)]


def _is_whole(state_dir: Path, index_name: str, index_digest: str) -> bool:
    path = state_dir / "images" / index_name
    if not path.exists():
        return True
    try:
        with Index(path, index_digest) as index:
            return all((state_dir / "store" / relative_path(entry.digest)).exists() for entry in index.entries())
    except PatinaError:
        return False


def _facts(connection: psycopg.Connection) -> tuple[int, str]:
    """Returns the number of images and the revision of the schema."""
    try:
        found = connection.execute(
            "SELECT (SELECT count(*) FROM image WHERE deleted_at IS NULL), version_num FROM alembic_version"
        ).fetchone()
    except psycopg.errors.UndefinedTable as error:
        raise ProcessFailed("The database has no tables of Patina: there is nothing to back up.") from error
    assert found is not None
    return found[0], found[1]


def _plain(database_url: str) -> tuple[URL, str]:
    """Returns the URL without its driver and password, and the password."""
    url = make_url(database_url)
    plain = URL.create(
        "postgresql", username=url.username, host=url.host, port=url.port, database=url.database, query=url.query
    )
    return plain, str(url.password or "")


@contextmanager
def _connection(database_url: str) -> Iterator[psycopg.Connection]:
    url, password = _plain(database_url)
    try:
        with psycopg.connect(url.render_as_string(), password=password) as connection:
            yield connection
    except psycopg.OperationalError as error:
        raise ProcessFailed(f"PostgreSQL does not answer: {error}. `make run` starts it.") from error


def _run(program: str, database_url: str, *options: str, last: list[str] | None = None) -> None:
    """Runs a program of PostgreSQL; the password is in its environment, which others cannot read."""
    url, password = _plain(database_url)
    argv = [str(POSTGRESQL_BIN / program), f"--dbname={url.render_as_string()}", *options, *(last or [])]
    environment = os.environ | {"PGPASSWORD": password, "LC_ALL": "C"}
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise ProcessFailed(f"{program} failed with exit status {done.returncode}:\n{done.stderr.strip()}")
