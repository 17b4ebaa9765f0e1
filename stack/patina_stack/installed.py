"""`python -m patina_stack.installed credentials|database`: an installation from the Debian packages.

Its roles and its database are in the PostgreSQL of the machine, which the account `postgres` administers without a
password; its Redis is a server of its own. Each credential is a file that root alone can read. systemd gives a unit the
ones that it names.
"""

import argparse
import json
import os
import secrets
import sys
from pathlib import Path

import psycopg
from sqlalchemy import URL, make_url

from patina.image.signature import new_private_key
from patina.role_names import API_ROLE, HOST_ROLE
from patina_stack import roles
from patina_stack.process import ProcessFailed
from patina_stack.services import REDIS_RIGHTS

CREDENTIALS = Path("/etc/patina/credentials")
REDIS_PORT = 8041
# Addresses of a server on this machine: in the database of another one its administrator makes the roles.
_HERE = ("127.0.0.1", "localhost", "::1")
_URL_FILES = {
    roles.APPLICATION: "database-owner-url",
    API_ROLE: "database-api-url",
    HOST_ROLE: "database-host-url",
}


def make_credentials(folder: Path, state_dir: Path, port: int) -> None:
    """Writes what is missing of the credentials, and of the settings of the worker on the server. `port` is that of
    PostgreSQL."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    state_dir.mkdir(parents=True, exist_ok=True, mode=0o755)
    for role, name in _URL_FILES.items():
        url = URL.create("postgresql+psycopg", role, _password(), "127.0.0.1", port, "patina")
        _write_once(folder / name, url.render_as_string(hide_password=False))
    password = _password()
    _write_once(folder / "redis-url", f"redis://patina:{password}@127.0.0.1:{REDIS_PORT}/0")
    kept = make_url((folder / "redis-url").read_text(encoding="utf-8")).password
    _write_once(folder / "redis.acl", f"user default off\nuser patina on >{kept} {REDIS_RIGHTS}\n")
    _write_once(folder / "manifest-key", new_private_key())
    # For hosts that join: empty until an administrator fills them in.
    _write_once(folder / "advertised-database-url", "")
    _write_once(folder / "advertised-redis-url", "")
    worker = {
        "DATABASE_URL": (folder / _URL_FILES[HOST_ROLE]).read_text(encoding="utf-8"),
        "REDIS_URL": (folder / "redis-url").read_text(encoding="utf-8"),
    }
    _write_once(state_dir / "worker.json", json.dumps(worker, indent=1))


def make_database(folder: Path) -> str:
    """Makes missing roles and the database, and sets the passwords, as the account of PostgreSQL. Returns what was
    done. Raises ProcessFailed."""
    urls = {role: make_url((folder / name).read_text(encoding="utf-8")) for role, name in _URL_FILES.items()}
    owner = urls[roles.APPLICATION]
    if owner.host not in _HERE:
        return f"The database is on {owner.host}: its administrator makes the roles."

    def _connect(database: str) -> psycopg.Connection:
        return psycopg.connect(dbname=database, port=owner.port or 5432, autocommit=True)

    try:
        roles.make(_connect, {role: str(url.password) for role, url in urls.items()})
    except psycopg.OperationalError as error:
        raise ProcessFailed(
            f"PostgreSQL does not answer at port {owner.port}: {error}. Start it with `systemctl start postgresql`, "
            "or write its port into /etc/patina/credentials."
        ) from error
    return f"The roles and the database are in the PostgreSQL at port {owner.port}."


def _password() -> str:
    return secrets.token_urlsafe(24)


def _write_once(path: Path, text: str) -> None:
    """Writes a file that only root can read, unless there is one."""
    if path.exists():
        return
    temporary = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    temporary.replace(path)


def main() -> int:
    """Runs one command."""
    parser = argparse.ArgumentParser(prog="patina_stack.installed", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("credentials").add_argument("--port", type=int, default=5432)
    commands.add_parser("database")
    arguments = parser.parse_args()
    if arguments.command == "credentials":
        make_credentials(CREDENTIALS, Path("/var/lib/patina"), arguments.port)
        return 0
    try:
        print(make_database(Path(os.environ["CREDENTIALS_DIRECTORY"])))
    except ProcessFailed as error:
        print(f"patina: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
