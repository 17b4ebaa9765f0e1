"""Ages several devices at once, with equal settings: a batch. Commands of batches: list, show, follow, stop."""

import uuid
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


def age_batch(client: Client, members: list[dict[str, Any]], chosen: dict[str, Any], *, as_json: bool) -> None:
    """Starts an aging on each device, all or none; watches them until all have ended. Raises Refused if one failed."""
    key = {"Idempotency-Key": str(uuid.uuid4())}
    batch = client.call_patiently("POST", "/batches", json={**chosen, "members": members}, headers=key)
    _finish(client, batch["id"], as_json=as_json)


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
    rows = [[str(run["id"]), run["device"]["path"] or "", run["state"], run["message"]] for run in batch["runs"]]
    print_columns(rows, ["run", "device", "state", ""])


def _await(client: Client, batch_id: int, drawn_on: Console) -> _Batch:
    columns = (TextColumn("{task.description:<24}", markup=False), BarColumn(), TextColumn("{task.percentage:>5.1f} %"))
    try:
        with Progress(*columns, TimeElapsedColumn(), console=drawn_on) as progress:
            tasks: dict[int, TaskID] = {}
            while True:
                batch: _Batch = client.call_patiently("GET", f"/batches/{batch_id}")
                for run in batch["runs"]:
                    name = f"{run['device']['path']}, {run['phase'] or run['state']}"
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
        states = ", ".join(run["state"] for run in b["runs"])
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
    show(stopped, f"The runs of batch {batch} are asked to end.", as_json=as_json)
