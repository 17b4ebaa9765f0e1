"""Reasons why nothing was read."""

from patina.errors import PatinaError

FileNotUnderstood = PatinaError.of("file_not_understood", "This file was not understood", status=422)
HistogramUnnamed = FileNotUnderstood.of("histogram_unnamed", "Which histogram is it?")
FileTooLarge = PatinaError.of("file_too_large", "The file is too large", status=413)
ArchiveRefused = PatinaError.of("archive_refused", "The archive was not opened", status=422)


def shown(text: str, limit: int = 24) -> str:
    """Returns a printable excerpt of a hostile text, for a message."""
    printable = "".join(c if c.isprintable() else "?" for c in text[:limit])
    return f"'{printable}...'" if len(text) > limit else f"'{printable}'"


def printable_name(text: str) -> str:
    """Returns a file's name for messages: its last part, printable, shortened."""
    last = text.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    return "".join(c if c.isprintable() else "?" for c in last[:200]) or "file"
