"""Reads tables: CSV with a heading, and columns pasted from a spreadsheet."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from patina.profile.histogram import HistogramName
from patina.profile_import.draft import MAX_ROWS_COUNT, Draft, Row
from patina.profile_import.number import (
    Cell,
    CommaMeaning,
    Unread,
    bytes_of,
    comma_meaning,
    joined_units,
    number_of,
    without_unit,
)
from patina.profile_import.refusal import shown
from patina.profile_import.source import SourceText

_HISTOGRAMS: dict[str, HistogramName] = {"size": "size", "depth": "depth", "age": "age"}
# Accepted headings of each column.
_COLUMNS = {
    "histogram": "histogram",
    "edge": "edge",
    "bytes": "edge",
    "size": "edge",
    "depth": "edge",
    "age": "edge",
    "weight": "weight",
    "count": "weight",
    "files": "weight",
    "subdirs": "subdirs",
}
# Headings of the edge that name the histogram of the table.
_HISTOGRAM_OF_EDGE: dict[str, HistogramName] = {"bytes": "size", "size": "size", "depth": "depth", "age": "age"}
_PLACES = {"edge": 0, "weight": 1, "subdirs": 2}
# More cells than any row has; the rest of a hostile line is not split.
_MAX_CELLS_COUNT = 16
_SAMPLE_LINES_COUNT = 50


@dataclass(frozen=True)
class Table:
    """Format of a table, detected in its first lines. `separator` is None for blanks; `places` are its columns;
    `histogram` is the one that the heading of the edge names."""

    source: SourceText
    separator: str | None
    has_heading: bool
    places: dict[str, int]
    histogram: HistogramName | None

    @property
    def names_histograms(self) -> bool:
        """Returns whether each row names its histogram."""
        return "histogram" in self.places

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yields cells by line, without the heading."""
        return _cells(self.source, self.separator, skipped_count=1 if self.has_heading else 0)


def table_of(source: SourceText) -> Table | None:
    """Returns the format of the table; None if it has no rows of numbers."""
    separator = _separator(source)
    sample = list(islice(_cells(source, separator), _SAMPLE_LINES_COUNT))
    if not sample:
        return None
    first = sample[0][1]
    places = _named_places(first)
    # A row with a digit is data, or an error in it: it is not left out as a heading.
    has_heading = places is not None or not any(c.isdigit() for cell in first for c in cell)
    has_rows = any(len(cells) >= 2 and any(_is_numeric(cell) for cell in cells) for _, cells in sample)
    if not has_rows and places is None:
        return None
    places = places or _PLACES
    heading = first[places["edge"]].strip().lower() if has_heading and places["edge"] < len(first) else ""
    return Table(source, separator, has_heading, places, _HISTOGRAM_OF_EDGE.get(heading))


def histogram_of_columns(table: Table) -> HistogramName | None:
    """Returns the histogram of columns that the heading names. Without one three columns are depths; two could be sizes
    or ages, so None."""
    if table.histogram is not None:
        return table.histogram
    counts = {len(cells) for _, cells in islice(table.rows(), _SAMPLE_LINES_COUNT)}
    return "depth" if counts == {3} else None


def read_table(draft: Draft, table: Table, histogram: HistogramName | None) -> None:
    """Reads the rows into `draft`: into the histogram that each names, or else `histogram`."""
    name = table.source.name
    if table.has_heading and not table.names_histograms:
        line, text = next(table.source.lines())
        draft.say(name, line, f"{shown(text, 60)} was taken as a heading and skipped.")
    comma = comma_meaning(
        without_unit(cell.strip()) for _, cells in islice(table.rows(), MAX_ROWS_COUNT) for cell in cells
    )
    for line, cells in table.rows():
        if draft.is_full:
            draft.say_full(name, line)
            return
        _add(draft, table, line, cells, histogram, comma)


def _add(
    draft: Draft,
    table: Table,
    line: int,
    cells: list[str],
    histogram: HistogramName | None,
    comma: CommaMeaning | None,
) -> None:
    file = table.source.name

    def cell(column: str) -> str:
        place = table.places.get(column)
        return cells[place].strip() if place is not None and place < len(cells) else ""

    problem = None
    if table.names_histograms:
        histogram = _HISTOGRAMS.get(cell("histogram").lower())
        if histogram is None:
            problem = f"{shown(cell('histogram'))} is no histogram; write size, depth or age"
    edge = (bytes_of if histogram == "size" else number_of)(cell("edge"), comma)
    weight = number_of(cell("weight"), comma)
    subdirs = number_of(cell("subdirs"), comma) if cell("subdirs") else None
    if problem is None and len(cells) > max(table.places.values()) + 1:
        problem = (
            f"{len(cells)} columns are more than a row has; if a comma parts decimals, "
            "part the columns by tabs or semicolons"
        )
    if histogram is None or problem is not None:
        draft.tell(histogram, file, line, _known(edge), _known(weight), _known(subdirs), problem)
    elif draft.begin(histogram, file):
        is_depth = histogram == "depth"
        draft.add(Row(histogram, file, line, edge, weight, subdirs if is_depth else None))


def _known(cell: Cell | None) -> Cell | None:
    return None if isinstance(cell, Unread) else cell


def _separator(source: SourceText) -> str | None:
    """Returns the first used of tab, semicolon and comma, unless the commas are within numbers separated by blanks."""
    sample = [line for _, line in islice(source.lines(), _SAMPLE_LINES_COUNT)]
    for separator in ("\t", ";"):
        if any(separator in line for line in sample):
            return separator
    if not any("," in line for line in sample):
        return None
    return None if all(_is_parted_by_blanks(line) for line in sample) else ","


def _is_parted_by_blanks(line: str) -> bool:
    cells = line.split(None, _MAX_CELLS_COUNT)
    return len(cells) in (2, 3) and not any(cell.startswith(",") or cell.endswith(",") for cell in cells)


def _cells(source: SourceText, separator: str | None, skipped_count: int = 0) -> Iterator[tuple[int, list[str]]]:
    """Yields cells line by line: an unclosed quotation mark affects only its own line."""
    for number, line in islice(source.lines(), skipped_count, None):
        if separator is None:
            cells = joined_units(line).split(None, _MAX_CELLS_COUNT)
        else:
            try:
                cells = next(csv.reader([line], delimiter=separator, skipinitialspace=True))[: _MAX_CELLS_COUNT + 1]
            except csv.Error:
                cells = [line]
        while cells and not cells[-1].strip():
            cells.pop()
        if cells:
            yield number, cells


def _named_places(cells: list[str]) -> dict[str, int] | None:
    """Returns the places of edge and weight by the heading; None if it does not name them."""
    words = [cell.strip().lower() for cell in cells]
    places: dict[str, int] = {}
    for place, word in enumerate(words):
        column = _COLUMNS.get(word)
        if column is not None:
            places.setdefault(column, place)
    return places if {"edge", "weight"} <= places.keys() else None


def _is_numeric(cell: str) -> bool:
    stripped = without_unit(cell.strip())
    return any(c.isdigit() for c in stripped) and not isinstance(number_of(stripped, "decimal"), Unread)
