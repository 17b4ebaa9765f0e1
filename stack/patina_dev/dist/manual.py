"""`python -m patina_dev.dist.manual`: the manual page patina(1), from the help of the command line itself.

Typer has a copy of click of its own, whose classes click-man and other generators do not recognize.
"""

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from typer.main import get_command

from patina import __version__
from patina.cli.app import app

NAME = "patina"
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
    """Returns the command line itself and each command, those of groups after their group; no hidden ones."""
    command: Any = get_command(app)
    return list(_walk(command, command.context_class(command, info_name=NAME, terminal_width=_USAGE_COLUMNS)))


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


def page(date: str) -> str:
    """Returns the page in the man(7) macros. `date` is that of the version."""
    first, *commands = entries()
    lines = [
        f'.TH {NAME.upper()} 1 "{date}" "Patina {__version__}" "Patina"',
        *(".SH NAME", rf"{NAME} \- {_text(first.about.rstrip('.'))}"),
        *(".SH SYNOPSIS", _usage(first), ".SH DESCRIPTION", _text(first.epilog)),
        *(".SH OPTIONS", *_records(first.records), ".SH COMMANDS"),
    ]
    for command in commands:
        lines += [f".SS {_text(command.words)}", _usage(command), ".PP", _text(command.about)]
        lines += _records(command.records)
    return "\n".join(lines) + "\n"


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
    return rf"\&{escaped}" if escaped.startswith(".") else escaped


if __name__ == "__main__":
    sys.stdout.write(page(sys.argv[1]))
