"""Builds a scripted core (scripted_core.py), for tests of the worker's reactions to it.

Such a test needs no device and no root. The records come from native/contract, so the real core prints the same.
"""

import errno
import json
import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from patina.settings import PROJECT_DIR
from patina_dev.testing.wait import wait_until

_PROGRAM = Path(__file__).with_name("scripted_core.py")
_REAL_CORE = PROJECT_DIR / "native" / "build" / "patina-core"


def golden(command: str) -> list[str]:
    """Returns the lines that the real core printed for this command."""
    return (PROJECT_DIR / "native" / "contract" / f"{command}.jsonl").read_text(encoding="utf-8").splitlines()


def error_line(code: str, message: str) -> str:
    return json.dumps({"type": "error", "code": code, "message": message})


def control_line(line: str, message: str | None = None) -> str:
    return json.dumps({"type": "control", "line": line, "message": message})


class Halt:
    """A step of a script at which the core waits until the test releases it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        os.mkfifo(path)

    @contextmanager
    def held(self, has_ended: Callable[[], bool] = lambda: False) -> Iterator[None]:
        """Holds the core there while the context lasts. The test fails if it `has_ended` instead."""

        def _opened() -> int:
            is_over = has_ended()
            descriptor = self._opened()
            if is_over and not descriptor:
                pytest.fail(f"the core ended before it came to {self.path.name}")
            return descriptor

        descriptor = wait_until(f"the core stands at {self.path.name}", _opened)
        try:
            yield
        finally:
            os.close(descriptor)

    def _opened(self) -> int:
        """Opens the FIFO for writing, which succeeds once a process has it open, or waits to open it, for reading."""
        try:
            return os.open(self.path, os.O_WRONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
            return 0


class ScriptedCore:
    """A program in the place of patina-core. It passes commands without a script to the real core."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.path = folder / "patina-core"
        self._folder = folder
        self._commands: list[str] = []
        self._write_program()

    def script(self, command: str) -> "Script":
        """Returns the script of this command, to be filled with steps before the core starts."""
        self._commands.append(command)
        self._write_program()
        return Script(self._folder / command)

    def _write_program(self) -> None:
        """Writes a shell script, so that commands of the real core do not start a Python."""
        python = shlex.join([sys.executable, "-I", "-S", str(_PROGRAM)])
        scripted = "".join(f'{c}) exec {python} {shlex.quote(f"{self._folder}/{c}")} "$@";;\n' for c in self._commands)
        real = f'*) exec {shlex.quote(str(_REAL_CORE))} "$@";;'
        self.path.write_text(f'#!/bin/sh\ncase "$1" in\n{scripted}{real}\nesac\n', encoding="utf-8")
        self.path.chmod(0o755)


class Script:
    """The steps of one command, in their order."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._steps: list[tuple[object, ...]] = []
        self._halts_count = 0
        self._add()

    def say(self, *lines: str) -> "Script":
        """Print lines on stdout."""
        return self._add("say", "".join(f"{line}\n" for line in lines))

    def say_unended(self, text: str) -> "Script":
        """Print text on stdout without a newline."""
        return self._add("say", text)

    def mutter(self, text: str) -> "Script":
        """Print text on stderr."""
        return self._add("mutter", f"{text}\n")

    def halt(self) -> Halt:
        """Wait here until the test releases the core."""
        self._halts_count += 1
        halt = Halt(Path(f"{self._path}-halt-{self._halts_count}"))
        self._add("halt", str(halt.path))
        return halt

    def hear(self, line: str) -> "Script":
        """Wait for this very line on stdin."""
        return self._add("hear", line)

    def when_told_to_stop(self, *lines: str, status: int) -> "Script":
        """From here on, print these lines and exit on SIGTERM."""
        return self._add("when_told_to_stop", "".join(f"{line}\n" for line in lines), status)

    def ignore_stops(self) -> "Script":
        """From here on, ignore SIGTERM."""
        return self._add("ignore_stops")

    def hang(self) -> "Script":
        """Print nothing more, until a signal ends the core."""
        return self._add("hang")

    def close_output(self) -> "Script":
        """Close stdout and stderr."""
        return self._add("close_output")

    def close_input(self) -> "Script":
        """Close stdin."""
        return self._add("close_input")

    def die(self, signal_name: str) -> "Script":
        """End by this signal."""
        return self._add("die", signal_name)

    def exit(self, status: int) -> "Script":
        return self._add("exit", status)

    def leave_process(self, *, member: str) -> Path:
        """Start a process of another session in the folder that `member` of the request names. Returns the file with
        its pid."""
        pid_file = Path(f"{self._path}-left")
        self._add("leave_process", member, str(pid_file))
        return pid_file

    def leave_in_group(self) -> Path:
        """Start a process of the core's group. Returns the file with its pid."""
        pid_file = Path(f"{self._path}-left")
        self._add("leave_in_group", str(pid_file))
        return pid_file

    def becomes_real_after_halt(self) -> Halt:
        """Execute the real core, with the same arguments, once the test releases it."""
        halt = self.halt()
        self._add("become", str(_REAL_CORE))
        return halt

    def _add(self, *step: object) -> "Script":
        self._steps += [step] if step else []
        self._path.write_text(json.dumps(self._steps), encoding="utf-8")
        return self
