"""The API as a process, over private services of its own."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from patina_dev.testing.api import ApiProcess
from patina_dev.testing.owner import own
from patina_stack.services import PrivateServices


@contextmanager
def private_api() -> Iterator[ApiProcess]:
    """Yields the API, not started yet: its services run, its database has tables and an owner, and DATABASE_URL and
    REDIS_URL name them."""
    with tempfile.TemporaryDirectory(prefix="patina-bench-") as folder:
        state_dir = Path(folder)
        state_dir.chmod(0o755)
        (state_dir / "run").mkdir()
        services = PrivateServices(state_dir=state_dir, run_dir=state_dir / "run")
        services.start()
        ports = services.ports
        os.environ.update(DATABASE_URL=ports.database_url, REDIS_URL=ports.redis_url, PATINA_STATE_DIR=folder)
        subprocess.run([sys.executable, "-m", "patina.cli", "migrate"], check=True, stdout=subprocess.DEVNULL)
        own(ports.database_url)
        api = ApiProcess()
        try:
            yield api
        finally:
            api.close()
            services.stop()
