"""The commands that list: devices, profiles, runs, images."""

from patina.cli.client import Client
from patina.cli.figures import in_bytes
from patina.cli.terminal import AsJson, print_columns, print_json


def devices(as_json: AsJson = False) -> None:
    """Every device, its state and what it holds."""
    answer = Client().call("GET", "/devices")
    if as_json:
        print_json(answer)
        return
    rows = [
        [
            d["path"] or "-",
            d["host"]["name"],
            d["kind"],
            in_bytes(d["size_bytes"]),
            d["state"],
            d["holds"] or "",
            d["state_reason"] or "",
        ]
        for d in answer["items"]
    ]
    print_columns(rows, ["device", "host", "kind", "size", "state", "holds", "why"])


def profiles(as_json: AsJson = False) -> None:
    """Every profile."""
    answer = Client().call("GET", "/profiles")
    if as_json:
        print_json(answer)
        return
    print_columns([[p["name"], p["title"], p["description"]] for p in answer["items"]], ["profile", "title", ""])


def runs(as_json: AsJson = False) -> None:
    """The latest runs."""
    answer = Client().call("GET", "/runs")
    if as_json:
        print_json(answer)
        return
    rows = [
        [str(r["id"]), r["profile"]["name"], r["device"]["path"] or "", r["state"], r["error_message"] or ""]
        for r in answer["items"]
    ]
    print_columns(rows, ["run", "profile", "device", "state", ""])


def images(as_json: AsJson = False) -> None:
    """The catalog."""
    answer = Client().call("GET", "/images")
    if as_json:
        print_json(answer)
        return
    rows = [
        [i["name"], i["origin"], in_bytes(i["size_bytes"]), in_bytes(i["stored_bytes"]), i["created_at"]]
        for i in answer["items"]
    ]
    print_columns(rows, ["image", "origin", "size", "stored", "made"])
