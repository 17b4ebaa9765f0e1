"""`make test`: every layer's tests, several layers at a time, then one line of totals that is true.

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
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from patina_stack.application import PROJECT_DIR, Application
from patina_stack.joined import Network
from patina_stack.services import free_port

LAYERS_AT_ONCE = 5  # most of their time they wait for devices, timers and a browser


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
    """Run it, and print what it said once it has ended: another layer runs at the same time."""
    print(f"=== {name} begins", flush=True)
    started = time.monotonic()
    done = subprocess.run(
        argv, cwd=cwd, env=environment, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    said = [done.stdout]
    try:
        totals = read(report)
    except (OSError, ValueError, KeyError, ET.ParseError) as error:
        said.append(f"{name}: no report ({error})")
        totals = Totals()
    if totals.passed + totals.failed == 0 or (done.returncode != 0 and totals.failed == 0):
        said.append(f"{name}: the runner ended with {done.returncode}")
        totals += Totals(failed=1)
    said.append(f"=== {name}: {totals}, {time.monotonic() - started:.0f} s\n")
    print("\n".join(said), flush=True)
    return totals


def _browser_layer(folder: Path, environment: dict[str, str]) -> Totals:
    """The browser tests, against an application of their own that leaves nothing behind."""
    state_dir = folder / "state"
    state_dir.mkdir(mode=0o755)
    network = Network()
    chosen = {
        "PATINA_STATE_DIR": str(state_dir),
        # Its own, and not the usual one, that another application could take while the tests restart this one.
        "PATINA_PORT": str(free_port()),
        "PATINA_SCAN_FOLDERS": str(PROJECT_DIR / "docs"),
        "PATINA_WEBHOOK_PRIVATE_ADDRESSES": "127.0.0.0/8",  # the receivers of the tests
    }
    if os.geteuid() == 0:  # a host joins in these tests, and comes by a bridge
        network.open()
        chosen["PATINA_LISTEN"] = network.address
    else:  # it cannot; a token is only made where others are told a way to the services
        chosen["PATINA_ADVERTISED_DATABASE_URL"] = "postgresql+psycopg://patina@services.example/patina"
        chosen["PATINA_ADVERTISED_REDIS_URL"] = "redis://services.example/0"
    os.environ.update(chosen)
    application = Application(state_dir=state_dir)
    try:
        application.start()
        environment = (
            environment
            | chosen
            | {
                "PATINA_URL": application.url,
                "PATINA_STACK_CMD": f"{sys.executable} -m patina_stack",
            }
        )
        e2e = PROJECT_DIR / "e2e"
        report = e2e / "test-results" / "results.json"
        report.unlink(missing_ok=True)
        argv = ["npx", "--no-install", "playwright", "test"]
        return _run_layer("browser", argv, report, _from_playwright, environment, e2e)
    finally:
        application.stop()
        network.close()


def _native_layer(folder: Path, environment: dict[str, str]) -> Totals:
    junit = folder / "native.xml"
    argv = [str(PROJECT_DIR / "native/build/patina-core-test"), f"--gtest_output=xml:{junit}", "--gtest_brief=1"]
    return _run_layer("native core", argv, junit, _from_junit, environment, PROJECT_DIR)


def _python_layer(
    name: str,
    folder: Path,
    environment: dict[str, str],
    *,
    part: int = 0,
    parts_count: int = 1,
    has_own_network: bool = False,
) -> Totals:
    """Every so many-th file of a layer's tests: a part that is one of several runs beside the others."""
    files = sorted((PROJECT_DIR / name / "tests").glob("test_*.py"))[part::parts_count]
    called = name if parts_count == 1 else f"{name}, {part + 1} of {parts_count}"
    junit = folder / f"{name}-{part}.xml"
    argv = [sys.executable, "-m", "pytest", "-q", f"--junitxml={junit}", *map(str, files)]
    if has_own_network:
        argv = ["unshare", "--net", "sh", "-c", 'ip link set lo up && exec "$@"', "sh", *argv]
    return _run_layer(called, argv, junit, _from_junit, environment, PROJECT_DIR)


def _frontend_layer(folder: Path, environment: dict[str, str]) -> Totals:
    vitest = folder / "vitest.json"
    argv = ["npx", "--no-install", "vitest", "run", "--reporter=default", "--reporter=json"]
    argv.append(f"--outputFile.json={vitest}")
    return _run_layer("frontend", argv, vitest, _from_vitest, environment, PROJECT_DIR / "frontend")


def main() -> int:
    """Run all layers; the exit status is 0 only when nothing failed."""
    folder = Path(tempfile.mkdtemp(prefix="patina-test-all-"))
    folder.chmod(0o755)
    # Workers and commands are started a hundred times: each would compile every module anew.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    environment = dict(os.environ)

    # The longest first. They share nothing: servers, devices and folders are each layer's own.
    layers: tuple[Callable[[Path, dict[str, str]], Totals], ...] = (
        _browser_layer,
        partial(_python_layer, "worker", part=0, parts_count=2),
        partial(_python_layer, "worker", part=1, parts_count=2),
        partial(_python_layer, "backend"),
        _native_layer,
        # It makes and removes bridges: a browser beside them gives up what it fetches (ERR_NETWORK_CHANGED).
        partial(_python_layer, "stack", has_own_network=os.geteuid() == 0),
        _frontend_layer,
    )
    try:
        with ThreadPoolExecutor(LAYERS_AT_ONCE) as executor:
            totals = sum(executor.map(lambda layer: layer(folder, environment), layers), Totals())
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"\n{totals}", flush=True)
    return 1 if totals.failed else 0


if __name__ == "__main__":
    sys.exit(main())
