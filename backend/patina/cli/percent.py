"""Percent, as options take them: 70, 70% or "70 %"."""

from typing import Annotated

import typer

from patina.cli.client import Refused

_LEAST_FULLNESS, _MOST_FULLNESS = 1, 95


def _percent(text: str) -> float:
    """Returns the percent that a text states. Raises Refused."""
    try:
        return float(str(text).removesuffix("%"))
    except ValueError as error:
        raise Refused("usage", f"{text!r} is not a number of percent. Write 70 or 70%.") from error


def _fullness(text: str) -> float:
    percent = _percent(text)
    if _LEAST_FULLNESS <= percent <= _MOST_FULLNESS:
        return percent
    written = f" For {percent:.0%} write {percent * 100:g}." if 0.01 <= percent < 1 else ""
    raise Refused("usage", f"--fullness {text}: it is in percent, from {_LEAST_FULLNESS} to {_MOST_FULLNESS}.{written}")


FullnessOption = Annotated[
    float | None,
    typer.Option(
        help="Percent of the capacity, from 1 to 95, block-rounded; 70 by default.", parser=_fullness, metavar="PERCENT"
    ),
]
MaxRmse = Annotated[
    float | None, typer.Option(help="Stop at this age RMSE, in percent.", parser=_percent, metavar="PERCENT")
]
