"""Commands of one run: show, queue."""

from typing import Annotated, Any

import typer
from rich.table import Table

from patina.cli.batch import state_of
from patina.cli.client import Client
from patina.cli.terminal import AsJson, facts, minute, print_json, print_table, show
from patina.device.emulation import Prediction
from patina.figures import in_bytes, in_duration, in_percent
from patina.run.settings import RunSettings

app = typer.Typer(no_args_is_help=True, help="Show, compare, name, tag and archive runs; show the queue of one.")

Number = Annotated[int, typer.Argument(help="Number of the run.")]
_NAMED = {"profile", "profile_version_number", "workload", "fullness", "file_system"}  # shown in rows of their own


@app.command("show")
def show_run(number: Number, as_json: AsJson = False) -> None:
    """Show a run: its goal, its settings, how far it is or how it ended."""
    client = Client()
    found = client.call("GET", f"/runs/{number}")
    if as_json:
        print_json(found)
        return
    images = client.call("GET", "/images", params={"run_id": number})["items"]
    print_table(_table(found, [image["name"] for image in images]))


def _table(run: dict[str, Any], images: list[str]) -> Table:
    table = facts()
    device, profile = run["device"], run["profile"]
    table.add_row("run", str(run["id"]))
    if run["name"]:
        table.add_row("name", run["name"])
    table.add_row("state", _state(run))
    if profile is None:
        table.add_row("workload", run["workload"])
    else:
        table.add_row("profile", f"{profile['name']} version {run['profile_version_number']}")
    if run["fullness"] is not None:
        table.add_row("fullness", in_percent(run["fullness"], 1))
    table.add_row("device", f"{device['path'] or device['stable_id']}, {in_bytes(device['size_bytes'])}")
    table.add_row("file system", run["file_system"])
    table.add_row("settings", ", ".join(f"{name} {value}" for name, value in _unusual(run)) or "all as by default")
    if run["stop_reason"]:
        table.add_row("stopped because", run["stop_reason"].replace("_", " "))
    if run["prediction"] is not None:
        table.add_row("predicted time", f"aging {Prediction.model_validate(run['prediction']).in_words()}")
    if run["tags"]:
        table.add_row("tags", ", ".join(run["tags"]))
    if run["note"]:
        table.add_row("note", run["note"])
    table.add_row("queued", minute(run["created_at"]))
    table.add_row("ended", minute(run["finished_at"]) or "not yet")
    for name in images:
        table.add_row("image", name)
    if run["error_log"]:
        table.add_row("output", run["error_log"])
    return table


def _state(run: dict[str, Any]) -> str:
    if run["finished_at"] is None and run["progress_fraction"]:
        return f"{state_of(run)} of {run['phase'] or 'its phase'}"
    return f"{run['state']}. {run['message']}".rstrip(". ")


def _unusual(run: dict[str, Any]) -> list[tuple[str, Any]]:
    """Returns the settings that differ from their defaults."""
    defaults = {name: field.default for name, field in RunSettings.model_fields.items() if name not in _NAMED}
    return [(name, run[name]) for name, usual in defaults.items() if name in run and run[name] != usual]


@app.command("queue")
def queue_of(number: Number, as_json: AsJson = False) -> None:
    """List the jobs that are ahead of a queued run on its device."""
    client = Client()
    ahead = client.call("GET", f"/jobs/{number}/queue")
    said = [f"{_name_of(job)}: {_said_of(job)}" for job in ahead["ahead"]]
    show(ahead, "\n".join(said) or f"No job is ahead of run {number}.", as_json=as_json)


def _name_of(job: Any) -> str:
    return f"a private {job['kind']}" if job["id"] is None else f"{job['kind']} {job['id']}"


def _said_of(job: Any) -> str:
    what = {"holds": "has the device", "resumes": "resumes first", "waits": "waits before it"}[job["reason"]]
    left = "" if job["eta_s"] is None else f", about {in_duration(job['eta_s'])} left"
    return f"{what}, {job['state']}{left}"
