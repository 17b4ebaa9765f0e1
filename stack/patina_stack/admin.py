"""`patina-admin backup|restore FOLDER`: the server's data, saved into a folder and brought back from it.
`patina-admin link [ACCOUNT]`: access to an account whose password is lost."""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

from patina.figures import in_bytes
from patina_stack import PROJECT_DIR
from patina_stack.account import AccountMissing
from patina_stack.application import Application
from patina_stack.backup import back_up, note_of, restore
from patina_stack.lock import locked
from patina_stack.process import ProcessFailed
from patina_stack.services import ServiceMissing


def _backup(application: Application, folder: Path) -> str:
    note = back_up(
        database_url=_database_url(application),
        state_dir=application.state_dir,
        manifest_key=application.manifest_key,
        folder=folder,
    )
    kept = note["files_count"] - note["copied_count"]
    return (
        f"{_images(note)} of schema {note['database_revision']} are in {folder}: {note['copied_count']} files of "
        f"{in_bytes(note['copied_bytes'])} copied, {kept} unchanged, {note['removed_count']} removed."
    )


def _restore(application: Application, folder: Path) -> str:
    with locked(application.state_dir / "lock"):
        return _restore_alone(application, folder)


def _restore_alone(application: Application, folder: Path) -> str:
    running = [part.name for part in (application.api, application.worker) if part.pid() is not None]
    if running:
        raise ProcessFailed(f"Patina runs here ({', '.join(running)}). End it with `make stop` first.")
    note_of(folder)
    if application.services is not None:
        application.services.start()
    note = restore(
        database_url=_database_url(application),
        state_dir=application.state_dir,
        manifest_key=application.manifest_key,
        account=application.account,
        folder=folder,
    )
    said = f"{_images(note)} of {note['finished_at']} are restored, {note['files_count']} files."
    if note["damaged"]:
        raise ProcessFailed(f"{said} The backup lacks chunks of: {', '.join(note['damaged'])}.")
    return f"{said} `make run` starts Patina."


def _link(application: Application, name: str | None) -> str:
    url = os.environ.get("PATINA_URL") or (application.url if application.api.pid() else None)
    if url is None:
        raise ProcessFailed("Patina does not run here. Start it with `make run` first.")
    token = application.access("link", *filter(None, [name]))["token"]
    if token is None:
        raise ProcessFailed(f"There is no open account {name!r}.")
    return f"{url}/enter#{token}"


def _images(note: dict[str, Any]) -> str:
    return f"{note['images_count']} {'image' if note['images_count'] == 1 else 'images'}"


def _database_url(application: Application) -> str:
    return application.environment()["DATABASE_URL"]


def parser() -> argparse.ArgumentParser:
    """Returns the command line."""
    made = argparse.ArgumentParser(prog="patina-admin", description="Administer the Patina server of this machine.")
    made.add_argument("--state-dir", type=Path, help="the state folder; that of this checkout by default")
    commands = made.add_subparsers(required=True, metavar="backup|restore|link")
    for name, run, described in (
        ("backup", _backup, "save database and images into a folder; copies only new files into an earlier backup"),
        ("restore", _restore, "bring a backup back into an empty installation"),
    ):
        command = commands.add_parser(name, help=described, description=described)
        command.add_argument("folder", type=Path)
        command.set_defaults(run=lambda application, given, run=run: run(application, given.folder.resolve()))
    described = "print a link, for one use within a day, that signs in to an account; by default to the first owner"
    command = commands.add_parser("link", help=described, description=described)
    command.add_argument("account", nargs="?")
    command.set_defaults(run=lambda application, given: _link(application, given.account))
    return made


def main() -> int:
    """Runs one command."""
    arguments = parser().parse_args()
    given = arguments.state_dir or Path(os.environ.get("PATINA_STATE_DIR", PROJECT_DIR / ".state"))
    state_dir = given.resolve()
    state_dir.mkdir(parents=True, exist_ok=True, mode=0o755)
    try:
        print(arguments.run(Application(state_dir=state_dir), arguments))
    except (AccountMissing, ProcessFailed, ServiceMissing) as error:
        print(f"patina-admin: {error}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"patina-admin: {error.filename2 or error.filename}: {error.strerror}.", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
