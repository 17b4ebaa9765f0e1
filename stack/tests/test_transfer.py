"""Images between two servers: only missing chunks travel, and an interrupted transfer goes on."""

import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from patina.cli.token import keep_token
from patina.image.chunk import relative_path
from patina.image.index import Entry, Index
from patina_dev.testing.installation import Installation, done, installation, refusal, run
from patina_dev.testing.owner import TOKEN
from patina_dev.testing.wait import HANG_S, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("as_root")]

MIB = 2**20
SIZE_BYTES = 16 * MIB
CHUNK_BYTES = 256 * 2**10


class Line:
    """Carries connections to a server. It can be cut, or held, after so many bytes from the client or to it."""

    def __init__(self, url: str) -> None:
        self._port = int(url.rpartition(":")[2])
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.sent_bytes = self.received_bytes = 0
        self.cuts_after: int | None = None
        self.holds_after: int | None = None
        self._is_over = threading.Event()  # of what is held
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._is_over.set()
        self._listener.close()

    def reset(self) -> None:
        self._is_over.set()
        self._is_over = threading.Event()
        self.sent_bytes = self.received_bytes = 0
        self.cuts_after = self.holds_after = None

    @property
    def carried_bytes(self) -> int:
        return self.sent_bytes + self.received_bytes

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._port))
                for pair in ((client, server, True), (server, client, False)):
                    threading.Thread(target=self._carry, args=pair, daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket, is_sent: bool) -> None:
        with suppress(OSError):
            while piece := source.recv(65_536):
                if is_sent:
                    self.sent_bytes += len(piece)
                else:
                    self.received_bytes += len(piece)
                if self.cuts_after is not None and self.carried_bytes > self.cuts_after:
                    break
                if self.holds_after is not None and self.carried_bytes > self.holds_after:
                    self._is_over.wait(HANG_S)
                    break
                target.sendall(piece)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


@dataclass
class Servers:
    """Two servers, each reached over a line; the command is signed in to both."""

    source: Installation
    target: Installation
    to_source: Line
    to_target: Line
    folder: Path

    def environment(self) -> dict[str, str]:
        places = {f"XDG_{kind.upper()}_HOME": str(self.folder / kind) for kind in ("config", "cache")}
        return places | {"PATINA_URL": self.to_source.url, "COLUMNS": "200"}

    def patina(self, *words: object) -> Any:
        return run("patina.cli", *words, **self.environment())

    def refused(self, *words: object) -> str:
        return refusal(self.patina(*words, "--json"))

    def answered(self, *words: object) -> Any:
        return json.loads(done(self.patina(*words, "--json")))

    def killed_after(self, line: Line, held_bytes: int, *words: object) -> None:
        """Runs the command until so many bytes have gone over the line, and kills it then."""
        ours = {k: v for k, v in os.environ.items() if not k.startswith(("DATABASE_URL", "REDIS_URL", "PATINA_"))}
        argv = [sys.executable, "-m", "patina.cli", *map(str, words)]
        line.holds_after = line.carried_bytes + held_bytes
        limit = line.holds_after
        command = subprocess.Popen(
            argv, env=ours | self.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

        def _is_held() -> bool:
            assert command.poll() is None, "the command ended before"
            return line.carried_bytes > limit

        wait_until("bytes go over the line", _is_held)
        command.send_signal(signal.SIGKILL)
        command.wait(HANG_S)
        line.reset()

    def imported(self, content: bytes, name: str) -> Any:
        """Returns an image of the source with this content."""
        file = self.folder / f"{name}.raw"
        file.write_bytes(content)
        return self.answered("import", file, "--name", name)

    def kept(self) -> list[Path]:
        """Returns the folders of transfers that can go on."""
        return list((self.folder / "cache" / "patina" / "transfers").glob("*"))


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    folder = Path(tempfile.mkdtemp(prefix="patina-transfer-"))
    folder.chmod(0o755)
    with installation(folder / "source") as source, installation(folder / "target") as target:
        source.up()
        target.up()
        lines = Line(source.url), Line(target.url)
        made = Servers(source, target, *lines, folder)
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
            keep_token(lines[0].url, TOKEN)
            keep_token(lines[1].url, TOKEN, "lab")
        yield made
        for line in lines:
            line.close()
    shutil.rmtree(folder)


@pytest.fixture(autouse=True)
def fresh(servers: Servers) -> None:
    """Forgets what an earlier test has left."""
    servers.to_source.reset()
    servers.to_target.reset()
    for folder in servers.kept():
        shutil.rmtree(folder)


def content(seed: int) -> bytes:
    """Returns bytes that cannot be packed, with zeroes in the middle."""
    dice = random.Random(seed)
    return dice.randbytes(SIZE_BYTES // 2) + bytes(4 * MIB) + dice.randbytes(SIZE_BYTES // 2)


def chunk_of(server: Installation, image: Any, number: int) -> Path:
    """Returns the file of a chunk."""
    [index] = [
        path for path in (server.state_dir / "images").glob("*.caibx") if _digest_of(path) == image["index_digest"]
    ]
    with Index(index, None) as opened:
        entry: Entry = list(opened.entries())[number]
    return server.state_dir / "store" / relative_path(entry.digest)


def _digest_of(path: Path) -> str:
    with Index(path, None) as index:
        return index.facts.digest


def test_an_aged_image_is_pushed_with_its_recipe_and_only_what_is_missing_is_sent(servers: Servers) -> None:
    device = servers.answered("sandbox", "128MiB")["path"]
    servers.answered("age", device, "--profile", "agrawal", "--fullness", "50")
    [aged] = servers.answered("images")["items"]
    shown = servers.answered("image", "show", aged["id"])
    pushed = servers.answered("image", "push", aged["name"], "lab")
    assert (pushed["name"], pushed["index_digest"]) == (aged["name"], aged["index_digest"])
    assert (pushed["recipe"], pushed["summary"]) == (shown["recipe"], shown["summary"])
    archive = pushed["intake"]["archive"]
    assert (archive["name"], archive["manifest_digest"]) == (aged["name"], shown["manifest_digest"])
    assert f"{servers.to_source.url}/{aged['name']}" in servers.target.patina("image", "show", aged["name"])
    assert servers.kept() == []

    raw = servers.folder / "aged.raw"
    done(servers.patina("pull", aged["name"], "-o", raw))
    changed = bytearray(raw.read_bytes())
    changed[5 * MIB + 3 : 5 * MIB + 1003] = random.Random(1).randbytes(1000)
    second = servers.imported(bytes(changed), "changed")
    servers.to_target.reset()
    pushed = servers.answered("image", "push", "changed", "lab")
    assert pushed["index_digest"] == second["index_digest"]
    sent_bytes = pushed["intake"]["file_bytes"]
    assert sent_bytes < CHUNK_BYTES + 128 * 1024, "one chunk, the index, the manifest"
    assert servers.to_target.sent_bytes < sent_bytes + 128 * 1024, "and the question"
    assert pushed["capture"]["new_bytes"] < CHUNK_BYTES + 1024
    assert "Nothing was sent" in done(servers.patina("image", "push", "changed", "lab"))


def test_an_image_is_fetched_from_another_server(servers: Servers) -> None:
    first = servers.imported(content(2), "there-and-back")
    servers.answered("image", "push", "there-and-back", "lab")
    fetched = servers.answered("image", "fetch", "lab/there-and-back", "--name", "back")
    assert fetched["index_digest"] == first["index_digest"]
    assert fetched["intake"]["source"] == f"{servers.to_target.url}/there-and-back"
    assert fetched["intake"]["file_bytes"] < 64 * 1024, "nothing was missing"
    raw = servers.folder / "pulled.raw"
    done(servers.patina("pull", f"{servers.to_target.url}/there-and-back", "-o", raw))
    assert raw.read_bytes() == content(2)


def test_an_image_that_is_not_for_everyone_arrives_as_private(servers: Servers) -> None:
    servers.imported(content(9), "mine")
    servers.answered("image", "share", "mine", "--private")
    assert servers.answered("image", "push", "mine", "lab")["visibility"] == "private"
    shown = servers.answered("image", "push", "mine", "lab", "--name", "ours", "--no-private")
    assert shown["visibility"] == "everyone"


def test_a_push_that_is_killed_goes_on_with_what_it_has_fetched_and_sent(servers: Servers) -> None:
    first = servers.imported(content(3), "killed")
    push = ("image", "push", "killed", "lab")
    servers.to_source.reset()
    servers.killed_after(servers.to_source, 8 * MIB, *push)
    [folder] = servers.kept()
    assert (folder / "image.oci.tar.part").stat().st_size > 4 * MIB
    servers.killed_after(servers.to_target, 8 * MIB, *push)
    assert servers.to_source.received_bytes < 12 * MIB, "the rest of the chunks"
    servers.to_source.reset()
    pushed = servers.answered(*push)
    assert servers.to_source.received_bytes < MIB, "no chunk"
    assert pushed["index_digest"] == first["index_digest"]
    assert servers.kept() == []


def test_a_connection_that_breaks_is_taken_up_by_the_next_push(servers: Servers) -> None:
    first = servers.imported(content(4), "broken")
    push = ("image", "push", "broken", "lab")
    servers.to_target.reset()
    servers.to_target.cuts_after = 9 * MIB
    said = servers.refused(*push)
    assert servers.to_target.url in said
    assert len(servers.kept()) == 1
    servers.to_target.reset()
    servers.to_source.reset()
    pushed = servers.answered(*push)
    assert pushed["index_digest"] == first["index_digest"]
    assert servers.to_target.sent_bytes < 14 * MIB, "what had come was not sent again"
    assert servers.to_source.received_bytes < MIB


def test_a_damaged_chunk_of_the_target_is_repaired_by_a_whole_push(servers: Servers) -> None:
    image = servers.imported(content(6), "here")
    servers.answered("image", "push", "here", "lab")
    chunk = chunk_of(servers.target, image, 20)
    chunk.chmod(0o644)
    chunk.write_bytes(b"\x28\xb5\x2f\xfd junk")
    push = ("image", "push", "here", "lab", "--name", "repaired")
    said = servers.refused(*push)
    assert chunk.stem in said
    assert "--whole" in said
    assert servers.answered(*push, "--whole")["index_digest"] == image["index_digest"]
    raw = servers.folder / "repaired.raw"
    done(servers.patina("pull", "lab/repaired", "-o", raw))
    assert raw.read_bytes() == content(6)


def test_a_chunk_that_is_collected_between_question_and_import_is_sent_by_the_second_push(servers: Servers) -> None:
    first = servers.imported(content(7), "collected")
    servers.answered("image", "push", "collected", "lab")
    image = servers.imported(content(7) + random.Random(8).randbytes(6 * MIB), "longer")
    chunk = chunk_of(servers.target, first, 20)
    push = ("image", "push", "longer", "lab")
    servers.killed_after(servers.to_target, 2 * MIB, *push)
    chunk.unlink()
    assert f"lacks the chunk {chunk.stem}" in servers.refused(*push)
    assert not chunk.exists()
    assert servers.answered(*push)["index_digest"] == image["index_digest"]
    assert chunk.exists()
