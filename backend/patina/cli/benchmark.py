"""Runs a benchmark as a shell does: terminal input and interrupts belong to it."""

import signal
import subprocess
from typing import IO


def run_benchmark(command: list[str], *, output: IO[str]) -> str | None:
    """Returns the failure as a sentence; None on success.

    Ctrl-C reaches every process of the terminal. The benchmark decides how to handle it: it may have something to
    report or to unmount, so this waits for its end.
    """
    ours = signal.getsignal(signal.SIGINT)
    if ours is not signal.SIG_IGN:  # a handler: the benchmark would inherit SIG_IGN
        signal.signal(signal.SIGINT, lambda *_: None)
    try:
        status = subprocess.run(command, check=False, stdout=output).returncode
    except OSError as error:
        return f"{command[0]} cannot be run: {error.strerror}."
    finally:
        signal.signal(signal.SIGINT, ours)
    if status < 0:
        return f"{command[0]} was ended by signal {-status} ({signal.strsignal(-status)})."
    return f"{command[0]} failed with exit status {status}." if status else None
