"""Commands of runs: age, extend, pause, resume, cancel, demo."""

import json
import uuid
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from patina.cli import completion
from patina.cli.batch import age_batch
from patina.cli.client import Client, Refused
from patina.cli.device import (
    Confirm,
    ConfirmEach,
    DeviceArguments,
    confirmation,
    confirmation_among,
    find_device,
    make_sandbox,
)
from patina.cli.figures import report
from patina.cli.percent import FullnessOption, MaxRmse
from patina.cli.terminal import AsJson, console, console_for, print_json, show
from patina.cli.watch import refused
from patina.figures import in_bytes
from patina.file_system.table import FileSystem
from patina.job.state import JobState
from patina.run.settings import WITHOUT_FULLNESS

Detach = Annotated[bool, typer.Option("--detach", help="Start it, and do not watch it.")]
RunArgument = Annotated[int, typer.Argument(help="Number of the run.")]


def _member(device: dict[str, Any], typed: list[str], **chosen: object) -> dict[str, Any]:
    """Returns a device as a request to age names it, with the choices that were made."""
    confirmed = confirmation_among(device, typed)
    made = {name: value for name, value in chosen.items() if value is not None}
    return {"device_id": device["id"], "confirmation": confirmed, **made}


def _each(option: str, given: list[str] | None, devices: list[str]) -> list[str | None]:
    """Returns the value for each device: one for all, or one for each. Raises Refused for another number."""
    if not given:
        return [None] * len(devices)
    if len(given) == 1:
        return [*given] * len(devices)
    if len(given) != len(devices):
        raise Refused(
            "usage", f"{option} is given {len(given)} times for {len(devices)} devices: give it once, or once for each."
        )
    return [*given]


def _start(client: Client, **body: object) -> dict[str, Any]:
    """Starts an aging. Returns the run."""
    key = {"Idempotency-Key": str(uuid.uuid4())}
    run: dict[str, Any] = client.call_patiently("POST", "/runs", json=body, headers=key)
    return run


_DOING = {
    "materialize": "Filling the files",
    "capture": "Capturing the image",
    "restore": "Restoring the image",
}


def _draw(client: Client, run_id: int, drawn_on: Console) -> None:
    """Draws the run's progress until it is at rest."""
    columns = (TextColumn("{task.description:<22}"), BarColumn(), TextColumn("{task.percentage:>5.1f} %"))
    figures_column = TextColumn("{task.fields[figures]}", markup=False)
    with Progress(*columns, TimeElapsedColumn(), figures_column, console=drawn_on) as progress:
        task, doing = progress.add_task("Preparing", total=1.0, figures=""), "Capturing the image"
        for event in client.follow(run_id):
            payload = event.payload
            if payload.type == "sample":
                figures = f"{payload.ops_per_s:,.0f} operations/s"
                if payload.histograms is not None:
                    figures = f"age RMSE {payload.histograms.age.rmse * 100:.3f} %  {figures}"
                elif payload.rounds_count is not None:
                    figures = f"{payload.rounds_count:,} rounds  {figures}"
                name = f"Aging, {payload.phase}"
                progress.update(task, description=name, completed=payload.progress_fraction, figures=figures)
            elif payload.type == "progress":
                progress.update(task, description=doing, completed=payload.done / (payload.total or 1), figures="")
            elif payload.type == "state" and payload.phase in _DOING and payload.state == "running":
                doing = _DOING[payload.phase]
            elif payload.type == "state" and payload.state == "succeeded":
                progress.update(task, description="Done", completed=1.0, figures="")
            elif payload.type == "state" and payload.state in ("paused", "interrupted"):
                progress.update(task, description=payload.state.capitalize(), figures=payload.message)


def await_run(client: Client, run_id: int, drawn_on: Console) -> dict[str, Any]:
    """Returns the succeeded run. Raises Refused with the reason otherwise. An interrupt does not end the run."""
    try:
        _draw(client, run_id, drawn_on)
    except KeyboardInterrupt:
        goes_on = f"Run {run_id} goes on. `patina follow {run_id}` watches it, `patina cancel {run_id}` ends it."
        raise Refused("not_followed", goes_on) from None
    ended: dict[str, Any] = client.call_patiently("GET", f"/runs/{run_id}")
    if ended["state"] != "succeeded":
        raise refused(ended, f"Run {run_id}")
    return ended


def image_of(client: Client, run: dict[str, Any]) -> dict[str, Any]:
    """Returns the image of a succeeded run. Raises Refused if it has been deleted since."""
    found: list[dict[str, Any]] = client.call_patiently("GET", "/images", params={"run_id": run["id"]})["items"]
    if not found:
        raise Refused("image_deleted", f"Run {run['id']} succeeded; its image has been deleted since.")
    image: dict[str, Any] = client.call_patiently("GET", f"/images/{found[0]['id']}")
    return image


def _report(client: Client, run: dict[str, Any], *, as_json: bool) -> None:
    image = image_of(client, run)
    if as_json:
        print_json(image)
    else:
        report(console, summary=run["summary"], image=image)


def age(
    device: DeviceArguments,
    profile: Annotated[
        str | None,
        typer.Option(help="A profile's name; agrawal where no workload is given.", autocompletion=completion.profiles),
    ] = None,
    workload: Annotated[
        str | None,
        typer.Option(help="Instead of a profile: fsfb or churn, with --set rounds_count=N or ops_count=N; or fresh."),
    ] = None,
    replay: Annotated[
        int | None, typer.Option(help="Instead of a profile: the number of a run that kept its operation log.")
    ] = None,
    survivors: Annotated[bool, typer.Option(help="For a replay: create only the survivors.")] = False,
    keep_log: Annotated[bool, typer.Option(help="Keep the operation log, which other runs can replay.")] = False,
    fullness: FullnessOption = None,
    fullness_of: Annotated[
        str, typer.Option(help="files (their data) or statfs (all that is used, with metadata).")
    ] = "files",
    confirm: ConfirmEach = None,
    profile_version: Annotated[int | None, typer.Option(help="Of the profile; the latest by default.")] = None,
    seed: Annotated[int | None, typer.Option(help="Random by default.")] = None,
    max_rmse: MaxRmse = None,
    max_overwrites: Annotated[float | None, typer.Option(help="Stop at this many overwrites.")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Stop after so many seconds of aging.")] = None,
    file_system: Annotated[
        list[str] | None,
        typer.Option(
            help=f"One of {', '.join(FileSystem)}; ext4 by default. Once, or once for each device.",
            autocompletion=completion.file_systems,
        ),
    ] = None,
    mkfs_options: Annotated[
        list[str] | None, typer.Option(help='Added options of mkfs, as "-i 8192". Once, or once for each device.')
    ] = None,
    mount_options: Annotated[
        list[str] | None, typer.Option(help='Added mount options, as "nodelalloc". Once, or once for each device.')
    ] = None,
    image_name: Annotated[
        list[str] | None, typer.Option(help="Name of the image; of several devices once for each.")
    ] = None,
    mode: Annotated[str, typer.Option(help="faithful, fast, reference or unbounded.")] = "faithful",
    data: Annotated[
        str, typer.Option(help="materialize (files can be read), fallocate (space alone), write or sparse.")
    ] = "materialize",
    threads: Annotated[int | None, typer.Option(help="Writers; in mode unbounded only.")] = None,
    capture: Annotated[
        str | None,
        typer.Option(
            help="What the image keeps: allocated, exact or metadata.",
            show_default="allocated; of an emulated disk that drops data metadata",
        ),
    ] = None,
    in_memory: Annotated[bool, typer.Option(help="Age in memory, then write the image to the device.")] = False,
    note: Annotated[str, typer.Option(help="Note on the run, in Markdown.")] = "",
    wait: Annotated[bool, typer.Option(help="Wait for a busy device instead of being refused.")] = False,
    detach: Detach = False,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Any other setting of the API, as append_fraction=0.1; repeatable."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Age a device and capture its image; or several devices at once, with one goal for all. Everything on them is
    destroyed."""
    client = Client()
    chosen = {
        **_goal(profile, workload, replay, fullness),
        "survivors": survivors,
        "keeps_log": keep_log,
        "fullness_of": fullness_of,
        "profile_version_number": profile_version,
        "seed": seed,
        "max_rmse": None if max_rmse is None else max_rmse / 100,
        "max_overwrites": max_overwrites,
        "max_seconds": max_seconds,
        "mode": mode,
        "data_mode": data,
        "threads_count": threads,
        **({} if capture is None else {"capture_mode": capture}),
        "in_memory": in_memory,
        "note": note,
        "waits": wait,
        **dict(_setting_of(text) for text in settings or []),
    }
    if image_name and len(image_name) != len(device):
        raise Refused("usage", f"--image-name is given {len(image_name)} times for {len(device)} devices.")
    members = [
        _member(
            find_device(client, path),
            confirm or [],
            file_system=made,
            added_mkfs_options=mkfs,
            added_mount_options=mount,
            image_name=named,
        )
        for path, made, mkfs, mount, named in zip(
            device,
            _each("--file-system", file_system, device),
            _each("--mkfs-options", mkfs_options, device),
            _each("--mount-options", mount_options, device),
            _each("--image-name", image_name, device),
            strict=True,
        )
    ]
    if len(members) > 1:
        age_batch(client, members, chosen, is_watched=not detach, as_json=as_json)
        return
    run = _start(client, **members[0], **chosen)
    _finish(client, run, is_watched=not detach, as_json=as_json)


def _finish(client: Client, run: dict[str, Any], *, is_watched: bool, as_json: bool) -> None:
    """Watches a run that was started, and reports its result; or prints how to watch it."""
    if is_watched:
        _report(client, await_run(client, run["id"], console_for(as_json)), as_json=as_json)
        return
    show(run, f"Run {run['id']} is started. `patina follow {run['id']}` watches it.", as_json=as_json)


def _goal(profile: str | None, workload: str | None, replay: int | None, fullness: float | None) -> dict[str, object]:
    """Returns the goal with its defaults. Some workloads take no fullness; the API validates combinations."""
    if replay is not None:
        workload = workload or "replay"
    elif fullness is None and workload not in WITHOUT_FULLNESS:
        fullness = 70
    return {
        "profile": profile or (None if workload else "agrawal"),
        "workload": workload,
        "replay_of": replay,
        "fullness": None if fullness is None else fullness / 100,
    }


def _setting_of(text: str) -> tuple[str, object]:
    """Returns a name and its value, parsed as JSON if valid, else as text. The API validates the names."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise Refused("usage", f"--set {text}: write it as name=value.")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def extend(
    run: RunArgument,
    max_rmse: MaxRmse = None,
    max_overwrites: Annotated[float | None, typer.Option(help="Go on to this many overwrites.")] = None,
    max_seconds: Annotated[float | None, typer.Option(help="Go on for so many seconds at most.")] = None,
    operations: Annotated[
        int | None, typer.Option(help="Go on to exactly so many operations in all, also after the run has converged.")
    ] = None,
    note: Annotated[str, typer.Option(help="Note on the new run, in Markdown.")] = "",
    confirm: Confirm = None,
    detach: Detach = False,
    as_json: AsJson = False,
) -> None:
    """Age a finished run further, as a new run. Its device must still hold the result."""
    client = Client()
    device = client.call("GET", f"/devices/{client.call('GET', f'/runs/{run}')['device']['id']}")
    body = {
        "max_rmse": None if max_rmse is None else max_rmse / 100,
        "max_overwrites": max_overwrites,
        "max_seconds": max_seconds,
        "exact_ops_count": operations,
        "note": note,
        "confirmation": confirmation(device, confirm),
    }
    key = {"Idempotency-Key": str(uuid.uuid4())}
    extension = client.call_patiently("POST", f"/runs/{run}/extend", json=body, headers=key)
    _finish(client, extension, is_watched=not detach, as_json=as_json)


def follow_run(client: Client, run: int, *, as_json: bool) -> None:
    """Watches a run until it ends, and reports its result. Raises Refused if it did not succeed."""
    _report(client, await_run(client, run, console_for(as_json)), as_json=as_json)


def _steer(run_id: int, path: str, asked: str, done: JobState, *, as_json: bool) -> None:
    """Asks for a change of the run, and prints whether it is in the wanted state already."""
    run = Client().call("POST", path)
    if run["state"] in (JobState.SUCCEEDED, JobState.FAILED):
        raise Refused("run_ended", f"Run {run_id} has {run['state']}. There is nothing to {asked}.")
    said = f"is {done}" if run["state"] == done else f"is asked to {asked}"
    show(run, f"Run {run_id} {said}.", as_json=as_json)


def pause(run: RunArgument, as_json: AsJson = False) -> None:
    """Pause an aging run. It keeps its device."""
    _steer(run, f"/runs/{run}/pause", "pause", JobState.PAUSED, as_json=as_json)


def resume(run: RunArgument, as_json: AsJson = False) -> None:
    """Resume a paused run, or an interrupted one from its checkpoint."""
    _steer(run, f"/runs/{run}/resume", "go on", JobState.RUNNING, as_json=as_json)


def cancel(run: RunArgument, as_json: AsJson = False) -> None:
    """Stop a run. Its device is released clean; no image is made."""
    _steer(run, f"/jobs/{run}/stop", "stop", JobState.CANCELED, as_json=as_json)


def demo() -> None:
    """Age a 1 GiB sandbox device to Agrawal 70 % through the API, and report the result."""
    client = Client()
    free = [d for d in client.call("GET", "/devices")["items"] if d["kind"] == "sandbox" and d["state"] == "available"]
    fitting = [d for d in free if d["size_bytes"] == 2**30]
    device = fitting[0] if fitting else make_sandbox(client, 2**30, "file")
    console.print(f"Aging {device['path']} (sandbox, {in_bytes(device['size_bytes'])}, ext4) to Agrawal, 70 % full")
    started = _start(client, **_member(device, [device["path"]]), profile="agrawal", fullness=0.7)
    run = await_run(client, started["id"], console)
    image = image_of(client, run)
    console.print()
    report(console, summary=run["summary"], image=image)
    console.print(f"\nThe run:    {client.url}/runs/{run['id']}\nThe image:  {client.url}/images/{image['id']}")
