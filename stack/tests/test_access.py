"""Access to a new server: its first link, the demo, the link for a lost password, and who is served before."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from patina_dev.testing.joined import Network, is_served
from patina_dev.testing.planted import PASSWORD, assert_no_secret_in_logs
from patina_dev.testing.wait import HANG_S, wait_until
from patina_stack.application import Application

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("as_root")]
LINK = re.compile(r"(http://127\.0\.0\.1:\d+)/enter#(patina-link-\S+)")


@pytest.fixture(scope="module")
def network() -> Iterator[Network]:
    """Yields a network with an address of this machine beside loopback."""
    made = Network()
    made.open()
    yield made
    made.close()


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Yields a folder for the state, and for the tokens of the command."""
    made = Path(tempfile.mkdtemp(prefix="patina-access-"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="module")
def new(folder: Path, network: Network) -> Iterator[tuple[Application, str]]:
    """Yields a new server that is to listen on the network as well, and what `make run` printed."""
    ended = run(folder, "patina_stack", "up", PATINA_LISTEN=network.address)
    try:
        assert ended.returncode == 0, ended.stderr
        yield Application(state_dir=folder / "state"), ended.stdout
    finally:
        run(folder, "patina_stack", "down")
    assert_no_secret_in_logs(folder)


def run(folder: Path, module: str, *words: str, **changes: str) -> subprocess.CompletedProcess[str]:
    ours = {k: v for k, v in os.environ.items() if not k.startswith(("DATABASE_URL", "REDIS_URL", "PATINA_"))}
    ours |= {"PATINA_STATE_DIR": str(folder / "state"), "XDG_CONFIG_HOME": str(folder / "config")}
    argv = [sys.executable, "-m", module, *words]
    return subprocess.run(argv, env=ours | changes, capture_output=True, text=True, check=False)


def ask(url: str, path: str, body: dict[str, str] | None = None) -> tuple[int, dict[str, Any]]:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{url}/api/v1{path}", data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=HANG_S) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def test_a_new_server_is_its_owners_from_the_first_link_on(
    new: tuple[Application, str], folder: Path, network: Network
) -> None:
    application, printed = new
    port = int(application.url.rpartition(":")[2])
    found = LINK.search(printed)
    assert found is not None
    assert found[1] == application.url
    assert f"on loopback only until then, and on {network.address} from then on" in printed
    assert not is_served(network.address, port)
    assert ask(application.url, "/images")[1]["code"] == "owner_missing"

    again = LINK.search(run(folder, "patina_stack", "up", PATINA_LISTEN=network.address).stdout)
    assert again is not None, "a link that was lost is printed again"
    assert ask(application.url, "/links/opening", {"token": found[2]})[1]["code"] == "link_refused"
    made = {"token": again[2], "name": "ada", "password": PASSWORD}
    assert ask(application.url, "/links/use", made)[1]["role"] == "owner"

    wait_until("the other address is served", lambda: is_served(network.address, port))
    assert ask(f"http://{network.address}:{port}", "/images")[1]["code"] == "sign_in_required"
    printed = run(folder, "patina_stack", "up", PATINA_LISTEN=network.address).stdout
    assert LINK.search(printed) is None
    assert f"loopback and {network.address}" in printed
    assert run(folder, "patina_stack", "restart-api", PATINA_LISTEN=network.address).returncode == 0
    wait_until("the other address is served again", lambda: is_served(network.address, port))


def test_a_link_of_the_administrator_signs_the_command_in(new: tuple[Application, str], folder: Path) -> None:
    application, _ = new
    url = application.url
    refused = run(folder, "patina.cli", "images", PATINA_URL=url)
    assert (refused.returncode, "patina sign-in" in refused.stderr) == (1, True)
    unknown = run(folder, "patina_stack.admin", "link", "eve")
    assert (unknown.returncode, unknown.stderr) == (1, "patina-admin: There is no open account 'eve'.\n")
    printed = run(folder, "patina_stack.admin", "link", "ada")
    assert printed.returncode == 0, printed.stderr
    link = printed.stdout.strip()
    signed = run(folder, "patina.cli", "sign-in", "--link", link, PATINA_URL=url)
    assert signed.returncode == 0, signed.stderr
    assert f"Signed in to {url} as ada (owner)" in signed.stdout
    kept = folder / "config" / "patina" / "tokens.json"
    assert kept.stat().st_mode & 0o777 == 0o600
    assert run(folder, "patina.cli", "images", PATINA_URL=url).returncode == 0
    assert "ada at" in run(folder, "patina.cli", "whoami", PATINA_URL=url).stdout
    token = json.loads(kept.read_text())[url]
    assert run(folder, "patina.cli", "sign-out", PATINA_URL=url).returncode == 0
    assert json.loads(kept.read_text()) == {}
    assert run(folder, "patina.cli", "images", PATINA_URL=url, PATINA_TOKEN=token).returncode == 1
    used = run(folder, "patina.cli", "sign-in", "--link", link, PATINA_URL=url)
    assert (used.returncode, "was used" in used.stderr.replace("\n", " ")) == (1, True)


def test_no_secret_is_in_a_log_nor_on_a_command_line(new: tuple[Application, str], folder: Path) -> None:
    application, _ = new
    made = application.access("demo", "eve")
    secrets = [made["token"], made["access_token"]]
    assert all(secrets)
    ask(application.url, "/links/opening", {"token": str(made["token"])})
    run(folder, "patina.cli", "images", PATINA_URL=application.url, PATINA_TOKEN=str(made["access_token"]))
    assert list((folder / "state").rglob("*.log")), "there are logs to look at"
    assert_no_secret_in_logs(folder)
    lines = b"".join(_command_line(process) for process in Path("/proc").glob("[0-9]*"))
    assert all(str(secret).encode() not in lines for secret in secrets)


def _command_line(process: Path) -> bytes:
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""
