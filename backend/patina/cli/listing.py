"""Commands that list devices, profiles, runs, images and hosts; the listing that others use."""

from collections.abc import Callable
from typing import Annotated, Any

import typer

from patina.cli.client import Client, Refused
from patina.cli.device import size_of
from patina.cli.terminal import AsJson, Limit, minute, print_columns, print_json
from patina.figures import in_bytes
from patina.image.sort import Sort


def print_list(
    path: str,
    headings: list[str],
    row_of: Callable[[Any], list[str | None]],
    *,
    as_json: bool,
    params: dict[str, Any] | None = None,
    spare: tuple[str, ...] = (),
) -> None:
    """Prints the items of a list of the API as columns, without the spare ones where they do not fit; for a script its
    document."""
    answer = Client().call("GET", path, params=params or {})
    if as_json:
        print_json(answer)
        return
    print_columns([[word or "" for word in row_of(item)] for item in answer["items"]], headings, spare=spare)


def devices(as_json: AsJson = False) -> None:
    """List devices, their state and content."""

    def _row(d: Any) -> list[str | None]:
        size, number = in_bytes(d["size_bytes"]), str(d["id"])
        what = [d["name"], number, d["host"]["name"], d["kind"], size]
        return [d["path"] or "-", *what, d["state"], holds(d, d["holding"]), d["state_reason"]]

    headings = ["device", "name", "number", "host", "kind", "size", "state", "holds", ""]
    print_list("/devices", headings, _row, as_json=as_json, spare=("kind", "host", "number"))


def holds(device: Any, holding: Any) -> str | None:
    """Returns what a device holds: an image, and whether it may differ from it, or the content that its host found."""
    if holding is None:
        found: str | None = device["holds"]
        return found
    is_changed = holding["delta"] is not None or holding["doubt"] in ("differs", "changed")
    return f"image {holding['image']['name']}{', changed since' if is_changed else ''}"


def profiles(
    archived: Annotated[bool, typer.Option("--archived", help="Those that are archived, instead.")] = False,
    as_json: AsJson = False,
) -> None:
    """List profiles."""

    def _row(p: Any) -> list[str | None]:
        return [p["name"], p["title"], p["description"]]

    params = {"archived": archived}
    print_list("/profiles", ["profile", "title", ""], _row, as_json=as_json, params=params)


def images(
    words: Annotated[
        list[str] | None, typer.Argument(help="Beginnings of words of name, tags, description, recipe or import.")
    ] = None,
    file_system: Annotated[list[str] | None, typer.Option(help="Repeatable.")] = None,
    profile: Annotated[list[str] | None, typer.Option(help="Repeatable.")] = None,
    workload: Annotated[list[str] | None, typer.Option(help="Repeatable.")] = None,
    origin: Annotated[list[str] | None, typer.Option(help="aged or imported; repeatable.")] = None,
    kernel: Annotated[list[str] | None, typer.Option(help="Repeatable.")] = None,
    device_model: Annotated[list[str] | None, typer.Option(help="Repeatable.")] = None,
    size: Annotated[list[str] | None, typer.Option(help="1GiB, 256MiB or bytes; repeatable.")] = None,
    counts: Annotated[bool, typer.Option("--counts", help="How many images have each value, instead.")] = False,
    deleted: Annotated[bool, typer.Option("--deleted", help="Those that can be brought back, instead.")] = False,
    sort: Annotated[Sort, typer.Option(help="Order of the list.")] = Sort.NEWEST,
    limit: Limit = 50,
    saved: Annotated[str | None, typer.Option(help="A saved search, in place of the other conditions.")] = None,
    save: Annotated[str | None, typer.Option(help="Save this search under a name.")] = None,
    as_json: AsJson = False,
) -> None:
    """List images of the catalog: all, or those that match."""
    if deleted:
        _print_deleted(as_json=as_json)
        return
    chosen = {"file_system": file_system, "profile": profile, "workload": workload, "origin": origin}
    chosen |= {
        "kernel": kernel,
        "device_model": device_model,
        "size_bytes": [str(size_of(each)) for each in size or []],
    }
    search: dict[str, Any] = {name: values for name, values in chosen.items() if values} | {"q": " ".join(words or [])}
    ordered = search | {"sort": sort.value}
    if saved is not None:
        ordered = dict(_saved(saved)["search"])
        search = {name: value for name, value in ordered.items() if name != "sort"}
    if save is not None:
        Client().call("POST", "/searches", json={"name": save, "search": ordered})
    if counts:
        _print_counts(search, as_json=as_json)
        return

    def _row(i: Any) -> list[str | None]:
        sizes = [in_bytes(i["size_bytes"]), in_bytes(i["stored_bytes"])]
        return [i["name"], str(i["id"]), ", ".join(i["tags"]), i["origin"], *sizes, minute(i["created_at"])]

    headings = ["image", "number", "tags", "origin", "size", "stored", "made"]
    spare = ("origin", "stored", "made", "tags")
    print_list("/images", headings, _row, as_json=as_json, params=ordered | {"limit": limit}, spare=spare)


def _print_deleted(*, as_json: bool) -> None:
    def _row(i: Any) -> list[str | None]:
        return [i["name"], str(i["id"]), in_bytes(i["stored_bytes"]), minute(i["deleted_at"]), minute(i["kept_until"])]

    print_list("/images/deleted", ["image", "number", "stored", "deleted", "kept until"], _row, as_json=as_json)


def _print_counts(search: dict[str, Any], *, as_json: bool) -> None:
    found = Client().call("GET", "/images/facets", params=search)
    if as_json:
        print_json(found)
        return
    rows = [
        [facet["name"], value["value"] or "unknown", f"{value['images_count']:,}"]
        for facet in found["facets"]
        for value in facet["values"]
    ]
    print_columns([*rows, ["images", "all that match", f"{found['images_count']:,}"]], ["", "value", "images"])


def searches(
    remove: Annotated[str | None, typer.Option(help="Remove the search of this name.")] = None, as_json: AsJson = False
) -> None:
    """List your saved searches of the catalog."""
    if remove is not None:
        Client().call("DELETE", f"/searches/{_saved(remove)['id']}")

    def _row(s: Any) -> list[str | None]:
        chosen = [f"{name} {' '.join(values)}" for name, values in s["search"].items() if isinstance(values, list)]
        return [s["name"], s["search"]["q"], "; ".join(text for text in chosen if not text.endswith(" "))]

    print_list("/searches", ["search", "words", "facets"], _row, as_json=as_json)


def _saved(name: str) -> dict[str, Any]:
    for found in Client().call("GET", "/searches")["items"]:
        if found["name"] == name:
            return dict(found)
    raise Refused("search_unknown", f"You have no saved search {name!r}. `patina searches` lists them.")


def hosts(as_json: AsJson = False) -> None:
    """List hosts, their health and memory."""

    def _row(h: Any) -> list[str | None]:
        health = "reports" if h["is_healthy"] else f"silent since {h['heartbeat_at']}"
        state = "removed" if h["removed_at"] else health
        return [h["name"], state, h["kernel"], str(h["cores_count"]), in_bytes(h["memory_bytes"]), h["patina_version"]]

    print_list("/hosts", ["host", "state", "kernel", "cores", "memory", "version"], _row, as_json=as_json)
