"""The access tokens of the command: one for each server, in a file that only its user can read."""

import json
import os
from pathlib import Path


def authorization(url: str) -> dict[str, str]:
    """Returns the header for requests to the server: of PATINA_TOKEN, or of the token that `patina sign-in` kept."""
    token = os.environ.get("PATINA_TOKEN") or _kept().get(url)
    return {"Authorization": f"Bearer {token}"} if token else {}


def keep_token(url: str, token: str) -> None:
    """Keeps the token of a server for later commands."""
    _write(_kept() | {url: token})


def forget_token(url: str) -> None:
    """Removes the token of a server."""
    _write({known: token for known, token in _kept().items() if known != url})


def file() -> Path:
    """Returns the file of the tokens."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config") / "patina" / "tokens.json"


def _kept() -> dict[str, str]:
    try:
        kept = json.loads(file().read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return {}
    return {str(url): str(token) for url, token in kept.items()} if isinstance(kept, dict) else {}


def _write(tokens: dict[str, str]) -> None:
    path = file()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    new = path.with_name(f"{path.name}.{os.getpid()}")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "w") as kept:
        json.dump(tokens, kept, indent=2)
    new.replace(path)
