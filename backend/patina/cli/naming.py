"""Commands that name an image: rename, tag, untag, describe, protect, names."""

from pathlib import Path
from typing import Annotated, Any

import typer

from patina.cli.client import Client, Refused
from patina.cli.pull import ImageArgument, find_image
from patina.cli.terminal import AsJson, print_columns, print_json, show

TagArgument = Annotated[str, typer.Argument(help="name:tag or team/name:tag.")]


def _change(image: str, change: dict[str, Any]) -> dict[str, Any]:
    client = Client()
    return dict(client.call("PATCH", f"/images/{find_image(client, image)['id']}", json=change))


def rename_image(
    image: ImageArgument, name: Annotated[str, typer.Argument(help="The new name.")], as_json: AsJson = False
) -> None:
    """Give an image another name."""
    show(_change(image, {"name": name}), f"The image is now named {name}.", as_json=as_json)


def tag_image(image: ImageArgument, tag: TagArgument, as_json: AsJson = False) -> None:
    """Make a tag name an image from now on. It names one image at a time."""
    client = Client()
    found = find_image(client, image)
    tagged = client.call("POST", f"/images/{found['id']}/tags", json={"reference": tag})
    show(tagged, f"{tag} names image {tagged['name']}.", as_json=as_json)


def untag_image(image: ImageArgument, tag: TagArgument, as_json: AsJson = False) -> None:
    """Remove a tag of an image."""
    client = Client()
    found = find_image(client, image)
    client.call("DELETE", f"/images/{found['id']}/tags", params={"reference": tag})
    found["tags"] = [other for other in found["tags"] if other != tag]
    show(found, f"{tag} names no image.", as_json=as_json)


def describe_image(
    image: ImageArgument,
    file: Annotated[Path, typer.Argument(help="A file of Markdown text.", exists=True, dir_okay=False)],
    as_json: AsJson = False,
) -> None:
    """Set the description of an image, from a file of Markdown text. An empty file removes it."""
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise Refused("not_text", f"{file} is not UTF-8 text: {error.reason} at byte {error.start}.") from error
    changed = _change(image, {"description": text})
    show(changed, f"Image {changed['name']} has this description.", as_json=as_json)


def protect_image(
    image: ImageArgument,
    is_ended: Annotated[bool, typer.Option("--end", help="End the protection.")] = False,
    as_json: AsJson = False,
) -> None:
    """Protect an image from deletion, also by the retention rule of its team."""
    changed = _change(image, {"is_protected": not is_ended})
    said = "can be deleted again" if is_ended else "is protected from deletion"
    show(changed, f"Image {changed['name']} {said}.", as_json=as_json)


def list_names(image: ImageArgument, as_json: AsJson = False) -> None:
    """List when names and tags began or ceased to name an image."""
    client = Client()
    found = find_image(client, image)
    answer = client.call("GET", f"/images/{found['id']}/namings")
    if as_json:
        print_json(answer)
        return
    rows = [
        [item["named_at"], item["reference"], _name(item["earlier_image"]), _name(item["image"]), _by(item)]
        for item in answer["items"]
    ]
    print_columns(rows, ["at", "name or tag", "from", "to", "by"])


def _name(image: dict[str, Any] | None) -> str:
    return "-" if image is None else str(image["name"])


def _by(naming: dict[str, Any]) -> str:
    return naming["account_name"] or "Patina"


def add_commands(app: typer.Typer) -> None:
    """Adds them to `patina image`."""
    app.command("rename")(rename_image)
    app.command("tag")(tag_image)
    app.command("untag")(untag_image)
    app.command("describe")(describe_image)
    app.command("protect")(protect_image)
    app.command("names")(list_names)
