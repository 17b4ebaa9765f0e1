"""`make bench`: the latency of a forecast of an edited profile from a real server, and that of a process start.

Every request has a new profile with 40 bins in each histogram. PATINA_BENCH_REQUESTS: 500.
"""

import json
import os
import random
import subprocess
import sys
import time
import urllib.request
from statistics import median, quantiles

from patina_dev.bench.private_api import private_api
from patina_dev.testing.owner import HEADERS
from patina_stack import PROJECT_DIR

BINS_COUNT = 40
CORE = PROJECT_DIR / "native" / "build" / "patina-core"


def _histograms(generator: random.Random) -> dict[str, object]:
    def _weight() -> float:
        return generator.uniform(0.1, 100)

    return {
        "size": [{"bytes": 512 * 2 ** (i // 3) + i, "weight": _weight()} for i in range(BINS_COUNT)],
        "depth": [{"depth": d, "weight": _weight(), "subdirs": 2 * d} for d in range(1, BINS_COUNT + 1)],
        "age": [{"age": 1.3**i, "weight": _weight()} for i in range(BINS_COUNT)],
    }


def _post(url: str, histograms: dict[str, object]) -> float:
    body = {"histograms": histograms, "fullness": 0.7, "capacity_bytes": 2**36}
    headers = HEADERS | {"content-type": "application/json"}
    request = urllib.request.Request(f"{url}/api/v1/forecasts", data=json.dumps(body).encode(), headers=headers)
    started = time.perf_counter()
    with urllib.request.urlopen(request, timeout=30) as answer:
        answer.read()
    return time.perf_counter() - started


def _start_a_process(histograms: dict[str, object]) -> float:
    argv = [str(CORE), "forecast", "--profile", "-", "--capacity", "64GiB", "--fullness", "0.7"]
    started = time.perf_counter()
    subprocess.run(argv, input=json.dumps(histograms).encode(), stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - started


def main() -> int:
    """Prints the figures."""
    generator = random.Random(1)
    requests = [_histograms(generator) for _ in range(int(os.environ.get("PATINA_BENCH_REQUESTS", "500")))]
    with private_api() as api:
        api.start()
        for request in requests[:20]:
            _post(api.url, request)
        seconds = [_post(api.url, request) for request in requests]
    started = [_start_a_process(request) for request in requests[:100]]
    sys.stdout.write(
        f"{len(requests)} forecasts of edited profiles, {BINS_COUNT} bins a histogram, over HTTP one by one: median "
        f"{median(seconds) * 1e3:.1f} ms, 95th percentile {quantiles(seconds, n=20)[-1] * 1e3:.1f} ms "
        f"(required: 200 ms); the start of a process alone would add {median(started) * 1e3:.1f} ms\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
