"""The access tokens of the command: one for each server, in a file that only its user can read. The names that the user
has given to servers are in a file beside it."""

import json
import os
from pathlib import Path


def authorization(url: str, *, is_default: bool) -> dict[str, str]:
    """Returns the header for requests to the server: of PATINA_TOKEN, which is of the default server alone, or of the
    token that `patina sign-in` kept."""
    token = (os.environ.get("PATINA_TOKEN") if is_default else None) or _read(file()).get(url)
    return {"Authorization": f"Bearer {token}"} if token else {}


def keep_token(url: str, token: str, name: str | None = None) -> None:
    """Keeps the token of a server for later commands, and the name of the server, if it has one."""
    _write(file(), _read(file()) | {url: token})
    if name is not None:
        _write(_names_file(), kept_names() | {name: url})


def forget_token(url: str) -> None:
    """Removes the token and the names of a server."""
    _write(file(), {known: token for known, token in _read(file()).items() if known != url})
    if url in kept_names().values():
        _write(_names_file(), {name: known for name, known in kept_names().items() if known != url})


def kept_servers() -> list[str]:
    """Returns the addresses of the servers whose tokens are kept."""
    return sorted(_read(file()))


def kept_names() -> dict[str, str]:
    """Returns the addresses of the servers that have a name, by name."""
    return _read(_names_file())


def file() -> Path:
    """Returns the file of the tokens."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "patina" / "tokens.json"


def _names_file() -> Path:
    return file().with_name("servers.json")


def _read(path: Path) -> dict[str, str]:
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return {}
    return {str(key): str(value) for key, value in kept.items()} if isinstance(kept, dict) else {}


def _write(path: Path, kept: dict[str, str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = path.with_name(f"{path.name}.{os.getpid()}")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "w") as written:
        json.dump(kept, written, indent=2)
    new.replace(path)
