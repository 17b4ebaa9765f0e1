"""Why nothing was read at all."""

from patina.errors import PatinaError


class FileNotUnderstood(PatinaError):
    code = "file_not_understood"
    status = 422
    title = "File not understood"


class FileTooLarge(PatinaError):
    code = "file_too_large"
    status = 413
    title = "File too large"


class ArchiveRefused(PatinaError):
    code = "archive_refused"
    status = 422
    title = "Archive refused"


def shown(text: str, limit: int = 24) -> str:
    """What a sentence shows of a hostile text: a few characters, all of them printable."""
    printable = "".join(c if c.isprintable() else "?" for c in text[:limit])
    return f"'{printable}...'" if len(text) > limit else f"'{printable}'"


def printable_name(text: str) -> str:
    """A file's name as it is told: its last part, printable, and not long."""
    last = text.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    return "".join(c if c.isprintable() else "?" for c in last[:200]) or "file"
