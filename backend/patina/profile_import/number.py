"""Parses numbers as people and programs write them, with either meaning of the comma."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from patina.profile_import.refusal import shown

CommaMeaning = Literal["decimal", "groups"]

_POINT = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?")
_GROUPS = re.compile(r"[+-]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]+)?")
_UNITS = ("K", "M", "G", "T", "P")
_WITH_UNIT = re.compile(r"(?P<number>.*[0-9.])\s*(?:B|(?P<unit>[KMGTP])(?P<bytes>i?B)?)", re.IGNORECASE)
# Blanks between a number and its unit, in a line of columns that blanks separate.
_APART = re.compile(r"([0-9.])[ \t]+(?=(?:B|[KMGTP](?:i?B)?)(?:\s|$))", re.IGNORECASE)
# More digits than any double needs: such a text is an error or an attack.
MAX_NUMBER_LENGTH = 100


@dataclass(frozen=True)
class Unread:
    """Replaces a number that could not be parsed; has the message."""

    complaint: str


Cell = int | float | Unread


def comma_meaning(cells: Iterable[str]) -> CommaMeaning | None:
    """Returns the meaning of the commas in `cells`; None if it is unknown or ambiguous."""
    found: set[CommaMeaning] = set()
    for cell in cells:
        if len(cell) > MAX_NUMBER_LENGTH:
            continue
        if _GROUPS.fullmatch(cell):
            if cell.count(",") > 1 or "." in cell:
                found.add("groups")
        elif _COMMA.fullmatch(cell):
            found.add("decimal")
        elif "." in cell and _POINT.fullmatch(cell):
            found.add("groups")
    return found.pop() if len(found) == 1 else None


def joined_units(line: str) -> str:
    """Returns the line without the blanks before units: "4 KiB 100" is "4KiB 100"."""
    return _APART.sub(r"\1", line)


def without_unit(text: str) -> str:
    """Returns the number of a size such as "4 KiB", and any other text as it is."""
    found = _WITH_UNIT.fullmatch(text.strip()) if len(text) <= MAX_NUMBER_LENGTH else None
    return text if found is None else found["number"]


def bytes_of(text: str, comma: CommaMeaning | None = None) -> Cell:
    """Returns the bytes of a size as Patina and `du` write it (4 KiB, 4K, 4096 B), or of a number, or an Unread."""
    found = _WITH_UNIT.fullmatch(text.strip()) if len(text) <= MAX_NUMBER_LENGTH else None
    if found is None:
        return number_of(text, comma)
    if (found["bytes"] or "").lower() == "b":
        return Unread(f"{shown(text)} may count by 1000 or by 1024; write KiB, MiB or GiB, or the number of bytes")
    number = number_of(found["number"], comma)
    if isinstance(number, Unread) or found["unit"] is None:
        return number
    return number * float(1024 ** (_UNITS.index(found["unit"].upper()) + 1))


def number_of(text: str, comma: CommaMeaning | None = None) -> Cell:
    """Returns the number in `text`, or an Unread. NaN and infinity are numbers here, and refused later."""
    text = text.strip()
    if len(text) > MAX_NUMBER_LENGTH:
        return Unread(f"{shown(text)} is too long for a number")
    if _POINT.fullmatch(text):
        return float(text)
    if text.lower().lstrip("+-") in ("nan", "inf", "infinity"):
        return float(text)
    if _GROUPS.fullmatch(text) and (comma == "groups" or text.count(",") > 1 or "." in text):
        return float(text.replace(",", ""))
    if _COMMA.fullmatch(text):
        if comma == "decimal" or (comma is None and not _GROUPS.fullmatch(text)):
            return float(text.replace(",", "."))
        return Unread(f"the comma in {shown(text)} may part thousands or decimals; write it with a point, or without")
    return Unread(
        f"{shown(text)} is not a number; write digits, such as 4096 or 1.5e6" if text else "a number is missing"
    )
