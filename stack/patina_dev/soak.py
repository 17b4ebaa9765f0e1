"""`make soak`: many short runs on four devices of two hosts, with pauses, stops and kills at random.

Each run must reach a final state within its bound, after any disturbance. Nothing may be left: no lease, mount, loop
device, gap in a journal, or run without its image. The loss of a host, and its return, must be detected in time.
Exits with status 1, and prints the violations, when one of these does not hold.
PATINA_SOAK_RUNS: 200. PATINA_SOAK_SEED: seed of the disturbances.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from patina_dev.testing.joined import JoinedHost, application_with_hosts, await_host
from patina_dev.testing.loop_files import loop_files
from patina_dev.testing.owner import HEADERS
from patina_stack.application import Application

MIB = 2**20
DEVICE_BYTES = 64 * MIB
BOUND_S = 180.0
KILL_PERIOD_S = (10.0, 30.0)  # of one worker or the other
MISSED_WITHIN_S = 30.0
HEARD_WITHIN_S = 10.0
POLL_S = 0.1
FINAL = frozenset({"succeeded", "failed", "canceled"})
# Two equal bins of age, the first spanning this share of the horizon: some seconds of aging.
AGE_SHARE = 0.01


class Client:
    """A client of the API."""

    def __init__(self, url: str) -> None:
        self._url = f"{url}/api/v1"

    def ask(self, path: str, body: object = None, *, method: str | None = None) -> dict[str, Any]:
        """Returns the answer; a refusal is an answer too, with `code`."""
        data = None if body is None else json.dumps(body).encode()
        headers = HEADERS | {"Content-Type": "application/json"}
        request = urllib.request.Request(self._url + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                found: dict[str, Any] = json.load(answer)
        except urllib.error.HTTPError as error:
            found = json.load(error)
        return found

    def make_sandbox(self, host_name: str) -> int:
        asked = {"size_bytes": DEVICE_BYTES, "medium": "memory", "host_name": host_name}
        device_id: int = self.ask("/devices", asked)["id"]
        while self.ask(f"/devices/{device_id}")["state"] != "available":
            time.sleep(POLL_S)
        return device_id

    def events(self, run_id: int) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.ask(f"/jobs/{run_id}/events?limit=10000")["items"]
        return found


class Soak:
    """Counts the disturbances and the ends of runs, and collects violations."""

    def __init__(self, client: Client, folder: Path, seed: int) -> None:
        self._client = client
        self._folder = folder
        self._seed = seed
        self.happened: Counter[str] = Counter()
        self.wrong: list[str] = []
        self.longest_s = 0.0
        self.missed_after_s = 0.0
        self.heard_after_s = 0.0

    def age_in_turn(self, place: int, device_id: int, runs_count: int) -> None:
        """Ages one run after the other on one device, each with one disturbance or none."""
        chance = random.Random(f"{self._seed} {place}")
        for _ in range(runs_count):
            self._age(device_id, chance)

    def _age(self, device_id: int, chance: random.Random) -> None:
        started = time.monotonic()
        run_id = self._start(device_id, started)
        if run_id is None:
            return
        wish = chance.choices(["nothing", "pause", "stop", "kill core"], [5, 3, 2, 2])[0]
        due_s = started + chance.uniform(0.2, 3.0)
        state = ""
        while state not in FINAL and time.monotonic() - started < BOUND_S:
            run = self._client.ask(f"/runs/{run_id}")
            state = run["state"]
            if wish != "nothing" and time.monotonic() > due_s:
                self._disturb(run_id, wish, chance)
                wish = "nothing"
            if state == "interrupted" and run["resumes_left_count"] == 0:  # else it goes on by itself
                self._client.ask(f"/runs/{run_id}/resume", method="POST")
            time.sleep(POLL_S)
        self.longest_s = max(self.longest_s, time.monotonic() - started)
        self.happened[state] += 1
        if state not in {"succeeded", "canceled"}:
            run = self._client.ask(f"/runs/{run_id}")
            self.wrong.append(f"run {run_id} is {state} after {BOUND_S:g} s: {run['error_code']} {run['message']}")
        self._look_at_journal(run_id)

    def _start(self, device_id: int, started: float) -> int | None:
        device = self._client.ask(f"/devices/{device_id}")
        confirmation = {"stable_id": device["stable_id"], "size_bytes": DEVICE_BYTES, "typed": device["path"]}
        body = {
            "device_id": device_id, "profile": "soak", "fullness": 0.5, "confirmation": confirmation, "waits": True,
        }  # fmt: skip
        answer = self._client.ask("/runs", body)
        while "code" in answer:  # its host may be down, or the device may return under another path
            if time.monotonic() - started > BOUND_S:
                self.wrong.append(f"no run could be started on device {device_id}: {answer['detail']}")
                return None
            time.sleep(POLL_S)
            confirmation["typed"] = self._client.ask(f"/devices/{device_id}")["path"]
            answer = self._client.ask("/runs", body)
        run_id: int = answer["id"]
        return run_id

    def _disturb(self, run_id: int, wish: str, chance: random.Random) -> None:
        self.happened[wish] += 1
        if wish == "stop":
            self._client.ask(f"/jobs/{run_id}/stop", method="POST")
        elif wish == "kill core":
            pattern = f"patina-core age .*{self._folder}/.*/run-{run_id}[ .]"
            subprocess.run(["pkill", "-KILL", "-f", pattern], check=False)
        else:
            self._client.ask(f"/runs/{run_id}/pause", method="POST")
            time.sleep(chance.uniform(0.1, 2.0))
            self._client.ask(f"/runs/{run_id}/resume", method="POST")

    def _look_at_journal(self, run_id: int) -> None:
        before = 0
        for event in self._client.events(run_id):
            if event["follows"] != before:
                self.wrong.append(f"run {run_id} has a gap before event {event['sequence']}")
            before = event["sequence"]

    def kill_workers(self, hosts: list[JoinedHost], is_over: threading.Event) -> None:
        """Kills and restarts one of the workers at random intervals."""
        chance = random.Random(f"{self._seed} workers")
        while not is_over.wait(chance.uniform(*KILL_PERIOD_S)):
            host = chance.choice(hosts)
            self.happened["kill worker"] += 1
            host.kill()
            host.start()


def _await_rest(client: Client, soak: Soak, device_ids: list[int]) -> None:
    """Waits until every device is released."""
    deadline = time.monotonic() + BOUND_S
    for device_id in device_ids:
        while (device := client.ask(f"/devices/{device_id}"))["state"] != "available" or device["active_lease"]:
            if time.monotonic() > deadline:
                soak.wrong.append(f"device {device_id} is {device['state']}: {device['active_lease']}")
                break
            time.sleep(POLL_S)


def _mounted_by_runs(folder: Path) -> set[str]:
    """Returns the mounts of runs in every namespace: workers mount in their own."""
    found = set()
    for table in Path("/proc").glob("[0-9]*/mounts"):
        with suppress(OSError):  # it ended meanwhile
            found |= {line.split()[1] for line in table.read_text(encoding="utf-8").splitlines()}
    return {target for target in found if "/mnt/run-" in target and target.startswith(str(folder))}


def _look_for_leaks(folder: Path, hosts: list[JoinedHost], soak: Soak) -> None:
    soak.wrong += [f"still mounted: {target}" for target in _mounted_by_runs(folder)]
    scratch = [file for file in loop_files().values() if str(folder) in file]
    soak.wrong += [f"still attached: {file}" for file in scratch]  # sandbox devices are elsewhere, in memory
    for host in hosts:
        for file in (host.state_dir / "scratch").glob("*"):
            soak.wrong.append(f"left behind: {file}")


def _look_at_images(client: Client, soak: Soak) -> None:
    images = 0
    cursor = ""
    while True:
        page = client.ask(f"/images?limit=200{cursor}")
        images += len(page["items"])
        if page["next_cursor"] is None:
            break
        cursor = f"&cursor={page['next_cursor']}"
    if images != soak.happened["succeeded"]:
        soak.wrong.append(f"{soak.happened['succeeded']} runs succeeded, and there are {images} images")


def _lose_a_host(application: Application, host: JoinedHost, soak: Soak) -> None:
    """Measures the time until the host's loss and its return are reported."""
    started = time.monotonic()
    host.kill()
    await_host(application, host, is_healthy=False)
    soak.missed_after_s = time.monotonic() - started
    started = time.monotonic()
    host.start()
    await_host(application, host)
    soak.heard_after_s = time.monotonic() - started
    if soak.missed_after_s > MISSED_WITHIN_S or soak.heard_after_s > HEARD_WITHIN_S:
        soak.wrong.append("the loss of a host, or its return, was reported too late")


def _soak(folder: Path, *, runs_count: int, seed: int) -> Soak:
    with application_with_hosts(folder, ["lab-1", "lab-2"]) as (application, hosts, _):
        client = Client(application.url)
        histograms = {
            "size": [{"bytes": 4096, "weight": 1}, {"bytes": 65536, "weight": 1}],
            "depth": [{"depth": 1, "weight": 1, "subdirs": 2}, {"depth": 2, "weight": 1, "subdirs": 4}],
            "age": [{"age": AGE_SHARE * 1000, "weight": 1}, {"age": 1000, "weight": 1}],
        }
        profile = {"name": "soak", "title": "Soak", "message": "for a soak", "author": "soak", "histograms": histograms}
        client.ask("/profiles", profile)
        device_ids = [client.make_sandbox(host.name) for host in hosts for _ in range(2)]
        soak = Soak(client, folder, seed)
        is_over = threading.Event()
        with ThreadPoolExecutor(len(device_ids) + 1) as threads:
            killer = threads.submit(soak.kill_workers, hosts, is_over)
            turns = [
                threads.submit(soak.age_in_turn, place, device_id, runs_count // len(device_ids))
                for place, device_id in enumerate(device_ids)
            ]
            try:
                for turn in turns:
                    turn.result()
            finally:
                is_over.set()
            killer.result()
        _await_rest(client, soak, device_ids)
        _look_for_leaks(folder, hosts, soak)
        _look_at_images(client, soak)
        _lose_a_host(application, hosts[0], soak)
        if soak.wrong:
            for host in hosts:
                print(host.worker.log_tail(), file=sys.stderr)
        return soak


def main() -> int:
    """Soaks, and prints the results."""
    runs_count = int(os.environ.get("PATINA_SOAK_RUNS", "200"))
    seed = int(os.environ.get("PATINA_SOAK_SEED", "1"))
    folder = Path(tempfile.mkdtemp(prefix="patina-soak-"))
    folder.chmod(0o755)
    started = time.monotonic()
    try:
        soak = _soak(folder, runs_count=runs_count, seed=seed)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    happened = ", ".join(f"{count} {what}" for what, count in sorted(soak.happened.items()))
    print(f"{runs_count} runs in {time.monotonic() - started:.0f} s, seed {seed}: {happened}")
    print(f"the longest took {soak.longest_s:.0f} s (bound: {BOUND_S:g} s)")
    print(f"a killed host was reported lost after {soak.missed_after_s:.1f} s (bound: {MISSED_WITHIN_S:g} s)")
    print(f"started again, it was reported healthy after {soak.heard_after_s:.1f} s (bound: {HEARD_WITHIN_S:g} s)")
    for line in soak.wrong:
        print(f"wrong: {line}", file=sys.stderr)
    return 1 if soak.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
