"""Commands that make histograms and describe profiles: profile scan, fit, describe, versions, uses."""

from pathlib import Path
from typing import Annotated, Any

import typer

from patina.cli.client import Client, Refused
from patina.cli.listing import print_list
from patina.cli.profile import Author, Message, NameArgument, Version, of_version, version_of
from patina.cli.store import HostOption, await_job
from patina.cli.terminal import AsJson, console_for, minute, show
from patina.fit.schemas import FitKind
from patina.profile.histogram import HistogramName

# The member of a bin that a fit takes as its edge.
_EDGES: dict[HistogramName, str] = {"size": "bytes", "depth": "depth", "age": "age"}


def list_versions(name: NameArgument, as_json: AsJson = False) -> None:
    """List the versions of a profile, newest first."""

    def _row(v: Any) -> list[str | None]:
        return [str(v["number"]), minute(v["created_at"]), v["author"], v["message"]]

    print_list(f"/profiles/{name}/versions", ["version", "made", "author", ""], _row, as_json=as_json)


def list_uses(name: NameArgument, as_json: AsJson = False) -> None:
    """List the versions of a profile that were used, with the numbers of their runs, images and trials."""

    def _row(v: Any) -> list[str | None]:
        return [str(v["number"]), *(str(v[kind]["count"]) for kind in ("runs", "images", "trials"))]

    print_list(f"/profiles/{name}/uses", ["version", "runs", "images", "trials"], _row, as_json=as_json)


def describe_profile(
    name: NameArgument,
    title: Annotated[str | None, typer.Option(help="Its title.")] = None,
    description: Annotated[str | None, typer.Option(help="Its description, in Markdown.")] = None,
    source: Annotated[str | None, typer.Option(help="Where its figures are from.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help="Its tags, instead of those that it has; repeatable.")] = None,
    as_json: AsJson = False,
) -> None:
    """Change the title, description, source or tags of a profile. What is not named stays as it is."""
    client = Client()
    given = {"title": title, "description": description, "source": source, "tags": tag or None}
    body = {member: value for member, value in given.items() if value is not None}
    if not body:
        raise Refused("usage", "Name what to change: --title, --description, --source or --tag.")
    headers = {"If-Match": client.entity_tag(f"/profiles/{name}")}
    show(client.call("PATCH", f"/profiles/{name}", json=body, headers=headers), f"{name} is changed.", as_json=as_json)


def scan_directory(
    directory: Annotated[Path, typer.Argument(help="One of the host's scan folders, or a folder below one.")],
    name: Annotated[str, typer.Option(help="Name of the new profile.")],
    host: HostOption = None,
    title: Annotated[str | None, typer.Option(help="Its title; the name by default.")] = None,
    message: Message = "Scanned",
    author: Author = None,
    as_json: AsJson = False,
) -> None:
    """Make a new profile from a directory tree of a host. Only numbers leave the host, no names."""
    client = Client()
    body = {"directory": str(directory), "host_name": host}
    scan = client.call("POST", "/scans", json=body)
    ended = await_job(client, f"/scans/{scan['id']}", f"Scanning {directory}", console_for(as_json))
    found = ended["result"]
    made = of_version(found["profile"], message, author) | {
        "name": name,
        "title": title or name,
        "source": f"Scan of {directory} on host {ended['host']['name']}",
    }
    profile = client.call("POST", "/profiles", json=made)
    said = f"Profile {name}, version 1, of {found['files_count']:,} files in {found['directories_count']:,} directories"
    show(profile, said, as_json=as_json)


def fit_profile(
    name: NameArgument,
    histogram: Annotated[HistogramName, typer.Argument(help="size, depth or age.")],
    kind: Annotated[FitKind, typer.Argument(help="lognormal, lognormal_pareto or poisson.")],
    version: Version = None,
    message: Message = "Fitted",
    author: Author = None,
    is_dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print the fit; add no version.")] = False,
    as_json: AsJson = False,
) -> None:
    """Fit a distribution to a histogram of a profile, and add the fitted bars as its latest version."""
    client = Client()
    path = f"/profiles/{name}"
    headers = {"If-Match": client.entity_tag(path)}
    fitted = version_of(client, client.call("GET", path), version)
    bins = fitted[histogram]
    body = {
        "histogram": histogram,
        "kind": kind,
        "edges": [bin_[_EDGES[histogram]] for bin_ in bins],
        "weights": [bin_["weight"] for bin_ in bins],
    }
    fit = client.call("POST", "/fits", json=body)
    parameters = ", ".join(f"{parameter} {value:.4g}" for parameter, value in fit["parameters"].items())
    said = f"{histogram}: {kind} with {parameters}; distance {fit['distance']:.4f}"
    if is_dry_run:
        show(fit, said, as_json=as_json)
        return
    histograms = {str(other): fitted[other] for other in _EDGES}
    histograms[histogram] = [bin_ | {"weight": weight} for bin_, weight in zip(bins, fit["weights"], strict=True)]
    made = client.call("POST", f"{path}/versions", json=of_version(histograms, message, author), headers=headers)
    show(made, f"{said}\nProfile {name}, version {made['number']}", as_json=as_json)


def add_commands(group: typer.Typer) -> None:
    """Adds the commands to the group `profile`."""
    group.command("versions")(list_versions)
    group.command("uses")(list_uses)
    group.command("describe")(describe_profile)
    group.command("scan")(scan_directory)
    group.command("fit")(fit_profile)
