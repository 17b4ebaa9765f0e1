"""Commands of images beside others: compare, uses."""

from typing import Any

import typer

from patina.cli.client import Client
from patina.cli.pull import ImageArgument, find_image
from patina.cli.terminal import AsJson, facts, minute, print_json, print_table
from patina.figures import in_bytes, in_percent


def add_commands(app: typer.Typer) -> None:
    """Adds them to the commands of an image."""
    app.command("compare")(compare)
    app.command("uses")(show_use)


def compare(image: ImageArgument, other: ImageArgument, as_json: AsJson = False) -> None:
    """Compare the bytes of two images."""
    client = Client()
    first, second = find_image(client, image), find_image(client, other)
    found = client.call("GET", f"/images/{first['id']}/difference", params={"other": second["id"]})
    if as_json:
        print_json(found)
        return
    table = facts()
    of_all = found["changed_bytes"] / max(found["first_bytes"], found["second_bytes"])
    count = found["changed_extents_count"]
    ranges = f"{count:,} {'extent' if count == 1 else 'extents'}"
    table.add_row("differs", f"{in_bytes(found['changed_bytes'])}, {in_percent(of_all, 1)}, in {ranges}")
    for title, which in (
        ("in both", "shared"),
        (f"only in {first['name']}", "only_first"),
        (f"only in {second['name']}", "only_second"),
    ):
        chunks = found[which]
        table.add_row(title, f"{in_bytes(chunks['bytes'])} in {chunks['chunks_count']:,} distinct chunks")
    print_table(table)


def show_use(image: ImageArgument, as_json: AsJson = False) -> None:
    """Show the lineage of an image, and the devices and trials that use it."""
    client = Client()
    found = client.call("GET", f"/images/{find_image(client, image)['id']}/use")
    if as_json:
        print_json(found)
        return
    table = facts()
    for device in found["devices"]:
        table.add_row("held by", device["name"])
    for trial in found["trials"]:
        table.add_row("measured by", f"trial {trial['id']} {trial['name']}".rstrip() + f", {trial['state']}")
    for node in found["lineage"]:
        table.add_row("lineage", _node(node))
    print_table(table)


def _node(node: dict[str, Any]) -> str:
    state = "deleted" if node["is_deleted"] else minute(node["created_at"])
    return f"{'  ' * node['depth']}{node['name']}, {state}"
