"""The command `patina image reproduce`."""

import uuid
from typing import Any

from patina.cli.aging import await_run, image_of
from patina.cli.client import Client
from patina.cli.device import Confirm, DeviceArgument, confirmation, find_device
from patina.cli.pull import ImageArgument, find_image
from patina.cli.terminal import AsJson, console_for, show


def reproduce(image: ImageArgument, device: DeviceArgument, confirm: Confirm = None, as_json: AsJson = False) -> None:
    """Age a device by the recipe of an image, and compare the two layouts. Everything on the device is destroyed."""
    client = Client()
    found, target = find_image(client, image), find_device(client, device)
    body = {"device_id": target["id"], "confirmation": confirmation(target, confirm)}
    key = {"Idempotency-Key": str(uuid.uuid4())}
    run = client.call_patiently("POST", f"/images/{found['id']}/reproductions", json=body, headers=key)
    made = image_of(client, await_run(client, run["id"], console_for(as_json)))
    compared = client.call("GET", f"/images/{made['id']}/reproduction")
    show({"image": made, "reproduction": compared}, _said(made, compared), as_json=as_json)


def _said(made: dict[str, Any], compared: dict[str, Any]) -> str:
    lines = [f"{made['name']}, compared with {compared['image']['name']}:"]
    words = {True: "the same", False: "differs", None: "not measured"}
    lines += [f"{name}: {words[compared[f'has_same_{name}']]}" for name in ("plan", "layout", "extents")]
    lines += [f"{each['name']}: {each['now']}, before {each['before']}" for each in compared["differences"]]
    return "\n".join(lines)
