"""`patina image push` and `fetch`: what is refused before anything is imported, and what a second try finds."""

import fcntl
import json
import os
import random
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from commands import Patina, printed, refusal
from overwriting import overwrite
from patina.account.role import Role
from patina.cli.token import keep_token
from patina.image.chunk import relative_path
from patina.image.index import Index
from patina.settings import forget_settings, settings
from patina_dev.testing.owner import TOKEN
from patina_dev.testing.served import ServedApp
from people import token_of

ImageFactory = Callable[..., int]
MIB = 2**20


@pytest.fixture(autouse=True)
def transfers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Returns the folder of what is to be sent."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "patina" / "transfers"


@pytest.fixture
def lab(patina: Patina, server: ServedApp) -> str:
    """Returns another address of the server, which is another server to the command, and its name there, `lab`."""
    address = f"http://localhost:{server.port}"
    keep_token(address, TOKEN, "lab")
    return address


@pytest.fixture
def image_id(patina: Patina, capture_image: ImageFactory, tmp_path: Path) -> int:
    (tmp_path / "device").write_bytes(random.Random(5).randbytes(2 * MIB))
    number = capture_image(tmp_path / "device")
    printed(patina("image", "rename", number, "there"))
    return number


@pytest.fixture
def no_quota(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Lets the server take in less than the image."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATINA_INTAKE_QUOTA_BYTES", str(MIB))
        forget_settings()
        yield
    forget_settings()


def digests(image_id: int) -> list[bytes]:
    with Index(settings().index_dir / "device.caibx", None) as index:
        return [entry.digest for entry in index.entries()]


def test_an_image_that_is_there_is_not_sent(patina: Patina, lab: str, image_id: int, transfers: Path) -> None:
    assert "Nothing was sent" in printed(patina("image", "push", "there", "lab"))
    assert "Nothing was sent" in printed(patina("image", "fetch", "lab/there"))
    assert list(transfers.iterdir()) == []


def test_a_name_that_another_image_has_is_refused(
    patina: Patina, lab: str, image_id: int, capture_image: ImageFactory, tmp_path: Path
) -> None:
    (tmp_path / "second").write_bytes(bytes(MIB))
    second = capture_image(tmp_path / "second")
    said = refusal(patina("image", "push", second, "lab", "--name", "there"))
    assert said == f"patina: {lab}: there is another image there. Name the new one with --name."


def test_a_name_that_is_a_tag_there_is_free(
    patina: Patina, lab: str, image_id: int, capture_image: ImageFactory, tmp_path: Path, no_quota: None
) -> None:
    (tmp_path / "second").write_bytes(bytes(2 * MIB))
    printed(patina("image", "tag", capture_image(tmp_path / "second"), "new:latest"))
    said = refusal(patina("image", "push", "there", "lab", "--name", "new", "--whole", "--json"))
    assert "PATINA_INTAKE_QUOTA_BYTES" in said


def test_what_the_quota_refuses_is_kept_for_another_try(
    patina: Patina, lab: str, image_id: int, transfers: Path, no_quota: None
) -> None:
    push = ("image", "push", "there", "lab", "--name", "new", "--whole", "--json")
    assert f"{lab}: " in refusal(patina(*push))
    [archive] = transfers.glob("*/image.oci.tar")
    made_at = archive.stat().st_mtime_ns
    assert archive.stat().st_size > 2 * MIB
    refusal(patina(*push))
    assert archive.stat().st_mtime_ns == made_at

    lock = os.open(archive.parent, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    assert "Another command sends new" in refusal(patina(*push))
    os.close(lock)

    for path in (archive, archive.with_name("index.caibx"), archive.parent):
        os.utime(path, (0, 0))
    printed(patina("image", "push", "there", "lab"))
    assert list(transfers.iterdir()) == [], "no command has gone on with it for a week"


def test_a_try_that_was_cut_off_anywhere_makes_the_same_archive(
    patina: Patina, lab: str, image_id: int, transfers: Path, no_quota: None
) -> None:
    push = ("image", "push", "there", "lab", "--name", "new", "--whole", "--json")
    refusal(patina(*push))
    [archive] = transfers.glob("*/image.oci.tar")
    whole = archive.read_bytes()
    chunks = [settings().store_dir / relative_path(digest) for digest in digests(image_id)]
    first = chunks[0].read_bytes()
    for cut in (0, 300, 512, 513, 512 + len(first) - 1, 512 + len(first), MIB, len(whole) - 40_000, len(whole) - 1):
        archive.unlink()
        part = archive.with_name("image.oci.tar.part")
        part.write_bytes(whole[:cut])
        if cut >= 512 + len(first):  # what is there is not fetched again
            overwrite(chunks[0], b"junk")
        refusal(patina(*push))
        assert archive.read_bytes() == whole, cut
        overwrite(chunks[0], first)


def test_another_beginning_is_not_gone_on_with(
    patina: Patina, lab: str, image_id: int, transfers: Path, no_quota: None
) -> None:
    push = ("image", "push", "there", "lab", "--name", "new", "--whole", "--json")
    refusal(patina(*push))
    [archive] = transfers.glob("*/image.oci.tar")
    whole = archive.read_bytes()
    second = (settings().store_dir / relative_path(digests(image_id)[1])).read_bytes()
    archive.unlink()
    archive.with_name("image.oci.tar.part").write_bytes(bytes(512) + second)
    refusal(patina(*push))
    assert archive.read_bytes() == whole


def test_a_damaged_index_of_the_source_is_named(patina: Patina, lab: str, image_id: int, transfers: Path) -> None:
    index = settings().index_dir / "device.caibx"
    index.write_bytes(index.read_bytes()[:-1])
    said = refusal(patina("image", "fetch", "lab/there", "--name", "new", "--json"))
    assert (said.startswith(f"patina: {lab}: "), "is not the index of this image" in said) == (True, True), said
    assert list(transfers.iterdir()) == []


@pytest.mark.parametrize("damage", [b"", b"no zstd", None])
def test_a_damaged_chunk_of_the_source_is_named(
    patina: Patina, lab: str, image_id: int, transfers: Path, damage: bytes | None
) -> None:
    first, second = [settings().store_dir / relative_path(digest) for digest in digests(image_id)[:2]]
    overwrite(second, first.read_bytes() if damage is None else damage)
    said = refusal(patina("image", "fetch", "lab/there", "--name", "new", "--whole", "--json"))
    assert (lab in said, second.stem in said) == (True, True), said
    assert list(transfers.iterdir()) == []


def test_a_right_that_the_account_lacks_there_is_named(patina: Patina, lab: str, image_id: int) -> None:
    keep_token(lab, token_of("vi", Role.VIEWER))
    said = refusal(patina("image", "push", "there", "lab", "--name", "new"))
    assert said == f"patina: {lab}: Find missing chunks: needs the role member. vi has the role viewer."


def test_manifests_of_another_version_are_not_sent(
    patina: Patina, lab: str, image_id: int, monkeypatch: pytest.MonkeyPatch, transfers: Path
) -> None:
    monkeypatch.setattr("patina.image.store_router.SCHEMA_VERSION", 2)
    said = refusal(patina("image", "push", "there", "lab", "--name", "new"))
    assert "It reads manifests of version 2, and the image has one of version 1" in said
    assert list(transfers.iterdir()) == []


def test_a_server_of_an_earlier_version_is_named(patina: Patina, image_id: int) -> None:
    class Earlier(BaseHTTPRequestHandler):
        """Answers as a server without the question."""

        def do_GET(self) -> None:
            self._refuse(404, "image_unknown")

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self._refuse(405, "method_not_allowed")

        def _refuse(self, status: int, code: str) -> None:
            body = json.dumps({"code": code, "detail": code}).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/problem+json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Logs nothing."""

    with HTTPServer(("127.0.0.1", 0), Earlier) as earlier:
        threading.Thread(target=earlier.serve_forever, daemon=True).start()
        said = refusal(patina("image", "push", "there", f"http://127.0.0.1:{earlier.server_port}"))
        earlier.shutdown()
    assert "takes no images from other servers" in said


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("push", "there", "nowhere"), 1, "neither a server that `patina servers` lists nor an address"),
        (("push", "there", "http://127.0.0.1:9"), 1, "Nothing answers at http://127.0.0.1:9"),
        (("push", "none", "lab"), 1, "There is no image 'none'"),
        (("fetch", "there"), 2, "names no other server"),
    ],
)
def test_what_cannot_be_sent_is_said(
    patina: Patina, lab: str, image_id: int, words: tuple[str, ...], status: int, said: str
) -> None:
    assert said in refusal(patina("image", *words), status=status)


def test_a_cache_that_cannot_be_written_is_named(patina: Patina, lab: str, image_id: int, transfers: Path) -> None:
    transfers.parent.mkdir(parents=True)
    transfers.write_text("no folder")
    assert "cannot be written" in refusal(patina("image", "push", "there", "lab", "--name", "new"))
