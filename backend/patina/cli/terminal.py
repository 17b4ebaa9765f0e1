"""Output of all commands: the terminal, the API's JSON, columns."""

import json
import sys
from itertools import zip_longest
from typing import Annotated, Any

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

_UNBROKEN_COLUMNS = 1000
_GAP = "  "
_LEAST_FOLDED = 16  # a wider column may be narrowed to this

# Names, notes and messages may contain brackets. A pipe or a file gets each line whole, however long.
console = Console(markup=False, width=None if sys.stdout.isatty() else _UNBROKEN_COLUMNS)
errors = Console(stderr=True)

AsJson = Annotated[bool, typer.Option("--json", help="The API's own JSON, for scripts.")]
Unasked = Annotated[bool, typer.Option("--yes", help="Without a question.")]
Limit = Annotated[int, typer.Option(min=1, max=200, help="How many at most.")]


def console_for(as_json: bool) -> Console:
    """Returns the console of the progress display: quiet when a script reads the output."""
    return Console(quiet=True) if as_json else console


def print_json(document: Any) -> None:
    """Prints the API's document unchanged."""
    print(json.dumps(document, indent=2))


def show(document: Any, said: str, *, as_json: bool) -> None:
    """Prints a command's result: the API's document for a script, else a sentence."""
    if as_json:
        print_json(document)
    else:
        console.print(said, soft_wrap=True, highlight=False)


def print_columns(rows: list[list[str]], headings: list[str], *, spare: tuple[str, ...] = ()) -> None:
    """Prints a table without lines. A pipe or a file gets one line for each row, however long.

    In a narrow terminal `spare` columns are left out, the first one first, and long words are folded. A last column
    without a heading, for remarks, has lines of its own then.
    """
    if not rows:
        errors.print("The list is empty.", highlight=False)
    if not console.is_terminal:
        _print_lines([headings, *rows])
    elif rows:
        _print_fitting(rows, headings, spare)


def _print_lines(rows: list[list[str]]) -> None:
    """Prints each row as one line, its words in columns: a line break in a word becomes a space."""
    words = [[" ".join(word.split("\n")) for word in row] for row in rows]
    widths = _widths(words)
    for row in words:
        print(_line(row, widths))


def _widths(rows: list[list[str]]) -> list[int]:
    return [max(cell_len(line) for word in column for line in word.split("\n")) for column in zip(*rows, strict=True)]


def _line(row: list[str], widths: list[int]) -> str:
    padded = [word + " " * (width - cell_len(word)) for word, width in zip(row, widths, strict=True)]
    return _GAP.join(padded).rstrip()


def _print_fitting(rows: list[list[str]], headings: list[str], spare: tuple[str, ...]) -> None:
    """Prints the rows within the width of the terminal."""
    remarks = [""] * len(rows)
    left_out = [heading for heading in spare if heading in headings]
    columns = [list(column) for column in zip(headings, *rows, strict=True)]
    while _is_too_wide(columns):
        if columns[-1][0] == "" and len(columns) > 1:
            remarks = columns.pop()[1:]
        elif left_out:
            heading = left_out.pop(0)
            columns = [column for column in columns if column[0] != heading]
        else:
            break
    head, *body = [list(row) for row in zip(*columns, strict=True)]
    widths = _folded([head, *body])
    console.print(_line(head, widths), style="dim", highlight=False, soft_wrap=True)
    for row, remark in zip(body, remarks, strict=True):
        folded = [Text(word).wrap(console, width) for word, width in zip(row, widths, strict=True)]
        for line in zip_longest(*([part.plain.rstrip() for part in parts] for parts in folded), fillvalue=""):
            console.print(_line(list(line), widths), highlight=False, soft_wrap=True)
        if remark:
            console.print(Padding(Text(remark), (0, 0, 0, len(_GAP))))


def _is_too_wide(columns: list[list[str]]) -> bool:
    widths = _widths([list(row) for row in zip(*columns, strict=True)])
    return sum(widths) + len(_GAP) * (len(widths) - 1) > console.width


def _folded(rows: list[list[str]]) -> list[int]:
    """Returns widths of columns that fit, where they can: the widest ones are narrowed."""
    widths = _widths(rows)
    available = console.width - len(_GAP) * (len(widths) - 1)
    while sum(widths) > available and max(widths) > _LEAST_FOLDED:
        widths[widths.index(max(widths))] -= 1
    return widths


def facts() -> Table:
    """Returns a table for the facts of one thing: names and values, none of them cut off."""
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    return table


def print_table(table: Table) -> None:
    """Prints a table of facts or figures. A pipe or a file gets no blanks at the ends of lines."""
    if console.is_terminal:
        console.print(table)
        return
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        print(line.rstrip())


def minute(time: str | None) -> str:
    """Returns a time of the API to the minute; nothing for none."""
    return (time or "").replace("T", " ")[:16]
