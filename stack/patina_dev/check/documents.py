"""Bounds the lines of documents, so that a change of one sentence is a change of few lines."""

import re
from collections.abc import Iterator, Mapping

COLUMNS_LIMIT = 100
_UNBROKEN = re.compile(r"\s*(?:\||#|!\[|```)|\s*(?:[-*]|\d+\.)?\s*\S+$")  # a table, a heading, a picture, one long word


def violations(files: Mapping[str, str]) -> list[str]:
    """One line for each line of a Markdown document that is too long and could be broken. Code is left out."""
    return [line for name, text in sorted(files.items()) if name.endswith(".md") for line in _of(name, text)]


def _of(name: str, text: str) -> Iterator[str]:
    is_code = False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code and len(line) > COLUMNS_LIMIT and not _UNBROKEN.match(line):
            yield f"{name}:{number}: {len(line)} columns; {COLUMNS_LIMIT} at most."
