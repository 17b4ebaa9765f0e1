"""Commands that change what a run is called and where it is listed: name, tag, untag, archive, unarchive."""

from typing import Annotated, Any

import typer

from patina.cli.client import Client
from patina.cli.terminal import AsJson, show

Number = Annotated[int, typer.Argument(help="Number of the run.")]
TagsArgument = Annotated[list[str], typer.Argument(help="Tags.")]


def _change(number: int, *, as_json: bool, **change: Any) -> None:
    """Changes the run, and prints what it is called now and where it is listed."""
    changed = Client().call("PATCH", f"/runs/{number}", json=change)
    where = "in the archive" if changed["archived_at"] else "in the list"
    tags = ", ".join(changed["tags"]) or "no tags"
    show(changed, f"Run {number}: {changed['name'] or 'no name'}; {tags}; {where}.", as_json=as_json)


def _tags_of(number: int) -> list[str]:
    return list(Client().call("GET", f"/runs/{number}")["tags"])


def name_run(
    number: Number,
    name: Annotated[str, typer.Argument(help="The name beside its number; without one, the run has none.")] = "",
    as_json: AsJson = False,
) -> None:
    """Give a run a name, or take it away."""
    _change(number, name=name, as_json=as_json)


def tag_run(number: Number, tags: TagsArgument, as_json: AsJson = False) -> None:
    """Add tags to a run."""
    _change(number, tags=list(dict.fromkeys([*_tags_of(number), *tags])), as_json=as_json)


def untag_run(number: Number, tags: TagsArgument, as_json: AsJson = False) -> None:
    """Remove tags of a run."""
    _change(number, tags=[tag for tag in _tags_of(number) if tag not in tags], as_json=as_json)


def archive_run(number: Number, as_json: AsJson = False) -> None:
    """Hide a run from the list. Its image stays."""
    _change(number, archived=True, as_json=as_json)


def unarchive_run(number: Number, as_json: AsJson = False) -> None:
    """Show an archived run in the list again."""
    _change(number, archived=False, as_json=as_json)


def add_commands(group: typer.Typer) -> None:
    """Adds the commands to the group `run`."""
    group.command("name")(name_run)
    group.command("tag")(tag_run)
    group.command("untag")(untag_run)
    group.command("archive")(archive_run)
    group.command("unarchive")(unarchive_run)
