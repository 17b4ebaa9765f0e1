"""Commands of one image: show, layout, digest, index, export, manifest, delete, bring-back."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markdown import Markdown
from rich.table import Table

from patina.cli.client import Client, Refused
from patina.cli.export import export
from patina.cli.figures import free_extents, report
from patina.cli.pull import ImageArgument, digest_of, find_download, find_image
from patina.cli.terminal import AsJson, console, console_for, facts, print_json, print_table, show
from patina.figures import in_bytes

app = typer.Typer(no_args_is_help=True, help="Show, export, prove, delete and bring back an image.")


@app.command("show")
def show_image(image: ImageArgument, as_json: AsJson = False) -> None:
    """Show an image: its recipe, its figures, its digest."""
    client = Client()
    found = find_image(client, image)
    if as_json:
        print_json(found)
        return
    print_table(_table(found))
    if found["description"]:
        console.print()
        console.print(Markdown(found["description"]) if console.is_terminal else found["description"])
    if found["summary"] is not None:
        console.print()
        report(console, summary=found["summary"], image=found)


def _table(image: dict[str, Any]) -> Table:
    table = facts()
    table.add_row("image", image["name"])
    table.add_row("tags", ", ".join(image["tags"]) or "-")
    table.add_row("digest", f"@sha256:{image['index_digest']}")
    table.add_row("file system", image["file_system"] or "unknown")
    table.add_row("aged by", _goal(image))
    intake = image["intake"]
    if intake is not None and intake["source"]:
        table.add_row("came from", intake["source"])
    table.add_row("size", f"{in_bytes(image['size_bytes'])}, {in_bytes(image['stored_bytes'])} stored")
    recipe = image["recipe"]
    if recipe is not None:
        table.add_row("made by", f"patina {recipe['patina_version']} on {recipe['host']}, Linux {recipe['kernel']}")
        table.add_row("mkfs", " ".join(recipe["mkfs_command"]))
        table.add_row("mount options", recipe["mount_options"])
    table.add_row("made", image["created_at"])
    table.add_row("protected", "yes" if image["is_protected"] else "no")
    return table


def _goal(image: dict[str, Any]) -> str:
    """Returns the profile or workload, also of an aging on another server."""
    recipe, archive = image["recipe"] or {}, (image["intake"] or {}).get("archive")
    profile = recipe.get("profile") and f"{recipe['profile']} version {recipe['profile_version_number']}"
    goal = profile or image["workload"] or "imported"
    return goal if archive is None else f"{goal}, exported as {archive['name']}"


@app.command("export")
def export_image(
    image: ImageArgument,
    file: Annotated[Path, typer.Argument(help="The file to write, such as image.oci.tar.")],
    is_forced: Annotated[bool, typer.Option("--force", help="Replace the file if it is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write an image with its recipe to one file, an OCI archive. `patina import` reads it; registries carry it."""
    client = Client()
    found = find_image(client, image)
    if file.exists() and not is_forced:
        raise Refused("file_exists", f"{file} is there already. Name another one, or replace it with --force.")
    exported = export(client, found, file, console_for(as_json))
    said = f"{file}  {in_bytes(exported['size_bytes'])}, {exported['layers_count']} layers\n{exported['digest']}"
    show(exported, said, as_json=as_json)


@app.command("manifest")
def print_manifest(image: ImageArgument) -> None:
    """Print the signed manifest of an image, for `patina verify --manifest`."""
    client = Client()
    _write(client.content(f"/images/{find_image(client, image)['id']}/manifest.signed.json"))


@app.command("manifest-key")
def print_manifest_key() -> None:
    """Print the public key that verifies the signed manifests of this server."""
    _write(Client().content("/images/manifest-key.pem"))


def _write(content: bytes) -> None:
    sys.stdout.write(content.decode())
    sys.stdout.flush()


@app.command("layout")
def show_layout(image: ImageArgument, as_json: AsJson = False) -> None:
    """Show what aging did to the layout of an image: extents of its files and of its free space."""
    client = Client()
    layout = client.call("GET", f"/images/{find_image(client, image)['id']}/layout")
    if as_json:
        print_json(layout)
        return
    files = layout["files"]
    if files is not None:
        said = f"{files['files_count']:,} files in {files['directories_count']:,} directories"
        console.print(f"{said}, {files['extents_count']:,} extents", highlight=False)
        if files["layout_score"] is not None:
            console.print(f"layout score {files['layout_score']:.3f}{_beside(layout['baseline'])}", highlight=False)
    free_extents(console, layout["free_extents"])
    if layout["baseline"] is not None:
        empty = layout["baseline"]["fresh"]
        mean = in_bytes(empty["mean_extent_bytes"])
        console.print(f"free extents when empty: {empty['extents_count']:,}, mean {mean}", highlight=False)


def _beside(baseline: dict[str, Any] | None) -> str:
    """Returns the layout score of the same files allocated once, in order, where it was measured."""
    unaged = None if baseline is None else baseline["unaged_files"]
    return "" if unaged is None or unaged["layout_score"] is None else f", {unaged['layout_score']:.3f} unaged"


@app.command("digest")
def print_digest(
    image: ImageArgument,
    image_format: Annotated[str, typer.Option("--format", help="raw, raw.zst or qcow2.")] = "raw",
    as_json: AsJson = False,
) -> None:
    """Print the SHA-256 of an image's file, as sha256sum does. The server reads and checks every chunk for it."""
    client = Client()
    download = find_download(client, find_image(client, image), image_format)
    sha256 = digest_of(client, download)
    show({"sha256": sha256, "file": download["file_name"]}, f"{sha256}  {download['file_name']}", as_json=as_json)


@app.command("index")
def write_index(
    image: ImageArgument,
    file: Annotated[Path | None, typer.Argument(help="The file to write; its own name by default.")] = None,
    as_json: AsJson = False,
) -> None:
    """Write the index of an image, with which casync makes its bytes from the chunk store."""
    client = Client()
    found = find_image(client, image)
    target = file or Path(f"{found['name']}.caibx")
    content = client.content(f"/images/{found['id']}/index.caibx")
    try:
        with target.open("xb") as written:
            written.write(content)
    except OSError as error:
        raise Refused("write_failed", f"{target} cannot be written: {error.strerror}.") from error
    show({"file": str(target), "size_bytes": len(content)}, f"{target}  {in_bytes(len(content))}", as_json=as_json)


@app.command("delete")
def delete_image(
    image: ImageArgument,
    is_confirmed: Annotated[bool, typer.Option("--yes", help="Delete without a question.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete an image from the catalog. It can be brought back within the grace period."""
    client = Client()
    found = find_image(client, image)
    deletion = client.call("GET", f"/images/{found['id']}/deletion")
    if not is_confirmed and not as_json:
        holding = ", ".join(deletion["devices"])
        if holding:
            console.print(f"It is on {holding}, which can be rolled back until the grace period ends.", highlight=False)
        typer.confirm(f"Delete image {found['name']}?", abort=True)
    client.call("DELETE", f"/images/{found['id']}")
    hours = deletion["grace_s"] / 3600
    said = f"Image {found['name']} is deleted. `patina image bring-back {found['id']}` brings it back for {hours:g} h."
    show(found, said, as_json=as_json)


@app.command("bring-back")
def bring_back_image(
    image: Annotated[str, typer.Argument(help="Number or name of the deleted image.")], as_json: AsJson = False
) -> None:
    """Bring back a deleted image within its grace period."""
    client = Client()
    number = int(image) if image.isdecimal() else _deleted_number(client, image)
    client.call("POST", f"/images/{number}/bring-back")
    found = client.call("GET", f"/images/{number}")
    show(found, f"Image {found['name']} is in the catalog again.", as_json=as_json)


def _deleted_number(client: Client, name: str) -> int:
    """Returns the number of the deleted image of this name. Raises Refused if there is none, or more than one."""
    numbers = [int(each["id"]) for each in client.call("GET", "/images/deleted")["items"] if each["name"] == name]
    if not numbers:
        said = f"There is no deleted image {name!r}. `patina images --deleted` lists those that can be brought back."
        raise Refused("image_unknown", said)
    if len(numbers) > 1:
        which = ", ".join(map(str, numbers))
        raise Refused("image_ambiguous", f"{len(numbers)} deleted images are called {name!r}: {which}. Give a number.")
    return numbers[0]
