"""Shingled disks in the command: the options of `sandbox`, and the facts of one for `device show`."""

from typing import Annotated, Any

import typer

from patina.cli.client import Refused
from patina.cli.device import size_of
from patina.figures import in_bytes

_PANEL = "Shingled disks"
Interface = Annotated[
    str | None,
    typer.Option("--shingled", rich_help_panel=_PANEL, help="A shingled disk for SMRfs: caveat or strict-append."),
]
Did = Annotated[
    int | None, typer.Option(rich_help_panel=_PANEL, help="Blocks behind a write that it may damage; 16 by default.")
]
Dnor = Annotated[
    int | None, typer.Option(rich_help_panel=_PANEL, help="caveat: blocks that it never damages; 0 by default.")
]
Band = Annotated[
    str | None, typer.Option(rich_help_panel=_PANEL, help="strict-append: size of a band; 64MiB by default.")
]
Policy = Annotated[
    str | None, typer.Option(rich_help_panel=_PANEL, help="caveat: where files are placed; best by default.")
]
Clean = Annotated[
    str | None, typer.Option(rich_help_panel=_PANEL, help="strict-append: which band is cleaned; greedy by default.")
]


def asked(
    interface: str | None,
    *,
    did: int | None,
    dnor: int | None,
    band: str | None,
    policy: str | None,
    clean: str | None,
) -> dict[str, Any] | None:
    """Returns what is asked of a shingled disk; None for another device. Raises Refused."""
    given = {
        "did_blocks": did,
        "dnor_blocks": dnor,
        "band_bytes": None if band is None else size_of(band),
        "policy": policy,
        "clean": clean,
    }
    chosen = {name: value for name, value in given.items() if value is not None}
    if interface is None and chosen:
        raise Refused("usage", f"{', '.join(chosen)}: this is of shingled disks alone. Add --shingled.")
    return None if interface is None else {"interface": interface} | chosen


def facts_of(device: dict[str, Any]) -> list[tuple[str, str]]:
    """Returns the facts of a shingled disk; none of another device."""
    shingle = device["shingle"]
    if shingle is None:
        return []
    if shingle["interface"] == "caveat":
        own = f"DNOR {shingle['dnor_blocks']}, policy {shingle['policy']}"
    else:
        own = f"bands of {in_bytes(shingle['band_bytes'])}, cleaner {shingle['clean']}"
    return [("shingled", f"{shingle['interface']}, DID {shingle['did_blocks']}, {own}")]
