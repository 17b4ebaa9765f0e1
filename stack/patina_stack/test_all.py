"""`make test`: every layer's tests, one after the other, then one line of totals that is true.

A layer whose runner ends badly without a failed test to show for it counts as one failure, so that a crash
can never look like success; a layer that executed nothing does too.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from patina_stack.application import PROJECT_DIR, Application


@dataclass(frozen=True)
class Totals:
    """Tests by what became of them."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other: "Totals") -> "Totals":
        return Totals(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def __str__(self) -> str:
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def _from_junit(path: Path) -> Totals:
    """JUnit XML as pytest and GoogleTest write it. GoogleTest marks what was skipped in each case."""
    passed = failed = skipped = 0
    for case in ET.parse(path).getroot().iter("testcase"):
        if case.find("failure") is not None or case.find("error") is not None:
            failed += 1
        elif case.find("skipped") is not None or case.get("result") == "skipped":
            skipped += 1
        elif case.get("status", "run") == "run":
            passed += 1
    return Totals(passed, failed, skipped)


def _from_vitest(path: Path) -> Totals:
    report = json.loads(path.read_text(encoding="utf-8"))
    return Totals(report["numPassedTests"], report["numFailedTests"], report["numPendingTests"])


def _from_playwright(path: Path) -> Totals:
    """A flaky test, passed at a second try, counts as failed: nobody should get used to it."""
    stats = json.loads(path.read_text(encoding="utf-8"))["stats"]
    return Totals(stats["expected"], stats["unexpected"] + stats["flaky"], stats["skipped"])


def _run_layer(
    name: str, argv: list[str], report: Path, read: Callable[[Path], Totals], environment: dict[str, str], cwd: Path
) -> Totals:
    print(f"\n=== {name}", flush=True)
    started = time.monotonic()
    status = subprocess.run(argv, cwd=cwd, env=environment, check=False).returncode
    try:
        totals = read(report)
    except (OSError, ValueError, KeyError, ET.ParseError) as error:
        print(f"{name}: no report ({error})", flush=True)
        totals = Totals()
    if totals.passed + totals.failed == 0 or (status != 0 and totals.failed == 0):
        print(f"{name}: the runner ended with {status}", flush=True)
        totals += Totals(failed=1)
    print(f"=== {name}: {totals}, {time.monotonic() - started:.0f} s", flush=True)
    return totals


def _browser_layer(folder: Path, environment: dict[str, str]) -> Totals:
    """The browser tests, against an application of their own that leaves nothing behind."""
    state_dir = folder / "state"
    state_dir.mkdir(mode=0o755)
    os.environ["PATINA_STATE_DIR"] = str(state_dir)
    # A port of its own: an application that the user runs keeps its port.
    os.environ.pop("PATINA_PORT", None)
    application = Application(state_dir=state_dir)
    try:
        application.start()
        python = f"{sys.executable} -m patina_stack"
        environment = environment | {
            "PATINA_URL": application.url,
            "PATINA_STATE_DIR": str(state_dir),
            "PATINA_RESTART_API_CMD": f"{python} restart-api",
        }
        e2e = PROJECT_DIR / "e2e"
        report = e2e / "test-results" / "results.json"
        report.unlink(missing_ok=True)
        argv = ["npx", "--no-install", "playwright", "test"]
        return _run_layer("browser", argv, report, _from_playwright, environment, e2e)
    finally:
        application.stop()


def main() -> int:
    """Run all layers; the exit status is 0 only when nothing failed."""
    folder = Path(tempfile.mkdtemp(prefix="patina-test-all-"))
    folder.chmod(0o755)
    environment = dict(os.environ)
    junit = folder / "junit.xml"
    try:
        totals = _run_layer(
            "native core",
            [str(PROJECT_DIR / "native/build/patina-core-test"), f"--gtest_output=xml:{junit}", "--gtest_brief=1"],
            junit,
            _from_junit,
            environment,
            PROJECT_DIR,
        )
        for name in ("backend", "stack", "worker"):
            junit.unlink(missing_ok=True)
            argv = [sys.executable, "-m", "pytest", "-q", f"--junitxml={junit}", f"{name}/tests"]
            totals += _run_layer(name, argv, junit, _from_junit, environment, PROJECT_DIR)
        vitest = folder / "vitest.json"
        argv = ["npx", "--no-install", "vitest", "run", "--reporter=default", "--reporter=json"]
        argv.append(f"--outputFile.json={vitest}")
        totals += _run_layer("frontend", argv, vitest, _from_vitest, environment, PROJECT_DIR / "frontend")
        totals += _browser_layer(folder, environment)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"\n{totals}", flush=True)
    return 1 if totals.failed else 0


if __name__ == "__main__":
    sys.exit(main())
