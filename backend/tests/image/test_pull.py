"""`patina pull`: exact bytes, also across broken connections, and never a wrong file under the right name."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from patina.cli.app import run
from patina.settings import PROJECT_DIR, settings
from patina_dev.testing.api import ApiProcess
from patina_dev.testing.content import assert_same_content
from patina_dev.testing.served import ServedApp
from patina_dev.testing.wait import HANG_S, wait_until

ImageFactory = Callable[..., int]
Pull = Callable[..., tuple[object, str, str]]
FORMATS = ("raw", "raw.zst", "qcow2")
MIB = 2**20


class Wire:
    """A proxy between the command and the API: cuts or stalls each download after so many bytes; keeps the requests."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.cuts: list[int] = []
        self.on_cut: Callable[[], object] = lambda: None
        self.stalls_after: int | None = None
        self.requests: list[str] = []
        self._is_closed = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._is_closed.set()
        self._listener.close()

    @property
    def ranges(self) -> list[str]:
        lines = [line for request in self.requests for line in request.split("\r\n")]
        return [line.partition("=")[2] for line in lines if line.lower().startswith("range:")]

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._carry, args=(client,), daemon=True).start()

    def _carry(self, client: socket.socket) -> None:
        # Either side may be killed.
        with suppress(OSError), client, socket.create_connection(("127.0.0.1", self._port)) as server:
            while request := client.recv(65_536):
                self.requests.append(request.decode())
                is_download = b"/download/" in request and b".sha256" not in request
                server.sendall(request.replace(self.url[7:].encode(), f"127.0.0.1:{self._port}".encode()))
                if not self._answer(server, client, is_download=is_download):
                    return

    def _answer(self, server: socket.socket, client: socket.socket, *, is_download: bool) -> bool:
        limit = self.cuts.pop(0) if is_download and self.cuts else self.stalls_after if is_download else None
        sent, expected = 0, None
        head = b""
        while expected is None or sent < expected:
            piece = server.recv(65_536)
            if not piece:
                return False
            if expected is None:
                head += piece
                if b"\r\n\r\n" in head:
                    fields = head.split(b"\r\n\r\n")[0].lower()
                    expected = len(fields) + 4 + int(fields.partition(b"content-length: ")[2].split(b"\r\n")[0])
            if limit is not None and sent + len(piece) > limit:
                client.sendall(piece[: limit - sent])
                self.on_cut()
                if self.stalls_after is not None:
                    self._is_closed.wait(HANG_S)
                return False
            client.sendall(piece)
            sent += len(piece)
        return True


@pytest.fixture
def wire(server: ServedApp) -> Iterator[Wire]:
    wire = Wire(server.port)
    yield wire
    wire.close()


@pytest.fixture
def device(tmp_path: Path) -> Path:
    """Returns a device of 24 MiB with a hole in the middle."""
    path, dice = tmp_path / "device", random.Random(5)
    path.write_bytes(dice.randbytes(4 * MIB) + bytes(16 * MIB) + dice.randbytes(4 * MIB))
    return path


@pytest.fixture
def image_id(capture_image: ImageFactory, device: Path) -> int:
    return capture_image(device)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "pulled"
    made.mkdir()
    return made


def _start(url: str, folder: Path, *words: object) -> subprocess.Popen[str]:
    argv = [sys.executable, "-m", "patina.cli", "pull", *map(str, words)]
    environment = os.environ | {"PATINA_URL": url, "PYTHONPATH": str(PROJECT_DIR / "backend"), "COLUMNS": "200"}
    return subprocess.Popen(
        argv, cwd=folder, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


@pytest.fixture
def pull(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Pull:
    """Runs the command to its end, in this process, with short pauses. Returns its status and its output."""
    monkeypatch.chdir(folder)
    monkeypatch.setattr("patina.cli.pull.PAUSE_S", 0.001)

    def _pull(url: str, *words: object) -> tuple[object, str, str]:
        monkeypatch.setenv("PATINA_URL", url)
        monkeypatch.setattr(sys, "argv", ["patina", "pull", *map(str, words)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            run()
        out, err = capsys.readouterr()
        return ended.value.code, out, " ".join(err.split())

    return _pull


@pytest.mark.slow
def test_each_format_is_pulled_and_its_digest_compared(
    pull: Pull, server: ServedApp, image_id: int, device: Path, folder: Path
) -> None:
    for image_format in FORMATS:
        status, out, err = pull(server.url, image_id, "--format", image_format, "--json")
        assert status == 0, err
        pulled = json.loads(out)
        path = folder / pulled["path"]
        said = subprocess.run(["sha256sum", str(path)], capture_output=True, text=True, check=True).stdout
        assert said.startswith(pulled["sha256"])
        assert path.stat().st_size == pulled["size_bytes"]
    raw, qcow2 = next(folder.glob("*.raw")), next(folder.glob("*.qcow2"))
    assert_same_content(raw, device)
    assert raw.stat().st_blocks * 512 < 10 * MIB
    subprocess.run(["qemu-img", "check", str(qcow2)], check=True, capture_output=True)
    assert list(folder.glob("*.part")) == []


def test_an_image_is_pulled_by_its_name_into_the_file_that_was_named(
    pull: Pull, server: ServedApp, image_id: int, device: Path, folder: Path
) -> None:
    status, out, err = pull(server.url, f"agrawal-70-ext4-{image_id}", "-o", "out.img")
    assert status == 0, err
    assert "out.img" in out
    assert_same_content(folder / "out.img", device)


def test_a_connection_that_breaks_is_taken_up_where_it_broke(
    pull: Pull, wire: Wire, image_id: int, device: Path, folder: Path
) -> None:
    wire.cuts = [3 * MIB, 2 * MIB, 10 * MIB, 100]
    status, _, err = pull(wire.url, image_id, "-o", "out.img")
    assert status == 0, err
    assert_same_content(folder / "out.img", device)
    starts = [int(part.split("-")[0]) for part in wire.ranges]
    assert len(starts) == 4
    assert starts == sorted(starts)
    assert starts[0] > 2 * MIB
    assert all("if-range" in r.lower() for r in wire.requests if "range: bytes" in r.lower())


@pytest.mark.slow
def test_a_pull_that_was_killed_is_gone_on_with_by_the_next(
    pull: Pull, wire: Wire, image_id: int, device: Path, folder: Path
) -> None:
    wire.stalls_after = 9 * MIB
    first = _start(wire.url, folder, image_id, "-o", "out.img")
    wait_until("a part has come", lambda: any(part.stat().st_size > 3 * MIB for part in folder.glob("*.part")))
    first.send_signal(signal.SIGKILL)
    first.communicate()
    assert not (folder / "out.img").exists()
    wire.stalls_after = None
    status, _, err = pull(wire.url, image_id, "-o", "out.img")
    assert status == 0, err
    assert_same_content(folder / "out.img", device)
    assert int(wire.ranges[-1].split("-")[0]) > 3 * MIB


def test_a_connection_that_brings_nothing_is_given_up_and_the_part_kept(
    pull: Pull, wire: Wire, image_id: int, folder: Path
) -> None:
    wire.cuts = [2 * MIB, *[0] * 5]
    status, _, err = pull(wire.url, image_id, "-o", "out.img")
    assert status == 1
    assert "Pull again to go on" in err
    (part,) = folder.glob("*.part")
    assert part.stat().st_size > MIB


@pytest.mark.slow
def test_an_image_that_was_stored_anew_meanwhile_is_not_put_together_of_both(
    pull: Pull, api: ApiProcess, image_id: int, folder: Path
) -> None:
    def _restart() -> None:
        api.stop()
        os.utime(next(settings().store_dir.glob("*/*.cacnk")))
        api.start()

    wire = Wire(api.port)
    wire.cuts, wire.on_cut = [2 * MIB], _restart
    status, _, err = pull(wire.url, image_id, "--format", "raw.zst", "-o", "out.zst")
    assert status == 1
    assert "stored anew" in err
    status, _, err = pull(wire.url, image_id, "--format", "raw.zst", "-o", "out.zst")
    assert status == 0, err
    wire.close()


def test_a_part_that_is_not_the_images_is_found_out_by_the_digest(
    pull: Pull, server: ServedApp, wire: Wire, image_id: int, device: Path, folder: Path
) -> None:
    wire.cuts = [2 * MIB, *[0] * 5]
    pull(wire.url, image_id, "-o", "out.img")
    (part,) = folder.glob("*.part")
    part.write_bytes(b"x" * part.stat().st_size)
    status, _, err = pull(server.url, image_id, "-o", "out.img")
    assert status == 1
    assert "SHA-256" in err
    assert list(folder.iterdir()) == []
    assert pull(server.url, image_id, "-o", "out.img")[0] == 0


def test_a_file_that_is_there_is_replaced_only_when_asked(
    pull: Pull, server: ServedApp, image_id: int, device: Path, folder: Path
) -> None:
    (folder / "out.img").write_text("mine")
    status, _, err = pull(server.url, image_id, "-o", "out.img")
    assert status == 1
    assert "--force" in err
    assert (folder / "out.img").read_text() == "mine"
    assert pull(server.url, image_id, "-o", "out.img", "--force")[0] == 0
    assert_same_content(folder / "out.img", device)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["unknown-70-ext4-1"], "There is no image 'unknown-70-ext4-1'."),
        (["99"], "There is no image '99'."),
        (["1", "--format", "vmdk"], "There are: raw, raw.zst, qcow2."),
        (["1", "-o", "/proc/nowhere/out.img"], "cannot be written"),
    ],
)
def test_what_cannot_be_pulled_is_said_in_a_sentence(
    pull: Pull, server: ServedApp, image_id: int, folder: Path, words: list[str], sentence: str
) -> None:
    status, _, err = pull(server.url, *words)
    assert status == 1
    assert sentence in err


def test_two_pulls_of_one_file_do_not_write_over_each_other(
    pull: Pull, wire: Wire, image_id: int, folder: Path
) -> None:
    wire.stalls_after = 2 * MIB
    first = _start(wire.url, folder, image_id, "-o", "out.img")
    wait_until("a part has come", lambda: any(part.stat().st_size > MIB for part in folder.glob("*.part")))
    status, _, err = pull(wire.url, image_id, "-o", "out.img")
    first.kill()
    first.communicate()
    assert status == 1
    assert "Another patina pull" in err
