"""Watches a job until it is at rest; turns its failure into a refusal."""

import time
from collections.abc import Callable
from typing import Any

from rich.progress import Progress, TaskID

from patina.cli.client import POLL_S, Client, Refused
from patina.job.state import TERMINAL


def is_at_rest(job: dict[str, Any]) -> bool:
    return job["state"] in TERMINAL


def watch(
    client: Client, path: str, progress: Progress, task: TaskID, is_over: Callable[[dict[str, Any]], bool] = is_at_rest
) -> dict[str, Any]:
    """Returns the job at the path once `is_over` is true; draws its progress until then.

    A job that succeeded between two polls has a full bar.
    """
    while True:
        job: dict[str, Any] = client.call_patiently("GET", path)
        if is_over(job):
            if job["state"] == "succeeded":
                whole = job["total"] or 1
                progress.update(task, completed=whole, total=whole)
            return job
        progress.update(task, description=job["message"], completed=job["done"], total=job["total"] or None)
        time.sleep(POLL_S)


def refused(job: dict[str, Any], what: str) -> Refused:
    """Returns the refusal for a job that did not succeed: its state, its message, the failed program's output."""
    log = f"\n{job['error_log']}" if job["error_log"] else ""
    return Refused(job["error_code"] or job["state"], f"{what} ended {job['state']}: {job['message']}{log}")
