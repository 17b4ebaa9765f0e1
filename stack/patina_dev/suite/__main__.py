"""`make test`: the tests of every layer, several layers at a time, then one line of totals.

    python -m patina_dev.suite [--fast] [LAYER...] [-- ARGUMENT...]

The arguments go to the runner of each named layer, to choose tests.

A layer whose runner fails without a failed test counts as one failure, so that a crash cannot look like success. So
does a layer that executed nothing, or fewer tests than its files define, and so does each process, mount, loop device,
bridge or file in memory that the tests left behind. The exit status is 0 only when nothing failed.
"""

import argparse
import ctypes
import itertools
import os
import signal
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import FrameType
from typing import NoReturn

from patina_dev.suite.command import Ended, run
from patina_dev.suite.layers import LAYERS, Choice, Command, Layer, case_of_end
from patina_dev.suite.place import Place, clear_left_over
from patina_dev.suite.report import Case, ReportMissing, Totals, totals_of

SLOWEST_COUNT = 20
COMMANDS_AT_ONCE = 3
# The layer's output, above, has the whole message.
FAILURE_LINES = 8
FAILURE_COLUMNS = 200
_PR_SET_PDEATHSIG = 1


@dataclass
class Result:
    """The result of a layer."""

    layer: Layer
    totals: Totals = field(default_factory=Totals)
    cases: list[Case] = field(default_factory=list)
    elapsed_s: float = 0.0
    processor_s: float = 0.0


def main(table: Sequence[Layer] = LAYERS) -> int:
    """Runs the layers of `table` that the command line names, or all of them. Returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m patina_dev.suite")
    parser.add_argument("--fast", action="store_true", help="only tests that need no root, block device or browser")
    parser.add_argument("layers", nargs="*", metavar="LAYER", help=", ".join(layer.name for layer in table))
    own = list(itertools.takewhile(lambda word: word != "--", sys.argv[1:]))
    chosen = parser.parse_args(own)
    choice = Choice(is_fast=chosen.fast, arguments=tuple(sys.argv[len(own) + 2 :]))
    unknown = set(chosen.layers) - {layer.name for layer in table}
    if unknown:
        parser.error(f"no such layer: {', '.join(sorted(unknown))}")

    for left in clear_left_over():
        print(f"Removed what a killed run had left: {left}", flush=True)
    place = Place.make()
    with place.locked():
        _clear_when_ended(place)
        os.environ.update(place.environment())
        # Tests start workers and commands a hundred times: each would compile every module again.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        layers = [
            layer
            for layer in table
            if (layer.name in chosen.layers or not chosen.layers) and (layer.is_fast or not chosen.fast)
        ]
        try:
            results = _run_all(layers, place, choice)
        finally:
            left_behind = place.clear()
    totals = sum((result.totals for result in results), Totals(failed=len(left_behind)))
    _print_summary(results, left_behind)
    print(f"\n{totals}", flush=True)
    return 1 if totals.failed else 0


def _clear_when_ended(place: Place) -> None:
    """Clears the folder when a signal ends the suite, or when the `make` that started it dies."""

    def _end(number: int, _: FrameType | None) -> NoReturn:
        for again in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(again, signal.SIG_IGN)
        place.clear()
        print(f"\nThe suite was ended by {signal.Signals(number).name}.", file=sys.stderr, flush=True)
        os._exit(128 + number)

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, _end)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _run_all(layers: list[Layer], place: Place, choice: Choice) -> list[Result]:
    """Runs some commands at a time: tests wait for devices, timers and a browser, but too many share the caches."""
    results = [Result(layer) for layer in layers]
    commands = [
        (result, command)
        for result, layer in zip(results, layers, strict=True)
        for command in layer.commands(place, choice)
    ]
    with ThreadPoolExecutor(COMMANDS_AT_ONCE) as executor:
        ends = executor.map(lambda pair: _run_one(pair[0].layer, pair[1], place, choice), commands)
        for (result, _), (totals, cases, ended) in zip(commands, ends, strict=True):
            result.totals += totals
            result.cases += cases
            result.elapsed_s += ended.elapsed_s
            result.processor_s += ended.processor_s
    for result in results:
        if result.totals == Totals():
            print(f"{result.layer.name}: no test was executed")
            result.totals += Totals(failed=1)
    if choice.is_all:
        for result in results:
            missing = result.layer.missing(result.cases)
            if missing:
                print(f"{result.layer.name}: tests that are written and were not executed:", *missing, sep="\n  ")
                result.totals += Totals(failed=1)
    return results


def _run_one(layer: Layer, command: Command, place: Place, choice: Choice) -> tuple[Totals, list[Case], Ended]:
    """Runs a command, and prints its output once it has ended, because others run at the same time."""
    print(f"=== {layer.name} begins", flush=True)
    log = place.root / f"{layer.name}-{id(command)}.log"
    environment = os.environ | dict(command.environment)
    ended = run(command.argv, environment=environment, cwd=command.cwd, log=log)
    words = [ended.output.rstrip()]
    cases: list[Case] = []
    if layer.read is None or command.report is None:
        cases = [case_of_end(layer, command, ended)]
    else:
        try:
            cases = layer.read(command.report)
        except ReportMissing as error:
            words.append(f"{layer.name}: no report ({error})")
    totals = totals_of(cases)
    executed_nothing = totals.passed + totals.failed == 0 and not choice.arguments
    if executed_nothing or (ended.status != 0 and totals.failed == 0):
        words.append(f"{layer.name}: the runner exited with status {ended.status}")
        totals += Totals(failed=1)
    words.append(f"=== {layer.name}: {totals}, {ended.elapsed_s:.0f} s, {ended.processor_s:.0f} s of processor time\n")
    print("\n".join(words), flush=True)
    return totals, cases, ended


def _print_summary(results: list[Result], left_behind: list[str]) -> None:
    slowest = sorted(
        ((case.seconds, result.layer.name, case) for result in results for case in result.cases),
        key=lambda row: row[0],
        reverse=True,
    )
    print(f"The {SLOWEST_COUNT} slowest tests:")
    for seconds, name, case in slowest[:SLOWEST_COUNT]:
        print(f"  {seconds:7.1f} s  {name}: {case.file} {case.called}")
    processor_s = sum(result.processor_s for result in results) or 1.0
    print(f"Processor time, {processor_s:.0f} s:")
    for result in sorted(results, key=lambda result: result.processor_s, reverse=True):
        share = result.processor_s / processor_s
        done = f"{result.layer.name}: {result.totals}, {result.elapsed_s:.0f} s elapsed"
        print(f"  {result.processor_s:7.1f} s {share:4.0%}  {done}")
    failed = [(result, case) for result in results for case in result.cases if case.outcome == "failed"]
    if failed:
        print("Failed tests:")
    for result, case in failed:
        print(f"  {result.layer.name}: {case.file} {case.called}")
        lines = [line for line in case.failure.splitlines() if line.strip()]
        for line in lines[:FAILURE_LINES]:
            print(f"    {line}"[:FAILURE_COLUMNS])
    if left_behind:
        print("Left behind by the tests:", *left_behind, sep="\n  ")


if __name__ == "__main__":
    sys.exit(main())
