"""Runs a benchmark as a shell does: terminal input and interrupts belong to it."""

import signal
import subprocess
from dataclasses import dataclass
from typing import IO


@dataclass(frozen=True)
class Failure:
    """A benchmark that failed: a sentence, and the exit status that a shell gives it."""

    said: str
    status: int


def run_benchmark(command: list[str], *, output: IO[str]) -> Failure | None:
    """Returns the failure; None on success.

    Ctrl-C reaches every process of the terminal. The benchmark decides how to handle it: it may have something to
    report or to unmount, so this waits for its end.
    """
    ours = signal.getsignal(signal.SIGINT)
    if ours is not signal.SIG_IGN:  # a handler: the benchmark would inherit SIG_IGN
        signal.signal(signal.SIGINT, lambda *_: None)
    try:
        status = subprocess.run(command, check=False, stdout=output).returncode
    except OSError as error:
        is_missing = isinstance(error, FileNotFoundError)
        return Failure(f"{command[0]} cannot be run: {error.strerror}.", 127 if is_missing else 126)
    finally:
        signal.signal(signal.SIGINT, ours)
    if status < 0:
        return Failure(f"{command[0]} was ended by signal {-status} ({signal.strsignal(-status)}).", 128 - status)
    return Failure(f"{command[0]} failed with exit status {status}.", status) if status else None
