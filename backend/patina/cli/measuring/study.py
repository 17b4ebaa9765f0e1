"""Commands of studies: plans, list, start, show."""

import uuid
from typing import Annotated, Any

import typer

from patina.cli.client import Client, Refused
from patina.cli.device import size_of
from patina.cli.listing import print_list
from patina.cli.store import await_job
from patina.cli.terminal import AsJson, Limit, console_for, minute, print_columns, print_json, show
from patina.job.state import ENDED, JobState
from patina.study.plans import PLANS, StudyPlan, described

_Study = dict[str, Any]
_NO_VALUE = "-"
# The figures of a kind that are printed; the export has all.
_SHOWN = {
    "capacity": {"over_allocation_fraction": "larger than its files", "unusable_fraction": "unusable"},
    "cleaning": {"moved_ratio": "moved over written", "written_ratio": "written over size"},
}

app = typer.Typer(no_args_is_help=True, help="Studies: simulations of shingled disks, which need no device.")
StudyArgument = Annotated[int, typer.Argument(help="Number of the study.")]


@app.command("plans")
def plans(as_json: AsJson = False) -> None:
    """List the ready-made plans of studies, for `patina study start`."""
    if as_json:
        print_json(described())
    else:
        print_columns([[each.name, each.summary] for each in PLANS], ["plan", ""])


@app.command("list")
def list_studies(limit: Limit = 50, as_json: AsJson = False) -> None:
    """List the latest studies."""

    def _row(item: Any) -> list[str | None]:
        done = f"{item['done_count']} of {item['total_count']}"
        said = item["message"] if item["error_code"] else ""
        made = minute(item["created_at"])
        return [str(item["id"]), item["name"], item["study_kind"], done, item["state"], made, said]

    headings = ["study", "name", "kind", "results", "state", "made", ""]
    print_list("/studies", headings, _row, as_json=as_json, params={"limit": limit})


@app.command("start")
def start(
    plan: Annotated[str, typer.Argument(help="A ready-made plan of `patina study plans`.")],
    policy: Annotated[
        list[str] | None, typer.Option(help="Where files are placed, in place of the plan's; repeatable.")
    ] = None,
    clean: Annotated[
        list[str] | None, typer.Option(help="Which band is cleaned, in place of the plan's; repeatable.")
    ] = None,
    did: Annotated[list[int] | None, typer.Option(help="DID in blocks, in place of the plan's; repeatable.")] = None,
    dnor: Annotated[int | None, typer.Option(help="DNOR in blocks.")] = None,
    fullness: Annotated[
        list[float] | None, typer.Option(help="Fullness, 0.01 to 1, in place of the plan's; repeatable.")
    ] = None,
    seeds: Annotated[int | None, typer.Option(help="Results of each cell.")] = None,
    operations: Annotated[int | None, typer.Option(help="Creates and deletes, of a plan of capacity.")] = None,
    size: Annotated[
        str | None, typer.Option(help="Of all files together, for capacity; of the disk, for cleaning.")
    ] = None,
    band: Annotated[str | None, typer.Option(help="Size of a band, of a plan of cleaning.")] = None,
    times: Annotated[float | None, typer.Option(help="How much is written at most, of a plan of cleaning.")] = None,
    host: Annotated[str | None, typer.Option(help="The host that simulates; default: the only one.")] = None,
    name: Annotated[str | None, typer.Option(help="Name of the study; default: the plan's title.")] = None,
    note: Annotated[str, typer.Option(help="A note.")] = "",
    detached: Annotated[bool, typer.Option("--detach", help="Do not watch it.")] = False,
    as_json: AsJson = False,
) -> None:
    """Start a study of a ready-made plan, with changes; watch it, and print its results."""
    chosen = _plan_of(plan)
    changes: dict[str, Any] = {
        "policies": policy,
        "cleaners": clean,
        "did_blocks": did,
        "dnor_blocks": dnor,
        "fullnesses": fullness,
        "seeds_count": seeds,
        "operations_count": operations,
        "times": times,
        "usable_bytes" if chosen.settings.kind == "capacity" else "size_bytes": None if size is None else size_of(size),
        "band_bytes": None if band is None else size_of(band),
    }
    settings = chosen.settings.model_dump(mode="json") | {k: v for k, v in changes.items() if v is not None}
    body = {"settings": settings, "host_name": host, "name": chosen.title if name is None else name, "note": note}
    client = Client()
    key = {"Idempotency-Key": str(uuid.uuid4())}
    started = client.call_patiently("POST", "/studies", json=body, headers=key)
    if detached:
        number = started["id"]
        show(started, f"Study {number} is started. `patina follow {number}` watches it.", as_json=as_json)
    else:
        follow_study(client, started["id"], as_json=as_json)


@app.command("show")
def show_study(
    number: StudyArgument,
    file_format: Annotated[str | None, typer.Option("--format", help="Its results as a file: csv or json.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print what a study has found so far."""
    client = Client()
    if file_format is None:
        _print(client.call("GET", f"/studies/{number}"), as_json=as_json)
    elif as_json:
        raise Refused("usage", "Give --format or --json, one of the two.")
    else:
        print(client.text(f"/api/v1/studies/{number}/export?format={file_format}"), end="")


def follow_study(client: Client, number: int, *, as_json: bool) -> None:
    """Watches a study until it ends, and prints its results. Raises Refused if it did not succeed."""
    await_job(client, f"/studies/{number}", f"Study {number}", console_for(as_json), _is_over)
    _print(client.call("GET", f"/studies/{number}"), as_json=as_json)


def _is_over(study: _Study) -> bool:
    return study["state"] in ENDED or (study["state"] == JobState.INTERRUPTED and study["resumes_left_count"] == 0)


def _plan_of(name: str) -> StudyPlan:
    found = next((plan for plan in PLANS if plan.name == name), None)
    if found is None:
        raise Refused("usage", f"There is no plan {name!r}. There are: {', '.join(plan.name for plan in PLANS)}.")
    return found


def _print(study: _Study, *, as_json: bool) -> None:
    if as_json:
        print_json(study)
        return
    shown = _SHOWN[study["settings"]["kind"]]
    headings = ["policy", "DID", "full", "seeds", *shown.values()]
    rows = [
        [
            cell["policy"],
            str(cell["did_blocks"]),
            _NO_VALUE if cell["fullness"] is None else f"{100 * cell['fullness']:g} %",
            str(cell["results_count"]),
            *(_estimate(cell["figures"].get(name), is_share=name.endswith("_fraction")) for name in shown),
        ]
        for cell in study["cells"]
    ]
    print_columns(rows, headings)
    done = f"{study['done_count']} of {study['total_count']} results"
    show(study, f"Study {study['id']}: {study['state']}, {done}.", as_json=False)


def _estimate(estimate: dict[str, Any] | None, *, is_share: bool) -> str:
    if estimate is None:
        return _NO_VALUE
    values = [value for value in (estimate["mean"], estimate["half_width"]) if value is not None]
    if is_share:
        return " ± ".join(f"{100 * value:.2f}" for value in values) + " %"
    return " ± ".join(f"{value:.3f}" for value in values)
