"""The process that serves an emulated disk: `patina-core emulate`. Started, found by its control socket, asked, ended.

It outlives the worker: it has a session of its own, and a mount namespace of its own, in which the served file is
mounted and no file system of a run. A killed emulator takes that mount with it.
"""

import json
import os
import select
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from patina.core.contract.emulate import (
    EMULATE,
    KEEP,
    ControlAnswer,
    EmulatorReady,
    EmulatorStatus,
    EmulatorSummary,
    Fault,
    KeepSummary,
)
from patina.core.record import CoreError
from patina.core.supervised import environment, run_core
from patina.device.disk_model import get_disk_model
from patina.device.emulation import Emulation
from patina.errors import PatinaError
from patina.settings import settings
from patina_worker.failure import EmulatorBusy, EmulatorEnded, EmulatorFailed
from patina_worker.host.disk_folder import READ_BYTES, Asked, asked_of, create, private, read

START_PATIENCE_S = 60.0
ANSWER_PATIENCE_S = 5.0
LONG_PATIENCE_S = 60.0  # for an emulator that compacts what it stores
END_PATIENCE_S = 60.0
PAUSE_S = 0.02
_BACKING, _RECORDS, _ERRORS = "backing", "records", "errors"
_CONTROL, _DISK = f"{_BACKING}/control", f"{_BACKING}/disk"
_CREDENTIALS = struct.Struct("3i")  # SO_PEERCRED: pid, uid, gid
# Of the copied mounts of this host, those of runs would keep their devices busy. $0: the folder of these mounts.
_IN_OWN_NAMESPACE = """findmnt --raw --noheadings --output TARGET | while IFS= read -r target; do
  target=$(printf '%b' "$target")
  case "$target" in "$0"/*) umount --lazy "$target" ;; esac
done
exec "$@"
"""


@dataclass(frozen=True)
class Served:
    """A running emulator."""

    pid: int
    status: EmulatorStatus

    @property
    def file(self) -> Path:
        """Returns the path of the served file for this process, which is in another mount namespace."""
        return Path(f"/proc/{self.pid}/cwd/{_DISK}")

    @property
    def file_id(self) -> tuple[str, int]:
        """Returns the identity of the served file, as in `Loop.file`."""
        return self.status.file.device, self.status.file.inode


def find(folder: Path, *, patience_s: float | None = None) -> Served | None:
    """Returns the running emulator of the folder. EmulatorBusy."""
    try:
        with _connected(folder, patience_s) as connection:
            return Served(_pid_of(connection), _status(folder, connection))
    except (EmulatorEnded, EmulatorFailed):
        return None


def start(folder: Path) -> Served:
    """Returns the emulator of the folder, starting it if none runs. EmulatorBusy, EmulatorFailed."""
    found = find(folder, patience_s=LONG_PATIENCE_S)
    if found is not None:
        return found
    asked = asked_of(folder)
    with private(folder) as descriptor:
        alive, held = os.pipe2(os.O_CLOEXEC)
        try:
            try:
                _spawn(descriptor, _options(asked), held)
            finally:
                os.close(held)
            _await_ready(folder, alive)
        finally:
            os.close(alive)
    found = find(folder, patience_s=LONG_PATIENCE_S)
    if found is None:
        raise _failed(folder)
    return found


def _options(asked: Asked) -> list[str]:
    emulation = asked.emulation
    # Below its working directory, which stays the disk's folder: the address of a socket is short.
    argv = [
        "--backing",
        f"/proc/self/cwd/{_BACKING}",
        "--size",
        str(asked.size_bytes),
        "--available",
        str(emulation.available_bytes),
    ]
    argv += ["--data", emulation.data, "--seed", str(emulation.seed), "--time", emulation.time]
    argv += ["--compressible", f"{emulation.compressible_fraction:g}"]
    argv += ["--keep-all"] if emulation.keeps_all else []
    # Half for what is not decided on yet: metadata and what is kept need the rest.
    argv += ["--hold", str(emulation.available_bytes // 2)] if emulation.kept_paths else []
    return argv + _modelled(emulation)


def _modelled(emulation: Emulation) -> list[str]:
    if emulation.model is None:
        return []
    # A name of the list alone: the core would open a file of any other.
    argv = ["--model", get_disk_model(emulation.model).name]
    if emulation.raid is not None:
        argv += ["--raid", str(emulation.raid.level), "--disks", str(emulation.raid.disks_count)]
    pieces_count = emulation.stretch_pieces_count
    return argv if pieces_count is None else [*argv, "--stretch-pieces", str(pieces_count)]


def _spawn(descriptor: int, options: list[str], held: int) -> None:
    """Starts the emulator as a child of no worker. While it runs, it has `held` open."""
    records, errors = create(descriptor, _RECORDS), create(descriptor, _ERRORS)
    own = ["setsid", "--fork", "unshare", "--net", "--mount", "--propagation", "slave", "sh", "-c", _IN_OWN_NAMESPACE]
    argv = [*own, str(settings().state_dir / "mnt"), str(settings().core), EMULATE.name, *options]
    try:
        subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=records,
            stderr=errors,
            env=environment(),
            cwd=f"/proc/self/fd/{descriptor}",
            pass_fds=(held, descriptor),
            check=False,
        )
    finally:
        os.close(records)
        os.close(errors)


def _await_ready(folder: Path, alive: int) -> None:
    """Waits until the served file can be attached. EmulatorFailed once the process has ended, or takes too long."""
    deadline = time.monotonic() + START_PATIENCE_S
    while not any(isinstance(record, EmulatorReady) for record in _records(folder)):
        has_ended = bool(select.select([alive], [], [], PAUSE_S)[0])
        if has_ended or time.monotonic() > deadline:
            raise _failed(folder)


def _records(folder: Path) -> list[object]:
    """Returns the emulator's lines so far; none that is not complete."""
    text = read(folder, _RECORDS)
    lines = text[: text.rfind("\n") + 1].splitlines()
    try:
        return [EMULATE.record.validate_json(line) for line in lines]
    except ValidationError as error:
        raise EmulatorFailed(f"The emulator of {folder} wrote an unexpected line: {lines[-1]}") from error


def summary_of(folder: Path) -> EmulatorSummary | None:
    """Returns what the emulator wrote at its end."""
    return next((record for record in _records(folder) if isinstance(record, EmulatorSummary)), None)


def _failed(folder: Path) -> PatinaError:
    error = next((record for record in _records(folder) if isinstance(record, CoreError)), None)
    said = read(folder, _ERRORS).strip()
    last = f". {said.splitlines()[-1]}" if said else ""
    why = error.message if error is not None else f"it ended, or was not ready in time{last}"
    return EmulatorFailed(f"The emulator of {folder} could not be started: {why}", log=said)


@contextmanager
def _connected(folder: Path, patience_s: float | None = None) -> Iterator[socket.socket]:
    """Yields a connection to the control socket. EmulatorBusy; EmulatorEnded where no emulator runs. The socket's path
    may be longer than an address can be, so it is named below a descriptor. `patience_s`: for a connection, and then
    for an answer; None: the usual."""
    with private(folder) as descriptor, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(ANSWER_PATIENCE_S if patience_s is None else patience_s)
        _connect(folder, connection, f"/proc/self/fd/{descriptor}/{_CONTROL}")
        yield connection


def _connect(folder: Path, connection: socket.socket, address: str) -> None:
    """Connects to the control socket, once a connection more can wait there."""
    deadline = time.monotonic() + (connection.gettimeout() or 0)
    while True:
        try:
            return connection.connect(address)
        except BlockingIOError as error:
            if time.monotonic() > deadline:
                raise _busy(folder, connection) from error
            time.sleep(PAUSE_S)  # no event reports that the queue of the socket has room
        except OSError as error:
            raise EmulatorEnded(f"The emulator of {folder} does not run: {error.strerror}.") from error


def _busy(folder: Path, connection: socket.socket) -> PatinaError:
    patience_s = connection.gettimeout() or 0
    return EmulatorBusy(f"The emulator of {folder} runs and has not answered for {patience_s:g} s.")


def _pid_of(connection: socket.socket) -> int:
    pid: int = _CREDENTIALS.unpack(connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))[0]
    return pid


def status(folder: Path, *, patience_s: float | None = None) -> EmulatorStatus:
    """Returns the figures of the emulated disk. EmulatorBusy, EmulatorEnded, EmulatorFailed."""
    with _connected(folder, patience_s) as connection:
        return _status(folder, connection)


def _status(folder: Path, connection: socket.socket) -> EmulatorStatus:
    answer = _ask(folder, connection, {"type": "status"})
    if not isinstance(answer, EmulatorStatus):
        raise EmulatorFailed(f"The emulator of {folder} answered a request for its status with {answer}.")
    return answer


def inject(folder: Path, fault: Fault) -> None:
    """Makes the disk fail, or ends its faults. EmulatorBusy: the fault may come into force later. EmulatorEnded;
    EmulatorFailed with the emulator's refusal."""
    with _connected(folder, LONG_PATIENCE_S) as connection:
        answer = _ask(folder, connection, {"type": "fault", **fault.model_dump()})
    if isinstance(answer, CoreError):
        raise EmulatorFailed(answer.message)


def _ask(folder: Path, connection: socket.socket, line: dict[str, object]) -> object:
    try:
        connection.sendall(json.dumps(line).encode() + b"\n")
        with connection.makefile("rb") as answers:
            answer = answers.readline(READ_BYTES)
    except TimeoutError as error:
        raise _busy(folder, connection) from error
    except OSError as error:
        raise EmulatorEnded(f"The emulator of {folder} does not answer: {error}.") from error
    if not answer.endswith(b"\n"):
        raise EmulatorEnded(f"The emulator of {folder} ended without an answer.")
    try:
        return ControlAnswer.validate_json(answer)
    except ValidationError as error:
        raise EmulatorFailed(f"The emulator of {folder} answered with an unexpected line: {answer[:500]!r}") from error


def keep_paths(folder: Path, mount: Path) -> KeepSummary:
    """Decides which data of the file system mounted there stays as written, and drops the rest that is held.
    CoreFailed."""
    words = [word for path in asked_of(folder).emulation.kept_paths for word in ("--path", path)]
    argv = ["--backing", str(folder / _BACKING), "--mount", str(mount), *words]
    return run_core(KEEP, argv, check=lambda: False)


def end(folder: Path) -> None:
    """Ends the emulator, whose file is no longer attached, and waits for its end. Idempotent. EmulatorBusy."""
    try:
        with _connected(folder) as connection:
            process = os.pidfd_open(_pid_of(connection))  # of this process: it has the connection
    except (EmulatorEnded, ProcessLookupError):
        return
    try:
        for number, patience_s in ((signal.SIGTERM, END_PATIENCE_S), (signal.SIGKILL, END_PATIENCE_S)):
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(process, number)
            if select.select([process], [], [], patience_s)[0]:
                return
        raise EmulatorFailed(f"The emulator of {folder} does not end.")
    finally:
        os.close(process)
