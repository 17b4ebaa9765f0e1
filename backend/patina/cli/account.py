"""Commands of accounts: signing in and out, access tokens, invitations, roles, the audit trail."""

import re
import socket
import sys
from datetime import timedelta
from pathlib import Path
from typing import Annotated, Any

import typer

from patina.account.role import Role
from patina.cli.client import Client, Refused
from patina.cli.listing import print_list
from patina.cli.server import address_of
from patina.cli.terminal import AsJson, Unasked, console, minute, print_columns, print_json, show
from patina.cli.token import file as tokens_file
from patina.cli.token import forget_token, keep_token

DAY_S = 24 * 3600
KEPT_DAYS = 90

tokens = typer.Typer(no_args_is_help=True, help="Access tokens of your account, for programs.")
accounts = typer.Typer(no_args_is_help=True, help="The accounts of the server. Needs the role owner.")

ServerOption = Annotated[str | None, typer.Option(help="Address or name of a server; that of PATINA_URL by default.")]
NAME_OF_SERVER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
Days = Annotated[float, typer.Option(help="Days until it expires.", min=0.001, max=366)]


def sign_in(
    name: Annotated[str | None, typer.Option(help="Name of the account; asked for by default.")] = None,
    link: Annotated[str | None, typer.Option(help="Use a link; - reads it. An invitation makes the account.")] = None,
    server: ServerOption = None,
    server_name: Annotated[str | None, typer.Option("--as", help="A name for the server in later commands.")] = None,
    as_json: AsJson = False,
) -> None:
    """Sign in to the server; later commands use the access token that this keeps.

    The password is asked for, or is the first line of the standard input.
    """
    client = Client(server and address_of(server))
    if server_name is not None and not NAME_OF_SERVER.fullmatch(server_name):
        raise Refused("usage", f"{server_name!r}: a name of a server has letters, digits, dots, dashes, underscores.")
    if link is not None:
        token = (sys.stdin.readline().strip() if link == "-" else link).rpartition("#")[2]
        made: dict[str, str] = {}
        if client.call("POST", "/links/opening", json={"token": token})["account"] is None:
            made = {"name": name or typer.prompt("Name"), "password": _password()}
        account = client.call("POST", "/links/use", json={"token": token} | made)
    else:
        body = {"name": name or typer.prompt("Name"), "password": _password()}
        account = client.call("POST", "/sessions", json=body)
    body = {"title": f"patina on {socket.gethostname()}", "role": account["role"], "expires_in_s": KEPT_DAYS * DAY_S}
    access_token = client.call("POST", "/tokens", json=body)["token"]
    client.call("DELETE", "/sessions/current")
    keep_token(client.url, access_token, server_name)
    said = f"Signed in to {client.url} as {account['name']} ({account['role']}).\n"
    show(account, f"{said}The access token is in {tokens_file()}, and expires in {KEPT_DAYS} days.", as_json=as_json)


def _password(asked: str = "Password") -> str:
    if sys.stdin.isatty():
        return str(typer.prompt(asked, hide_input=True))
    return sys.stdin.readline().rstrip("\n")


def sign_out(server: ServerOption = None) -> None:
    """Revoke the access token that `patina sign-in` kept, and remove it."""
    client = Client(server and address_of(server))
    try:
        client.call("DELETE", "/sessions/current")
    finally:
        forget_token(client.url)
    console.print(f"Signed out of {client.url}.", highlight=False)


def whoami(as_json: AsJson = False) -> None:
    """Show the account that the commands act for."""
    client = Client()
    me = client.call("GET", "/me")
    if me["account"] is None:
        raise Refused("sign_in_required", f"Not signed in to {client.url}. Run `patina sign-in`.")
    show(me, f"{me['account']['name']} at {client.url}, with the role {me['role']}", as_json=as_json)


def change_password(as_json: AsJson = False) -> None:
    """Change the password of your account.

    The current one and the new one are asked for, or are the first two lines of the standard input.
    """
    client = Client()
    body = {"current": _password("Current password"), "password": _password("New password")}
    changed = client.call("PUT", "/me/password", json=body)
    show(changed, f"The password at {client.url} is changed.", as_json=as_json)


@tokens.command("make")
def make_token(
    title: Annotated[str, typer.Argument(help="What it is for.")],
    role: Annotated[Role, typer.Option(help="The most that it may do.")] = Role.VIEWER,
    days: Days = 30,
    as_json: AsJson = False,
) -> None:
    """Make an access token. It is printed once."""
    seconds = round(timedelta(days=days).total_seconds())
    made = Client().call("POST", "/tokens", json={"title": title, "role": role, "expires_in_s": seconds})
    show(made, made["token"], as_json=as_json)


@tokens.command("list")
def list_tokens(as_json: AsJson = False) -> None:
    """List your access tokens and the sessions of your browsers."""
    page = Client().call("GET", "/credentials")
    if as_json:
        print_json(page)
        return
    rows = [
        [str(c["id"]), c["kind"], c["title"][:50], c["role"], minute(c["seen_at"]), minute(c["expires_at"])]
        for c in page["items"]
    ]
    print_columns(rows, ["id", "kind", "title", "role", "last used", "expires"])


@tokens.command("revoke")
def revoke_token(
    number: Annotated[int, typer.Argument(help="Its number in the list.")], as_json: AsJson = False
) -> None:
    """Revoke an access token, or end a session, at once."""
    revoked = Client().call("DELETE", f"/credentials/{number}")
    show(revoked, f"Token or session {number} is revoked.", as_json=as_json)


@tokens.command("revoke-all")
def sign_out_everywhere(is_confirmed: Unasked = False, as_json: AsJson = False) -> None:
    """End every session and revoke every token of your account, also the one of this command."""
    if not is_confirmed and not as_json:
        typer.confirm("End every session and revoke every token of your account?", abort=True)
    client = Client()
    ended = client.call("DELETE", "/credentials")
    forget_token(client.url)
    show(ended, "Every session has ended, and every token is revoked. `patina sign-in` signs in.", as_json=as_json)


@accounts.command("list")
def list_accounts(as_json: AsJson = False) -> None:
    """List the accounts."""
    page = Client().call("GET", "/accounts")
    if as_json:
        print_json(page)
        return
    rows = [[a["name"], a["role"], "closed" if a["closed_at"] else "open"] for a in page["items"]]
    print_columns(rows, ["name", "role", "state"])


@accounts.command("invite")
def invite(
    role: Annotated[Role, typer.Option(help="Role of the account.")] = Role.MEMBER,
    note: Annotated[str, typer.Option(help="For whom.")] = "",
    days: Days = 3,
    as_json: AsJson = False,
) -> None:
    """Make a link that makes one account. It is printed once."""
    body = {"role": role, "note": note, "expires_in_s": round(days * DAY_S)}
    made = Client().call("POST", "/links", json=body)
    show(made, made["url"], as_json=as_json)


@accounts.command("invitations")
def list_invitations(as_json: AsJson = False) -> None:
    """List the links that have been made and not used: invitations, and links to accounts."""

    def _row(link: Any) -> list[str | None]:
        account = link["account"]["name"] if link["account"] else link["note"]
        return [str(link["id"]), link["purpose"], link["role"], account, minute(link["expires_at"])]

    print_list("/links", ["number", "purpose", "role", "for", "expires"], _row, as_json=as_json)


@accounts.command("revoke-link")
def revoke_link(
    number: Annotated[int, typer.Argument(help="Its number in the list.")], as_json: AsJson = False
) -> None:
    """Revoke a link that has not been used."""
    show(Client().call("DELETE", f"/links/{number}"), f"Link {number} is revoked.", as_json=as_json)


@accounts.command("link")
def entry_link(name: Annotated[str, typer.Argument()], as_json: AsJson = False) -> None:
    """Make a link that signs in to an account whose password is lost. It is printed once."""
    client = Client()
    made = client.call("POST", f"/accounts/{find_account(client, name)['id']}/links", json={})
    show(made, made["url"], as_json=as_json)


@accounts.command("role")
def change_role(name: Annotated[str, typer.Argument()], role: Annotated[Role, typer.Argument()]) -> None:
    """Change the role of an account."""
    _change(name, role=role)
    console.print(f"{name} has the role {role}.", highlight=False)


@accounts.command("close")
def close(name: Annotated[str, typer.Argument()]) -> None:
    """Close an account: it cannot sign in, and its sessions and tokens end."""
    _change(name, is_closed=True)
    console.print(f"{name} is closed.", highlight=False)


@accounts.command("open")
def reopen(name: Annotated[str, typer.Argument()]) -> None:
    """Open a closed account again."""
    _change(name, is_closed=False)
    console.print(f"{name} is open.", highlight=False)


def audit(
    account: Annotated[str | None, typer.Option(help="Of this account only.")] = None,
    action: Annotated[str | None, typer.Option(help="Of this operation only, e.g. start_run.")] = None,
    since: Annotated[str | None, typer.Option(help="From this time on (ISO 8601).")] = None,
    export: Annotated[Path | None, typer.Option(help="Write all entries into this file: .jsonl or .csv.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the newest entries of the audit trail, or export it. Needs the role owner."""
    client = Client()
    query = {name: value for name, value in (("account", account), ("action", action), ("since", since)) if value}
    if export is not None:
        _export(client, query, export)
        return
    page = client.call("GET", "/audit", params=query)
    if as_json:
        print_json(page)
        return
    rows = [
        [
            minute(e["at"]),
            e["account_name"],
            e["address"],
            e["action"],
            e["path"].removeprefix("/api/v1"),
            e["outcome"],
        ]
        for e in page["items"]
    ]
    print_columns(rows, ["at", "account", "from", "action", "path", "outcome"])


def _export(client: Client, query: dict[str, str], file: Path) -> None:
    kind = file.suffix.removeprefix(".")
    if kind not in ("jsonl", "csv"):
        raise Refused("usage", f"{file}: name a file that ends in .jsonl or .csv.")
    try:
        with file.open("xb") as written:
            for piece in client.pieces("/audit/export", params=query | {"format": kind}):
                written.write(piece)
    except FileExistsError as error:
        raise Refused("file_exists", f"{file} is there already. Name another.") from error
    console.print(f"{file} has {file.stat().st_size} bytes.", highlight=False)


def find_account(client: Client, name: str) -> dict[str, Any]:
    """Returns the account of this name."""
    for account in client.call("GET", "/accounts")["items"]:
        if account["name"] == name:
            return dict(account)
    raise Refused("account_unknown", f"There is no account {name!r}. `patina account list` lists them.")


def _change(name: str, **changes: object) -> None:
    client = Client()
    client.call("PATCH", f"/accounts/{find_account(client, name)['id']}", json=changes)
