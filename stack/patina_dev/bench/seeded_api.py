"""The API as a process, over a seeded database of its own."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from patina_dev.bench.api_seed import Seeded, seed
from patina_dev.testing.api import ApiProcess
from patina_stack.services import PrivateServices


@contextmanager
def seeded_api(*, images_count: int = 0) -> Iterator[tuple[ApiProcess, Seeded]]:
    """Yields the API over a database of PATINA_BENCH_RUNS runs, 5000 by default, and at least `images_count` images."""
    with tempfile.TemporaryDirectory(prefix="patina-bench-") as folder:
        state_dir = Path(folder)
        state_dir.chmod(0o755)
        (state_dir / "run").mkdir()
        services = PrivateServices(state_dir=state_dir, run_dir=state_dir / "run")
        services.start()
        ports = services.ports
        os.environ.update(DATABASE_URL=ports.database_url, REDIS_URL=ports.redis_url, PATINA_STATE_DIR=folder)
        api = ApiProcess()
        try:
            runs_count = int(os.environ.get("PATINA_BENCH_RUNS", "5000"))
            seeded = seed(runs_count=runs_count, images_count=images_count)
            api.start()
            yield api, seeded
        finally:
            api.close()
            services.stop()
