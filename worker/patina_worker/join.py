"""`patina-worker join URL --token - --name N`: makes this machine a host of a server, and runs its worker.
`patina-worker scan-folders --add FOLDER` allows a folder of it to be scanned.

The server's settings are kept in the state folder, readable by root only; `patina-worker start` uses them again. Only
this machine's own settings decide which devices may be aged and which folders scanned.
"""

import argparse
import json
import os
import re
import ssl
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import NoReturn

EXIT_REFUSED = 78  # sysexits: configuration error
EXIT_UNREACHABLE = 69  # sysexits: service unavailable
TIMEOUT_S = 15
# A server may set these and no others: the rest of the environment belongs to the machine.
TOLD = frozenset(
    {
        "DATABASE_URL",
        "REDIS_URL",
        "PATINA_HOST_NAME",
        "PATINA_LEASE_S",
        "PATINA_HOST_SILENCE_S",
        "PATINA_GC_GRACE_S",
        "PATINA_STORE_BUCKET",
        "PATINA_STORE_PREFIX",
        "PATINA_STORE_ENDPOINT",
        "PATINA_STORE_REGION",
        "PATINA_STORE_ACCESS_KEY",
        "PATINA_STORE_SECRET_KEY",
    }
)
_VALUE = re.compile(r"[^\x00-\x1f\x7f]*")
_DEFAULT_STATE_DIR = Path(__file__).resolve().parents[2] / ".state"


def _leave(why: str, code: int) -> NoReturn:
    sys.stderr.write(f"patina-worker: {why}\n")
    sys.exit(code)


def _settings_file(state_dir: Path) -> Path:
    return state_dir / "worker.json"


def _ask(url: str, token: str, name: str, ca: Path | None) -> dict[str, str]:
    """Returns the server's answer to a join, or ends this process with the server's message."""
    body = json.dumps({"token": token, "name": name}).encode()
    address = f"{url.rstrip('/')}/api/v1/hosts/join"
    if not address.startswith(("http://", "https://")):
        _leave(f"{url} is no address of a server: it begins with https:// or http://.", EXIT_REFUSED)
    request = urllib.request.Request(address, data=body, headers={"Content-Type": "application/json"})
    context = ssl.create_default_context(cafile=ca) if address.startswith("https://") else None
    try:
        with urllib.request.urlopen(request, timeout=TIMEOUT_S, context=context) as answer:
            told = json.load(answer)["environment"]
    except urllib.error.HTTPError as error:
        _leave(f"{url} refuses: {_detail_of(error)}", EXIT_REFUSED)
    except (OSError, ValueError, KeyError) as error:
        _leave(f"{url} does not answer as a Patina server does: {error}", EXIT_UNREACHABLE)
    if not set(told) <= TOLD or not all(isinstance(v, str) and _VALUE.fullmatch(v) for v in told.values()):
        _leave(f"{url} sends settings unknown to this version. Nothing was kept.", EXIT_REFUSED)
    return {key: str(value) for key, value in told.items()}


def _detail_of(error: urllib.error.HTTPError) -> str:
    try:
        return str(json.load(error)["detail"])
    except (ValueError, KeyError):
        return f"{error.code} {error.reason}"


def _keep(state_dir: Path, told: dict[str, str]) -> None:
    """Writes the settings file atomically, readable by root only."""
    state_dir.mkdir(parents=True, exist_ok=True, mode=0o755)
    temporary = state_dir / f"worker.json.{os.getpid()}"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        json.dump(told, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(_settings_file(state_dir))


def _read(state_dir: Path) -> dict[str, str]:
    path = _settings_file(state_dir)
    try:
        found = path.stat()
        told = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        _leave(f"This machine has not joined a server ({path} is not there). Use `patina-worker join`.", EXIT_REFUSED)
    except ValueError as error:
        _leave(f"{path} is damaged ({error}). Join again.", EXIT_REFUSED)
    if found.st_uid != os.geteuid() or found.st_mode & 0o077:
        _leave(f"{path} holds passwords, and others may read or write it: chmod 600 it, owned by root.", EXIT_REFUSED)
    return {name: value for name, value in told.items() if name in TOLD}


def _check_reach() -> None:
    """Checks that the database, with the right schema, and the broker answer; ends the process if not."""
    import redis
    from sqlalchemy.exc import SQLAlchemyError

    from patina import revision
    from patina.db import engine, transaction
    from patina.errors import PatinaError
    from patina.host.service import access_required
    from patina.settings import settings

    try:
        with access_required(), transaction() as session:
            revision.require(session=session)
    except PatinaError as error:
        _leave(error.message, EXIT_REFUSED)
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", error)).strip().partition("\n")[0]
        where = engine().url.render_as_string(hide_password=True)
        _leave(f"The database {where} cannot be reached from here: {reason}", EXIT_UNREACHABLE)
    try:
        redis.Redis.from_url(settings().redis_url, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S).ping()
    except (redis.RedisError, OSError) as error:
        where = re.sub(r"//[^@/]*@", "//***@", settings().redis_url)
        _leave(f"The broker {where} cannot be reached from here: {error}", EXIT_UNREACHABLE)


def _start(state_dir: Path) -> NoReturn:
    """Replaces this process with the worker."""
    os.environ.update(_read(state_dir), PATINA_STATE_DIR=str(state_dir))
    os.environ["PYTHONSAFEPATH"] = "1"  # the state folder may belong to any account
    os.environ.setdefault("LC_ALL", "C.UTF-8")
    os.environ.setdefault("PGCONNECT_TIMEOUT", str(TIMEOUT_S))
    _check_reach()
    from patina_worker.command import worker_command

    argv = worker_command()
    os.chdir(state_dir)
    os.execv(argv[0], argv)


def parser() -> argparse.ArgumentParser:
    """Returns the command line."""
    made = argparse.ArgumentParser(prog="patina-worker", description="Make this machine a host of a Patina server.")
    commands = made.add_subparsers(dest="command", required=True)
    join = commands.add_parser("join", help="join a server, then run the worker in the foreground")
    join.add_argument("url", help="of the server, such as https://patina.lab:8040")
    join.add_argument("--token", required=True, help="a file with the token; -: the standard input")
    join.add_argument("--name", required=True, help="what this host is called from now on")
    join.add_argument("--ca", type=Path, help="certificates that the server's is checked against")
    join.add_argument("--no-start", action="store_true", help="keep the settings; start the worker by `start`")
    start = commands.add_parser("start", help="run the worker of a machine that has joined, in the foreground")
    folders = commands.add_parser("scan-folders", help="list the folders that may be scanned here, or change them")
    folders.add_argument("--add", action="append", default=[], metavar="FOLDER", help="allow it; repeatable")
    folders.add_argument("--remove", action="append", default=[], metavar="FOLDER", help="take it back; repeatable")
    state_dir = Path(os.environ.get("PATINA_STATE_DIR", _DEFAULT_STATE_DIR))
    for each in (join, start, folders):
        each.add_argument("--state-dir", type=Path, default=state_dir)
    return made


def _token_in(file: str) -> str:
    """Reads the token. It is no argument: every user sees command lines, and the token gives access to the database."""
    try:
        with sys.stdin if file == "-" else open(file, encoding="utf-8") as source:
            return source.readline().strip()
    except OSError as error:
        _leave(
            f"--token names a file, or - for the standard input, and not the token itself: {error.strerror}. "
            "Use `echo TOKEN | sudo bin/patina-worker join URL --token - --name NAME`.",
            EXIT_REFUSED,
        )


def _change_scan_folders(state_dir: Path, added: list[str], removed: list[str]) -> None:
    """Prints the folders of this host's file, one a line, after the change."""
    from patina_worker.host import scan_folder_file

    state_dir.mkdir(parents=True, exist_ok=True, mode=0o755)
    try:
        allowed = scan_folder_file.change(state_dir, added=added, removed=removed)
    except (scan_folder_file.FileUntrusted, scan_folder_file.FolderRefused, OSError) as error:
        _leave(str(error), EXIT_REFUSED)
    sys.stdout.write("".join(f"{folder}\n" for folder in allowed))


def main() -> None:
    """Becomes the worker, or ends with one sentence."""
    arguments = parser().parse_args()
    if os.geteuid() != 0:
        _leave("The worker formats and mounts devices: run this as root.", EXIT_REFUSED)
    state_dir = arguments.state_dir.resolve()
    if arguments.command == "scan-folders":
        _change_scan_folders(state_dir, arguments.add, arguments.remove)
        return
    if arguments.command == "join":
        _keep(state_dir, _ask(arguments.url, _token_in(arguments.token), arguments.name, arguments.ca))
        sys.stdout.write(f"This machine is host {arguments.name} of {arguments.url}. Settings: {state_dir}\n")
        sys.stdout.flush()
        if arguments.no_start:
            return
    _start(state_dir)


if __name__ == "__main__":
    main()
