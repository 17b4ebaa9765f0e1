"""The command that lists runs, with the filters of the page."""

from datetime import datetime
from typing import Annotated, Any

import typer

from patina.cli import completion
from patina.cli.client import Client, Refused
from patina.cli.device import find_device
from patina.cli.listing import print_list
from patina.cli.terminal import AsJson, Limit, minute
from patina.device.emulation import Prediction
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
    device, said = run["device"], run["message"] if run["error_code"] else _predicted(run["prediction"])
    what = [goal, fullness, run["file_system"], device["path"], in_bytes(device["size_bytes"]), str(run["seed"])]
    return [str(run["id"]), run["name"], *what, run["state"], minute(run["created_at"]), ", ".join(run["tags"]), said]


def _predicted(prediction: dict[str, Any] | None) -> str:
    return "" if prediction is None else f"aging {Prediction.model_validate(prediction).in_words()}"


def runs(
    words: Annotated[list[str] | None, typer.Argument(help="A part of the name or of a tag.")] = None,
    state: Annotated[
        list[str] | None,
        typer.Option(help=f"Such as queued or failed. {_REPEATABLE}", autocompletion=completion.states),
    ] = None,
    profile: Annotated[list[str] | None, typer.Option(help=_REPEATABLE, autocompletion=completion.profiles)] = None,
    workload: Annotated[list[str] | None, typer.Option(help=_REPEATABLE)] = None,
    file_system: Annotated[
        list[str] | None, typer.Option(help=_REPEATABLE, autocompletion=completion.file_systems)
    ] = None,
    device: Annotated[
        list[str] | None, typer.Option(help=f"Path, name or number; {_REPEATABLE}", autocompletion=completion.devices)
    ] = None,
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
        **{"q": " ".join(words or []), "tag": tag, "since": _moment(since), "until": _moment(until)},
    }
    params: dict[str, Any] = {name: value for name, value in chosen.items() if value}
    params |= {"archived": archived, "sort": sort.value, "is_descending": not ascending, "limit": limit}
    headings = ["run", "name", "goal", "full", "file system", "device", "size", "seed", "state", "made", "tags", ""]
    spare = ("seed", "size", "made", "tags")
    print_list("/runs", headings, _row, as_json=as_json, params=params, spare=spare)
