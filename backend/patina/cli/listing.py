"""Commands that list devices, profiles, runs and images."""

from collections.abc import Callable
from typing import Annotated, Any

import typer

from patina.cli.client import Client, Refused
from patina.cli.terminal import AsJson, print_columns, print_json
from patina.figures import in_bytes
from patina.image.sort import Sort


def _show(
    path: str,
    headings: list[str],
    row_of: Callable[[Any], list[str | None]],
    *,
    as_json: bool,
    params: dict[str, Any] | None = None,
) -> None:
    answer = Client().call("GET", path, params=params or {})
    if as_json:
        print_json(answer)
        return
    print_columns([[word or "" for word in row_of(item)] for item in answer["items"]], headings)


def devices(as_json: AsJson = False) -> None:
    """List devices, their state and content."""

    def _row(d: Any) -> list[str | None]:
        size, number = in_bytes(d["size_bytes"]), str(d["id"])
        return [d["path"] or "-", number, d["host"]["name"], d["kind"], size, d["state"], d["holds"], d["state_reason"]]

    _show("/devices", ["device", "number", "host", "kind", "size", "state", "holds", "why"], _row, as_json=as_json)


def profiles(as_json: AsJson = False) -> None:
    """List profiles."""

    def _row(p: Any) -> list[str | None]:
        return [p["name"], p["title"], p["description"]]

    _show("/profiles", ["profile", "title", ""], _row, as_json=as_json)


def runs(as_json: AsJson = False) -> None:
    """List the latest runs."""

    def _row(r: Any) -> list[str | None]:
        why = r["message"] if r["error_code"] else ""
        goal = r["profile"]["name"] if r["profile"] else r["workload"]
        return [str(r["id"]), goal, r["device"]["path"], r["state"], why]

    _show("/runs", ["run", "goal", "device", "state", ""], _row, as_json=as_json)


def images(
    words: Annotated[
        list[str] | None, typer.Argument(help="Beginnings of words of name, tags, description, recipe or import.")
    ] = None,
    file_system: Annotated[list[str] | None, typer.Option(help="Repeatable.")] = None,
    profile: Annotated[list[str] | None, typer.Option(help="Repeatable.")] = None,
    workload: Annotated[list[str] | None, typer.Option(help="Repeatable.")] = None,
    sort: Annotated[Sort, typer.Option(help="Order of the list.")] = Sort.NEWEST,
    limit: Annotated[int, typer.Option(min=1, max=200, help="How many at most.")] = 50,
    saved: Annotated[str | None, typer.Option(help="A saved search, in place of the other conditions.")] = None,
    save: Annotated[str | None, typer.Option(help="Save this search under a name.")] = None,
    as_json: AsJson = False,
) -> None:
    """List images of the catalog: all, or those that match."""
    chosen = {"file_system": file_system, "profile": profile, "workload": workload}
    search: dict[str, Any] = {name: values for name, values in chosen.items() if values}
    search |= {"q": " ".join(words or []), "sort": sort.value}
    if saved is not None:
        search = _saved(saved)["search"]
    if save is not None:
        Client().call("POST", "/searches", json={"name": save, "search": search})

    def _row(i: Any) -> list[str | None]:
        sizes = [in_bytes(i["size_bytes"]), in_bytes(i["stored_bytes"])]
        return [i["name"], " ".join(i["tags"]), i["origin"], *sizes, i["created_at"]]

    _show(
        "/images",
        ["image", "tags", "origin", "size", "stored", "made"],
        _row,
        as_json=as_json,
        params=search | {"limit": limit},
    )


def searches(
    remove: Annotated[str | None, typer.Option(help="Remove the search of this name.")] = None, as_json: AsJson = False
) -> None:
    """List your saved searches of the catalog."""
    if remove is not None:
        Client().call("DELETE", f"/searches/{_saved(remove)['id']}")

    def _row(s: Any) -> list[str | None]:
        chosen = [f"{name} {' '.join(values)}" for name, values in s["search"].items() if isinstance(values, list)]
        return [s["name"], s["search"]["q"], "; ".join(text for text in chosen if not text.endswith(" "))]

    _show("/searches", ["search", "words", "facets"], _row, as_json=as_json)


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

    _show("/hosts", ["host", "state", "kernel", "cores", "memory", "version"], _row, as_json=as_json)
