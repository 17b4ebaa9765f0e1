"""Commands of one device: show, remove, users. The command `fault` is in sandbox/emulated.py."""

from typing import Annotated, Any

import typer
from rich.table import Table

from patina.cli.client import Client, Refused
from patina.cli.device import DeviceArgument, find_device
from patina.cli.sandbox import shingled
from patina.cli.sandbox.emulated import facts_of
from patina.cli.team import find_team
from patina.cli.terminal import AsJson, Unasked, facts, minute, print_json, print_table, show
from patina.figures import in_bytes

app = typer.Typer(no_args_is_help=True, help="Show and name a device, remove a sandbox device, choose who may use it.")


@app.command("show")
def show_device(device: DeviceArgument, as_json: AsJson = False) -> None:
    """Show a device: its state, the image that it holds, and the file systems that it can have."""
    client = Client()
    found = find_device(client, device)
    holding = client.call("GET", f"/devices/{found['id']}/holding")
    if as_json:
        print_json(found | {"holding": holding})
    else:
        print_table(_table(found, holding))


def _table(device: dict[str, Any], holding: dict[str, Any] | None) -> Table:
    table = facts()
    table.add_row("device", f"{device['path'] or 'no path'} on host {device['host']['name']}, number {device['id']}")
    if device["name"] is not None:
        table.add_row("name", device["name"])
    table.add_row("stable id", device["stable_id"])
    table.add_row("size", in_bytes(device["size_bytes"]))
    table.add_row("state", ", ".join(filter(None, (device["state"], device["state_reason"]))))
    table.add_row("holds", device["holds"] or "nothing")
    for name, text in (*shingled.facts_of(device), *facts_of(device)):
        table.add_row(name, text)
    if holding is not None:
        doubt = f", in doubt: {holding['doubt']}" if holding["doubt"] else ""
        table.add_row("image", f"{holding['image']['name']}{doubt}")
        table.add_row("verified", minute(holding["verified_at"]))
        delta = holding["delta"]
        table.add_row("delta", f"{in_bytes(delta['touched_bytes'])} touched" if delta else "none")
    offers = [offer["name"] for offer in device["file_systems"] if offer["capacity_estimate_bytes"] is not None]
    table.add_row("file systems", ", ".join(offers))
    return table


@app.command("remove")
def remove_device(device: DeviceArgument, is_confirmed: Unasked = False, as_json: AsJson = False) -> None:
    """Remove a sandbox device with everything on it."""
    client = Client()
    found = find_device(client, device)
    if found["holds"] and not is_confirmed and not as_json:
        typer.confirm(f"{found['path']} holds {found['holds']}. Remove it?", abort=True)
    removed = client.call("DELETE", f"/devices/{found['id']}")
    lost = found["path"] is None
    shown = found["stable_id"] if lost else f"{found['path']} ({found['stable_id']})"
    show(removed, f"{shown} is being removed.", as_json=as_json)


@app.command("name")
def name_device(
    device: DeviceArgument,
    name: Annotated[str | None, typer.Argument(help="The name; without one, the device has none.")] = None,
    as_json: AsJson = False,
) -> None:
    """Give a device a name, or take it away."""
    client = Client()
    found = find_device(client, device)
    changed = client.call("PUT", f"/devices/{found['id']}/name", json={"name": name})
    path = found["path"] or found["stable_id"]
    show(changed, f"{path} is called {name}." if name else f"{path} has no name.", as_json=as_json)


@app.command("users")
def set_users(
    device: DeviceArgument,
    team: Annotated[str | None, typer.Option(help="The members of this team.")] = None,
    is_of_operators: Annotated[bool, typer.Option("--operators", help="Operators alone.")] = False,
    as_json: AsJson = False,
) -> None:
    """Change who may use a device: a team, operators alone, or without an option every member. Needs the role
    operator."""
    if team is not None and is_of_operators:
        raise Refused("usage", "Choose --team or --operators.")
    client = Client()
    found = find_device(client, device)
    users = "operators" if is_of_operators else "members" if team is None else "team"
    body = {"users": users, "team_id": None if team is None else find_team(client, team)["id"]}
    changed = client.call("PUT", f"/devices/{found['id']}/users", json=body)
    said = {"operators": "operators", "team": f"the team {team}", "members": "every member"}[users]
    show(changed, f"{found['path'] or found['stable_id']} may be used by {said}.", as_json=as_json)
