"""A clean Debian with systemd, below one folder of this machine: for tests of the packages.

It has processes, mounts and a loopback network of its own. Its kernel, and with it the loop devices, are those of this
machine.
"""

import os
import subprocess
from pathlib import Path

from patina_dev.testing.wait import wait_until

_BASE = ("systemd", "systemd-sysv", "man-db")
_LOOP_MAJOR, _LOOP_CONTROL_MINOR = 7, 237  # Documentation/admin-guide/devices.txt
_LOOPS_COUNT = 256  # the kernel gives the first free number, and other tests have some
_ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"}


class CleanMachine:
    """A Debian with these packages of the distribution, started until `close`."""

    def __init__(self, folder: Path, packages: list[str]) -> None:
        self.root = folder / "root"
        self._log = folder / "boot.log"
        self._groups = _make_control_groups(f"patina-test-{os.getpid()}")
        included = ",".join(sorted({*_BASE, *packages}))
        argv = ["mmdebstrap", "--quiet", "--variant=apt", "--format=directory", f"--include={included}"]
        argv += ["--aptopt=APT::Install-Recommends false", "bookworm", str(self.root), "-"]
        subprocess.run(argv, input=_sources(), text=True, check=True)
        self._process = self._boot()

    def _boot(self) -> subprocess.Popen[bytes]:
        """Starts its systemd, with the rights that it has on a machine: the units take away what they do not need."""
        argv = ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--private-network", "--capability=all"]
        argv += ["--console=pipe", f"--directory={self.root}", "--boot"]
        enter = "".join(f"echo $$ >{group}/cgroup.procs; " for group in self._groups)
        with self._log.open("wb") as log:
            process = subprocess.Popen(
                ["sh", "-c", f'{enter}exec "$@"', "sh", *argv],
                env=os.environ | {"SYSTEMD_SECCOMP": "0"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        wait_until("systemd runs", lambda: self._first_process(process) is not None)
        return process

    def _first_process(self, process: subprocess.Popen[bytes]) -> int | None:
        assert process.poll() is None, self._log.read_text(encoding="utf-8", errors="replace")
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii").split()
        return next((int(pid) for pid in children if _name_of(pid) == "systemd"), None)

    def run(self, *argv: str, check: bool = True) -> str:
        """Runs a command inside as root, and returns its output. The test fails with it if the command does."""
        pid = self._first_process(self._process)
        enter = ["nsenter", f"--target={pid}", "--mount", "--uts", "--ipc", "--net", "--pid", "--root", "--wd", "--"]
        done = subprocess.run([*enter, *argv], env=_ENVIRONMENT, capture_output=True, text=True, check=False)
        assert not check or done.returncode == 0, f"{argv}\n{done.stdout}{done.stderr}"
        return done.stdout

    def await_start(self) -> None:
        """Waits until all units of the start have started, and makes the nodes of loop devices."""
        wait_until("its systemd answers", lambda: self.run("systemctl", "is-system-running", "--wait", check=False))
        assert self.run("systemctl", "is-system-running", check=False).strip() == "running", self.run(
            "systemctl", "--failed", check=False
        )
        node = "[ -e $0 ] || mknod -m 660 $0 $1 $2 $3"
        self.run("sh", "-c", node, "/dev/loop-control", "c", "10", str(_LOOP_CONTROL_MINOR))
        nodes = f"for n in $(seq 0 {_LOOPS_COUNT - 1}); do mknod -m 660 /dev/loop$n b {_LOOP_MAJOR} $n; done"
        self.run("sh", "-c", nodes)

    def close(self) -> None:
        """Shuts it down. Its processes and mounts end with it."""
        if self._process.poll() is None:
            self.run("systemctl", "poweroff", "--no-block")
        self._process.wait()
        for group in self._groups:
            for inner in sorted(group.rglob("*/"), reverse=True):
                inner.rmdir()
            group.rmdir()


def dependencies(packages: list[Path]) -> list[str]:
    """Returns the names of the distribution's packages that these need."""
    names = set()
    own = {file.name.partition("_")[0] for file in packages}
    for file in packages:
        argv = ["dpkg-deb", "--field", str(file), "Depends", "Pre-Depends"]
        shown = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
        fields = [line.partition(": ")[2] for line in shown.splitlines()]
        names |= {choice.split("|")[0].split()[0] for field in fields for choice in field.split(",")}
    return sorted(names - own)


def _sources() -> str:
    """Returns the lines of sources.list of the Debian archives that this machine uses."""
    line = "$(ORIGIN) deb $(REPO_URI) $(RELEASE) $(COMPONENT)"
    argv = ["apt-get", "indextargets", "--format", line, "Created-By: Packages"]
    shown = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
    return "".join(f"{line.removeprefix('Debian ')}\n" for line in shown.splitlines() if line.startswith("Debian "))


def _make_control_groups(name: str) -> list[Path]:
    """Makes a group of its own in each hierarchy that systemd may use, and returns their folders."""
    top = Path("/sys/fs/cgroup")
    tops = [top] if (top / "cgroup.procs").exists() else [top / "systemd", top / "unified"]
    groups = [each / name for each in tops if (each / "cgroup.procs").exists()]
    for group in groups:
        group.mkdir()
    return groups


def _name_of(pid: str) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        return ""
