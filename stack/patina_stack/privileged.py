"""The privileged part: the worker. Root starts and stops it directly; a user does so through sudo, once a command.

`python -m patina_stack.privileged start|stop` with the worker's environment.
"""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from patina_stack.process import Part, ProcessFailed
from patina_worker.command import worker_command

# A worker that is stopped releases its devices within this time, or is killed.
PATIENCE_S = 15


class NotPrivileged(Exception):
    """The worker needs root, and sudo is not installed."""


def worker_part(run_dir: Path) -> Part:
    """Returns the worker's part."""
    return Part("worker", run_dir)


def start_worker(run_dir: Path, environment: dict[str, str]) -> None:
    """Starts the worker, unless it runs."""
    if worker_part(run_dir).pid() is not None:
        return
    if not _as_root("start", environment):
        worker_part(run_dir).start(worker_command(), environment=environment, cwd=run_dir)


def stop_worker(run_dir: Path, environment: dict[str, str]) -> None:
    """Stops the worker, then removes all of Patina's mounts, loop devices and files in memory."""
    if not _as_root("stop", environment):
        worker_part(run_dir).stop(signal.SIGTERM, patience_s=PATIENCE_S)
        subprocess.run([sys.executable, "-m", "patina_worker.cleanup"], env=environment, check=True)


def _as_root(command: str, environment: dict[str, str]) -> bool:
    """Runs the command through sudo; False when this process is root already."""
    if os.geteuid() == 0:
        return False
    if shutil.which("sudo") is None:
        raise NotPrivileged("The worker needs root: it makes file systems on block devices. Run this as root.")
    kept = ["DATABASE_URL", "REDIS_URL", "PYTHONDONTWRITEBYTECODE", "LC_ALL"]
    kept += [name for name in environment if name.startswith("PATINA_")]
    argv = ["sudo", f"--preserve-env={','.join(kept)}", sys.executable, "-P", "-m", "patina_stack.privileged", command]
    if subprocess.run(argv, env=environment, check=False).returncode != 0:
        raise ProcessFailed(f"`sudo` could not {command} the worker; see its output above.")
    return True


def main() -> int:
    """Starts or stops the worker, as root."""
    os.environ["PYTHONSAFEPATH"] = "1"  # inherited by children: the working directory of sudo may belong to any account
    run_dir = Path(os.environ["PATINA_STATE_DIR"]) / "run"
    {"start": start_worker, "stop": stop_worker}[sys.argv[1]](run_dir, dict(os.environ))
    return 0


if __name__ == "__main__":
    sys.exit(main())
