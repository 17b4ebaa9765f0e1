"""The API over a seeded database."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from patina_dev.bench.api_seed import Seeded, seed
from patina_dev.bench.private_api import private_api
from patina_dev.testing.api import ApiProcess


@contextmanager
def seeded_api(*, images_count: int = 0) -> Iterator[tuple[ApiProcess, Seeded]]:
    """Yields the API over a database of PATINA_BENCH_RUNS runs, 5000 by default, and at least `images_count` images."""
    with private_api() as api:
        seeded = seed(runs_count=int(os.environ.get("PATINA_BENCH_RUNS", "5000")), images_count=images_count)
        api.start()
        yield api, seeded
