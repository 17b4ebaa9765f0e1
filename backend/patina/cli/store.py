"""Commands of the chunk stores: stores, gc."""

from collections.abc import Callable
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from patina.cli.client import Client, Refused
from patina.cli.listing import print_list
from patina.cli.terminal import AsJson, console_for, minute, show
from patina.cli.watch import is_at_rest, refused, watch
from patina.figures import in_bytes
from patina.job.state import JobState

HostOption = Annotated[str | None, typer.Option("--host", help="Name of the host; by default the only one.")]


def stores(as_json: AsJson = False) -> None:
    """List the chunk stores of the hosts, as their last collection left them."""
    hosts = {host["id"]: host["name"] for host in Client().call("GET", "/hosts")["items"]}

    def _row(s: Any) -> list[str | None]:
        chunks = f"{s['chunks_count']:,}"
        return [hosts.get(s["host_id"]), chunks, in_bytes(s["bytes"]), minute(s["measured_at"])]

    print_list("/stores", ["host", "chunks", "stored", "measured"], _row, as_json=as_json)


def gc(
    is_dry_run: Annotated[bool, typer.Option("--dry-run", help="Only count; remove nothing.")] = False,
    host: HostOption = None,
    as_json: AsJson = False,
) -> None:
    """Collect garbage: remove chunks that no image has, after a grace period. Needs the role operator."""
    client = Client()
    started = client.call("POST", "/collections", json={"is_dry_run": is_dry_run, "host_name": host})
    ended = await_job(client, f"/jobs/{started['id']}", "Collecting", console_for(as_json))
    show(ended, ended["message"], as_json=as_json)


def await_job(
    client: Client,
    path: str,
    doing: str,
    drawn_on: Console,
    is_over: Callable[[dict[str, Any]], bool] = is_at_rest,
) -> dict[str, Any]:
    """Returns the job at the path once it has succeeded. Raises Refused if it `is_over` otherwise. An interrupt does
    not end it."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn())
    number = path.rpartition("/")[2]
    try:
        with Progress(*columns, console=drawn_on, transient=True) as progress:
            task = progress.add_task(doing, total=None)
            ended = watch(client, path, progress, task, is_over)
    except KeyboardInterrupt:
        goes_on = f"Job {number} goes on. `patina follow {number}` watches it, `patina cancel {number}` ends it."
        raise Refused("not_followed", goes_on) from None
    if ended["state"] != JobState.SUCCEEDED:
        raise refused(ended, f"Job {number}")
    return ended
