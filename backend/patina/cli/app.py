"""The commands: devices, sandbox, profiles, age, runs, images, pull, import, demo; migrate and openapi."""

import json
import uuid
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from patina.cli.client import Client, Refused
from patina.cli.figures import in_bytes, parse_size, report
from patina.cli.intake import begin, import_file, name_of
from patina.cli.pull import find_download, find_image, target_of
from patina.cli.pull import pull as pull_download

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Age file systems; keep the images.")
console = Console()
errors = Console(stderr=True)

AsJson = Annotated[bool, typer.Option("--json", help="The API's own JSON, for scripts.")]
FullnessOption = Annotated[float, typer.Option(help="Percent of the capacity, block-rounded.", min=1, max=95)]


def _print_json(document: Any) -> None:
    print(json.dumps(document, indent=2))


def _columns(rows: list[list[str]], headings: list[str]) -> None:
    table = Table(*headings, box=None, pad_edge=False, header_style="dim")
    for row in rows:
        table.add_row(*row)
    console.print(table)


@app.command()
def devices(as_json: AsJson = False) -> None:
    """Every device, its state and what it holds."""
    answer = Client().call("GET", "/devices")
    if as_json:
        _print_json(answer)
        return
    rows = [
        [d["path"] or "-", d["kind"], in_bytes(d["size_bytes"]), d["state"], d["holds"] or "", d["state_reason"] or ""]
        for d in answer["items"]
    ]
    _columns(rows, ["device", "kind", "size", "state", "holds", "why"])


@app.command()
def profiles(as_json: AsJson = False) -> None:
    """Every profile."""
    answer = Client().call("GET", "/profiles")
    if as_json:
        _print_json(answer)
        return
    _columns([[p["name"], p["title"], p["description"]] for p in answer["items"]], ["profile", "title", ""])


@app.command()
def runs(as_json: AsJson = False) -> None:
    """The latest runs."""
    answer = Client().call("GET", "/runs")
    if as_json:
        _print_json(answer)
        return
    rows = [
        [str(r["id"]), r["profile"]["name"], r["device"]["path"] or "", r["state"], r["error_message"] or ""]
        for r in answer["items"]
    ]
    _columns(rows, ["run", "profile", "device", "state", ""])


@app.command()
def images(as_json: AsJson = False) -> None:
    """The catalog."""
    answer = Client().call("GET", "/images")
    if as_json:
        _print_json(answer)
        return
    rows = [
        [i["name"], i["origin"], in_bytes(i["size_bytes"]), in_bytes(i["stored_bytes"]), i["created_at"]]
        for i in answer["items"]
    ]
    _columns(rows, ["image", "origin", "size", "stored", "made"])


@app.command()
def pull(
    image: Annotated[str, typer.Argument(help="Name or number of the image.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file, or the folder to put it in.")] = None,
    image_format: Annotated[str, typer.Option("--format", help="raw, raw.zst or qcow2.")] = "raw",
    is_forced: Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Fetch an image into a file. Cut off, it goes on where it was; its digest is checked at the end."""
    client = Client()
    download = find_download(client, find_image(client, image), image_format)
    target = target_of(output, download, is_forced=is_forced)
    pulled = pull_download(client, download, target, Console(quiet=True) if as_json else console)
    if as_json:
        _print_json(pulled)
        return
    console.print(f"{pulled['path']}  {in_bytes(pulled['size_bytes'])}\nSHA-256 {pulled['sha256']}", soft_wrap=True)


@app.command("import")
def import_image(
    file: Annotated[Path, typer.Argument(help="A raw, raw.zst or qcow2 image.")],
    name: Annotated[str | None, typer.Option(help="Of the image; the file's name unless said.")] = None,
    kind: Annotated[str, typer.Option(help="unaged or foreign (aged by something else).")] = "foreign",
    source: Annotated[str, typer.Option(help="Where it comes from, in words.")] = "",
    image_format: Annotated[
        str | None, typer.Option("--format", help="raw, raw.zst or qcow2; found in the file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Bring a file into the catalog. Cut off, it goes on where it was."""
    client = Client()
    intake = begin(client, file, name=name or name_of(file), kind=kind, source=source, image_format=image_format)
    image = import_file(client, file, intake, Console(quiet=True) if as_json else console)
    if as_json:
        _print_json(image)
        return
    stored, new = in_bytes(image["stored_bytes"]), in_bytes(image["capture"]["new_bytes"])
    console.print(f"{image['name']}  {in_bytes(image['size_bytes'])}, {stored} stored, {new} of it new", soft_wrap=True)
    console.print(f"{image['intake']['holds'] or 'blank'}. {image['intake']['check_message']}", soft_wrap=True)


def _find_device(client: Client, name: str) -> dict[str, Any]:
    found: list[dict[str, Any]] = client.call("GET", "/devices")["items"]
    for device in found:
        if name in (device["path"], device["stable_id"], device["serial"], str(device["id"])):
            return device
    raise Refused("device_unknown", f"There is no device {name!r}. `patina devices` lists them.")


def _make_sandbox(client: Client, size_bytes: int, medium: str) -> dict[str, Any]:
    device: dict[str, Any] = client.call("POST", "/devices", json={"size_bytes": size_bytes, "medium": medium})
    with console.status("Making a sandbox device"):
        while device["state"] == "creating":
            device = client.call("GET", f"/devices/{device['id']}")
    if device["state"] == "failed":
        raise Refused("sandbox_failed", f"The sandbox device could not be made: {device['state_reason']}")
    return device


@app.command()
def sandbox(
    size: Annotated[str, typer.Argument(help="1GiB, 256MiB or bytes.")] = "1GiB",
    in_memory: Annotated[bool, typer.Option("--memory", help="In memory rather than in a file.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make a sandbox device: a loop device that Patina may age."""
    try:
        size_bytes = parse_size(size)
    except ValueError as error:
        raise Refused("size_invalid", str(error)) from error
    device = _make_sandbox(Client(), size_bytes, "memory" if in_memory else "file")
    if as_json:
        _print_json(device)
        return
    console.print(f"{device['path']} ({device['stable_id']}, {in_bytes(size_bytes)})")


def _age(
    client: Client, device: dict[str, Any], *, profile: str, fullness: float, typed: str | None, **choices: object
) -> dict[str, Any]:
    """Start an aging and draw its progress until it has ended."""
    body = {
        **choices,
        "device_id": device["id"],
        "profile": profile,
        "fullness": fullness / 100,
        "confirmation": {"stable_id": device["stable_id"], "size_bytes": device["size_bytes"], "typed": typed},
    }
    run = client.call("POST", "/runs", json=body, headers={"Idempotency-Key": str(uuid.uuid4())})
    columns = (TextColumn("{task.description:<22}"), BarColumn(), TextColumn("{task.percentage:>5.1f} %"))
    with Progress(*columns, TimeElapsedColumn(), TextColumn("{task.fields[figures]}"), console=console) as progress:
        task = progress.add_task("Preparing", total=1.0, figures="")
        for event in client.follow(run["id"]):
            payload = event.payload
            if payload.type == "sample":
                rmse = payload.histograms.age.rmse
                figures = f"age RMSE {rmse * 100:.3f} %  {payload.ops_per_s:,.0f} operations/s"
                name = f"Aging, {payload.phase}"
                progress.update(task, description=name, completed=payload.progress_fraction, figures=figures)
            elif payload.type == "progress":
                done = payload.done_bytes / max(payload.total_bytes, 1)
                doing = "Restoring the image" if payload.command == "restore" else "Capturing the image"
                progress.update(task, description=doing, completed=done, figures="")
            elif payload.type == "state" and payload.state == "succeeded":
                progress.update(task, description="Done", completed=1.0, figures="")
    ended: dict[str, Any] = client.call("GET", f"/runs/{run['id']}")
    if ended["state"] != "succeeded":
        why = ended["error_message"] or ended["state"]
        log = f"\n{ended['error_log']}" if ended["error_log"] else ""
        raise Refused(ended["error_code"] or ended["state"], f"Run {run['id']} ended {ended['state']}: {why}{log}")
    return ended


def _image_of(client: Client, run: dict[str, Any]) -> dict[str, Any]:
    found: list[dict[str, Any]] = client.call("GET", "/images", params={"run_id": run["id"]})["items"]
    image: dict[str, Any] = client.call("GET", f"/images/{found[0]['id']}")
    return image


@app.command()
def age(
    device: Annotated[str, typer.Argument(help="Path, stable id, serial or number of the device.")],
    profile: Annotated[str, typer.Option(help="A profile's name.")] = "agrawal",
    fullness: FullnessOption = 70,
    confirm: Annotated[str | None, typer.Option(help="The device's serial or path, when it holds something.")] = None,
    file_system: Annotated[str, typer.Option(help="ext4, xfs or btrfs.")] = "ext4",
    in_memory: Annotated[bool, typer.Option(help="Age in memory, then write the image to the device.")] = False,
    as_json: AsJson = False,
) -> None:
    """Age a device and capture its image. Everything on it is destroyed."""
    client = Client()
    choices = {"file_system": file_system, "in_memory": in_memory}
    run = _age(client, _find_device(client, device), profile=profile, fullness=fullness, typed=confirm, **choices)
    image = _image_of(client, run)
    if as_json:
        _print_json(image)
        return
    report(console, summary=run["summary"], image=image)


@app.command()
def demo() -> None:
    """Age a 1 GiB sandbox device to Agrawal 70 % through the API, and say what came of it."""
    client = Client()
    free = [d for d in client.call("GET", "/devices")["items"] if d["kind"] == "sandbox" and d["state"] == "available"]
    fitting = [d for d in free if d["size_bytes"] == 2**30]
    device = fitting[0] if fitting else _make_sandbox(client, 2**30, "file")
    console.print(f"Aging {device['path']} (sandbox, {in_bytes(device['size_bytes'])}, ext4) to Agrawal, 70 % full")
    run = _age(client, device, profile="agrawal", fullness=70, typed=device["path"])
    image = _image_of(client, run)
    console.print()
    report(console, summary=run["summary"], image=image)
    console.print(f"\nThe run:    {client.url}/runs/{run['id']}\nThe image:  {client.url}/images/{image['id']}")


@app.command()
def migrate() -> None:
    """Bring the database to this version. Needs DATABASE_URL."""
    from patina.migrate import migrate as run_migrations  # the only command that needs the database

    run_migrations()


@app.command()
def openapi() -> None:
    """The API's OpenAPI document."""
    from patina.main import build_app  # builds the whole application; no other command needs it

    _print_json(build_app().openapi())


def run() -> NoReturn:
    """The command's entry: refusals become one sentence."""
    try:
        app()
    except Refused as refusal:
        errors.print(f"patina: {refusal}", style="red", highlight=False, markup=False)
        raise SystemExit(1) from refusal
    raise SystemExit(0)
