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
