"""Ages several devices at once, with one goal: a batch. Commands of batches: list, show, follow, stop."""

import uuid
from collections import Counter
from time import sleep
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from patina.cli.client import POLL_S, Client, Refused
from patina.cli.listing import print_list
from patina.cli.terminal import AsJson, Limit, console_for, minute, print_columns, print_json, show
from patina.figures import in_percent
from patina.job.state import ENDED, JobState

_Batch = dict[str, Any]

app = typer.Typer(no_args_is_help=True, help="Batches: runs that `patina age` starts on several devices at once.")
BatchArgument = Annotated[int, typer.Argument(help="Number of the batch.")]


def age_batch(
    client: Client, members: list[dict[str, Any]], chosen: dict[str, Any], *, is_watched: bool, as_json: bool
) -> None:
    """Starts an aging on each device, all or none; watches them until all have ended, or prints how to. Raises Refused
    if one failed."""
    key = {"Idempotency-Key": str(uuid.uuid4())}
    batch = client.call_patiently("POST", "/batches", json={**chosen, "members": members}, headers=key)
    if is_watched:
        _finish(client, batch["id"], as_json=as_json)
        return
    number = batch["id"]
    show(batch, f"Batch {number} is started. `patina batch follow {number}` watches it.", as_json=as_json)


def _finish(client: Client, batch_id: int, *, as_json: bool) -> None:
    """Watches the batch until its runs have ended, and prints them. Raises Refused if one failed."""
    ended = _await(client, batch_id, console_for(as_json))
    _print(ended, as_json=as_json)
    failed = [run["id"] for run in ended["runs"] if run["state"] != JobState.SUCCEEDED]
    if failed:
        raise Refused("batch_failed", f"{len(failed)} of {len(ended['runs'])} runs did not succeed: {failed}.")


def _print(batch: _Batch, *, as_json: bool) -> None:
    if as_json:
        print_json(batch)
        return
    print_columns([_row(run) for run in batch["runs"]], ["run", "device", "file system", "state", ""])


def _row(run: dict[str, Any]) -> list[str]:
    device = run["device"]
    return [str(run["id"]), _name_of(device), run["file_system"], state_of(run), run["message"]]


def _name_of(device: dict[str, Any]) -> str:
    return str(device["path"] or device["stable_id"])


def state_of(run: dict[str, Any]) -> str:
    """Returns the state of a run, with its progress while it runs."""
    if run["finished_at"] is None and run["progress_fraction"]:
        return f"{run['state']}, {in_percent(run['progress_fraction'], 0)}"
    return str(run["state"])


def _await(client: Client, batch_id: int, drawn_on: Console) -> _Batch:
    columns = (TextColumn("{task.description:<24}", markup=False), BarColumn(), TextColumn("{task.percentage:>5.1f} %"))
    try:
        with Progress(*columns, TimeElapsedColumn(), console=drawn_on) as progress:
            tasks: dict[int, TaskID] = {}
            said: dict[int, str] = {}
            while True:
                batch: _Batch = client.call_patiently("GET", f"/batches/{batch_id}")
                for run in batch["runs"]:
                    name = f"{_name_of(run['device'])}, {run['phase'] or run['state']}"
                    if not drawn_on.is_terminal and said.get(run["id"]) != name:
                        drawn_on.print(f"Run {run['id']}: {name}", highlight=False)
                        said[run["id"]] = name
                    if run["id"] not in tasks:
                        tasks[run["id"]] = progress.add_task(name, total=1.0)
                    progress.update(tasks[run["id"]], description=name, completed=run["progress_fraction"])
                if all(_is_over(run) for run in batch["runs"]):
                    return batch
                sleep(POLL_S)  # polled, as every job that the command watches
    except KeyboardInterrupt:
        goes_on = f"Batch {batch_id} goes on. `patina batch follow {batch_id}` watches it,"
        raise Refused("not_followed", f"{goes_on} `patina batch stop {batch_id}` ends it.") from None


def _is_over(run: dict[str, Any]) -> bool:
    return run["state"] in ENDED or (run["state"] == JobState.INTERRUPTED and run["resumes_left_count"] == 0)


@app.command("list")
def list_batches(limit: Limit = 20, as_json: AsJson = False) -> None:
    """List the latest batches."""

    def _row(b: Any) -> list[str | None]:
        fullness = None if b["fullness"] is None else in_percent(b["fullness"], 0)
        counts = Counter(run["state"] for run in b["runs"])
        states = ", ".join(f"{count} {state}" for state, count in counts.items())
        return [str(b["id"]), b["profile"] or b["workload"], fullness, minute(b["created_at"]), states]

    headings = ["batch", "goal", "full", "made", "runs"]
    print_list("/batches", headings, _row, as_json=as_json, params={"limit": limit})


@app.command("show")
def show_batch(batch: BatchArgument, as_json: AsJson = False) -> None:
    """Show the runs of a batch."""
    _print(Client().call("GET", f"/batches/{batch}"), as_json=as_json)


@app.command("follow")
def follow_batch(batch: BatchArgument, as_json: AsJson = False) -> None:
    """Watch a batch until all its runs have ended."""
    client = Client()
    client.call("GET", f"/batches/{batch}")  # refuse an unknown one before drawing
    _finish(client, batch, as_json=as_json)


@app.command("stop")
def stop_batch(batch: BatchArgument, as_json: AsJson = False) -> None:
    """Stop all runs of a batch. Their devices are released clean; no image is made."""
    stopped = Client().call("POST", f"/batches/{batch}/stop")
    if all(run["state"] in (JobState.SUCCEEDED, JobState.FAILED) for run in stopped["runs"]):
        raise Refused("batch_ended", f"All runs of batch {batch} have ended. There is nothing to stop.")
    show(stopped, f"The runs of batch {batch} that have not ended are asked to stop.", as_json=as_json)
