"""Commands that list devices, profiles, runs and images."""

from collections.abc import Callable
from typing import Any

from patina.cli.client import Client
from patina.cli.terminal import AsJson, print_columns, print_json
from patina.figures import in_bytes


def _show(path: str, headings: list[str], row_of: Callable[[Any], list[str | None]], *, as_json: bool) -> None:
    answer = Client().call("GET", path)
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


def images(as_json: AsJson = False) -> None:
    """List the images of the catalog."""

    def _row(i: Any) -> list[str | None]:
        return [i["name"], i["origin"], in_bytes(i["size_bytes"]), in_bytes(i["stored_bytes"]), i["created_at"]]

    _show("/images", ["image", "origin", "size", "stored", "made"], _row, as_json=as_json)
