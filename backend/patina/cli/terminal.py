"""Output of all commands: the terminal, the API's JSON, columns."""

import json
import sys
from typing import Annotated, Any

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

_UNBROKEN_COLUMNS = 1000

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


def print_columns(rows: list[list[str]], headings: list[str]) -> None:
    """Prints a table without lines. A pipe or a file gets one line for each row, however long."""
    if not console.is_terminal:
        _print_lines([headings, *rows])
        return
    table = Table(*headings, box=None, pad_edge=False, header_style="dim")
    for row in rows:
        table.add_row(*row)
    console.print(table)


def _print_lines(rows: list[list[str]]) -> None:
    """Prints each row as one line, its words in columns: a line break in a word becomes a space."""
    words = [[" ".join(word.split("\n")) for word in row] for row in rows]
    widths = [max(map(cell_len, column)) for column in zip(*words, strict=True)]
    for row in words:
        padded = [word + " " * (width - cell_len(word)) for word, width in zip(row, widths, strict=True)]
        print("  ".join(padded).rstrip())


def facts() -> Table:
    """Returns a table for the facts of one thing: names and values, none of them cut off."""
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_column()
    table.add_column(overflow="fold")
    return table


def minute(time: str | None) -> str:
    """Returns a time of the API to the minute; nothing for none."""
    return (time or "").replace("T", " ")[:16]
