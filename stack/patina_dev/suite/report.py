"""Reads the reports of the layers' test runners: one Case for each executed test, one reader for each format."""

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

# Playwright colours its messages in files too.
_TERMINAL_COLORS = re.compile(r"\x1b\[[0-9;]*m")

Outcome = Literal["passed", "failed", "skipped"]


class ReportMissing(Exception):
    """A runner wrote no report, or one that cannot be read."""


@dataclass(frozen=True)
class Case:
    """One test as its runner reports it. `name` has no parameters, `called` has them.

    `failure` is the runner's message of a failed test, "" without one.
    """

    file: str
    name: str
    called: str
    outcome: Outcome
    seconds: float
    failure: str = ""


@dataclass(frozen=True)
class Totals:
    """Tests by outcome."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: "Totals") -> "Totals":
        return Totals(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def totals_of(cases: Iterable[Case]) -> Totals:
    """Counts the cases by outcome."""
    outcomes = [case.outcome for case in cases]
    return Totals(outcomes.count("passed"), outcomes.count("failed"), outcomes.count("skipped"))


def read_junit(path: Path) -> list[Case]:
    """Reads JUnit XML as pytest and GoogleTest write it. ReportMissing.

    GoogleTest gives the file of a case and marks a skipped one by an attribute; pytest gives the module.
    """
    try:
        root = ET.parse(path).getroot()
    except (OSError, ET.ParseError) as error:
        raise ReportMissing(str(error)) from error
    cases = []
    for case in root.iter("testcase"):
        if case.get("status", "run") != "run":
            continue  # GoogleTest lists the tests of the other shards
        suite, called = case.get("classname", ""), case.get("name", "")
        name = called.partition("[")[0].partition("/")[0]
        if "file" in case.attrib:  # GoogleTest: Instantiation/Suite.Name/0
            file, name = Path(case.attrib["file"]).name, f"{suite.rpartition('/')[2]}.{name}"
        else:
            file = suite.replace(".", "/") + ".py"
        cases.append(Case(file, name, called, _junit_outcome(case), float(case.get("time", 0)), _junit_failure(case)))
    return cases


def _junit_failure(case: ET.Element) -> str:
    ends = [*case.iterfind("failure"), *case.iterfind("error")]
    return "\n".join(end.get("message") or end.text or "" for end in ends)


def _junit_outcome(case: ET.Element) -> Outcome:
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    if case.find("skipped") is not None or case.get("result") == "skipped":
        return "skipped"
    return "passed"


def read_vitest(path: Path) -> list[Case]:
    """Reads the JSON of Vitest. ReportMissing."""
    outcomes: dict[str, Outcome] = {"passed": "passed", "failed": "failed"}
    return [
        Case(
            file=file["name"],
            name=test["title"],
            called=test["fullName"],
            outcome=outcomes.get(test["status"], "skipped"),
            seconds=(test.get("duration") or 0) / 1000,
            failure="\n".join(test.get("failureMessages", [])),
        )
        for file in _read_json(path).get("testResults", [])
        for test in file["assertionResults"]
    ]


def read_playwright(path: Path) -> list[Case]:
    """Reads the JSON of Playwright. A test that passed at a second try has failed. ReportMissing."""
    outcomes: dict[str, Outcome] = {"expected": "passed", "skipped": "skipped"}
    cases = []
    pending = list(_read_json(path).get("suites", []))
    while pending:
        suite = pending.pop()
        pending += suite.get("suites", [])
        for spec in suite.get("specs", []):
            for test in spec["tests"]:
                milliseconds = sum(result["duration"] for result in test["results"])
                outcome = outcomes.get(test["status"], "failed")
                errors = [error for result in test["results"] for error in result.get("errors", [])]
                failure = _TERMINAL_COLORS.sub("", "\n".join(error.get("message", "") for error in errors))
                cases.append(Case(spec["file"], spec["title"], spec["title"], outcome, milliseconds / 1000, failure))
    return cases


def _read_json(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ReportMissing(str(error)) from error
    return found
