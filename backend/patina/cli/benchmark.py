"""Runs a benchmark as a shell would: what is typed at it is its own, an interrupt too."""

import signal
import subprocess
from typing import IO


def run_benchmark(command: list[str], *, output: IO[str]) -> str | None:
    """What went wrong, in a sentence; None when it ended well.

    Ctrl-C reaches every process of the terminal. The benchmark decides what it means: it may have something to
    report or to unmount, and we wait for that.
    """
    ours = signal.getsignal(signal.SIGINT)
    if ours is not signal.SIG_IGN:  # a handler, not "ignore": that the benchmark would inherit
        signal.signal(signal.SIGINT, lambda *_: None)
    try:
        status = subprocess.run(command, check=False, stdout=output).returncode
    except OSError as error:
        return f"{command[0]} cannot be run: {error.strerror}."
    finally:
        signal.signal(signal.SIGINT, ours)
    if status < 0:
        return f"{command[0]} was ended by signal {-status} ({signal.strsignal(-status)})."
    return f"{command[0]} ended with {status}." if status else None
