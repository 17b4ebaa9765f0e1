"""`make bench`: searches of a team's catalog of 100 000 images, by an owner, who sees all of them, and by a member.

Each kind of request one after the other, its latencies.

PATINA_BENCH_IMAGES: 100000. PATINA_BENCH_SEARCHES: 200, of each kind.
"""

import http.client
import os
import random
import sys
import time
from collections.abc import Callable
from statistics import quantiles
from urllib.parse import urlencode

from patina_dev.bench import shared_catalog
from patina_dev.bench.seeded_api import seeded_api
from patina_dev.testing import owner

GOAL_MS = 100.0
WARM_UP_COUNT = 20  # statements are compiled and planned
WORDS = (
    "agrawal", "ext4", "xfs", "btrfs", "meyer", "fsfb", "samsung", "sandbox", "6.1.0", "6.18", "host-1", "debian",
    "allocators", "latest",
)  # fmt: skip

Pick = Callable[[random.Random], dict[str, object]]


def _typed(r: random.Random) -> str:
    """Returns what is in the field while one or two words are typed."""
    words = " ".join(r.sample(WORDS, r.randint(1, 2)))
    return words[: r.randint(1, len(words))]


def _kinds(images_count: int) -> dict[str, tuple[str, Pick]]:
    facet = {"file_system": ["ext4", "xfs"], "kernel": ["6.1.0"]}
    return {
        "newest": ("", lambda _: {}),
        "newest, older": ("", lambda r: {"cursor": r.randint(60, images_count)}),
        "words, as typed": ("", lambda r: {"q": _typed(r)}),
        "the words of one image": ("", lambda r: {"q": f"agrawal {r.randint(1, images_count)}"}),
        "words found nowhere": ("", lambda r: {"q": f"nowhere{r.randint(1, 9)}"}),
        "values of facets": ("", lambda r: facet | {"size_bytes": str(2 ** r.randint(30, 34))}),
        "a value found nowhere": ("", lambda _: {"file_system": "f2fs"}),
        "by name": ("", lambda r: {"sort": "name", "cursor": r.randint(1, images_count)}),
        "fullest, of some words": ("", lambda r: {"sort": "fullness", "q": _typed(r)}),
        "largest": ("", lambda r: {"sort": "stored", "cursor": r.randint(1, images_count)}),
        "facets": ("/facets", lambda _: {}),
        "facets of values": ("/facets", lambda _: facet),
        "facets of words": ("/facets", lambda r: {"q": _typed(r)}),
    }


def _measure(port: int, headers: dict[str, str], path: str, pick: Pick, count: int) -> list[float]:
    """Returns the latencies in milliseconds. Raises RuntimeError for an answer other than 200."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    generator = random.Random(1)
    latencies = []
    for _ in range(WARM_UP_COUNT + count):
        address = f"/api/v1/images{path}?{urlencode(pick(generator), doseq=True)}"
        started = time.perf_counter()
        connection.request("GET", address, headers=headers)
        answer = connection.getresponse()
        answer.read()
        latencies.append((time.perf_counter() - started) * 1e3)
        if answer.status != 200:
            raise RuntimeError(f"{address}: {answer.status}")
    connection.close()
    return latencies[WARM_UP_COUNT:]


def main() -> int:
    """Prints the figures."""
    images_count = int(os.environ.get("PATINA_BENCH_IMAGES", "100000"))
    searches_count = int(os.environ.get("PATINA_BENCH_SEARCHES", "200"))
    with seeded_api(images_count=images_count) as (api, seeded):
        shared_catalog.share()
        for account, headers in (("an owner", owner.HEADERS), ("a member", shared_catalog.HEADERS)):
            sys.stdout.write(f"{searches_count} searches of each kind by {account} in {seeded.images_count} images:\n")
            every: list[float] = []
            for name, (path, pick) in _kinds(seeded.images_count).items():
                latencies = _measure(api.port, headers, path, pick, searches_count)
                cuts = quantiles(latencies, n=100, method="inclusive")
                sys.stdout.write(f"  {name:<26} p50 {cuts[49]:7.1f}  p95 {cuts[94]:7.1f}  p99 {cuts[98]:7.1f} ms\n")
                every += latencies
            p95 = quantiles(every, n=100, method="inclusive")[94]
            sys.stdout.write(f"  95th percentile of all {p95:.1f} ms (required: {GOAL_MS:.0f} ms)\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
