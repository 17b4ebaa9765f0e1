"""Servers: named by their addresses, or by the names under which `patina sign-in` keeps their access tokens."""

from typing import Any
from urllib.parse import urlsplit

from patina.cli.client import Client, Refused
from patina.cli.terminal import AsJson, print_columns, print_json
from patina.cli.token import kept_names, kept_servers

_SCHEMES = ("http://", "https://")


def address_of(server: str) -> str:
    """Returns the address of a server, given by it or by a name. Raises Refused."""
    if not server.startswith(_SCHEMES):
        found = _known().get(server)
        if found is None:
            raise Refused(
                "server_unknown",
                f"{server!r} is neither a server that `patina servers` lists nor an address, such as "
                "https://patina.example.org. `patina sign-in --server ADDRESS` keeps one.",
            )
        return found
    return _checked(server)


def split(reference: str) -> tuple[str | None, str]:
    """Returns the address of the server and the reference there: of SERVER/REFERENCE, if SERVER is an address or a name
    that is kept; otherwise None and the whole."""
    if reference.startswith(_SCHEMES):
        scheme, _, rest = reference.partition("://")
        host, _, there = rest.partition("/")
        return _checked(f"{scheme}://{host}"), there
    name, slash, there = reference.partition("/")
    found = _known().get(name) if slash else None
    return (None, reference) if found is None else (found, there)


def at_server(reference: str) -> tuple[Client, str]:
    """Returns the client of the server that SERVER/REFERENCE names, or else of your server, and the reference there."""
    address, there = split(reference)
    return Client(address), there


def servers(as_json: AsJson = False) -> None:
    """List the servers that you are signed in to."""
    names = kept_names()
    rows: list[dict[str, Any]] = [
        {"address": address, "names": [_short(address), *(name for name, of in names.items() if of == address)]}
        for address in kept_servers()
    ]
    if as_json:
        print_json({"items": rows})
        return
    print_columns([[row["address"], ", ".join(row["names"])] for row in rows], ["server", "names"])


def _known() -> dict[str, str]:
    """Returns the addresses by name: a given name, or host and port of the address."""
    return {_short(address): address for address in kept_servers()} | kept_names()


def _short(address: str) -> str:
    return address.partition("://")[2]


def _checked(address: str) -> str:
    parts = urlsplit(address)
    if not parts.hostname or "@" in parts.netloc or parts.path.strip("/") or parts.query or parts.fragment:
        raise Refused("usage", f"{address!r} is no address of a server. That is https://HOST or https://HOST:PORT.")
    return f"{parts.scheme}://{parts.netloc}"
