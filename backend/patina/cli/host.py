"""Commands of hosts and their join tokens."""

from typing import Annotated, Any

import typer

from patina.cli.client import Client, Refused
from patina.cli.listing import print_list
from patina.cli.terminal import AsJson, Unasked, minute, show

app = typer.Typer(no_args_is_help=True, help="Remove a lost host; list and revoke join tokens.")


@app.command("remove")
def remove_host(
    name: Annotated[str, typer.Argument(help="Name of the host.")],
    is_confirmed: Unasked = False,
    as_json: AsJson = False,
) -> None:
    """Remove a host that is lost for good, with its devices and its unfinished jobs. Needs the role operator."""
    client = Client()
    hosts: list[dict[str, Any]] = client.call("GET", "/hosts")["items"]
    found = next((host for host in hosts if host["name"] == name), None)
    if found is None:
        raise Refused("host_unknown", f"There is no host {name!r}. `patina hosts` lists them.")
    if not is_confirmed and not as_json:
        typer.confirm(f"Remove host {name}, its devices and its unfinished jobs?", abort=True)
    removed = client.call("DELETE", f"/hosts/{found['id']}")
    show(removed, f"Host {name} is removed. To return, it must join again.", as_json=as_json)


@app.command("tokens")
def list_join_tokens(as_json: AsJson = False) -> None:
    """List the join tokens that `patina join-token` and the page made."""

    def _row(t: Any) -> list[str | None]:
        state = "revoked" if t["revoked_at"] else "open" if t["is_open"] else "used up or expired"
        return [str(t["id"]), state, f"{t['used_count']} of {t['uses_count']}", minute(t["expires_at"])]

    print_list("/hosts/tokens", ["number", "state", "used", "expires"], _row, as_json=as_json)


@app.command("revoke-token")
def revoke_join_token(
    number: Annotated[int, typer.Argument(help="Its number in the list.")], as_json: AsJson = False
) -> None:
    """Revoke a join token at once. Hosts that have joined with it stay."""
    revoked = Client().call("DELETE", f"/hosts/tokens/{number}")
    show(revoked, f"Join token {number} is revoked.", as_json=as_json)
