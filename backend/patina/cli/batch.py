"""Ages several devices at once, with equal settings: a batch."""

import uuid
from time import sleep
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from patina.cli.client import POLL_S, Client, Refused
from patina.cli.terminal import console_for, print_columns, print_json
from patina.job.state import ENDED, JobState

_Batch = dict[str, Any]


def age_batch(client: Client, members: list[dict[str, Any]], chosen: dict[str, Any], *, as_json: bool) -> None:
    """Starts an aging on each device, all or none; watches them until all have ended. Raises Refused if one failed."""
    key = {"Idempotency-Key": str(uuid.uuid4())}
    batch = client.call_patiently("POST", "/batches", json={**chosen, "members": members}, headers=key)
    ended = _await(client, batch["id"], console_for(as_json))
    if as_json:
        print_json(ended)
    else:
        rows = [[str(run["id"]), run["device"]["path"] or "", run["state"], run["message"]] for run in ended["runs"]]
        print_columns(rows, ["run", "device", "state", ""])
    failed = [run["id"] for run in ended["runs"] if run["state"] != JobState.SUCCEEDED]
    if failed:
        raise Refused("batch_failed", f"{len(failed)} of {len(ended['runs'])} runs did not succeed: {failed}.")


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
        goes_on = f"Batch {batch_id} goes on: `patina follow RUN` watches one of its runs, `patina cancel RUN` ends it."
        raise Refused("not_followed", goes_on) from None


def _is_over(run: dict[str, Any]) -> bool:
    return run["state"] in ENDED or (run["state"] == JobState.INTERRUPTED and run["resumes_left_count"] == 0)
