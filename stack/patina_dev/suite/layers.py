"""The layers of the suite, one row each: commands, reports, and the tests that the files define."""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from patina_dev.suite.command import Ended
from patina_dev.suite.defined import missing_gtest, missing_javascript, missing_python
from patina_dev.suite.place import Place
from patina_dev.suite.report import Case, read_junit, read_playwright, read_vitest
from patina_stack import PROJECT_DIR

BROWSER_PROJECTS = ("calm", "disturbing")
CHECKS = ("typescript", "python", "tree", "native")
CORE_TEST = PROJECT_DIR / "native/build/patina-core-test"


@dataclass(frozen=True)
class Command:
    """One process of a layer, with its additions to the environment."""

    argv: list[str]
    cwd: Path = PROJECT_DIR
    report: Path | None = None
    environment: tuple[tuple[str, str], ...] = ()
    part: str = ""  # of its layer, where the exit status is its only report


@dataclass(frozen=True)
class Choice:
    """The tests to run: the fast tier, those that the runners' arguments select, or all."""

    is_fast: bool = False
    arguments: tuple[str, ...] = ()

    @property
    def is_all(self) -> bool:
        """Returns whether every test must be executed."""
        return not self.is_fast and not self.arguments


@dataclass(frozen=True)
class Layer:
    """One layer of the tests.

    `read` gives the cases of a command's report; without it, a command is one case by its exit status. `missing` names
    the tests that are written and were not executed.
    """

    name: str
    commands: Callable[[Place, Choice], Sequence[Command]]
    read: Callable[[Path], list[Case]] | None = None
    missing: Callable[[list[Case]], list[str]] = lambda _: []
    is_fast: bool = True  # has tests that need no root, no block device and no browser


def _pytest(
    name: str,
    place: Place,
    choice: Choice,
    *,
    processes_count: int,
    fast_processes_count: int | None = None,
    has_own_network: bool = False,
) -> list[Command]:
    report = place.reports / f"{name}.xml"
    argv = [sys.executable, "-m", "pytest", "-q", f"--junitxml={report}", f"{name}/tests", *choice.arguments]
    if choice.is_fast:
        argv += ["-m", "not root and not slow"]
        processes_count = fast_processes_count or processes_count
    if processes_count > 1 and not choice.arguments:
        argv += ["-n", str(processes_count), "--dist", "worksteal", "--max-worker-restart", "0"]
    return [Command(_in_own_network(argv) if has_own_network else argv, report=report)]


def _in_own_network(argv: list[str]) -> list[str]:
    """Returns `argv` in a network namespace, as root, so that its bridges disturb no browser of another command."""
    if os.geteuid() != 0:
        return argv
    return ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", *argv]


def _native(place: Place, choice: Choice, *, shards_count: int) -> list[Command]:
    """Returns one command for each of GoogleTest's shards. In the fast tier, tests that make devices are skipped."""
    commands = []
    shards_count = 1 if choice.arguments else shards_count
    for shard in range(shards_count):
        report = place.reports / f"native-{shard}.xml"
        environment = {"GTEST_TOTAL_SHARDS": str(shards_count), "GTEST_SHARD_INDEX": str(shard)}
        environment |= {"PATINA_TEST_DEVICES": "0"} if choice.is_fast else {}
        argv = [str(CORE_TEST), f"--gtest_output=xml:{report}", "--gtest_brief=1", *choice.arguments]
        commands.append(Command(argv, report=report, environment=tuple(environment.items())))
    return commands


def _frontend(place: Place, choice: Choice) -> list[Command]:
    report = place.reports / "frontend.json"
    argv = ["npx", "--no-install", "vitest", "run", "--reporter=default", "--reporter=json"]
    argv += [f"--outputFile.json={report}", *choice.arguments]
    return [Command(argv, cwd=PROJECT_DIR / "frontend", report=report)]


def _browser(_: Place, choice: Choice) -> list[Command]:
    commands = []
    for project in BROWSER_PROJECTS:
        report = PROJECT_DIR / "e2e/test-results" / project / "results.json"  # beside the screenshots of failures
        report.unlink(missing_ok=True)
        environment = (("PATINA_RESULTS", str(report.parent)),)
        argv = [sys.executable, "-m", "patina_dev.suite.browser", project, *choice.arguments]
        argv += ["--pass-with-no-tests"] if choice.arguments else []  # the chosen tests may be in the other project
        commands.append(Command(_in_own_network(argv), report=report, environment=environment))
    return commands


def _check(_: Place, choice: Choice) -> list[Command]:
    parts = choice.arguments or CHECKS
    return [Command([str(PROJECT_DIR / "stack/check"), "changed", part], part=part) for part in parts]


def _missing_python(name: str, cases: list[Case]) -> list[str]:
    return missing_python(PROJECT_DIR / name / "tests", cases, root=PROJECT_DIR)


# First the layers that wait most, then those that compute, so that no processor is idle at the end. They share nothing:
# each layer has its own servers, devices and folders.
LAYERS = (
    Layer(
        "browser",
        _browser,
        read_playwright,
        partial(missing_javascript, PROJECT_DIR / "e2e/specs", "*.spec.ts"),
        is_fast=False,
    ),
    Layer(
        "worker",
        partial(_pytest, "worker", processes_count=2, fast_processes_count=1),
        read_junit,
        partial(_missing_python, "worker"),
    ),
    Layer(
        "stack",
        partial(_pytest, "stack", processes_count=1, has_own_network=True),
        read_junit,
        partial(_missing_python, "stack"),
    ),
    # Installs from the network, and so has none of its own.
    Layer("debian", partial(_pytest, "debian", processes_count=1), read_junit, partial(_missing_python, "debian")),
    Layer("native", partial(_native, shards_count=2), read_junit, partial(missing_gtest, PROJECT_DIR / "native/src")),
    Layer(
        "backend",
        partial(_pytest, "backend", processes_count=2, fast_processes_count=3),
        read_junit,
        partial(_missing_python, "backend"),
    ),
    Layer("check", _check, is_fast=False),
    Layer(
        "frontend",
        _frontend,
        read_vitest,
        partial(missing_javascript, PROJECT_DIR / "frontend/src", "*.test.ts*"),
    ),
)


def case_of_end(layer: Layer, command: Command, ended: Ended) -> Case:
    """Returns the case of a command that reports only by its exit status."""
    return Case(layer.name, layer.name, command.part, "failed" if ended.status else "passed", ended.elapsed_s)
