"""The command forecast: what aging to a profile needs."""

from typing import Annotated, Any

import typer
from rich.table import Table

from patina.cli import completion
from patina.cli.client import Client, Refused
from patina.cli.device import find_device, size_of
from patina.cli.percent import FullnessOption, MaxRmse
from patina.cli.terminal import AsJson, print_json, print_table
from patina.figures import in_bytes, in_duration, in_percent

_BASES = {"device": "by runs on this device", "kind": "by runs on such devices", "default": "a guess: no runs yet"}


def forecast(
    profile: Annotated[str, typer.Argument(help="Name of a profile.", autocompletion=completion.profiles)],
    capacity: Annotated[str | None, typer.Option(help="1GiB, 256MiB or bytes.")] = None,
    device: Annotated[
        str | None, typer.Option(help="Instead of a capacity: a device.", autocompletion=completion.devices)
    ] = None,
    file_system: Annotated[str, typer.Option(help="Of the device.")] = "ext4",
    fullness: FullnessOption = None,
    version: Annotated[int | None, typer.Option(help="Number of a version; the latest by default.", min=1)] = None,
    max_rmse: MaxRmse = None,
    max_overwrites: Annotated[float | None, typer.Option(help="Budget: bytes written over the capacity.")] = None,
    is_simulated: Annotated[
        bool, typer.Option("--simulate", help="Carry the plan out in the model, for 15 seconds at most.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Forecast what aging to a profile needs: files, operations, bytes, accuracy. Changes nothing."""
    if (capacity is None) == (device is None):
        raise Refused("usage", "Give --capacity SIZE or --device DEVICE, one of the two.")
    client = Client()
    found = None if device is None else find_device(client, device)
    body = {
        "profile": profile,
        "profile_version_number": version,
        "capacity_bytes": _capacity(capacity, found, file_system),
        "fullness": (70 if fullness is None else fullness) / 100,
        "max_rmse": None if max_rmse is None else max_rmse / 100,
        "max_overwrites": max_overwrites,
    }
    made = client.call("POST", "/simulations" if is_simulated else "/forecasts", json=body)
    if as_json:
        print_json(made)
        return
    plan = made["plan"] if is_simulated else made
    table = _table(plan)
    if found is not None:
        pace = client.call("GET", "/pace", params={"device_id": found["id"], "file_system": file_system})
        seconds = plan["horizon_ops_count"] / pace["ops_per_s"]
        table.add_row("time", in_duration(seconds), _BASES[pace["basis"]])
    if is_simulated:
        reached = in_percent(made["summary"]["histograms"]["age"]["rmse"])
        whole = "" if made["is_complete"] else f"of the first {made['summary']['ops_count']:,} operations"
        table.add_row("simulated age RMSE", reached, whole)
    print_table(table)


def _capacity(capacity: str | None, device: dict[str, Any] | None, file_system: str) -> int:
    if device is None:
        return size_of(str(capacity))
    offers = {offer["name"]: offer["capacity_estimate_bytes"] for offer in device["file_systems"]}
    estimate = offers.get(file_system)
    if estimate is None:
        raise Refused("usage", f"{device['path']} cannot have {file_system}. It can have: {', '.join(offers)}.")
    return int(estimate)


def _table(plan: dict[str, Any]) -> Table:
    table = Table(show_header=False, box=None, pad_edge=False)
    table.add_row("files", f"{plan['files_count']:,}", f"mean {in_bytes(round(plan['mean_file_bytes']))}")
    table.add_row("operations", f"{plan['horizon_ops_count']:,}", f"{plan['minimal_horizon_ops_count']:,} at least")
    table.add_row("written", in_bytes(plan["written_bytes"]), f"{plan['overwrites']:.1f} overwrites")
    table.add_row(
        "age RMSE", in_percent(plan["age_rmse"]), f"best possible with whole files {in_percent(plan['rmse_floor'])}"
    )
    critical = plan["histograms"]["age"][plan["critical_age_bin"]]
    table.add_row("critical age bin", f"below {critical['edge']:g}", "sets the number of operations")
    for aside in plan["set_aside"]:
        why = f"{in_percent(aside['target_fraction'], 2)} of the profile, {aside['reason'].replace('_', ' ')}"
        edge = in_bytes(aside["edge"]) if aside["histogram"] == "size" else f"{aside['edge']:g}"
        table.add_row(f"{aside['histogram']} bin set aside", edge, why)
    return table
