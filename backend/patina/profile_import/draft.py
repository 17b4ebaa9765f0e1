"""A profile under construction while a file is read; the only place where rows are validated, for all formats."""

import math
from dataclasses import dataclass, field

from patina.profile.histogram import (
    MAX_AGE,
    MAX_BINS_COUNT,
    MAX_BYTES,
    MAX_DEPTH,
    MAX_DIRECTORIES_COUNT,
    MAX_WEIGHT,
    AgeBin,
    DepthBin,
    HistogramName,
    SizeBin,
)
from patina.profile_import.number import Cell, Unread
from patina.profile_import.schemas import ReadHistograms, ReadingProblem, ReadingRow

MAX_ROWS_COUNT = 4096
MAX_PROBLEMS_COUNT = 200
_EDGE_WORDS: dict[HistogramName, str] = {"size": "size", "depth": "depth", "age": "age"}
_EDGE_LIMITS: dict[HistogramName, float] = {"size": MAX_BYTES, "depth": MAX_DEPTH, "age": MAX_AGE}


@dataclass(frozen=True)
class Row:
    """One row of a file. `subdirs` is None without such a cell."""

    histogram: HistogramName
    file: str
    line: int
    edge: Cell
    weight: Cell
    subdirs: Cell | None = None


@dataclass
class _Column:
    """The valid rows of one histogram so far."""

    file: str
    rows: list[Row] = field(default_factory=list)
    directories_count: int = 0


class Draft:
    """Rows, problems, and the bins of the valid rows. `is_full` requests a reader to stop."""

    def __init__(self) -> None:
        self.rows: list[ReadingRow] = []
        self.problems: list[ReadingProblem] = []
        self.title: str | None = None
        self.description: str | None = None
        self.source: str | None = None
        self._columns: dict[HistogramName, _Column] = {}
        self._refused: set[tuple[HistogramName, str]] = set()

    @property
    def is_full(self) -> bool:
        """Returns whether the maximum of reported rows was read."""
        return len(self.rows) >= MAX_ROWS_COUNT

    def say(self, file: str, line: int | None, message: str) -> None:
        """Adds a message on the file."""
        if len(self.problems) < MAX_PROBLEMS_COUNT:
            self.problems.append(ReadingProblem(file=file, line=line, message=message))

    def say_full(self, file: str, line: int) -> None:
        """Adds a message that the rest of the file is not read."""
        self.say(file, line, f"Only the first {MAX_ROWS_COUNT} rows were read. A histogram has {MAX_BINS_COUNT} bins.")

    def begin(self, histogram: HistogramName, file: str) -> bool:
        """Returns whether `file` may add rows of `histogram`: only the first file with it may."""
        column = self._columns.setdefault(histogram, _Column(file))
        if column.file != file and (histogram, file) not in self._refused:
            self._refused.add((histogram, file))
            self.say(file, None, f"The {histogram} histogram is in {column.file} already. Take one of the two.")
        return column.file == file

    def add(self, row: Row) -> None:
        """Validates the row, reports it, and keeps it if it is valid."""
        problem = self._problem(row)
        if problem is None:
            column = self._columns.setdefault(row.histogram, _Column(row.file))
            column.rows.append(row)
            if row.histogram == "depth":
                column.directories_count += _whole(row.subdirs)
        self.tell(row.histogram, row.file, row.line, row.edge, row.weight, row.subdirs, problem)

    def tell(
        self,
        histogram: HistogramName | None,
        file: str,
        line: int,
        edge: Cell | None,
        weight: Cell | None,
        subdirs: Cell | None,
        problem: str | None,
    ) -> None:
        """Adds a row to the report."""
        told = ReadingRow(
            histogram=histogram,
            file=file,
            line=line,
            edge=_finite(edge),
            weight=_finite(weight),
            subdirs=_finite(subdirs),
            problem=problem,
        )
        self.rows.append(told)

    def histograms(self) -> ReadHistograms:
        """Returns the bins of the valid rows."""
        rows = {name: self._columns[name].rows if name in self._columns else [] for name in _EDGE_WORDS}
        return ReadHistograms(
            size=[SizeBin(bytes=_whole(r.edge), weight=_number(r.weight)) for r in rows["size"]],
            depth=[
                DepthBin(depth=_whole(r.edge), weight=_number(r.weight), subdirs=_whole(r.subdirs))
                for r in rows["depth"]
            ],
            age=[AgeBin(age=_number(r.edge), weight=_number(r.weight)) for r in rows["age"]],
        )

    def _problem(self, row: Row) -> str | None:
        return (
            _problem_of_edge(row)
            or _problem_of_quantity("weight", row.weight, MAX_WEIGHT)
            or (_problem_of_subdirs(row) if row.histogram == "depth" else None)
            or self._problem_of_place(row)
        )

    def _problem_of_place(self, row: Row) -> str | None:
        column = self._columns.get(row.histogram)
        if column is None or not column.rows:
            return None
        last = column.rows[-1]
        edge, before = _number(row.edge), _number(last.edge)
        word = _EDGE_WORDS[row.histogram]
        if edge == before:
            return f"the {word} {_written(edge)} is in line {last.line} already; add the weights up in one row"
        if edge < before:
            return (
                f"the {word} {_written(edge)} is not above {_written(before)} of line {last.line}; "
                "sort the rows by it, or mend that line"
            )
        if len(column.rows) >= MAX_BINS_COUNT:
            return f"a histogram has {MAX_BINS_COUNT} bins at most; merge some"
        if row.histogram == "depth" and column.directories_count + _whole(row.subdirs) > MAX_DIRECTORIES_COUNT:
            return f"with these there are more than {MAX_DIRECTORIES_COUNT} directories in all; scale them down"
        return None


def _problem_of_edge(row: Row) -> str | None:
    word = _EDGE_WORDS[row.histogram]
    problem = _problem_of_quantity(word, row.edge, _EDGE_LIMITS[row.histogram])
    if problem is not None:
        return problem
    if row.histogram == "age":
        return None if _number(row.edge) > 0 else "the age is 0; an age is the upper edge of its bin, and above 0"
    unit = "bytes" if row.histogram == "size" else "levels"
    return _problem_of_whole(word, row.edge, unit)


def _problem_of_subdirs(row: Row) -> str | None:
    if row.subdirs is None:
        return "the number of directories at this depth is missing; give a third column, subdirs"
    return _problem_of_quantity("subdirs", row.subdirs, MAX_DIRECTORIES_COUNT) or _problem_of_whole(
        "subdirs", row.subdirs, "directories"
    )


def _problem_of_quantity(word: str, cell: Cell, limit: float) -> str | None:
    if isinstance(cell, Unread):
        return f"the {word}: {cell.complaint}"
    if not math.isfinite(cell):
        return f"the {word} is not finite; write a number up to {limit:.15g}"
    if cell < 0:
        return f"the {word} {_written(cell)} is negative; write 0 or more"
    if cell > limit:
        return f"the {word} {_written(cell)} is above the limit, {limit:.15g}; write less"
    return None


def _problem_of_whole(word: str, cell: Cell, unit: str) -> str | None:
    value = _number(cell)
    return None if value == math.floor(value) else f"the {word} {_written(value)} is not a whole number of {unit}"


def _number(cell: Cell | None) -> float:
    """Returns the number of a valid cell."""
    assert isinstance(cell, int | float)
    return float(cell)


def _whole(cell: Cell | None) -> int:
    """Returns the whole number of a valid cell."""
    return int(_number(cell))


def _finite(cell: Cell | None) -> float | None:
    return float(cell) if isinstance(cell, int | float) and math.isfinite(cell) else None


def _written(value: float) -> str:
    return f"{value:.15g}"
