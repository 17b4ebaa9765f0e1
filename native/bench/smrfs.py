"""Measures SMRfs beside libfuse's own pass-through file system: operations on metadata a second, and small files.

Both have their names on an ext4 in memory, new for each measurement, and the kernel caches names without a limit of
time for both. The kernel checks the permissions for both (default_permissions): it then asks for the attributes of a
directory after each change of it. Without that the peer checks nothing, and only root reaches it; that is measured
too. They alternate. Which processor the kernel wakes a server on changes a mount's figures by a third: printed are
medians of the repetitions, their ratios, and the quartiles of the ratios of each repetition. The peer, passthrough_ll,
is the example of Debian's package libfuse3-dev, compiled here. It has an open file for each name: 3 for each of the
files here.

Usage, as root: unshare --mount --propagation private python3 native/bench/smrfs.py [BUILD_FOLDER]
PATINA_BENCH_REPETITIONS: 15. PATINA_BENCH_FILES: 5000.
"""

import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from operator import truediv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PEER_SOURCE = Path("/usr/share/doc/libfuse3-dev/examples/passthrough_ll.c")
REPETITIONS = int(os.environ.get("PATINA_BENCH_REPETITIONS", "15"))
FILES = int(os.environ.get("PATINA_BENCH_FILES", "5000"))
IN_A_DIRECTORY = 100

# Operations a second, by name.
Figures = dict[str, float]


def built_peer(folder: Path) -> Path:
    """Compiles the peer with the optimization of the core."""
    flags = subprocess.run(["pkg-config", "--cflags", "--libs", "fuse3"], capture_output=True, text=True, check=True)
    peer = folder / "passthrough_ll"
    subprocess.run(["cc", "-O3", "-w", PEER_SOURCE, "-o", peer, *shlex.split(flags.stdout)], check=True)
    return peer


@contextmanager
def memory_ext4(folder: Path) -> Iterator[Path]:
    """Yields the mount of a new ext4 in memory."""
    image, mount = folder / "image", folder / "ext4"
    with image.open("wb") as file:
        file.truncate(2**30)
    mount.mkdir()
    subprocess.run(["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0", image], check=True)
    subprocess.run(["mount", "-o", "loop", image, mount], check=True)
    try:
        yield mount
    finally:
        subprocess.run(["umount", mount], check=True)


@contextmanager
def served(argv: list[str], mount: Path) -> Iterator[Path]:
    """Serves a FUSE file system at `mount`, and yields it."""
    mount.mkdir()
    with subprocess.Popen(argv, stdout=subprocess.DEVNULL) as server:
        while not mount.is_mount():
            assert server.poll() is None, argv
            time.sleep(0.01)  # until the kernel has the mount; it counts to no figure
        try:
            yield mount
        finally:
            subprocess.run(["umount", mount], check=True)


@contextmanager
def smrfs(core: Path, folder: Path) -> Iterator[Path]:
    """Yields SMRfs on a Caveat-Scriptor disk in memory."""
    with memory_ext4(folder) as names:
        (names / "names").mkdir()
        with (folder / "disk").open("wb") as file:
            file.truncate(2**30)
        argv = [core, "shingle", "mount", "--data", folder / "disk", "--state", folder / "state"]
        argv += ["--metadata", names / "names", "--mount", folder / "files"]
        with served([str(word) for word in argv], folder / "files") as mount:
            yield mount


@contextmanager
def passed_through(peer: Path, folder: Path, checks: str = ",default_permissions,allow_other") -> Iterator[Path]:
    """Yields the peer over an ext4."""
    with memory_ext4(folder) as names:
        (names / "names").mkdir()
        options = f"source={names / 'names'},cache=always{checks}"
        with served([str(peer), "-f", "-o", options, str(folder / "files")], folder / "files") as mount:
            yield mount


def measured(root: Path) -> Figures:
    """Returns the operations a second on the file system at `root`."""
    figures: Figures = {}
    directories = [root / f"d{i}" for i in range(FILES // IN_A_DIRECTORY)]
    paths = [f"{directories[i // IN_A_DIRECTORY]}/f{i}" for i in range(FILES)]

    def _time(name: str, count: int, act: Callable[[], object]) -> None:
        began = time.perf_counter()
        act()
        figures[name] = count / (time.perf_counter() - began)

    def _each(name: str, act: Callable[[str], object]) -> None:
        def _all() -> None:
            for path in paths:
                act(path)

        _time(name, FILES, _all)

    def _create(path: str) -> None:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o644))

    def _read_all() -> None:
        for directory in directories:
            for entry in os.scandir(directory):
                entry.stat(follow_symlinks=False)

    for directory in directories:  # it also starts the threads of the server
        directory.mkdir()
    _each("create", _create)
    _each("chmod", lambda path: os.chmod(path, 0o600))
    _each("set times", lambda path: os.utime(path, (1, 2)))
    _each("rename", lambda path: os.rename(path, f"{path}n"))
    _each("link", lambda path: os.link(f"{path}n", path))
    _each("unlink", lambda path: os.unlink(f"{path}n"))
    _each("symlink", lambda path: os.symlink("target", f"{path}s"))
    Path("/proc/sys/vm/drop_caches").write_text("2\n", encoding="ascii")
    _time("list, stat", 2 * FILES, _read_all)
    _each("mkdir", lambda path: os.mkdir(f"{path}d"))
    _each("rmdir", lambda path: os.rmdir(f"{path}d"))
    return figures


def main() -> None:
    """Prints a row for each operation."""
    if REPETITIONS < 2:
        sys.exit("Quartiles need two repetitions: set PATINA_BENCH_REPETITIONS to 2 or more")
    core = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "native" / "build") / "patina-core"
    rows: dict[str, list[list[float]]] = {}
    with tempfile.TemporaryDirectory(dir="/dev/shm") as memory:
        peer = built_peer(Path(memory))
        kinds = (partial(smrfs, core), partial(passed_through, peer), partial(passed_through, peer, checks=""))
        for repetition in range(REPETITIONS):
            for place, kind in enumerate(kinds):
                folder = Path(memory) / f"{repetition}-{place}"
                folder.mkdir()
                with kind(folder) as root:
                    for name, figure in measured(root).items():
                        rows.setdefault(name, [[] for _ in kinds])[place].append(figure)
                subprocess.run(["rm", "-r", folder], check=True)
    print(
        f"{'operations a second':20} {'SMRfs':>9} {'passthrough_ll':>15} {'ratio':>6} {'quartiles':>11}"
        f" {'unchecked':>10} {'ratio':>6}",
    )
    ratios: tuple[list[float], list[float]] = ([], [])
    for name, figures in rows.items():
        ours, peers, unchecked = map(statistics.median, figures)
        ratios[0].append(ours / peers)
        ratios[1].append(ours / unchecked)
        low, _, high = statistics.quantiles(map(truediv, figures[0], figures[1]), method="inclusive")
        print(
            f"{name:20} {ours:9.0f} {peers:15.0f} {ours / peers:6.2f} {f'{low:.2f} {high:.2f}':>11}"
            f" {unchecked:10.0f} {ours / unchecked:6.2f}",
        )
    means = [statistics.geometric_mean(each) for each in ratios]
    print(f"{'geometric mean':46} {means[0]:6.2f} {means[1]:29.2f}")


if __name__ == "__main__":
    main()
