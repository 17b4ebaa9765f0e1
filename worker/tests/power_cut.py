"""Simulates a power cut during a run: the device has its content of one moment; data in memory is lost."""

import os
import signal
from pathlib import Path

from gates import Gate
from patina_dev.testing.wait import wait_until
from worker_process import WorkerProcess


def is_in_use(path: str) -> bool:
    """Returns whether the device is open exclusively, for example mounted."""
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_EXCL | os.O_CLOEXEC))
    except OSError:
        return True
    return False


def cut_power(*, worker: WorkerProcess, gate: Gate, run_id: int, path: str) -> None:
    """Cuts the power while the run is held at the gate, and ends the worker. `path`: the run's loop device."""
    backing = Path(Path(f"/sys/block/{Path(path).name}/loop/backing_file").read_text(encoding="utf-8").strip())
    with gate.held(run_id):
        on_the_disk = backing.read_bytes()
        worker.end(signal.SIGKILL)
    wait_until("the device is unmounted", lambda: not is_in_use(path))
    Path(path).write_bytes(on_the_disk)
