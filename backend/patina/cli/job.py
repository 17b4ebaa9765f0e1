"""Commands of jobs of every kind: jobs, follow, retry, notices; stop conditions and the note of a run."""

from typing import Annotated, Any

import typer

from patina.cli.aging import follow_run
from patina.cli.client import Client
from patina.cli.holding import ACTIONS, follow_action
from patina.cli.listing import print_list
from patina.cli.measuring.study import follow_study
from patina.cli.measuring.trial import follow_trial
from patina.cli.percent import MaxRmse
from patina.cli.store import await_job
from patina.cli.terminal import AsJson, Limit, console_for, minute, show

JobArgument = Annotated[int, typer.Argument(help="Number of the job.")]
RunArgument = Annotated[int, typer.Argument(help="Number of the run.")]


def jobs(
    number: Annotated[int | None, typer.Argument(help="One job, by its number; all by default.")] = None,
    kind: Annotated[str | None, typer.Option(help="Of this kind: run, restore, trial, scan and so on.")] = None,
    state: Annotated[str | None, typer.Option(help="In this state.")] = None,
    is_open: Annotated[bool, typer.Option("--open", help="Only those that have not ended.")] = False,
    limit: Limit = 50,
    as_json: AsJson = False,
) -> None:
    """List the activity of all hosts: the latest jobs of every kind."""
    if number is not None:
        job = Client().call("GET", f"/jobs/{number}")
        show(job, f"{job['kind'].capitalize()} {number}: {job['state']}. {job['message']}", as_json=as_json)
        return
    asked: dict[str, Any] = {"kind": kind, "state": state, "is_open": True if is_open else None}
    params = {name: value for name, value in asked.items() if value is not None} | {"limit": limit}

    def _row(j: Any) -> list[str | None]:
        device = j["device"]["path"] if j["device"] else None
        return [str(j["id"]), j["kind"], j["host"]["name"], device, j["state"], minute(j["created_at"]), j["message"]]

    headings = ["job", "kind", "host", "device", "state", "made", ""]
    print_list("/jobs", headings, _row, as_json=as_json, params=params)


def follow(job: JobArgument, as_json: AsJson = False) -> None:
    """Watch a run, a trial, a study or another job until it ends, and report its result."""
    client = Client()
    kind = client.call("GET", f"/jobs/{job}")["kind"]
    if kind == "run":
        follow_run(client, job, as_json=as_json)
    elif kind == "trial":
        follow_trial(client, job, as_json=as_json)
    elif kind == "study":
        follow_study(client, job, as_json=as_json)
    elif kind in ACTIONS:
        follow_action(client, job, as_json=as_json)
    else:
        ended = await_job(client, f"/jobs/{job}", f"{kind.capitalize()} {job}", console_for(as_json))
        show(ended, f"{kind.capitalize()} {job}: {ended['message']}", as_json=as_json)


def retry(job: JobArgument, as_json: AsJson = False) -> None:
    """Try a job again that did not succeed; a trial measures the rest."""
    queued = Client().call("POST", f"/jobs/{job}/retry")
    show(queued, f"{queued['kind'].capitalize()} {job} is {queued['state']}.", as_json=as_json)


def notices(
    job: Annotated[list[int] | None, typer.Argument(help="Of these jobs; by default of the latest 50.")] = None,
    as_json: AsJson = False,
) -> None:
    """List how jobs ended, and which need attention."""
    numbers = job or [item["id"] for item in Client().call("GET", "/jobs", params={"limit": 50})["items"]]

    def _row(n: Any) -> list[str | None]:
        return [str(n["job_id"]), minute(n["at"]), n["kind"], n["message"]]

    print_list("/notices", ["job", "at", "kind", ""], _row, as_json=as_json, params={"job_id": numbers})


def stop_at(
    run: RunArgument,
    max_rmse: MaxRmse = None,
    max_overwrites: Annotated[float | None, typer.Option(help="Stop at this many overwrites.")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Stop after so many seconds.")] = None,
    as_json: AsJson = False,
) -> None:
    """Change the stop conditions of a running run; without an option it has none left but its horizon."""
    body = {
        "max_rmse": None if max_rmse is None else max_rmse / 100,
        "max_overwrites": max_overwrites,
        "max_seconds": max_seconds,
    }
    changed = Client().call("PUT", f"/runs/{run}/stop_conditions", json=body)
    show(changed, f"Run {run} has other stop conditions once its plan is revised.", as_json=as_json)


def note(
    run: RunArgument,
    text: Annotated[str | None, typer.Argument(help="The note to write; empty: none. Shown by default.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show or write the note of a run."""
    client = Client()
    found = (
        client.call("GET", f"/runs/{run}")
        if text is None
        else client.call("PATCH", f"/runs/{run}", json={"note": text})
    )
    show(found, found["note"] or f"Run {run} has no note.", as_json=as_json)
