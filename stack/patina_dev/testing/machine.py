"""A clean Debian with systemd, below one folder of this machine: for tests of the packages.

It has processes, mounts and a loopback network of its own. Its kernel, loop devices and FUSE are those of this machine.
"""

import os
import subprocess
from contextlib import suppress
from email import message_from_string
from pathlib import Path

from patina_dev import SUITE_FOLDER
from patina_dev.testing.wait import wait_until

_BASE = ("systemd", "systemd-sysv", "man-db")
_LOOP_MAJOR, _LOOP_CONTROL_MINOR, _FUSE_MINOR = 7, 237, 229  # Documentation/admin-guide/devices.txt
_LOOPS_COUNT = 256  # the kernel gives the first free number, and other tests have some
_ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"}


class CleanMachine:
    """A Debian with these packages of the distribution. Its folder is made in the background until `boot`."""

    def __init__(self, folder: Path, packages: list[str]) -> None:
        self.root = folder / "root"
        self._log = folder / "boot.log"
        self._group = Path(os.environ.get(SUITE_FOLDER, f"patina-machine-{os.getpid()}")).name
        for parent in _hierarchies():
            (parent / self._group).mkdir()
        included = ",".join(sorted({*_BASE, *packages}))
        argv = ["mmdebstrap", "--quiet", "--variant=apt", "--format=directory", f"--include={included}"]
        argv += ["--aptopt=APT::Install-Recommends false", "bookworm", str(self.root), *_sources()]
        self._process = subprocess.Popen(argv, stdin=subprocess.DEVNULL)

    def boot(self) -> None:
        """Starts its systemd, with the rights that it has on a machine: the units take away what they do not need.
        Returns when all its units have started."""
        assert self._process.wait() == 0, "mmdebstrap failed; see its output"
        argv = ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--private-network", "--capability=all"]
        argv += ["--console=pipe", f"--directory={self.root}", "--boot"]
        argv += [f"--setenv={SUITE_FOLDER}={os.environ.get(SUITE_FOLDER, '')}"]  # by which the suite finds it
        enter = "".join(f"echo $$ >{parent / self._group}/cgroup.procs; " for parent in _hierarchies())
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                ["sh", "-c", f'{enter}exec "$@"', "sh", *argv],
                env=os.environ | {"SYSTEMD_SECCOMP": "0"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        wait_until("systemd runs", lambda: self._first_process() is not None)
        wait_until("all its units have started", lambda: self._state() in ("running", "degraded"))
        assert self._state() == "running", self.run("systemctl", "--failed")
        nodes = f"for n in $(seq 0 {_LOOPS_COUNT - 1}); do mknod -m 660 /dev/loop$n b {_LOOP_MAJOR} $n; done"
        self.run("sh", "-c", f"mknod -m 660 /dev/loop-control c 10 {_LOOP_CONTROL_MINOR}; {nodes}")
        self.run("mknod", "-m", "666", "/dev/fuse", "c", "10", str(_FUSE_MINOR))

    def _state(self) -> str:
        return self.run("systemctl", "is-system-running", check=False).strip()

    def _first_process(self) -> int | None:
        pid = self._process.pid
        assert self._process.poll() is None, self._log.read_text(encoding="utf-8", errors="replace")
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
        return next((int(pid) for pid in children if _name_of(pid) == "systemd"), None)

    def add_address(self, address: str) -> None:
        """Adds an address to its loopback interface, as if it were in a network."""
        enter = ["nsenter", f"--target={self._first_process()}", "--net"]
        subprocess.run([*enter, "ip", "address", "add", address, "dev", "lo"], check=True)

    def run(self, *argv: str, check: bool = True) -> str:
        """Runs a command inside as root, and returns its output. The test fails with it if the command does."""
        pid = self._first_process()
        enter = ["nsenter", f"--target={pid}", "--mount", "--uts", "--ipc", "--net", "--pid", "--root", "--wd", "--"]
        done = subprocess.run([*enter, *argv], env=_ENVIRONMENT, capture_output=True, text=True, check=False)
        assert not check or done.returncode == 0, f"{argv}\n{done.stdout}{done.stderr}"
        return done.stdout

    def close(self, *last_command: str) -> None:
        """Runs a last command, which may fail, and shuts it down. Its processes and mounts end with it."""
        if self._process.poll() is None:
            self.run(*last_command, check=False)
        self._process.terminate()  # systemd-nspawn has it powered off
        self._process.wait()
        remove_control_groups(self._group)


def remove_control_groups(name: str) -> list[Path]:
    """Removes the control groups of a machine that has ended. Returns those that there were."""
    groups = [parent / name for parent in _hierarchies() if (parent / name).exists()]
    for group in groups:
        for folder, _, _ in os.walk(group, topdown=False):
            with suppress(OSError):  # it has a process: the suite reports that
                Path(folder).rmdir()
    return groups


def _hierarchies() -> list[Path]:
    """Returns the folders of the hierarchies of control groups that systemd may use."""
    top = Path("/sys/fs/cgroup")
    return [each for each in (top, top / "systemd", top / "unified") if (each / "cgroup.procs").exists()]


def dependencies(control: Path) -> list[str]:
    """Returns the names of the distribution's packages that the packages of this file (deb-src-control(5)) need."""
    paragraphs = [message_from_string(each) for each in control.read_text(encoding="utf-8").split("\n\n")]
    own = {paragraph["Package"] for paragraph in paragraphs}
    needed = {choice.split()[0] for each in paragraphs for choice in each.get("Depends", "").split(",") if choice}
    return sorted(name for name in needed - own if not name.startswith("$"))


def _sources() -> list[str]:
    """Returns the lines of sources.list of the Debian archives that this machine uses."""
    line = "$(ORIGIN) deb $(REPO_URI) $(RELEASE) $(COMPONENT)"
    argv = ["apt-get", "indextargets", "--format", line, "Created-By: Packages"]
    shown = subprocess.run(argv, capture_output=True, text=True, check=True).stdout.splitlines()
    return [line.removeprefix("Debian ") for line in shown if line.startswith("Debian ")]


def _name_of(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return ""
