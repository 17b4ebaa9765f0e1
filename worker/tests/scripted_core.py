"""The scripted core: prints patina-core's lines, step by step from a script: `scripted_core.py SCRIPT ARGUMENTS...`.

SCRIPT is a JSON list of steps, each a list of a word and its arguments; core_script.py writes it. A script that
ends without `exit` exits with status 0. Like the real core, it dies with the process that started it.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

PR_SET_PDEATHSIG = 1
UNEXPECTED = 97  # exit status when a line on stdin differs from the script


def _write(descriptor: int, text: str) -> None:
    data = text.encode(errors="surrogateescape")
    while data:
        data = data[os.write(descriptor, data) :]


def _say(text: str) -> None:
    _write(1, text)


def _mutter(text: str) -> None:
    _write(2, text)


def _halt(path: str) -> None:
    """Reads the FIFO to its end, until the test closes it."""
    descriptor = os.open(path, os.O_RDONLY)
    while os.read(descriptor, 4096):
        pass
    os.close(descriptor)


def _hear(wanted: str) -> None:
    """Reads one line of stdin, byte by byte: later lines belong to later steps."""
    line = b""
    while (byte := os.read(0, 1)) not in (b"", b"\n"):
        line += byte
    if line.decode() != wanted:
        _mutter(f"the script expects {wanted!r} on stdin, not {line!r}\n")
        os._exit(UNEXPECTED)


def _when_told_to_stop(text: str, status: int) -> None:
    def _stop(*_: object) -> None:
        _say(text)
        os._exit(status)

    signal.signal(signal.SIGTERM, _stop)


def _ignore_stops() -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


def _hang() -> None:
    while True:
        signal.pause()


def _close_output() -> None:
    os.close(1)
    os.close(2)


def _close_input() -> None:
    os.close(0)


def _die(name: str) -> None:
    number = signal.Signals[name]
    if number != signal.SIGKILL:
        signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    _hang()


def _leave_process(member: str, pid_file: str, *, is_leader: bool = True) -> None:
    """Starts a process in the folder that `member` of the request names, or here without one; it lasts until it is
    killed."""
    folder = None
    if member:
        with open(sys.argv[sys.argv.index("--request") + 1], encoding="utf-8") as file:
            folder = json.load(file)[member]
    left = subprocess.Popen(
        ["sleep", "infinity"],
        cwd=folder,
        start_new_session=is_leader,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    with open(pid_file, "w", encoding="utf-8") as file:
        file.write(str(left.pid))


def _leave_in_group(pid_file: str) -> None:
    _leave_process("", pid_file, is_leader=False)


def _become(program: str) -> None:
    os.execv(program, [program, *sys.argv[2:]])


STEPS: dict[str, Callable[..., Any]] = {
    "say": _say,
    "mutter": _mutter,
    "halt": _halt,
    "hear": _hear,
    "when_told_to_stop": _when_told_to_stop,
    "ignore_stops": _ignore_stops,
    "hang": _hang,
    "close_output": _close_output,
    "close_input": _close_input,
    "die": _die,
    "leave_process": _leave_process,
    "leave_in_group": _leave_in_group,
    "become": _become,
    "exit": os._exit,
}


def main() -> None:
    """Executes the steps in order."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    with open(sys.argv[1], encoding="utf-8") as file:
        steps = json.load(file)
    for word, *arguments in steps:
        STEPS[word](*arguments)
    os._exit(0)


if __name__ == "__main__":
    main()
