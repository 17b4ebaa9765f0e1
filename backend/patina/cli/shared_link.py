"""Commands of links that show something without an account: make, list, revoke."""

from typing import Annotated, Any

import typer

from patina.cli.client import Client, Refused
from patina.cli.listing import print_list
from patina.cli.pull import IMAGE_HELP, find_image
from patina.cli.terminal import AsJson, minute, show

app = typer.Typer(no_args_is_help=True, help="Links that show one thing to readers without an account.")

Image = Annotated[str | None, typer.Option(help=IMAGE_HELP)]
Profile = Annotated[str | None, typer.Option(help="Name of the profile.")]
Job = Annotated[int | None, typer.Option(help="Number of the run or trial.", min=1)]


@app.command("make")
def make_link(
    image: Image = None,
    profile: Profile = None,
    job: Job = None,
    days: Annotated[float, typer.Option(help="Days until it expires.", min=0.05, max=90)] = 7,
    as_json: AsJson = False,
) -> None:
    """Make a link that shows one thing to readers without an account. It is printed once."""
    client = Client()
    body = _shown(client, image, profile, job) | {"expires_in_s": round(days * 24 * 3600)}
    made = client.call("POST", "/shared-links", json=body)
    show(made, made["url"], as_json=as_json)


@app.command("list")
def list_links(image: Image = None, profile: Profile = None, job: Job = None, as_json: AsJson = False) -> None:
    """List the links to one thing that have not expired."""

    def _row(link: Any) -> list[str | None]:
        return [str(link["id"]), minute(link["created_at"]), minute(link["expires_at"])]

    shown = _shown(Client(), image, profile, job)
    print_list("/shared-links", ["number", "made", "expires"], _row, as_json=as_json, params=shown)


@app.command("revoke")
def revoke_link(
    number: Annotated[int, typer.Argument(help="Its number in the list.", min=1)], as_json: AsJson = False
) -> None:
    """Revoke a link at once."""
    revoked = Client().call("DELETE", f"/shared-links/{number}")
    show(revoked, f"Link {number} is revoked.", as_json=as_json)


def _shown(client: Client, image: str | None, profile: str | None, job: int | None) -> dict[str, Any]:
    """Returns the member of a request that names the one thing. Raises Refused."""
    if sum(one is not None for one in (image, profile, job)) != 1:
        raise Refused("usage", "Choose one of --image, --profile and --job.")
    if image is not None:
        return {"image_id": find_image(client, image)["id"]}
    return {"profile": profile} if job is None else {"job_id": job}
