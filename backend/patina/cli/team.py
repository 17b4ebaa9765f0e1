"""Commands of teams."""

from typing import Annotated, Any

import typer

from patina.cli.account import find_account
from patina.cli.client import Client, Refused
from patina.cli.terminal import AsJson, console, print_columns, print_json, show

app = typer.Typer(no_args_is_help=True, help="Teams, which share images that others do not see.")

TeamArgument = Annotated[str, typer.Argument(help="Name of the team.")]
AccountArgument = Annotated[str, typer.Argument(help="Name of the account.")]


@app.command("list")
def list_teams(as_json: AsJson = False) -> None:
    """List the teams with their members."""
    page = Client().call("GET", "/teams")
    if as_json:
        print_json(page)
        return
    rows = [[team["name"], ", ".join(member["name"] for member in team["members"])] for team in page["items"]]
    print_columns(rows, ["team", "members"])


@app.command("make")
def make_team(team: TeamArgument, as_json: AsJson = False) -> None:
    """Make a team. Needs the role owner."""
    show(Client().call("POST", "/teams", json={"name": team}), f"The team {team} has no members yet.", as_json=as_json)


@app.command("remove")
def remove_team(team: TeamArgument) -> None:
    """Remove a team that shares no image. Needs the role owner."""
    client = Client()
    client.call("DELETE", f"/teams/{find_team(client, team)['id']}")
    console.print(f"The team {team} is removed.", highlight=False)


@app.command("join")
def add_member(team: TeamArgument, account: AccountArgument) -> None:
    """Add an account to a team. Needs the role owner."""
    client = Client()
    team_id, account_id = _ids(client, team, account)
    client.call("PUT", f"/teams/{team_id}/members/{account_id}")
    console.print(f"{account} is in the team {team}.", highlight=False)


@app.command("leave")
def remove_member(team: TeamArgument, account: AccountArgument) -> None:
    """Remove an account from a team. Needs the role owner."""
    client = Client()
    team_id, account_id = _ids(client, team, account)
    client.call("DELETE", f"/teams/{team_id}/members/{account_id}")
    console.print(f"{account} is not in the team {team}.", highlight=False)


def find_team(client: Client, name: str) -> dict[str, Any]:
    """Returns the team of this name. Raises Refused."""
    for team in client.call("GET", "/teams")["items"]:
        if team["name"] == name:
            return dict(team)
    raise Refused("team_unknown", f"There is no team {name!r}. `patina team list` lists them.")


def _ids(client: Client, team: str, account: str) -> tuple[int, int]:
    return find_team(client, team)["id"], find_account(client, account)["id"]
