"""Commands of trials: trial, plans, workloads, trials, trial-results."""

import uuid
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from patina.cli.client import Client, Refused
from patina.cli.device import Confirm, DeviceArgument, confirmation, find_device
from patina.cli.pull import IMAGE_HELP, find_image
from patina.cli.terminal import AsJson, console, console_for, print_columns, print_json, show
from patina.cli.watch import refused, watch
from patina.figures import in_bytes, in_duration
from patina.job.state import ENDED, JobState
from patina.trial.plans import PLANS, Plan, described
from patina.trial.workload import ROWS, UNITS, VARIANTS

_Trial = dict[str, Any]
# Kinds without settings, by their names alone. `postmark` is the name of a personality as well.
_PASSES = frozenset(kind for kind, row in ROWS.items() if set(row.model.model_fields) == {"kind"})
_OF_KIND = "kind:"
_NO_VALUE = "-"


def trial(
    device: DeviceArgument,
    image: Annotated[list[str] | None, typer.Option(help=f"To measure; repeatable. {IMAGE_HELP}")] = None,
    without_journal: Annotated[
        list[str] | None, typer.Option(help="An image of ext3 or ext4 to measure without its journal; repeatable.")
    ] = None,
    workload: Annotated[
        list[str] | None,
        typer.Option(
            help=f"A built-in workload, a file NAME.f, git (its three variants), or {', '.join(sorted(_PASSES))}; "
            "kind:postmark is Katcher's own program. Repeatable."
        ),
    ] = None,
    fio: Annotated[list[Path] | None, typer.Option(help="A job file of fio; repeatable.")] = None,
    plan: Annotated[
        str | None, typer.Option(help="A ready-made plan of `patina plans`: its images are aged first on the device.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of the trial.")] = None,
    note: Annotated[str, typer.Option(help="A note.")] = "",
    waits: Annotated[bool, typer.Option("--wait", help="Wait for a busy device or a silent host.")] = False,
    repetitions: Annotated[int, typer.Option(help="Of each workload on each image.")] = 3,
    seconds: Annotated[float | None, typer.Option(help="Measured time of built-in workloads and files.")] = None,
    traces: Annotated[
        bool, typer.Option("--trace/--no-trace", help="Record the writes, so that a rollback rewrites only them.")
    ] = True,
    twins: Annotated[bool, typer.Option("--twins", help="Measure the unaged twin of each file system too.")] = False,
    confirm: Confirm = None,
    as_json: AsJson = False,
) -> None:
    """Measure workloads on images, restored to a device before each repetition. Everything on it is destroyed."""
    chosen = None if plan is None else _plan_of(plan)
    words = [*(workload or (chosen.chosen if chosen is not None and not fio else ()))]
    workloads = [found for word in words for found in _workloads_of(word, seconds)]
    workloads += [_fio_of(file) for file in fio or []]
    if not workloads:
        raise Refused("usage", "Name what to measure: --workload NAME or --fio FILE.")
    client = Client()
    arms = [{"image_id": find_image(client, name)["id"]} for name in image or []]
    arms += [{"image_id": find_image(client, name)["id"], "has_journal": False} for name in without_journal or []]
    arms += [] if chosen is None else chosen.arms()
    if not arms:
        raise Refused("usage", "Name what to measure it on: --image NAME, --without-journal NAME or --plan NAME.")
    target = find_device(client, device)
    body = {
        "device_id": target["id"],
        "confirmation": confirmation(target, confirm),
        "arms": arms,
        "workloads": workloads,
        "repetitions_count": repetitions,
        "is_traced": traces,
        "adds_twins": twins or (chosen is not None and chosen.adds_twins),
        "name": name or ("" if chosen is None else chosen.title),
        "note": note,
        "waits": waits,
    }
    key = {"Idempotency-Key": str(uuid.uuid4())}
    started = client.call_patiently("POST", "/trials", json=body, headers=key)
    _show(_await(client, started["id"], console_for(as_json)), as_json=as_json)


def plans(as_json: AsJson = False) -> None:
    """List the ready-made plans of trials, for `patina trial --plan`."""
    if as_json:
        print_json(described())
    else:
        print_columns([[each.name, each.summary] for each in PLANS], ["plan", ""])


def workloads(
    name: Annotated[str | None, typer.Argument(help="A built-in workload, or a file NAME.f, to describe.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the built-in workloads of trials, or describe one."""
    client = Client()
    listed = client.call("GET", "/workloads")
    if name is None:
        if as_json:
            print_json(listed)
        else:
            print_columns([[each["name"], each["summary"]] for each in listed["items"]], ["workload", ""])
        return
    spec = next((each["spec"] for each in listed["items"] if each["name"] == name), None)
    if spec is None and not name.endswith(".f"):
        raise Refused("workload_unknown", f"There is no workload {name!r}. `patina workloads` lists them.")
    body = {"spec": spec or _text_of(Path(name))}
    found = client.call("POST", "/workloads/description", json=body)
    said = f"{Path(name).stem}: {found['threads_count']:,} threads, {found['files_count']:,} files"
    said += f", {in_bytes(found['expected_bytes'])} at scale {found['scale_fraction']:g}"
    show(found, said, as_json=as_json)


def trials(as_json: AsJson = False) -> None:
    """List the latest trials."""
    answer = Client().call("GET", "/trials")
    if as_json:
        print_json(answer)
        return
    rows = [
        [
            str(item["id"]),
            item["name"],
            f"{len(item['arms'])} x {len(item['workloads'])} x {item['repetitions_count']}",
            f"{item['done_count']} of {item['total_count']}",
            item["state"],
            item["message"] if item["error_code"] else "",
        ]
        for item in answer["items"]
    ]
    print_columns(rows, ["trial", "name", "images x workloads x repetitions", "done", "state", ""])


def trial_results(
    number: Annotated[int, typer.Argument(help="Number of the trial.")],
    file_format: Annotated[str | None, typer.Option("--format", help="As a file: csv, json or latex.")] = None,
    measurements: Annotated[
        bool, typer.Option("--measurements", help="Every repetition with all that was measured, as JSON.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Print what a trial has measured so far."""
    client = Client()
    if measurements:
        print_json(client.call("GET", f"/trials/{number}/measurements"))
    elif file_format is None:
        _show(client.call("GET", f"/trials/{number}"), as_json=as_json)
    elif as_json:
        raise Refused("usage", "Give --format or --json, one of the two.")
    else:
        print(client.text(f"/api/v1/trials/{number}/export?format={file_format}"), end="")


def follow_trial(client: Client, number: int, *, as_json: bool) -> None:
    """Watches a trial until it ends, and prints its results. Raises Refused if it did not succeed."""
    _show(_await(client, number, console_for(as_json)), as_json=as_json)


def _plan_of(name: str) -> Plan:
    found = next((plan for plan in PLANS if plan.name == name), None)
    if found is None:
        raise Refused("usage", f"There is no plan {name!r}. There are: {', '.join(plan.name for plan in PLANS)}.")
    return found


def _workloads_of(word: str, seconds: float | None) -> list[dict[str, object]]:
    """Returns the workloads of this name, file or kind. The API refuses those that do not exist."""
    if word == "git":
        return [{"kind": "git", "variant": variant} for variant in VARIANTS]
    return [_workload_of(word, seconds)]


def _workload_of(word: str, seconds: float | None) -> dict[str, object]:
    if word.startswith(_OF_KIND) or word in _PASSES:
        return {"kind": word.removeprefix(_OF_KIND)}
    timed = {} if seconds is None else {"seconds": seconds}
    if word.endswith(".f"):
        return {"kind": "personality", "name": Path(word).stem, "spec": _text_of(Path(word)), **timed}
    return {"kind": "personality", "name": word, **timed}


def _fio_of(file: Path) -> dict[str, object]:
    return {"kind": "fio", "name": file.stem, "job": _text_of(file)}


def _text_of(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        raise Refused("file_unreadable", f"{file} cannot be read: {why}.") from error


def _is_over(job: _Trial) -> bool:
    return job["state"] in ENDED or (job["state"] == JobState.INTERRUPTED and job["resumes_left_count"] == 0)


def _await(client: Client, trial_id: int, drawn_on: Console) -> _Trial:
    """Returns the trial that succeeded. Raises Refused otherwise. An interrupt does not end the trial."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    try:
        with Progress(*columns, console=drawn_on, transient=True) as progress:
            task = progress.add_task("Preparing", total=None)
            ended = watch(client, f"/trials/{trial_id}", progress, task, _is_over)
    except KeyboardInterrupt:
        goes_on = f"Trial {trial_id} goes on. `patina follow {trial_id}` watches it,"
        raise Refused("not_followed", f"{goes_on} `patina cancel {trial_id}` ends it.") from None
    if ended["state"] != JobState.SUCCEEDED:
        raise refused(ended, f"Trial {trial_id}")
    return ended


def _show(measured: _Trial, *, as_json: bool) -> None:
    if as_json:
        print_json(measured)
        return
    arms, workloads = measured["settings"]["arms"], measured["settings"]["workloads"]
    rows, predictions = [], [_predicted(figure["prediction"], measured["device"]) for figure in measured["figures"]]
    for figure in measured["figures"]:
        arm, workload = arms[figure["arm"]], workloads[figure["workload"]]
        rows.append(
            [
                f"{_name_of(workload)} ({UNITS[ROWS[workload['kind']].metric]})",
                f"{arm['group']}, {arm['state']}",
                _digits(figure["estimate"]["mean"]),
                _interval(figure["estimate"]),
                _NO_VALUE if figure["ratio"] is None else f"{figure['ratio']['mean']:.3f}",
                str(figure["rank"] or _NO_VALUE),
                _NO_VALUE if figure["write_amplification"] is None else f"{figure['write_amplification']['mean']:.2f}",
            ]
        )
    headings = ["workload", "image", "mean", "95 % interval", "ratio", "rank", "write amplification"]
    if any(predictions):
        headings.append("predicted")
        rows = [[*row, prediction or _NO_VALUE] for row, prediction in zip(rows, predictions, strict=True)]
    print_columns(rows, headings)
    for change in measured["rank_changes"]:
        name = _name_of(workloads[change["workload"]])
        _say(f"{name}: the order of {change['first']} and {change['second']} is reversed in {change['state']}.")
    states = [repetition["state"] for repetition in measured["repetitions"]]
    disturbed_count = sum(figure["disturbed_count"] for figure in measured["figures"])
    counts = {state: states.count(state) for state in ("failed", "skipped")} | {"disturbed": disturbed_count}
    further = "".join(f", {count} {word}" for word, count in counts.items() if count)
    _say(f"Trial {measured['id']}: {measured['state']}, {states.count('done')} of {len(states)} measured{further}.")


def _predicted(prediction: dict[str, Any] | None, device: dict[str, Any]) -> str | None:
    if prediction is None:
        return None
    took = "" if prediction["elapsed_s"] is None else f", took {in_duration(prediction['elapsed_s']['mean'])} here"
    return f"{in_duration(prediction['predicted_s']['mean'])} on {device['emulation']['model_label']}{took}"


def _say(sentence: str) -> None:
    console.print(sentence, soft_wrap=True, highlight=False)


def _name_of(workload: dict[str, Any]) -> str:
    return str(workload.get("name", workload["kind"]))


def _interval(estimate: dict[str, Any]) -> str:
    if estimate["low"] is None:
        return _NO_VALUE
    return f"{_digits(estimate['low'])} to {_digits(estimate['high'])}"


def _digits(value: float) -> str:
    """Returns four digits, or all before the decimal point."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.4g}"
