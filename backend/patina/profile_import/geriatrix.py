"""Reads one of Geriatrix's three texts: a count, then as many rows of numbers separated by blanks."""

import re

from patina.profile.histogram import MAX_BINS_COUNT, HistogramName
from patina.profile_import.draft import Draft, Row
from patina.profile_import.number import Unread, number_of
from patina.profile_import.refusal import shown
from patina.profile_import.source import SourceText

# Geriatrix's own file names first: its `dir` is the depth.
_NAMES: tuple[tuple[str, HistogramName], ...] = (("size", "size"), ("dir", "depth"), ("depth", "depth"), ("age", "age"))
_COLUMNS_COUNT: dict[HistogramName, int] = {"size": 2, "depth": 3, "age": 2}
_COUNT = re.compile(r"[+-]?[0-9.eE+-]+|[+-]?(nan|inf|infinity)", re.IGNORECASE)


def histogram_of(source: SourceText) -> HistogramName | None:
    """Returns the histogram of the text, by its name and first line; None if it is none of the three texts."""
    words = re.split(r"[^a-z]+", source.name.lower())
    first = next(source.lines(), None)
    if first is None or not _COUNT.fullmatch(first[1].strip()):
        return None
    return next((histogram for word, histogram in _NAMES if word in words), None)


def read_geriatrix(draft: Draft, source: SourceText, histogram: HistogramName) -> None:
    """Reads the rows into `draft`. As in Geriatrix, lines after them are ignored."""
    if not draft.begin(histogram, source.name):
        return
    lines = source.lines()
    first_line, first = next(lines)
    count = number_of(first)
    is_count = not isinstance(count, Unread) and 1 <= count <= MAX_BINS_COUNT and count == int(count)
    if not is_count:
        draft.say(
            source.name,
            first_line,
            f"The first line announces {shown(first.strip())} rows; a histogram has 1 to {MAX_BINS_COUNT}. "
            "Write how many there are. The rows that are there were read.",
        )
    rows_count = int(count) if is_count and not isinstance(count, Unread) else None
    read_count = 0
    for number, line in lines:
        if read_count == rows_count:
            draft.say(source.name, number, f"Lines after the {rows_count} announced rows were not read.")
            return
        if draft.is_full:
            draft.say_full(source.name, number)
            return
        _add(draft, source.name, histogram, number, line)
        read_count += 1
    if rows_count is not None and read_count < rows_count:
        draft.say(source.name, first_line, f"The first line announces {rows_count} rows, but {read_count} are there.")


def _add(draft: Draft, file: str, histogram: HistogramName, number: int, line: str) -> None:
    expected = _COLUMNS_COUNT[histogram]
    # One field beyond the expected number detects an excess; the rest of a hostile line is not split.
    cells = line.split(None, expected)
    if len(cells) != expected:
        named = "depth, weight and number of directories" if expected == 3 else f"{histogram} and weight"
        found = len(cells) if len(cells) < expected else "more"
        draft.tell(
            histogram, file, number, None, None, None, f"a row has {expected} numbers, {named}; here are {found}"
        )
        return
    numbers = [number_of(cell) for cell in cells]
    draft.add(Row(histogram, file, number, numbers[0], numbers[1], numbers[2] if expected == 3 else None))
