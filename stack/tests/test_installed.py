"""Credentials and database of an installation from packages; `make test-debian` has the whole installation."""

from pathlib import Path

import pytest
from sqlalchemy import make_url

from patina_stack import installed


def test_credentials_are_made_once_and_are_root_s(tmp_path: Path) -> None:
    folder, state_dir = tmp_path / "credentials", tmp_path / "state"
    installed.make_credentials(folder, state_dir, 5433)
    files = [*folder.iterdir(), state_dir / "worker.json"]
    made = {file: file.read_text() for file in files}
    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}
    owner = make_url(made[folder / "database-owner-url"])
    assert (owner.username, owner.port, owner.database) == ("patina", 5433, "patina")
    passwords = {make_url(text).password for file, text in made.items() if file.name.endswith("-url") and text}
    assert len(passwords) == 4, "one for each role, and one for Redis"

    (folder / "database-host-url").unlink()
    installed.make_credentials(folder, state_dir, 5432)
    assert {file for file in files if file.read_text() != made[file]} == {folder / "database-host-url"}


def test_the_roles_in_a_database_of_another_machine_are_its_administrator_s(tmp_path: Path) -> None:
    installed.make_credentials(tmp_path, tmp_path, 5432)
    (tmp_path / "database-owner-url").write_text("postgresql+psycopg://patina:secret@db.lab/patina")
    assert installed.make_database(tmp_path) == "The database is on db.lab: its administrator makes the roles."


def test_a_postgresql_that_does_not_answer_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    installed.make_credentials(tmp_path, tmp_path, 1)
    monkeypatch.setenv("CREDENTIALS_DIRECTORY", str(tmp_path))
    monkeypatch.setattr("sys.argv", ["installed", "database"])
    assert installed.main() == 1
    assert "PostgreSQL does not answer at port 1: " in capsys.readouterr().err
