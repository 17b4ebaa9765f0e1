"""A received file, and its decoded text."""

import codecs
import io
from collections.abc import Iterator
from dataclasses import dataclass

from patina.profile_import.refusal import FileNotUnderstood

# Far above the limits of all formats; only a file of very short lines has as many.
MAX_LINES_COUNT = 500_000
_UTF_32_MARKS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class SourceFile:
    name: str
    content: bytes


@dataclass(frozen=True)
class SourceText:
    name: str
    text: str

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yields the lines that are not blank, with their number from 1, one at a time: there may be millions."""
        for number, line in enumerate(io.StringIO(self.text, newline=None), start=1):
            stripped = line.strip("\n")
            if stripped and not stripped.isspace():
                yield number, stripped


def text_of(file: SourceFile) -> SourceText:
    """Decodes UTF-8, or UTF-16 with a byte-order mark. Raises FileNotUnderstood otherwise."""
    content = file.content
    # UTF-32's byte-order mark begins with that of UTF-16.
    if content.startswith(_UTF_32_MARKS):
        raise FileNotUnderstood(f"{file.name} is UTF-32. Save it as UTF-8.")
    encoding = "utf-16" if content.startswith(_UTF_16_MARKS) else "utf-8-sig"
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FileNotUnderstood(
            f"{file.name} is not {encoding.removesuffix('-sig').upper()}: line {line} has a byte that cannot be there. "
            "Save it as UTF-8."
        ) from error
    if "\0" in text:
        raise FileNotUnderstood(
            f"{file.name} has NUL characters: it is no text, or UTF-16 without a byte-order mark. Save it as UTF-8."
        )
    if text.count("\n") + text.count("\r") > MAX_LINES_COUNT:
        raise FileNotUnderstood(f"{file.name} has more than {MAX_LINES_COUNT} lines. A histogram has 256 bins at most.")
    return SourceText(file.name, text)
