"""Commands of what a team stores: its storage, its retention rule."""

from typing import Annotated, Any

import typer

from patina.cli.client import Client, Refused
from patina.cli.team import TeamArgument, find_team
from patina.cli.terminal import AsJson, console, print_columns, print_json, show
from patina.figures import in_bytes

DAY_S = 86_400


def show_storage(team: TeamArgument, as_json: AsJson = False) -> None:
    """Show what the images shared with a team take. Reads every index: takes seconds."""
    client = Client()
    found = client.call("GET", f"/teams/{find_team(client, team)['id']}/storage")
    said = f"{found['images_count']} images, {in_bytes(found['size_bytes'])} of devices"
    if found["own_bytes"] is not None:
        own, shared = in_bytes(found["own_bytes"]), in_bytes(found["shared_bytes"])
        said += f"\n{own} stored for the team alone, {shared} shared with other images"
    if found["elsewhere_count"]:
        said += f"\n{found['elsewhere_count']} images are in another host's store, and not counted"
    show(found, said, as_json=as_json)


def change_retention(
    team: TeamArgument,
    keep_last: Annotated[int | None, typer.Option(min=0, help="The newest of each kind stay.")] = None,
    expire_after: Annotated[float | None, typer.Option(min=0, help="Days; younger images stay.")] = None,
    also_tagged: Annotated[bool, typer.Option("--also-tagged", help="Images with a tag go too.")] = False,
    is_dry_run: Annotated[bool, typer.Option("--dry-run", help="List what would go; change nothing.")] = False,
    is_applied: Annotated[bool, typer.Option("--apply", help="Apply the rule now, not within the hour.")] = False,
    is_ended: Annotated[bool, typer.Option("--end", help="Remove the rule; the images stay.")] = False,
    is_confirmed: Annotated[bool, typer.Option("--yes", help="Delete without a question.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the retention rule of a team and what it deletes next, or with options set, apply or end it.

    The rule deletes images shared with the team, once an hour. They can be brought back within the grace period."""
    client = Client()
    place = f"/teams/{find_team(client, team)['id']}/retention"
    has_rule = keep_last is not None or expire_after is not None
    if (is_ended and (has_rule or is_applied)) or (is_dry_run and not has_rule):
        raise Refused("usage", "Give --keep-last or --expire-after with --dry-run; --end stands alone.")
    if is_ended:
        client.call("DELETE", place)
        show({"rule": None, "preview": None}, f"The images of team {team} stay.", as_json=as_json)
        return
    rule = {
        "keep_last_count": keep_last,
        "expire_after_s": None if expire_after is None else round(expire_after * DAY_S),
        "keeps_tagged": not also_tagged,
    }
    if is_dry_run:
        _print({"rule": rule, "preview": client.call("POST", f"{place}/preview", json=rule)}, as_json=as_json)
        return
    found = client.call("PUT", place, json=rule) if has_rule else client.call("GET", place)
    if is_applied:
        leaving = [item["id"] for item in (found["preview"] or {"items": []})["items"]]
        if not is_confirmed and not as_json and leaving:
            _print(found, as_json=False)
            typer.confirm(f"Delete these {len(leaving)} images?", abort=True)
        found = client.call("POST", f"{place}/apply", json={"image_ids": leaving})
        show(found, f"{len(leaving)} images deleted.", as_json=as_json)
        return
    _print(found, as_json=as_json)


def _print(found: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(found)
        return
    if found["rule"] is None:
        console.print("No rule: the team's images stay.")
        return
    items, kept = found["preview"]["items"], found["preview"]["kept_count"]
    if items:
        rows = [[item["name"], str(item["id"]), item["created_at"], item["reason"]] for item in items]
        print_columns(rows, ["image", "number", "made", "why it goes"])
    console.print(f"{len(items)} images go, {kept} stay.", highlight=False)
