"""Several servers: signed in to each, named in a reference."""

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
from patina.cli.server import address_of, split
from patina.cli.token import keep_token
from patina.db import transaction
from patina_dev.testing.content import assert_same_content
from patina_dev.testing.owner import NAME, TOKEN
from patina_dev.testing.served import ServedApp
from people import PASSWORD


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns the folder of the command's files."""
    limit.forget()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path / "patina"


@pytest.fixture
def other(server: ServedApp) -> str:
    """Returns another address of the server, which is another server to the command."""
    return f"http://localhost:{server.port}"


def test_one_signs_in_to_several_servers_and_out_of_each(
    patina: Patina, server: ServedApp, other: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with transaction() as session:
        add_account(session=session, name="ada", role=Role.MEMBER, password_hash=hashed(PASSWORD))
    for words in (("--server", other, "--as", "lab"), ()):
        monkeypatch.setattr(sys, "stdin", io.StringIO(f"{PASSWORD}\n"))
        printed(patina("sign-in", "--name", "ada", *words))
    listed = {row["address"]: row["names"] for row in answered(patina("servers", "--json"))["items"]}
    assert listed == {server.url: [server.url[7:]], other: [other[7:], "lab"]}
    assert "lab" in printed(patina("servers"))
    assert f"Signed out of {other}" in printed(patina("sign-out", "--server", "lab"))
    assert list(json.loads((folder / "tokens.json").read_text())) == [server.url]
    assert json.loads((folder / "servers.json").read_text()) == {}
    assert "neither a server" in refusal(patina("sign-out", "--server", "lab"))


def test_the_token_of_the_environment_is_sent_to_its_server_alone(patina: Patina, other: str) -> None:
    assert printed(patina("whoami")).startswith(NAME)
    said = refusal(patina("pull", f"{other}/image"))
    assert said == f"patina: Not signed in to {other}. Run `patina sign-in --server {other}`."


def test_an_image_of_another_server_is_pulled_into_a_file(
    patina: Patina, other: str, capture_image: Callable[..., int], tmp_path: Path
) -> None:
    device = tmp_path / "device"
    device.write_bytes(b"\1" * 2**20)
    number = capture_image(device)
    printed(patina("image", "tag", number, "aged:1"))
    keep_token(other, TOKEN, "lab")
    for reference in (f"{other}/{number}", "lab/aged:1", f"{other[7:]}/aged:1"):
        printed(patina("pull", reference, "-o", tmp_path / "pulled", "--force"))
        assert_same_content(tmp_path / "pulled", device)
    assert f"{other}: " in refusal(patina("pull", "lab/none"))


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("aged", (None, "aged")),
        ("team/aged:1", (None, "team/aged:1")),
        ("lab/aged", ("https://lab.example.org", "aged")),
        ("lab/team/aged:1", ("https://lab.example.org", "team/aged:1")),
        ("lab.example.org/@sha256:00", ("https://lab.example.org", "@sha256:00")),
        ("https://unknown.example.org:8443/team/aged", ("https://unknown.example.org:8443", "team/aged")),
        ("lab", (None, "lab")),
    ],
)
def test_a_reference_is_split_after_a_server(reference: str, found: tuple[str | None, str]) -> None:
    keep_token("https://lab.example.org", "secret", "lab")
    assert split(reference) == found


@pytest.mark.parametrize("address", ["https://", "https://name:secret@host", "https://host/path", "http://host?x"])
def test_what_is_no_address_is_refused(patina: Patina, address: str) -> None:
    assert "is no address of a server" in refusal(patina("image", "push", "1", address), status=2)


def test_a_name_of_a_server_is_one_word(patina: Patina, other: str) -> None:
    assert "a name of a server has" in refusal(patina("sign-in", "--server", other, "--as", "a/b"), status=2)
    keep_token(f"{other}", TOKEN)
    assert address_of(other[7:]) == other
