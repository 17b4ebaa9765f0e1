"""Device selection, confirmation and making, shared by `sandbox`, `age`, `restore` and others."""

import time
from typing import Annotated, Any

import typer

from patina.cli import completion
from patina.cli.client import POLL_S, Client, Refused
from patina.cli.terminal import console
from patina.device.state import DeviceState
from patina.figures import parse_size

DeviceArguments = Annotated[
    list[str],
    typer.Argument(help="Path, name, stable id, serial or number of each device.", autocompletion=completion.devices),
]
DeviceArgument = Annotated[
    str,
    typer.Argument(help="Path, name, stable id, serial or number of the device.", autocompletion=completion.devices),
]
Confirm = Annotated[str | None, typer.Option(help="The device's serial, path or name, when it holds something.")]
ConfirmEach = Annotated[
    list[str] | None,
    typer.Option("--confirm", help="A device's serial, path or name, when it holds something; repeatable."),
]


def find_device(client: Client, name: str) -> dict[str, Any]:
    """Returns the device of this name. Raises Refused when there is none, or several hosts have one."""
    known: list[dict[str, Any]] = client.call("GET", "/devices")["items"]
    found = [d for d in known if name in (d["path"], d["stable_id"], d["serial"], d["name"], str(d["id"]))]
    # A removed disk keeps its path, which another disk may have now.
    found = [d for d in found if d["state"] != DeviceState.LOST] or found
    if not found:
        raise Refused("device_unknown", f"There is no device {name!r}. `patina devices` lists them.")
    if len(found) > 1:
        which = ", ".join(f"{d['id']} on host {d['host']['name']} ({d['serial'] or d['stable_id']})" for d in found)
        raise Refused("device_ambiguous", f"{len(found)} devices are called {name!r}: {which}. Name one by its number.")
    return found[0]


def confirmation(device: dict[str, Any], typed: str | None) -> dict[str, Any]:
    """Returns the confirmation of this device."""
    return {"stable_id": device["stable_id"], "size_bytes": device["size_bytes"], "typed": typed}


def confirmation_among(device: dict[str, Any], typed: list[str]) -> dict[str, Any]:
    """Returns the confirmation of this device, with the one of the typed names that is its own."""
    own = next((name for name in typed if name in (device["path"], device["serial"], device["name"])), None)
    return confirmation(device, own or (typed[0] if len(typed) == 1 else None))


def size_of(text: str) -> int:
    """Returns the bytes of a size as users write it. Raises Refused."""
    try:
        return parse_size(text)
    except ValueError as error:
        raise Refused("size_invalid", str(error)) from error


def make_sandbox(
    client: Client,
    size_bytes: int,
    medium: str,
    *,
    host: str | None = None,
    hours: float | None = None,
    name: str | None = None,
    emulation: dict[str, Any] | None = None,
    shingle: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Returns a new, ready sandbox device. Raises Refused."""
    expires_in_s = None if hours is None else round(hours * 3600)
    body = {"size_bytes": size_bytes, "medium": medium, "host_name": host, "expires_in_s": expires_in_s, "name": name}
    body |= {"emulation": emulation, "shingle": shingle}
    device: dict[str, Any] = client.call("POST", "/devices", json=body)
    with console.status("Making a sandbox device"):
        while device["state"] == "creating":
            time.sleep(POLL_S)
            device = client.call("GET", f"/devices/{device['id']}")
    if device["path"] is None:  # it failed, or was lost at once
        raise Refused("sandbox_failed", f"The sandbox device could not be made: {device['state_reason']}")
    return device
