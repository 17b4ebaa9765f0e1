"""The folder of one run of the suite, and the removal of all remains of this run or of a killed one.

Everything that the tests make has the mark of its run: processes inherit a variable of the environment, temporary
files lie below the folder (TMPDIR) or in its folder on tmpfs, loop devices have their backing files there, mounts have
their targets there, and bridges are listed there. The runner holds a lock on the folder, which the kernel releases
when the runner ends in any way. A folder whose lock is free belongs to a run that is over: everything with its mark is
left over, and nothing else.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from patina_dev import SUITE_FOLDER
from patina_dev.testing.loop_files import loop_files, loop_inodes
from patina_dev.testing.machine import remove_control_groups

_SERVICES = {"postgres", "redis-server"}  # they overwrite their environment with their title
_PREFIX = "patina-suite-"
_SHARED_MEMORY = Path("/dev/shm")
_ROOM_BYTES = 8 << 30  # several times the peak of a run
_EMULATED = "/"
_END_S = 60.0  # until killed processes are gone: the kernel completes their writes
_EXECUTION_S = 0.001  # between two reads of a process in execve(2)
_PF_EXITING, _PF_KTHREAD = 0x4, 0x200000  # include/linux/sched.h


class Place:
    """The folder of one run. `root` is its path, and the mark of everything made by the run."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def make(cls) -> "Place":
        """Makes a folder that every account may enter, on tmpfs if that has room: servers and devices write a lot."""
        *on_tmpfs, on_disk = _parents()
        parent = next(filter(_has_room, on_tmpfs), on_disk)
        place = cls(Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent)))
        place.root.chmod(0o755)
        for folder in (place.temporary, place.memory, place.networks, place.reports):
            folder.mkdir(mode=0o755)
        return place

    @property
    def temporary(self) -> Path:
        """Returns the TMPDIR of the tests."""
        return self.root / "tmp"

    @property
    def memory(self) -> Path:
        """Returns the folder of the tests' temporary files in memory."""
        return _SHARED_MEMORY / f"patina-memory-{self.root.name.removeprefix(_PREFIX)}"

    @property
    def networks(self) -> Path:
        """Returns the folder with one empty file for each bridge that a test makes, by the bridge's name."""
        return self.root / "networks"

    @property
    def reports(self) -> Path:
        """Returns the folder of the runners' reports."""
        return self.root / "reports"

    def environment(self) -> dict[str, str]:
        """Returns the environment of the tests: that of this process, and the folders of the run."""
        own = {SUITE_FOLDER: str(self.root), "TMPDIR": str(self.temporary), "PATINA_TEST_MEMORY": str(self.memory)}
        return {**os.environ, **own}

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Holds the folder's lock. BlockingIOError while the run that made it lives."""
        descriptor = os.open(self.root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            yield
        finally:
            os.close(descriptor)

    def clear(self) -> list[str]:
        """Ends and removes everything with the mark, the folder last. Returns the findings, except for files."""
        found = [f"process {pid}: {words}" for pid, words in self._end_processes()]
        found += self._unmount()
        found += self._detach()
        found += self._remove_networks()
        found += [f"control group {group}" for group in remove_control_groups(self.root.name)]
        found += self._remove_memory()
        shutil.rmtree(self.root, ignore_errors=True)
        return found

    def _end_processes(self) -> list[tuple[int, str]]:
        """Kills until no process is left: a killed one may have forked just before."""
        ended: dict[int, str] = {}
        limit = time.monotonic() + _END_S
        while (living := self._processes()) and time.monotonic() < limit:
            for pid, words in living.items():
                ended.setdefault(pid, words)
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.05)
        return list(ended.items())

    def _processes(self) -> dict[int, str]:
        """Returns the run's processes: by their environment, services by their working directory."""
        mark = f"{SUITE_FOLDER}={self.root}\0".encode()
        found = {}
        for process in Path("/proc").glob("[0-9]*"):
            try:
                words, environment = _words_and_environment(process)
                is_ours = mark in environment or self._is_service(process)
            except OSError:
                continue
            if is_ours and words and int(process.name) != os.getpid():
                found[int(process.name)] = words.replace(b"\0", b" ").decode(errors="replace")[:200]
        return found

    def _is_service(self, process: Path) -> bool:
        name = (process / "comm").read_text(encoding="utf-8").strip()
        return name in _SERVICES and str((process / "cwd").readlink()).startswith(f"{self.root}/")

    def _holds(self, path: str) -> bool:
        """Returns whether the path of a mount or a backing file is the run's."""
        folders = (str(self.root), str(self.memory), *self._memory_of_state_folders())
        return any(path == folder or path.startswith(f"{folder}/") for folder in folders)

    def _memory_of_state_folders(self) -> list[str]:
        """Returns the folders on tmpfs of the tests' applications: their names are digests of their state folders."""
        names = {path.name: str(path) for path in _SHARED_MEMORY.glob("patina-????????")}
        if not names:
            return []
        digests = {f"patina-{hashlib.sha256(folder.encode()).hexdigest()[:8]}" for folder, _, _ in os.walk(self.root)}
        return [path for name, path in names.items() if name in digests]

    def _unmount(self) -> list[str]:
        targets = [
            line.split(" ")[4].encode().decode("unicode_escape")
            for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
        ]
        left = [target for target in targets if self._holds(target)]
        for target in reversed(left):
            subprocess.run(["umount", "--lazy", target], check=False)
        return [f"mount {target}" for target in left]

    def _detach(self) -> list[str]:
        # For a file on tmpfs in a mount namespace that is gone, the kernel shows the path below that tmpfs; for a file
        # of a machine of the tests (testing/machine.py), the path in that machine. For an emulated disk in
        # a namespace that is gone, it shows the root of its mount. Such a device, without its emulator, serves no run.
        files = {(found.st_dev, found.st_ino) for found in (file.lstat() for file in self.root.rglob("*.img"))}
        inodes = loop_inodes()
        left = {
            name: file
            for name, file in loop_files().items()
            if inodes.get(name) in files
            or (file == _EMULATED and name not in inodes)
            or any(self._holds(f"{parent}{file}") for parent in ("", _SHARED_MEMORY))
        }
        for name in left:
            subprocess.run(["losetup", "--detach", name], check=False)
        return [f"loop device {name} on {file}" for name, file in left.items()]

    def _remove_networks(self) -> list[str]:
        """Removes the listed bridges, and the network namespaces that were made with them."""
        found = []
        for note in self.networks.iterdir() if self.networks.exists() else ():
            mark = note.name.removeprefix("pb")
            for namespace in Path("/run/netns").glob(f"patina-{mark}-*"):
                subprocess.run(["ip", "netns", "delete", namespace.name], check=False)
                found.append(f"network namespace {namespace.name}")
            if Path("/sys/class/net", note.name).exists():
                subprocess.run(["ip", "link", "delete", note.name], check=False)
                found.append(f"bridge {note.name}")
        return found

    def _remove_memory(self) -> list[str]:
        """Removes the folders on tmpfs, and the shared memory of servers whose clock a test had stepped."""
        found = []
        for folder in [str(self.memory), *self._memory_of_state_folders()]:
            found += [f"in memory: {file}" for file in Path(folder).glob("*")]
            shutil.rmtree(folder, ignore_errors=True)
        for note in self.temporary.rglob("*.pid"):
            with contextlib.suppress(OSError, ValueError, KeyError):
                pid = json.loads(note.read_text(encoding="utf-8"))["pid"]
                for file in _SHARED_MEMORY.glob(f"*faketime_*_{pid}"):
                    file.unlink()
                    found.append(f"in memory: {file}")
        return found


def _words_and_environment(process: Path) -> tuple[bytes, bytes]:
    """Returns the command line and environment. During execve(2) both read as empty, and are read again."""
    limit = time.monotonic() + _END_S
    while True:
        words, environment = (process / "cmdline").read_bytes(), (process / "environ").read_bytes()
        if words and environment:
            return words, environment
        # The fields of proc_pid_stat(5) from the state on. Every program has a command line; one may have no
        # environment. The kernel sets the start of the code after the end of the environment (load_elf_binary).
        stat = (process / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
        state, flags, code_start, env_start, env_end = stat[0], *map(int, (stat[6], stat[23], stat[47], stat[48]))
        has_no_program = state in "ZX" or flags & (_PF_EXITING | _PF_KTHREAD)
        has_no_environment = words and code_start and env_start == env_end
        if has_no_program or has_no_environment or time.monotonic() > limit:
            return words, environment
        time.sleep(_EXECUTION_S)


def _parents() -> list[Path]:
    """Returns the possible parents of runs' folders: TMPDIR if it is set, otherwise tmpfs and the disk."""
    on_disk = Path(tempfile.gettempdir())
    return [on_disk] if "TMPDIR" in os.environ else [_SHARED_MEMORY, on_disk]


def _has_room(folder: Path) -> bool:
    system = os.statvfs(folder)
    return system.f_bavail * system.f_frsize >= _ROOM_BYTES


def clear_left_over() -> list[str]:
    """Removes the remains of killed runs of this account. Returns the findings."""
    found = []
    for root in chain.from_iterable(parent.glob(f"{_PREFIX}*") for parent in _parents()):
        place = Place(root)
        try:
            is_ours = root.is_dir() and not root.is_symlink() and root.stat().st_uid == os.geteuid()
            with place.locked() if is_ours else contextlib.nullcontext():
                found += place.clear() if is_ours else []
        except BlockingIOError:
            continue  # that run lives
    return found
