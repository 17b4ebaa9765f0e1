"""`python -m patina_dev.dist.manual DATE FOLDER`: the manual pages patina(1), patina-admin(8) and patina-worker(8), from
the help of the command lines themselves, with examples from the documents.

Typer has a copy of click of its own, whose classes click-man and other generators do not recognize.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from typer.main import get_command

from patina import __version__
from patina.cli.app import app
from patina_dev.testing.session import blocks
from patina_stack import admin
from patina_worker import join

_USAGE_COLUMNS = 1000  # a line per usage: man breaks it


@dataclass(frozen=True)
class Entry:
    """A command: the words that call it, its usage, its help, and its arguments and options with their help."""

    words: str
    usage: str
    about: str
    records: tuple[tuple[str, str], ...]
    epilog: str


def entries() -> list[Entry]:
    """Returns the command `patina` itself and each of its commands, those of groups after their group; no hidden
    ones."""
    command: Any = get_command(app)
    return list(_walk(command, command.context_class(command, info_name="patina", terminal_width=_USAGE_COLUMNS)))


def entries_of(parser: argparse.ArgumentParser) -> list[Entry]:
    """Returns a command line of argparse itself and each of its commands."""
    return list(_walk_parser(parser, parser.prog, parser.description or ""))


def _walk_parser(parser: argparse.ArgumentParser, words: str, about: str) -> Iterator[Entry]:
    actions: list[Any] = parser._actions  # noqa: SLF001  argparse has no other list of them
    inner = [action for action in actions if isinstance(action.choices, dict)]
    usage = parser.format_usage().removeprefix(f"usage: {parser.prog}")
    records = ((_name_of(action), action.help or "") for action in actions if action not in inner)
    yield Entry(words=words, usage=_plain(usage), about=_plain(about), records=tuple(records), epilog="")
    for group in inner:
        abouts = {choice.dest: choice.help or "" for choice in group._get_subactions()}  # noqa: SLF001  likewise
        for name, command in group.choices.items():
            yield from _walk_parser(command, f"{words} {name}", abouts[name])


def _name_of(action: Any) -> str:
    """Returns an option with its value, or an argument, as the help names it."""
    value = "" if action.nargs == 0 else str(action.metavar or action.dest.upper())
    return " ".join(filter(None, (", ".join(action.option_strings), value)))


def _walk(command: Any, context: Any) -> Iterator[Entry]:
    records = (parameter.get_help_record(context) for parameter in command.get_params(context))
    yield Entry(
        words=context.command_path,
        usage=" ".join(command.collect_usage_pieces(context)),
        about=_plain(command.help or ""),
        records=tuple((name, _plain(about)) for name, about in filter(None, records)),
        epilog=_plain(command.epilog or ""),
    )
    for name, inner in getattr(command, "commands", {}).items():
        if not inner.hidden:
            yield from _walk(inner, inner.context_class(inner, info_name=name, parent=context))


@dataclass(frozen=True)
class Page:
    """A manual page: its section, what it describes, and the block of a document that has its examples."""

    section: int
    entries: Callable[[], list[Entry]]
    document: str
    example: str


PAGES = {
    "patina": Page(1, entries, "docs/cli.md", "$ patina sandbox"),
    "patina-admin": Page(8, lambda: entries_of(admin.parser()), "docs/operations.md", "patina-admin backup"),
    "patina-worker": Page(8, lambda: entries_of(join.parser()), "docs/operations.md", "echo TOKEN | patina-worker"),
}


def page(name: str, date: str) -> str:
    """Returns a page in the man(7) macros. `date` is that of the version."""
    described = PAGES[name]
    first, *commands = described.entries()
    lines = [
        f'.TH {_text(name.upper())} {described.section} "{date}" "Patina {__version__}" "Patina"',
        *(".SH NAME", rf"{_text(name)} \- {_text(first.about.rstrip('.'))}"),
        *(".SH SYNOPSIS", _usage(first)),
        *((".SH DESCRIPTION", _text(first.epilog)) if first.epilog else ()),
        *(".SH OPTIONS", *_records(first.records), ".SH COMMANDS"),
    ]
    for command in commands:
        lines += [f".SS {_text(command.words)}", _usage(command), ".PP", _text(command.about)]
        lines += _records(command.records)
    lines += [".SH EXAMPLES", ".EX", *map(_text, example(described)), ".EE"]
    return "\n".join(lines) + "\n"


def example(described: Page) -> list[str]:
    """Returns the lines of the block of its document that begins so."""
    (found,) = [block for block in blocks(described.document) if block.text.startswith(described.example)]
    return found.text.splitlines()


def _usage(entry: Entry) -> str:
    return rf"\fB{_text(entry.words)}\fR {_text(entry.usage)}"


def _records(records: Iterable[tuple[str, str]]) -> Iterator[str]:
    for name, about in records:
        yield from (".TP", rf"\fB{_text(name)}\fR", _text(about) or r"\&")


def _plain(text: str) -> str:
    """Returns the text on one line, without the marks of code."""
    return " ".join(text.replace("`", "").split())


def _text(text: str) -> str:
    """Returns the text with what roff would interpret escaped; a hyphen stays one that can be copied."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq")
    return rf"\&{escaped}" if escaped.startswith((".", r"\(aq")) else escaped


def main() -> None:
    """Writes all pages into a folder."""
    date, folder = sys.argv[1:]
    for name, described in PAGES.items():
        (Path(folder) / f"{name}.{described.section}").write_text(page(name, date), encoding="utf-8")


if __name__ == "__main__":
    main()
