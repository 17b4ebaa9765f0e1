"""Commands that change who sees an image, a profile or a job: `share` of each."""

from typing import Annotated

import typer

from patina.cli.client import Client, Refused
from patina.cli.profile import NameArgument
from patina.cli.pull import ImageArgument, find_image
from patina.cli.team import find_team
from patina.cli.terminal import AsJson, show

jobs = typer.Typer(no_args_is_help=True, help="Runs, trials and other jobs, by number.")

Team = Annotated[str | None, typer.Option(help="Share it with this team alone.")]
IsPrivate = Annotated[bool, typer.Option("--private", help="Its account alone sees it.")]
JobArgument = Annotated[int, typer.Argument(help="Number of the run, trial or other job.", min=1)]


def share_image(
    image: ImageArgument, team: Team = None, is_private: IsPrivate = False, as_json: AsJson = False
) -> None:
    """Change who sees an image: a team, its account alone, or without an option every account of the server."""
    client = Client()
    found = find_image(client, image)
    _share(client, f"/images/{found['id']}", found["name"], team, is_private=is_private, as_json=as_json)


def share_profile(
    name: NameArgument, team: Team = None, is_private: IsPrivate = False, as_json: AsJson = False
) -> None:
    """Change who sees a profile: a team, its account alone, or without an option every account of the server."""
    _share(Client(), f"/profiles/{name}", name, team, is_private=is_private, as_json=as_json)


@jobs.command("share")
def share_job(job: JobArgument, team: Team = None, is_private: IsPrivate = False, as_json: AsJson = False) -> None:
    """Change who sees a run, a trial or another job: a team, its account alone, or without an option every account of
    the server. The runs of a batch are shared together."""
    _share(Client(), f"/jobs/{job}", f"Job {job}", team, is_private=is_private, as_json=as_json)


def _share(client: Client, path: str, name: str, team: str | None, *, is_private: bool, as_json: bool) -> None:
    if team is not None and is_private:
        raise Refused("usage", "Choose --team or --private.")
    visibility = "private" if is_private else "everyone" if team is None else "team"
    body = {"visibility": visibility, "team_id": None if team is None else find_team(client, team)["id"]}
    shared = client.call("PUT", f"{path}/sharing", json=body)
    seen_by = {"private": "its account", "team": f"the team {team}", "everyone": "every account"}[visibility]
    show(shared, f"{name} is seen by {seen_by}, and by operators.", as_json=as_json)
