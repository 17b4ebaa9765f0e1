"""Why nothing was read at all."""

from patina.errors import PatinaError

FileNotUnderstood = PatinaError.of("file_not_understood", "This file was not understood", status=422)
FileTooLarge = PatinaError.of("file_too_large", "The file is too large", status=413)
ArchiveRefused = PatinaError.of("archive_refused", "The archive was not opened", status=422)


def shown(text: str, limit: int = 24) -> str:
    """What a sentence shows of a hostile text: a few characters, all of them printable."""
    printable = "".join(c if c.isprintable() else "?" for c in text[:limit])
    return f"'{printable}...'" if len(text) > limit else f"'{printable}'"


def printable_name(text: str) -> str:
    """A file's name as it is told: its last part, printable, and not long."""
    last = text.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    return "".join(c if c.isprintable() else "?" for c in last[:200]) or "file"
