"""Signing in from the shell, access tokens, accounts, the audit trail."""

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from commands import Patina, answered, printed, refusal
from patina.account import limit
from patina.account.password import hashed
from patina.account.role import Role
from patina.account.service import add_account
from patina.db import transaction
from patina.settings import settings
from patina_dev.testing.owner import NAME
from people import PASSWORD


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns the file of tokens of this test."""
    limit.forget()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path / "patina" / "tokens.json"


@pytest.fixture
def ada(patina: Patina, monkeypatch: pytest.MonkeyPatch) -> Patina:
    """Returns the command of a member who has a password, and no access token yet."""
    with transaction() as session:
        add_account(session=session, name="ada", role=Role.MEMBER, password_hash=hashed(PASSWORD))
    monkeypatch.delenv("PATINA_TOKEN")
    return patina


def typing(monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{line}\n"))


def test_signing_in_keeps_a_token_that_later_commands_use(
    ada: Patina, kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "patina sign-in" in refusal(ada("images"))
    assert "patina sign-in" in refusal(ada("whoami"))
    typing(monkeypatch, "a wrong password")
    assert "no open account of this name with this password" in refusal(ada("sign-in", "--name", "ada"))
    typing(monkeypatch, PASSWORD)
    assert "as ada (member)" in printed(ada("sign-in", "--name", "ada"))
    assert kept.stat().st_mode & 0o777 == 0o600
    assert PASSWORD not in kept.read_text()
    assert printed(ada("whoami")).startswith("ada at http://")
    printed(ada("images"))
    [credential] = answered(ada("token", "list", "--json"))["items"]
    assert (credential["kind"], credential["role"], credential["is_current"]) == ("token", "member", True)
    printed(ada("sign-out"))
    assert json.loads(kept.read_text()) == {}
    refusal(ada("images"))


def test_a_damaged_file_of_tokens_is_no_token(ada: Patina, kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept.parent.mkdir()
    kept.write_text("{")
    assert "patina sign-in" in refusal(ada("images"))
    typing(monkeypatch, PASSWORD)
    printed(ada("sign-in", "--name", "ada"))
    printed(ada("images"))


def test_an_access_token_is_printed_once_and_may_do_what_its_role_allows(
    patina: Patina, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = printed(patina("token", "make", "nightly", "--role", "viewer", "--days", "7")).strip()
    listed = printed(patina("token", "list"))
    assert "nightly" in listed
    assert token not in listed
    monkeypatch.setenv("PATINA_TOKEN", token)
    printed(patina("images"))
    assert "needs the role member" in refusal(patina("sandbox", "64MiB"))
    assert "needs the role owner" in refusal(patina("account", "list"))


def test_a_token_is_revoked_by_its_number(patina: Patina) -> None:
    made = answered(patina("token", "make", "nightly", "--json"))
    printed(patina("token", "revoke", made["id"]))
    assert "nightly" not in printed(patina("token", "list"))
    assert f"no session or token {made['id']}" in refusal(patina("token", "revoke", made["id"]))


def test_accounts_are_invited_changed_closed_and_opened(patina: Patina) -> None:
    with transaction() as session:
        add_account(session=session, name="ada", role=Role.MEMBER, password_hash=None)
    assert "/enter#patina-link-" in printed(patina("account", "invite", "--role", "operator", "--note", "For Grace"))
    assert "/enter#patina-link-" in printed(patina("account", "link", "ada"))
    printed(patina("account", "role", "ada", "operator"))
    assert "operator" in printed(patina("account", "list"))
    printed(patina("account", "close", "ada"))
    assert "closed" in printed(patina("account", "list"))
    assert "no open account" in refusal(patina("account", "link", "ada"))
    printed(patina("account", "open", "ada"))
    assert "There is no account 'eve'" in refusal(patina("account", "close", "eve"))
    assert "the only owner" in refusal(patina("account", "role", NAME, "viewer"))


def test_the_audit_trail_is_listed_and_exported(patina: Patina, tmp_path: Path) -> None:
    printed(patina("account", "invite"))
    assert "invite" in printed(patina("audit", "--action", "invite"))
    [entry] = answered(patina("audit", "--account", NAME, "--json"))["items"]
    for name, first in (("a.jsonl", f'{{"id":{entry["id"]}'), ("a.csv", "id,at,account_id")):
        printed(patina("audit", "--export", tmp_path / name))
        assert (tmp_path / name).read_text().startswith(first)
        assert "is there already" in refusal(patina("audit", "--export", tmp_path / name))
    assert "ends in .jsonl or .csv" in refusal(patina("audit", "--export", tmp_path / "a.txt"), status=2)


def test_profiles_and_jobs_are_shared(patina: Patina, publish_image: Callable[[str], int]) -> None:
    (settings().index_dir / "a.caibx").write_bytes(b"")
    publish_image("a.caibx")
    [run] = answered(patina("runs", "--json"))["items"]
    assert f"Job {run['id']} is seen by its account" in printed(patina("job", "share", run["id"], "--private"))
    [shown] = answered(patina("runs", "--json"))["items"]
    assert shown["visibility"] == "private"
    assert "came with Patina" in refusal(patina("profile", "share", "agrawal", "--private"))
    printed(patina("profile", "fork", "agrawal", "ours"))
    assert answered(patina("profile", "share", "ours", "--private", "--json"))["visibility"] == "private"
    assert "ours is seen by every account" in printed(patina("profile", "share", "ours"))


def test_teams_are_made_and_share_images(patina: Patina, publish_image: Callable[[str], int]) -> None:
    (settings().index_dir / "a.caibx").write_bytes(b"")
    aged_image = str(publish_image("a.caibx"))
    printed(patina("team", "make", "lab"))
    assert "There is a team 'lab'" in refusal(patina("team", "make", "lab"))
    printed(patina("team", "join", "lab", NAME))
    assert NAME in printed(patina("team", "list"))
    shared = answered(patina("image", "share", aged_image, "--team", "lab", "--json"))
    assert (shared["visibility"], shared["team_name"]) == ("team", "lab")
    assert "shared with the team lab" in refusal(patina("team", "remove", "lab"))
    assert "Choose --team or --private" in refusal(
        patina("image", "share", aged_image, "--private", "--team", "lab"), 2
    )
    assert "There is no team 'none'" in refusal(patina("image", "share", aged_image, "--team", "none"))
    assert "every account" in printed(patina("image", "share", aged_image))
    printed(patina("team", "leave", "lab", NAME))
    printed(patina("team", "remove", "lab"))
    assert answered(patina("team", "list", "--json"))["items"] == []
