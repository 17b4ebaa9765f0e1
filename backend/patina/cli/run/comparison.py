"""The command that compares runs: their settings where they differ, and what they reached."""

from collections.abc import Callable
from typing import Annotated, Any

import typer

from patina.cli.batch import state_of
from patina.cli.client import Client, Refused
from patina.cli.terminal import AsJson, print_columns, print_json
from patina.figures import in_bytes, in_duration, in_percent
from patina.run.settings import RunSettings

_Run = dict[str, Any]
_NO_VALUE = "-"


def _goal(run: _Run) -> str:
    profile = run["profile"]
    return run["workload"] if profile is None else f"{profile['name']} version {run['profile_version_number']}"


def _summed(member: str, said: Callable[[Any], str]) -> Callable[[_Run], str]:
    """Returns a function that gives a figure of a run that has ended."""

    def _figure(run: _Run) -> str:
        value = (run["summary"] or {}).get(member)
        return _NO_VALUE if value is None else said(value)

    return _figure


def _rmse(histogram: str) -> Callable[[_Run], str]:
    return _summed("histograms", lambda histograms: in_percent(histograms[histogram]["rmse"]))


def _predicted(prediction: dict[str, Any]) -> str:
    return f"{in_duration(prediction['predicted_s'])} on {prediction['model_label']}"


_NAMED = frozenset({"profile", "profile_version_number", "workload", "fullness", "file_system"})
_ROWS: dict[str, Callable[[_Run], str]] = {
    "name": lambda run: run["name"] or _NO_VALUE,
    "goal": _goal,
    "fullness": lambda run: _NO_VALUE if run["fullness"] is None else in_percent(run["fullness"], 1),
    "file system": lambda run: run["file_system"],
    "device": lambda run: run["device"]["path"] or run["device"]["stable_id"],
    "size": lambda run: in_bytes(run["device"]["size_bytes"]),
    "state": state_of,
}
_FIGURES: dict[str, Callable[[_Run], str]] = {
    "stopped because": lambda run: (run["stop_reason"] or _NO_VALUE).replace("_", " "),
    "operations": _summed("ops_count", lambda count: f"{count:,}"),
    "operations/s": _summed("ops_per_s", lambda rate: f"{rate:,.0f}"),
    "time": _summed("elapsed_s", in_duration),
    "predicted time": lambda run: _NO_VALUE if run["prediction"] is None else _predicted(run["prediction"]),
    "overwrites": _summed("overwrites", lambda times: f"{times:.1f}"),
    "age RMSE": _rmse("age"),
    "size RMSE": _rmse("size"),
    "depth RMSE": _rmse("depth"),
    "fullness reached": _summed("fullness", lambda share: in_percent(share, 2)),
}

_WHERE_KNOWN = frozenset({"predicted time"})  # rows only where a run has the figure


def compare(
    number: Annotated[list[int], typer.Argument(help="Numbers of two or more runs.")], as_json: AsJson = False
) -> None:
    """Compare runs: the settings in which they differ, and what they reached."""
    if len(number) < 2:
        raise Refused("usage", "Name two or more runs.")
    client = Client()
    runs = [client.call("GET", f"/runs/{each}") for each in number]
    if as_json:
        print_json({"items": runs})
        return
    rows = [[title, *(said(run) for run in runs)] for title, said in _ROWS.items()]
    for name in RunSettings.model_fields:
        values = [run.get(name) for run in runs]
        if name not in _NAMED and any(value != values[0] for value in values):
            rows.append([name, *(_NO_VALUE if value is None else str(value) for value in values)])
    figures = [[title, *(said(run) for run in runs)] for title, said in _FIGURES.items()]
    rows += [row for row in figures if row[0] not in _WHERE_KNOWN or set(row[1:]) != {_NO_VALUE}]
    print_columns(rows, ["", *(f"run {run['id']}" for run in runs)])
