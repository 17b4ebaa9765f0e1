"""Commands on a device's content: restore, trace, rollback, verify."""

import sys
import uuid
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn

from patina.cli.benchmark import Failure, run_benchmark
from patina.cli.client import AWAY, Client, Refused
from patina.cli.device import Confirm, DeviceArgument, confirmation, find_device
from patina.cli.pull import IMAGE_HELP, ImageArgument, find_image
from patina.cli.terminal import AsJson, console, console_for, show
from patina.cli.watch import is_at_rest, refused, watch
from patina.figures import in_duration
from patina.job.state import TERMINAL, JobState

_Action = dict[str, Any]
ACTIONS = frozenset({"restore", "verify", "trace", "rollback"})  # the kinds of jobs that these commands start


def _start(
    client: Client, kind: str, device: dict[str, Any], *, typed: str | None = None, **choices: object
) -> _Action:
    body = {**choices, "kind": kind, "device_id": device["id"], "confirmation": confirmation(device, typed)}
    key = {"Idempotency-Key": str(uuid.uuid4())}
    action: _Action = client.call_patiently("POST", "/actions", json=body, headers=key)
    return action


def _draw(client: Client, action: _Action, drawn_on: Console) -> _Action:
    """Draws the action's progress until it is at rest, or, for a trace, until it is armed."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), DownloadColumn(binary_units=True))
    with Progress(*columns, console=drawn_on, transient=True) as progress:
        task = progress.add_task(action["message"], total=None)
        path = f"/actions/{action['id']}"
        return watch(client, path, progress, task, lambda job: is_at_rest(job) or _is_armed(job))


def _is_armed(action: _Action) -> bool:
    return action["state"] == JobState.RUNNING and action["armed_at"] is not None


def _await(client: Client, action: _Action, drawn_on: Console) -> _Action:
    """Returns the action that succeeded or is armed. Raises Refused with the reason otherwise."""
    try:
        ended = _draw(client, action, drawn_on)
    except KeyboardInterrupt:
        what = f"{action['kind'].capitalize()} of {action['device']['path']}"
        number = action["id"]
        goes_on = f"{what} goes on. `patina follow {number}` watches it, `patina cancel {number}` ends it."
        raise Refused("not_followed", goes_on) from None
    if ended["state"] == JobState.SUCCEEDED or _is_armed(ended):
        return ended
    raise refused(ended, f"{ended['kind'].capitalize()} of {ended['device']['path']}")


def follow_action(client: Client, action_id: int, *, as_json: bool) -> None:
    """Watches an action until it has ended or a trace is armed, and prints its result. Raises Refused if it failed."""
    _finish(client, client.call("GET", f"/actions/{action_id}"), as_json=as_json)


def _finish(client: Client, action: _Action, *, as_json: bool) -> None:
    """Draws the progress, prints the result."""
    action = _await(client, action, console_for(as_json))
    said = f"{action['device']['path']} holds image {action['image']['name']}. {action['message']}"
    show(action, said, as_json=as_json)


def restore(
    image: ImageArgument,
    device: DeviceArgument,
    confirm: Confirm = None,
    accepts_unknown_content: Annotated[
        bool, typer.Option("--accept-unknown-content", help="Also an image in which its import found nothing known.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write an image to a device. Everything on it is destroyed."""
    client = Client()
    image_id, target = find_image(client, image)["id"], find_device(client, device)
    choices = {"image_id": image_id, "accepts_unknown_content": accepts_unknown_content}
    action = _start(client, "restore", target, typed=confirm, **choices)
    if not as_json:
        _say_expected(client, image_id, target)
    _finish(client, action, as_json=as_json)


def _say_expected(client: Client, image_id: int, device: dict[str, Any]) -> None:
    """Prints how long the restore is expected to take; nothing where no restore was measured."""
    expected = client.call("GET", "/restore-time", params={"image_id": image_id, "device_id": device["id"]})
    if expected["expected_s"] is not None:
        of = {"image": "of this image to this device", "device": "to this device", "host": "on this host"}
        count = expected["restores_count"]
        by = f"by {count} {'restore' if count == 1 else 'restores'} {of[expected['basis']]}"
        console.print(f"Expected to take {in_duration(expected['expected_s'])}, {by}.", highlight=False)


def verify(
    image: Annotated[str, typer.Argument(help=f"{IMAGE_HELP} With --manifest, the file or device.")],
    device: Annotated[
        str | None, typer.Argument(help="Path, stable id, serial or number of the device; not with --manifest.")
    ] = None,
    manifest: Annotated[
        Path | None,
        typer.Option(help="Signed manifest, to verify a file or device of this machine with."),
    ] = None,
    key: Annotated[
        Path | None, typer.Option(help="Public key of its server, in PEM; asked of PATINA_URL by default.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare every byte of a device with an image; or of a file with a signed manifest."""
    if manifest is not None and device is None:
        from patina.cli.manifest import verify_offline  # the only command that needs the libraries of signatures

        verify_offline(Path(image), manifest=manifest, key=key, as_json=as_json)
        return
    if manifest is not None or key is not None or device is None:
        raise Refused("usage", "Name an image and a device; or a file or device, with --manifest and maybe --key.")
    client = Client()
    image_id, target = find_image(client, image)["id"], find_device(client, device)
    _finish(client, _start(client, "verify", target, image_id=image_id), as_json=as_json)


def trace(
    device: DeviceArgument,
    command: Annotated[list[str] | None, typer.Argument(help="The benchmark, after --.")] = None,
    as_json: AsJson = False,
) -> None:
    """Record every write to a device that holds an image: while COMMAND runs, or until `patina rollback`. The exit
    status is that of COMMAND."""
    client = Client()
    armed = _await(client, _start(client, "trace", find_device(client, device)), console_for(as_json))
    path = armed["device"]["path"]
    if not command:
        said = f"Every write to {path} is recorded. `patina rollback {path}` ends the trace and undoes them."
    else:
        failure = run_benchmark(command, output=sys.stderr if as_json else sys.stdout)
        armed = _end_benchmark(client, armed, console_for(as_json), failure)
        said = f"{armed['message']}. `patina rollback {path}` restores image {armed['image']['name']}."
    show(armed, said, as_json=as_json)


def _end_benchmark(client: Client, armed: _Action, drawn_on: Console, failure: Failure | None) -> _Action:
    """Returns the ended trace. Raises Refused when the benchmark failed, or the trace's end is unknown."""
    path = armed["device"]["path"]
    undoes = f"`patina rollback {path}`"
    try:
        ended = _end_trace(client, armed, drawn_on)
    except (Refused, KeyboardInterrupt) as error:
        code, why = (error.code, str(error)) if isinstance(error, Refused) else ("not_followed", None)
        goes_on = f"If the trace goes on, {undoes} ends it, and restores the image."
        sentences = (
            None if failure is None else failure.said,
            why,
            goes_on if code in {*AWAY, "not_followed", "device_busy"} else None,
        )
        raise Refused(code, " ".join(filter(None, sentences))) from error
    if failure is not None:
        said = f"{failure.said} {ended['message']}. {undoes} restores image {ended['image']['name']}."
        raise Refused("benchmark_failed", said, status=failure.status)
    return ended


def _end_trace(client: Client, armed: _Action, drawn_on: Console) -> _Action:
    """Ends the trace. Its writes stay as the device's delta. Raises Refused while the device is mounted."""
    client.call_patiently("POST", f"/jobs/{armed['id']}/stop")
    ended = _await(client, armed, drawn_on)
    if _is_armed(ended):
        raise Refused("device_busy", ended["message"])
    return ended


def rollback(device: DeviceArgument, confirm: Confirm = None, as_json: AsJson = False) -> None:
    """Roll the device back to its image: rewrite the traced blocks. Ends a trace that still runs."""
    client = Client()
    found = find_device(client, device)
    latest: list[_Action] = client.call("GET", "/actions", params={"device_id": found["id"], "limit": 1})["items"]
    if latest and latest[0]["kind"] == "trace" and latest[0]["state"] not in TERMINAL:
        ended = _end_trace(client, latest[0], console_for(as_json))
        if not as_json:
            console.print(f"{ended['message']}.")
    _finish(client, _start(client, "rollback", found, typed=confirm), as_json=as_json)
