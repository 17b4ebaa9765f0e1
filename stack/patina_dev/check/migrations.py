"""Migrations on an empty database: up, `alembic check`, down to nothing, up again."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from patina_stack import PROJECT_DIR
from patina_stack.services import PrivateServices

COMMANDS = (("upgrade", "head"), ("check",), ("downgrade", "base"), ("upgrade", "head"))


def main() -> int:
    """0 when every command succeeds."""
    state_dir = Path(tempfile.mkdtemp(prefix="patina-migrations-"))
    state_dir.chmod(0o755)
    (state_dir / "run").mkdir()
    services = PrivateServices(state_dir=state_dir, run_dir=state_dir / "run")
    try:
        services.start()
        urls = {"DATABASE_URL": services.ports.database_url, "REDIS_URL": services.ports.redis_url}
        alembic = [sys.executable, "-m", "alembic", "-c", str(PROJECT_DIR / "migrations" / "alembic.ini")]
        statuses = [
            subprocess.run([*alembic, *command], env=os.environ | urls, check=False).returncode for command in COMMANDS
        ]
    finally:
        services.stop()
        shutil.rmtree(state_dir)
    return max(statuses)


if __name__ == "__main__":
    sys.exit(main())
