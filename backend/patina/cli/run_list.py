"""Commands that list runs, with the filters of the page; show the queue of one; give it a name, tags, or archive it."""

from datetime import datetime, timedelta
from typing import Annotated, Any

import typer

from patina.cli.aging import RunArgument
from patina.cli.client import Client, Refused
from patina.cli.device import find_device
from patina.cli.listing import print_list
from patina.cli.terminal import AsJson, Limit, minute, show
from patina.figures import in_bytes
from patina.run.sort import RunSort

_REPEATABLE = "Repeatable."


def _moment(text: str | None) -> str | None:
    """Returns a day or a time as the API takes it: of this machine's time zone, if it states none."""
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text).astimezone().isoformat()
    except ValueError as error:
        raise Refused("usage", f"{text!r} is not a time. Write 2026-11-27 or 2026-11-27T14:30.") from error


def _host_id(client: Client, name: str) -> int:
    for host in client.call("GET", "/hosts")["items"]:
        if host["name"] == name:
            return int(host["id"])
    raise Refused("host_unknown", f"There is no host {name}. `patina hosts` lists them.")


def _row(run: Any) -> list[str | None]:
    goal = run["profile"]["name"] if run["profile"] else run["workload"]
    fullness = "" if run["fullness"] is None else f"{run['fullness']:.0%}"
    device, said = run["device"], run["message"] if run["error_code"] else ""
    what = [goal, fullness, run["file_system"], device["path"], in_bytes(device["size_bytes"]), str(run["seed"])]
    return [str(run["id"]), run["name"], *what, run["state"], minute(run["created_at"]), " ".join(run["tags"]), said]


def runs(
    state: Annotated[list[str] | None, typer.Option(help=f"queued, running, failed, …; {_REPEATABLE}")] = None,
    profile: Annotated[list[str] | None, typer.Option(help=_REPEATABLE)] = None,
    workload: Annotated[list[str] | None, typer.Option(help=_REPEATABLE)] = None,
    file_system: Annotated[list[str] | None, typer.Option(help=_REPEATABLE)] = None,
    device: Annotated[list[str] | None, typer.Option(help=f"Path or number; {_REPEATABLE}")] = None,
    host: Annotated[list[str] | None, typer.Option(help=f"Name; {_REPEATABLE}")] = None,
    batch: Annotated[list[int] | None, typer.Option(help=f"Number; {_REPEATABLE}")] = None,
    tag: Annotated[list[str] | None, typer.Option(help=_REPEATABLE)] = None,
    since: Annotated[str | None, typer.Option(help="Created on this day or later, as 2026-11-27.")] = None,
    until: Annotated[str | None, typer.Option(help="Created before this day.")] = None,
    archived: Annotated[bool, typer.Option("--archived", help="Those that are archived, instead.")] = False,
    sort: Annotated[RunSort, typer.Option(help="Order of the list.")] = RunSort.CREATED,
    ascending: Annotated[bool, typer.Option("--ascending", help="The oldest, first name, smallest first.")] = False,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List runs: all, or those that match, the latest first."""
    client = Client()
    chosen = {
        **{"state": state, "profile": profile, "workload": workload, "file_system": file_system, "batch_id": batch},
        "device_id": [find_device(client, each)["id"] for each in device or []],
        "host_id": [_host_id(client, each) for each in host or []],
        **{"tag": tag, "since": _moment(since), "until": _moment(until)},
    }
    params: dict[str, Any] = {name: value for name, value in chosen.items() if value}
    params |= {"archived": archived, "sort": sort.value, "is_descending": not ascending, "limit": limit}
    headings = ["run", "name", "goal", "full", "file system", "device", "size", "seed", "state", "made", "tags", ""]
    print_list("/runs", headings, _row, as_json=as_json, params=params)


def queue(run: RunArgument, as_json: AsJson = False) -> None:
    """List the jobs that are ahead of a queued run on its device."""
    client = Client()
    ahead = client.call("GET", f"/jobs/{run}/queue")
    said = [f"{_name_of(job)}: {_said_of(job)}" for job in ahead["ahead"]]
    show(ahead, "\n".join(said) or f"No job is ahead of run {run}.", as_json=as_json)


def _name_of(job: Any) -> str:
    return f"a private {job['kind']}" if job["id"] is None else f"{job['kind']} {job['id']}"


def _said_of(job: Any) -> str:
    what = {"holds": "has the device", "resumes": "resumes first", "waits": "waits before it"}[job["reason"]]
    left = "" if job["eta_s"] is None else f", about {timedelta(seconds=round(job['eta_s']))} left"
    return f"{what}, {job['state']}{left}"


def name_run(
    run: RunArgument,
    name: Annotated[str | None, typer.Option(help="Its name beside its number; empty: none.")] = None,
    tag: Annotated[list[str] | None, typer.Option(help=f"In place of its tags; {_REPEATABLE}")] = None,
    untag: Annotated[bool, typer.Option("--untag", help="Remove all its tags.")] = False,
    archive: Annotated[
        bool | None, typer.Option("--archive/--unarchive", help="Hide it from the list, or not.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Change the name and the tags of a run, or archive it. None of it has an effect on the run."""
    given = {"name": name, "tags": [] if untag else tag or None, "archived": archive}
    body = {key: value for key, value in given.items() if value is not None}
    if not body:
        raise Refused("usage", "Name what is to change: --name, --tag, --untag, --archive or --unarchive.")
    changed = Client().call("PATCH", f"/runs/{run}", json=body)
    where = "in the archive" if changed["archived_at"] else "in the list"
    tags = ", ".join(changed["tags"]) or "no tags"
    show(changed, f"Run {run}: {changed['name'] or 'no name'}; {tags}; {where}.", as_json=as_json)
