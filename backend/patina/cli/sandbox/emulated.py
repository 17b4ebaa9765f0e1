"""Sandbox devices and emulated disks: sandbox, disk-models, device fault; and the facts of an emulated disk."""

from enum import StrEnum
from typing import Annotated, Any

import typer

from patina.cli import completion
from patina.cli.client import Client, Refused
from patina.cli.device import DeviceArgument, find_device, make_sandbox, size_of
from patina.cli.sandbox import shingled
from patina.cli.terminal import AsJson, print_columns, print_json, show
from patina.figures import in_bytes, in_duration, in_percent

_OF_EMULATED = "Emulated disks"


def sandbox(
    size: Annotated[str, typer.Argument(help="1GiB, 256MiB or bytes.")] = "1GiB",
    in_memory: Annotated[bool, typer.Option("--memory", help="In memory rather than in a file.")] = False,
    host: Annotated[str | None, typer.Option(help="Name of the host; by default the only one.")] = None,
    hours: Annotated[float | None, typer.Option(help="Removed after so many hours; kept by default.")] = None,
    name: Annotated[str | None, typer.Option(help="A name for it.")] = None,
    is_emulated: Annotated[
        bool,
        typer.Option(
            "--emulated", rich_help_panel=_OF_EMULATED, help="Keep metadata, drop file data; the size may be 1PiB."
        ),
    ] = False,
    model: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=_OF_EMULATED,
            help="Disk model that predicts times, of `patina disk-models`; none by default.",
            autocompletion=completion.disk_models,
        ),
    ] = None,
    raid: Annotated[
        int | None, typer.Option(rich_help_panel=_OF_EMULATED, help="RAID of several disks of the model: 0, 1 or 5.")
    ] = None,
    disks: Annotated[int | None, typer.Option(rich_help_panel=_OF_EMULATED, help="Number of its disks.")] = None,
    stretch_pieces_count: Annotated[
        int | None,
        typer.Option(
            "--stretch-pieces",
            rich_help_panel=_OF_EMULATED,
            help="Lay it over the whole modelled disk in so many pieces, so that seeks are as long as there.",
        ),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(rich_help_panel=_OF_EMULATED, help="What dropped blocks read as: zeroes, random or text."),
    ] = None,
    seed: Annotated[int | None, typer.Option(rich_help_panel=_OF_EMULATED, help="Seed of that data.")] = None,
    compressible: Annotated[
        float | None, typer.Option(rich_help_panel=_OF_EMULATED, help="Compressible fraction of that data, 0 to 1.")
    ] = None,
    time: Annotated[
        str | None,
        typer.Option(
            rich_help_panel=_OF_EMULATED,
            help="accurate: each request takes as long as the model says; fast: the time is predicted, not waited for.",
        ),
    ] = None,
    available: Annotated[
        str | None,
        typer.Option(rich_help_panel=_OF_EMULATED, help="Most that it may store on the host; 4GiB by default."),
    ] = None,
    keeps_all: Annotated[
        bool, typer.Option("--keep-all", rich_help_panel=_OF_EMULATED, help="Keep file data too.")
    ] = False,
    kept_paths: Annotated[
        list[str] | None,
        typer.Option(
            "--keep-path",
            rich_help_panel=_OF_EMULATED,
            help="Files whose data is kept as written, as database/** or etc/*.conf; may be repeated.",
        ),
    ] = None,
    interface: shingled.Interface = None,
    did: shingled.Did = None,
    dnor: shingled.Dnor = None,
    band: shingled.Band = None,
    policy: shingled.Policy = None,
    clean: shingled.Clean = None,
    as_json: AsJson = False,
) -> None:
    """Make a sandbox device, which Patina may age: a loop device over a file, or with --emulated an emulated disk."""
    shingle = shingled.asked(interface, did=did, dnor=dnor, band=band, policy=policy, clean=clean)
    size_bytes = size_of(size)
    if (raid is None) != (disks is None):
        raise Refused("usage", "--raid and --disks are given together: --raid 5 --disks 4.")
    asked = {
        "model": model,
        "raid": None if raid is None else {"level": raid, "disks_count": disks},
        "stretch_pieces_count": stretch_pieces_count,
        "data": data,
        "seed": seed,
        "compressible_fraction": compressible,
        "time": time,
        "available_bytes": None if available is None else size_of(available),
        "keeps_all": keeps_all or None,
        "kept_paths": kept_paths or None,
    }
    chosen = {name: value for name, value in asked.items() if value is not None}
    if chosen and not is_emulated:
        raise Refused("usage", f"{', '.join(chosen)}: this is of emulated disks alone. Add --emulated.")
    device = make_sandbox(
        Client(),
        size_bytes,
        "memory" if in_memory else "file",
        host=host,
        hours=hours,
        name=name,
        emulation=chosen if is_emulated else None,
        shingle=shingle,
    )
    what = f"{'emulated, ' if is_emulated else ''}{'shingled, ' if shingle else ''}"
    show(device, f"{device['path']} ({device['stable_id']}, {what}{in_bytes(size_bytes)})", as_json=as_json)


def disk_models(as_json: AsJson = False) -> None:
    """List the disk models that predict the times of emulated disks."""
    listed = Client().call("GET", "/disk-models")
    if as_json:
        print_json(listed)
        return
    rows = [[m["name"], m["label"], m["kind"], in_bytes(m["capacity_bytes"])] for m in listed["items"]]
    print_columns(rows, ["model", "label", "kind", "capacity"], spare=("label",))


class FaultKind(StrEnum):
    """Kinds of faults, as words of the command."""

    POWER_CUT = "power-cut"
    READ_ERROR = "read-error"
    WRITE_ERROR = "write-error"
    ENDS_EARLY = "ends-early"
    DISAPPEARS = "disappears"
    READ_ONLY = "read-only"
    SLOW = "slow"
    NONE = "none"


def fault(
    device: DeviceArgument,
    kind: Annotated[FaultKind, typer.Argument(help="The fault; none ends all of them.")],
    lost: Annotated[str | None, typer.Option(help="Of a power cut: all, or a random part of what is lost.")] = None,
    seed: Annotated[int | None, typer.Option(help="Of a power cut: seed of the random part.")] = None,
    first: Annotated[str | None, typer.Option(help="Of an error: its first byte, as 0 or 512MiB.")] = None,
    length: Annotated[str | None, typer.Option(help="Of an error: its length, as 4KiB.")] = None,
    size: Annotated[str | None, typer.Option(help="Of ends-early: the size that is left.")] = None,
    delay: Annotated[int | None, typer.Option(help="Of slow: milliseconds that each request takes longer.")] = None,
    as_json: AsJson = False,
) -> None:
    """Make an emulated disk fail: a power cut, errors, or an end of its faults."""
    client = Client()
    found = find_device(client, device)
    asked = {
        "lost": lost,
        "seed": seed,
        "first_byte": None if first is None else size_of(first),
        "length_bytes": None if length is None else size_of(length),
        "size_bytes": None if size is None else size_of(size),
        "delay_ms": delay,
    }
    body = {"kind": kind.replace("-", "_")} | {name: value for name, value in asked.items() if value is not None}
    changed = client.call("POST", f"/devices/{found['id']}/faults", json=body)
    said = "All faults end" if kind == FaultKind.NONE else f"The fault {kind} is sent"
    show(changed, f"{said}: {found['path']}. `patina device show` has the result.", as_json=as_json)


def facts_of(device: dict[str, Any]) -> list[tuple[str, str]]:
    """Returns the facts of an emulated disk, for `device show`; none of another device."""
    asked, now = device["emulation"], device["emulated"]
    if asked is None:
        return []
    model = asked["model_label"] or "none"
    available = in_bytes(asked["available_bytes"])
    rows = [("emulated", f"data {asked['data']}, seed {asked['seed']}; may store {available}"), ("disk model", model)]
    rows += [("paths kept as written", ", ".join(asked["kept_paths"]))] if asked["kept_paths"] else []
    if now is not None:
        saved, stored = now["saved_bytes"], now["stored_bytes"]
        ratio = f", {in_percent(saved / (saved + stored), 1)} of what a plain disk would store" if saved else ""
        used = "unknown" if now["used_bytes"] is None else in_bytes(now["used_bytes"])
        rows += [
            ("target size", in_bytes(now["size_bytes"])),
            ("used", used),
            ("stored", f"{in_bytes(stored)} on the host"),
            ("saved", f"{in_bytes(saved)}{ratio}"),
            ("memory", in_bytes(now["memory_bytes"])),
        ]
        if now["lost_held_bytes"] and asked["kept_paths"]:
            rows.append(("dropped before it was known", f"{in_bytes(now['lost_held_bytes'])}, maybe of kept paths"))
        if now["predicted_s"] is not None:
            rows.append(("predicted time", f"{in_duration(now['predicted_s'])} on {model}"))
        is_empty = now["file_system"] is None and device["holds"] is None
        if now["kept_whole_reason"] is not None and not is_empty:
            rows.append(("kept whole", now["kept_whole_reason"]))
        in_force = [str(fault["kind"]).replace("_", " ") for fault in now["faults"]]
        rows += [("faults", ", ".join(in_force))] if in_force else []
    rows += [("last fault", _said_of(device["fault"]))] if device["fault"] is not None else []
    return rows


def _said_of(asked: dict[str, Any]) -> str:
    kind = asked["fault"]["kind"].replace("_", " ")
    if asked["done_at"] is None:
        return f"{kind}, being sent"
    return f"{kind}, failed: {asked['error']}" if asked["error"] is not None else f"{kind}, done"
