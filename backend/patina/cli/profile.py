"""Commands of one profile: show, import, export, edit, fork, archive, unarchive, delete."""

import getpass
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from patina.cli import completion
from patina.cli.client import Client, Refused
from patina.cli.terminal import AsJson, console, print_json, print_table, show
from patina.figures import in_bytes

app = typer.Typer(no_args_is_help=True, help="Show, import, export and change a profile.")

NameArgument = Annotated[str, typer.Argument(help="Name of the profile.", autocompletion=completion.profiles)]
Files = Annotated[
    list[Path],
    typer.Argument(help="Patina's JSON, CSV, or Geriatrix's three texts.", exists=True, dir_okay=False, readable=True),
]
Version = Annotated[int | None, typer.Option(help="Number of a version; the latest by default.", min=1)]
Message = Annotated[str, typer.Option(help="What is new in this version.")]
Author = Annotated[str | None, typer.Option(help="Author of the version; your account's name by default.")]


@app.command("show")
def show_profile(name: NameArgument, version: Version = None, as_json: AsJson = False) -> None:
    """Show a profile and the histograms of a version."""
    client = Client()
    profile = client.call("GET", f"/profiles/{name}")
    shown = version_of(client, profile, version)
    if as_json:
        print_json(profile | {"shown_version": shown})
        return
    about = [profile["title"], profile["source"], f"version {shown['number']} of {profile['versions_count']}"]
    console.print("\n".join(line for line in about if line), highlight=False)
    for histogram, label in _LABELS.items():
        console.print(f"\n{histogram}", style="dim")
        print_table(_table(shown[histogram], label))


def _label_of_size(bin_: dict[str, Any]) -> str:
    return in_bytes(bin_["bytes"])


def _label_of_depth(bin_: dict[str, Any]) -> str:
    return f"{bin_['depth']}, {bin_['subdirs']:,} directories"


def _label_of_age(bin_: dict[str, Any]) -> str:
    return f"below {bin_['age']:g}"


_LABELS = {"size": _label_of_size, "depth": _label_of_depth, "age": _label_of_age}


def _table(bins: list[dict[str, Any]], label: Any) -> Table:
    table = Table(show_header=False, box=None, pad_edge=False)
    total = sum(bin_["weight"] for bin_ in bins)
    for bin_ in bins:
        share = bin_["weight"] / total
        table.add_row(label(bin_), "█" * round(share * 40), f"{share * 100:.2f} %")
    return table


def version_of(client: Client, profile: dict[str, Any], number: int | None) -> dict[str, Any]:
    """Returns a version of the profile, the latest by default. Raises Refused."""
    if number is None:
        return dict(profile["latest_version"])
    return dict(client.call("GET", f"/profiles/{profile['name']}/versions/{number}"))


@app.command("import")
def import_profile(
    files: Files,
    name: Annotated[str, typer.Option(help="Name of the new profile.")],
    title: Annotated[str | None, typer.Option(help="Its title; the file's, or the name, by default.")] = None,
    message: Message = "Imported",
    author: Author = None,
    as_json: AsJson = False,
) -> None:
    """Make a new profile from a file, or from Geriatrix's three."""
    client = Client()
    reading = _read(client, files)
    body = of_version(reading["histograms"], message, author) | {
        "name": name,
        "title": title or reading["title"] or name,
        "description": reading["description"] or "",
        "source": reading["source"] or "",
    }
    profile = client.call("POST", "/profiles", json=body)
    show(profile, f"Profile {name}, version 1", as_json=as_json)


@app.command("edit")
def edit_profile(
    name: NameArgument, files: Files, message: Message = "Edited", author: Author = None, as_json: AsJson = False
) -> None:
    """Add the histograms of a file as the latest version of a profile."""
    client = Client()
    headers = {"If-Match": client.entity_tag(f"/profiles/{name}")}
    body = of_version(_read(client, files)["histograms"], message, author)
    version = client.call("POST", f"/profiles/{name}/versions", json=body, headers=headers)
    show(version, f"Profile {name}, version {version['number']}", as_json=as_json)


@app.command("fork")
def fork_profile(
    name: NameArgument,
    new_name: Annotated[str, typer.Argument(help="Name of the fork.")],
    version: Version = None,
    title: Annotated[str | None, typer.Option(help="Its title; the name by default.")] = None,
    message: Message = "Forked",
    author: Author = None,
    as_json: AsJson = False,
) -> None:
    """Make a new profile from a version of another."""
    client = Client()
    profile = client.call("GET", f"/profiles/{name}")
    forked = version_of(client, profile, version)
    histograms = {histogram: forked[histogram] for histogram in _LABELS}
    body = of_version(histograms, message, author) | {
        "name": new_name,
        "title": title or new_name,
        "source": profile["source"],
        "parent": {"name": name, "number": forked["number"]},
    }
    made = client.call("POST", "/profiles", json=body)
    show(made, f"Profile {new_name}, a fork of {name} version {forked['number']}", as_json=as_json)


@app.command("export")
def export_profile(
    name: NameArgument,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file; the output by default.")] = None,
    file_format: Annotated[str, typer.Option("--format", help="patina (JSON), csv, or geriatrix (a zip).")] = "patina",
    version: Version = None,
    is_forced: Annotated[bool, typer.Option("--force", help="Replace the file if it exists.")] = False,
) -> None:
    """Write a version of a profile to a file, or to the output."""
    client = Client()
    number = version_of(client, client.call("GET", f"/profiles/{name}"), version)["number"]
    content = client.content(f"/profiles/{name}/versions/{number}/export", params={"format": file_format})
    if output is None:
        typer.get_binary_stream("stdout").write(content)
        return
    try:
        with output.open("wb" if is_forced else "xb") as file:
            file.write(content)
    except FileExistsError as error:
        raise Refused("file_exists", f"{output} exists. Name another with -o, or replace it with --force.") from error
    except OSError as error:
        raise Refused("write_failed", f"{output} cannot be written: {error.strerror}.") from error


@app.command("archive")
def archive_profile(name: NameArgument, as_json: AsJson = False) -> None:
    """Hide a profile from the lists. Runs, images and forks keep it."""
    show(Client().call("POST", f"/profiles/{name}/archive"), f"Profile {name} is archived.", as_json=as_json)


@app.command("unarchive")
def unarchive_profile(name: NameArgument, as_json: AsJson = False) -> None:
    """Show an archived profile in the lists again."""
    show(Client().call("POST", f"/profiles/{name}/unarchive"), f"Profile {name} is listed again.", as_json=as_json)


@app.command("delete")
def delete_profile(name: NameArgument, as_json: AsJson = False) -> None:
    """Delete a profile that nothing refers to, with all its versions."""
    show(Client().call("DELETE", f"/profiles/{name}"), f"Profile {name} is deleted.", as_json=as_json)


def of_version(histograms: dict[str, Any], message: str, author: str | None) -> dict[str, Any]:
    """Returns the members of a request that makes a version."""
    return {"histograms": histograms, "message": message, "author": author or getpass.getuser()}


def _read(client: Client, files: list[Path]) -> dict[str, Any]:
    """Returns the server's reading of the files. Raises Refused with every error in them, by file and line."""
    form = [("files", (file.name, file.read_bytes())) for file in files]
    reading: dict[str, Any] = client.call("POST", "/profile_readings", files=form)
    if reading["digest"] is None or any(row["problem"] for row in reading["rows"]):
        raise Refused("file_not_understood", "\n".join(_problems_of(reading)))
    return reading


def _problems_of(reading: dict[str, Any]) -> list[str]:
    """Returns what makes the reading no profile, one line each."""
    of_rows = [f"{row['file']}:{row['line']}: {row['problem']}" for row in reading["rows"] if row["problem"]]
    of_files = [f"{found['file']}: {found['message']}" for found in reading["problems"]]
    missing = [f"there is no {name} histogram" for name in _LABELS if not reading["histograms"][name]]
    return of_rows + (missing or of_files) or ["the three histograms are not those of a profile"]
