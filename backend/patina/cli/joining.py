"""The command that makes a join token."""

from typing import Annotated

import typer

from patina.cli.client import Client
from patina.cli.terminal import AsJson, show


def join_token(
    hosts: Annotated[int, typer.Option(help="How many hosts may join with it.")] = 1,
    hours: Annotated[float, typer.Option(help="Hours until it expires.")] = 1.0,
    as_json: AsJson = False,
) -> None:
    """Make a token that lets another machine become a host. Needs the role operator."""
    body = {"uses_count": hosts, "expires_in_s": round(hours * 3600)}
    made = Client().call("POST", "/hosts/tokens", json=body)
    command = f"echo {made['token']} | sudo bin/patina-worker join {made['server_url']} --token - --name NAME"
    show(made, f"On the machine that joins, in a checkout of this version:\n{command}", as_json=as_json)
