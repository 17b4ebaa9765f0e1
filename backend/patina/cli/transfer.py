"""Commands that take an image from one server to another: push, fetch."""

import fcntl
import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from patina.cli.client import AWAY, Client, Refused, naming_server
from patina.cli.intake import begin, import_file
from patina.cli.pull import IMAGE_HELP, ImageArgument, find_image
from patina.cli.server import address_of, split
from patina.cli.terminal import AsJson, console_for, show
from patina.figures import in_bytes

# After these a second try goes on with what the first has fetched and sent.
_GOES_ON = AWAY | {"connection_lost", "upload_under_way", "spool_full", "intake_quota_exceeded", "interrupted"}
_STALE_S = 7 * 24 * 3600

NewName = Annotated[str | None, typer.Option("--name", help="Name of the new image; the same by default.")]
IsWhole = Annotated[
    bool, typer.Option("--whole", help="Send all chunks, not only those that the server lacks: repairs damaged ones.")
]
IsPrivate = Annotated[
    bool | None,
    typer.Option(
        help="Only you and operators see the new image; by default if not everyone sees the image where it is."
    ),
]


def push_image(
    image: ImageArgument,
    server: Annotated[str, typer.Argument(help="Address of the other server, or its name in `patina servers`.")],
    name: NewName = None,
    is_whole: IsWhole = False,
    private: IsPrivate = None,
    as_json: AsJson = False,
) -> None:
    """Send an image to another server: only the chunks that it lacks.

    Run it again after an interruption: it goes on.
    """
    _transfer(Client(), image, Client(address_of(server)), name, is_whole=is_whole, private=private, as_json=as_json)


def fetch_image(
    image: Annotated[str, typer.Argument(metavar="SERVER/IMAGE", help=f"A server, a slash, and there: {IMAGE_HELP}")],
    name: NewName = None,
    is_whole: IsWhole = False,
    private: IsPrivate = None,
    as_json: AsJson = False,
) -> None:
    """Take an image of another server into the catalog of yours, as `patina image push` sends it there."""
    address, reference = split(image)
    if address is None:
        raise Refused(
            "usage", f"{image!r} names no other server. Write SERVER/IMAGE, with a server of `patina servers`."
        )
    _transfer(Client(address), reference, Client(), name, is_whole=is_whole, private=private, as_json=as_json)


def add_commands(app: typer.Typer) -> None:
    """Adds them to `patina image`."""
    app.command("push")(push_image)
    app.command("fetch")(fetch_image)


def _transfer(
    source: Client,
    reference: str,
    target: Client,
    name: str | None,
    *,
    is_whole: bool,
    private: bool | None,
    as_json: bool,
) -> None:
    from patina.cli.thin import make_thin_archive  # needs zstandard; no other command does

    with naming_server(source):
        image = find_image(source, reference)
    name = name or str(image["name"])
    is_private = image["visibility"] != "everyone" if private is None else private
    with _spooled(source, target, image, name, is_whole=is_whole) as folder:
        there = _there(target, image, name)
        if there is not None:
            said = f"{target.url} has {name} already, with the same digest. Nothing was sent."
        else:
            archive = folder / "image.oci.tar"
            if not archive.exists():
                make_thin_archive(source, target, image, archive, console_for(as_json), is_whole=is_whole)
            there = _sent(source, target, image, name, archive, console_for(as_json), is_private=is_private)
            said = f"{target.url} has {name}: {in_bytes(there['size_bytes'])}, "
            said += f"{in_bytes(there['intake']['file_bytes'])} sent"
    show(there, said, as_json=as_json)


def _there(target: Client, image: dict[str, Any], name: str) -> dict[str, Any] | None:
    """Returns the same image under this name, if the target has it. Refused if that is the name of another one."""
    with naming_server(target):
        try:
            there = find_image(target, name)
        except Refused as refusal:
            if refusal.code != "image_unknown":
                raise
            return None
        if there["name"] != name:  # a tag
            return None
        if there["index_digest"] != image["index_digest"]:
            raise Refused("image_name_taken", f"{name} is another image there. Name the new one with --name.")
        return there


def _sent(
    source: Client,
    target: Client,
    image: dict[str, Any],
    name: str,
    archive: Path,
    console: Console,
    *,
    is_private: bool,
) -> dict[str, Any]:
    """Returns the new image."""
    with naming_server(target):
        from_where = f"{source.url}/{image['name']}"
        intake = begin(
            target,
            archive,
            name=name,
            kind="foreign",
            source=from_where,
            image_format="oci.tar",
            is_private=is_private,
        )
        return import_file(target, archive, intake, console)


@contextmanager
def _spooled(source: Client, target: Client, image: dict[str, Any], name: str, *, is_whole: bool) -> Iterator[Path]:
    """Yields the folder of this transfer, which lasts until the transfer ends, and longer if it can go on."""
    parts = [source.url, target.url, image["index_digest"], image["manifest_digest"], name, is_whole]
    key = hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:16]
    transfers = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "patina" / "transfers"
    folder = transfers / key
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        _remove_stale(transfers)
        lock = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield folder
        except Refused as refusal:
            if refusal.code not in _GOES_ON:
                shutil.rmtree(folder)
            raise
        else:
            shutil.rmtree(folder)
        finally:
            os.close(lock)
    except BlockingIOError as error:
        raise Refused("transfer_under_way", f"Another command sends {name} to {target.url}. Wait for it.") from error
    except OSError as error:
        raise Refused(
            "write_failed", f"{folder}, which keeps what is to be sent, cannot be written: {error.strerror}."
        ) from error


def _remove_stale(transfers: Path) -> None:
    """Removes the folders of transfers that no command has gone on with for a week."""
    for folder in transfers.iterdir():
        with suppress(OSError):  # another command may be removing it
            written_at = max(path.stat().st_mtime for path in (folder, *folder.iterdir()))
            if time.time() - written_at > _STALE_S:
                shutil.rmtree(folder)
