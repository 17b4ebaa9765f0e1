"""A lasting process: it answers each line of standard input with one line of standard output."""

import os
import selectors
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

_READ_BYTES = 1 << 16
LINE_LIMIT_BYTES = 1 << 23


class ProcessEnded(Exception):
    """The process has ended, or cannot be started; the message states the reason."""


class ProcessSilent(ProcessEnded):
    """The process did not answer in time."""


class LastingProcess:
    """A process for one request at a time. Its standard error goes to ours."""

    def __init__(self, argv: Sequence[str], *, patience_s: float, environment: Mapping[str, str] | None = None) -> None:
        """Starts the process, and reads its ready line. Raises ProcessEnded, ProcessSilent."""
        try:
            self._process = subprocess.Popen(
                argv,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            raise ProcessEnded(f"cannot be run: {error.strerror}") from error
        self.argv = argv
        self.started_by = os.getpid()  # a fork must not share the parent's pipes
        self.pid = self._process.pid
        self._asked(b"", patience_s)

    def ask(self, line: bytes, *, patience_s: float) -> bytes:
        """Returns the answer. Raises ProcessEnded or ProcessSilent; any error ends the process."""
        return self._asked(line + b"\n", patience_s)

    def _asked(self, question: bytes, patience_s: float) -> bytes:
        try:
            left = memoryview(question)
            while left:
                left = left[self._process.stdin.write(left) :]  # type: ignore[union-attr]  # it is a pipe
            return self._read_line(patience_s)
        except BaseException as error:
            self.close()
            if isinstance(error, OSError):
                raise ProcessEnded(f"cannot be written to: {error.strerror}") from error
            raise

    def _read_line(self, patience_s: float) -> bytes:
        """Reads exactly one line: further output would be taken for the next answer."""
        assert self._process.stdout is not None
        deadline = time.monotonic() + patience_s
        said = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while b"\n" not in said:
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    raise ProcessSilent(f"did not answer within {patience_s:g} s")
                read = os.read(self._process.stdout.fileno(), _READ_BYTES)
                if not read:
                    self.close()
                    raise ProcessEnded(f"ended with {self._process.returncode}")
                said += read
                if len(said) > LINE_LIMIT_BYTES:
                    raise ProcessEnded(f"wrote more than {LINE_LIMIT_BYTES} bytes in one line")
        line, _, rest = said.partition(b"\n")
        if rest:
            raise ProcessEnded("wrote more than one line")
        return line

    def close(self) -> None:
        """Ends the process."""
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]  # both are pipes
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
