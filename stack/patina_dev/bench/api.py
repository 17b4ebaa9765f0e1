"""`make bench`: the API under load: mixed reads of a database of 5 000 runs and 2 000 images, at a rate that does not
wait for answers.

Every request has a due time; its latency counts from then, also when it had to wait for a connection, so a server that
falls behind cannot hide it (no coordinated omission). The reference is the same rate at a route without database
access. PATINA_BENCH_RATE: 200 a second. PATINA_BENCH_SECONDS: 30. PATINA_BENCH_RUNS: 5000.
"""

import asyncio
import os
import random
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles

from patina_dev.bench.api_seed import Seeded
from patina_dev.bench.seeded_api import seeded_api
from patina_dev.testing.api import ApiProcess
from patina_dev.testing.owner import HEADER_LINE

GOAL_MS = 50.0
CONNECTIONS_COUNT = 64
WARM_UP_S = 6.0  # statements are compiled and planned once for each connection
API = "/api/v1"

Pick = Callable[[random.Random], str]


def _mix(seeded: Seeded) -> dict[str, tuple[int, Pick]]:
    """Returns the routes with their weights: the requests of the page, in their proportions."""
    runs, images, devices = seeded.runs_count, seeded.images_count, seeded.devices_count
    return {
        "runs": (15, lambda _: f"{API}/runs"),
        "runs, older": (5, lambda r: f"{API}/runs?cursor={r.randint(60, runs)}"),
        "runs of a device": (10, lambda r: f"{API}/runs?device_id={r.randint(1, devices)}"),
        "a run": (20, lambda r: f"{API}/runs/{r.randint(1, runs)}"),
        "events of a run": (10, lambda r: f"{API}/jobs/{r.randint(1, seeded.told_runs_count)}/events?limit=200"),
        "notices": (5, lambda r: f"{API}/notices?job_id={r.randint(1, runs)}&job_id={r.randint(1, runs)}"),
        "devices": (15, lambda _: f"{API}/devices"),
        "images": (5, lambda _: f"{API}/images"),
        "the image of a run": (5, lambda r: f"{API}/images?run_id={r.randint(1, images)}"),
        "an image": (5, lambda r: f"{API}/images/{r.randint(1, images)}"),
        "profiles": (5, lambda _: f"{API}/profiles"),
    }


@dataclass
class Measured:
    """Latencies in milliseconds, by route, and answers other than 200."""

    latencies: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: list[str] = field(default_factory=list)
    received_bytes: int = 0

    @property
    def all(self) -> list[float]:
        return [ms for values in self.latencies.values() for ms in values]


class _Connection:
    """One persistent connection, with minimal overhead of the client."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def get(self, path: str) -> tuple[int, int]:
        """Returns the status and the size of the body."""
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._port)
        reader, writer = self._streams
        head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept-Encoding: identity\r\n".encode()
        writer.write(head + HEADER_LINE + b"\r\n")
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        length = int(head.split(b"content-length:", 1)[1].split(b"\r\n", 1)[0])
        await reader.readexactly(length)
        return int(head.split(b" ", 2)[1]), length

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
        self._streams = None


async def _load(port: int, mix: dict[str, tuple[int, Pick]], *, rate: float, seconds: float) -> Measured:
    """Sends in an open loop: request number n is due at n / rate, independent of earlier answers."""
    generator = random.Random(1)
    names, weights = list(mix), [weight for weight, _ in mix.values()]
    idle: asyncio.Queue[_Connection] = asyncio.Queue()
    for _ in range(CONNECTIONS_COUNT):
        idle.put_nowait(_Connection(port))
    measured = Measured()

    async def _ask(name: str, path: str, due: float) -> None:
        connection = await idle.get()
        try:
            status, length = await connection.get(path)
            measured.received_bytes += length
            if status != 200:
                measured.errors.append(f"{path}: {status}")
        except (OSError, asyncio.IncompleteReadError) as error:
            measured.errors.append(f"{path}: {error!r}")
            connection.close()
        measured.latencies[name].append((time.perf_counter() - due) * 1e3)
        idle.put_nowait(connection)

    started = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for number in range(int(rate * seconds)):
            due = started + number / rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            name = generator.choices(names, weights)[0]
            group.create_task(_ask(name, mix[name][1](generator), due))
    while not idle.empty():
        idle.get_nowait().close()
    return measured


def _percentiles(values: list[float]) -> tuple[float, float, float]:
    cuts = quantiles(values, n=100, method="inclusive")
    return cuts[49], cuts[94], cuts[98]


def _print(what: str, values: list[float]) -> None:
    p50, p95, p99 = _percentiles(values)
    sys.stdout.write(f"  {what:<22}{len(values):>6}  p50 {p50:7.1f}  p95 {p95:7.1f}  p99 {p99:7.1f} ms\n")


def _cpu_s(pid: int) -> float:
    """Returns the processor time of a process so far, which measures its work on a busy machine too."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _stolen_s() -> float:
    """Returns the processor time that the hypervisor has given to others so far."""
    fields = Path("/proc/stat").read_text(encoding="utf-8").partition("\n")[0].split()
    return int(fields[8]) / os.sysconf("SC_CLK_TCK")


def _measure(api: ApiProcess, seeded: Seeded, *, rate: float, seconds: float) -> int:
    assert api.process is not None
    mix = _mix(seeded)
    bare: dict[str, tuple[int, Pick]] = {"bare": (1, lambda _: "/healthz")}
    asyncio.run(_load(api.port, mix, rate=rate / 2, seconds=WARM_UP_S))
    reference = asyncio.run(_load(api.port, bare, rate=rate, seconds=max(2.0, seconds / 3)))
    before, stolen_before = _cpu_s(api.process.pid), _stolen_s()
    measured = asyncio.run(_load(api.port, mix, rate=rate, seconds=seconds))
    cpu_ms, stolen_s = (_cpu_s(api.process.pid) - before) * 1e3, _stolen_s() - stolen_before
    sys.stdout.write(
        f"{len(measured.all)} mixed reads of {seeded.runs_count} runs, {seeded.events_count} events and "
        f"{seeded.images_count} images, {rate:.0f} a second for {seconds:.0f} s, whether or not answers came:\n"
    )
    for name in mix:
        if len(measured.latencies[name]) > 1:
            _print(name, measured.latencies[name])
    _print("all", measured.all)
    _print("a route without data", reference.all)
    p95, bare_p95 = _percentiles(measured.all)[1], _percentiles(reference.all)[1]
    count = len(measured.all)
    sys.stdout.write(
        f"  95th percentile {p95:.1f} ms (required: {GOAL_MS:.0f} ms), {p95 / bare_p95:.1f} times that of the route "
        f"without data; {len(measured.errors)} errors; {cpu_ms / count:.1f} ms of processor time and "
        f"{measured.received_bytes / count / 1024:.0f} KiB an answer\n"
        f"  {os.cpu_count()} processors for API, database and load; {stolen_s:.1f} s of them went to other machines\n"
    )
    for error in measured.errors[:5]:
        sys.stdout.write(f"  {error}\n")
    return len(measured.errors)


def main() -> int:
    """Prints the figures."""
    rate = float(os.environ.get("PATINA_BENCH_RATE", "200"))
    seconds = float(os.environ.get("PATINA_BENCH_SECONDS", "30"))
    with seeded_api() as (api, seeded):
        errors_count = _measure(api, seeded, rate=rate, seconds=seconds)
    return 1 if errors_count else 0


if __name__ == "__main__":
    sys.exit(main())
