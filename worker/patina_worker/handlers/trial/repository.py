"""The repository that git aging pulls from: a bare one of the worker's own, whose branch is moved commit by commit.

The objects of a user's repository are read where they are; nothing of its configuration is.
"""

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from patina.core.contract.history import HISTORY
from patina.core.supervised import run_core
from patina.figures import in_bytes
from patina.scan.service import ScanNotAllowed
from patina.trial.workload import GitWorkload
from patina_worker.failure import ScratchNoSpace
from patina_worker.handlers.trial.bench import Bench
from patina_worker.handlers.trial.programs import ProgramFailed, Ran
from patina_worker.host import scratch
from patina_worker.host.scan_folders import allowed

BRANCH = "patina"
HISTORY_SEED = 1
FILE_BYTES, CHANGES_PER_COMMIT = 20_000, 8  # of the synthetic one, generously
# One thread packs reproducibly. Collections of garbage would begin at moments of their own.
_CONFIG = """[gc]
auto = 0
[maintenance]
auto = false
[pack]
threads = 1
[pull]
ff = only
[submodule]
recurse = false
[advice]
detachedHead = false
"""


@dataclass(frozen=True)
class Git:
    """Runs git with the worker's configuration only."""

    bench: Bench
    config: Path

    def run(self, *argv: str, cwd: Path, stdin: str | Path = "", accepted: tuple[int, ...] = (0,)) -> Ran:
        """Runs it to its end. ProgramFailed, ToolMissing, Stopped."""
        variables = {
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": str(self.config),
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ALLOW_PROTOCOL": "file",
            "HOME": str(self.config.parent),
        }
        return self.bench.run(["git", *argv], "git", cwd=cwd, stdin=stdin, accepted=accepted, variables=variables)


@dataclass(frozen=True)
class Source:
    """The bare repository, and the commits to pull; the first is the one that is cloned."""

    git: Git
    folder: Path
    commits: list[str]

    def move_to(self, pulls: int) -> None:
        """Sets the branch to the commit after so many pulls."""
        self.git.run("update-ref", f"refs/heads/{BRANCH}", self.commits[pulls], cwd=self.folder)

    def clone(self, folder: Path) -> None:
        argv = ["--quiet", "--no-local", "--branch", BRANCH, str(self.folder), str(folder)]
        self.git.run("clone", *argv, cwd=folder.parent)

    def pull(self, clone: Path, *, accepted: tuple[int, ...] = (0,)) -> Ran:
        return self.git.run("pull", "--quiet", cwd=clone, accepted=accepted)


@contextmanager
def opened(bench: Bench, workload: GitWorkload) -> Iterator[Source]:
    """Makes the repository in the trial's scratch folder. Raises ProgramFailed, ScratchNoSpace, and what the core fails
    with."""
    scratch.folder()
    shutil.rmtree(bench.scratch, ignore_errors=True)
    bench.scratch.mkdir(mode=0o700)
    try:
        folder, config = bench.scratch / "source.git", bench.scratch / "config"
        config.write_text(_CONFIG, encoding="utf-8")
        git = Git(bench, config)
        git.run("init", "--quiet", "--bare", f"--initial-branch={BRANCH}", str(folder), cwd=bench.scratch)
        make = _synthetic if workload.repository is None else _borrowed
        head = make(git, folder, workload)
        listed = git.run("rev-list", "--first-parent", f"--max-count={workload.pulls_count + 1}", head, cwd=folder)
        commits = listed.stdout.split()[::-1]
        if len(commits) <= workload.pulls_count:
            raise ProgramFailed(
                f"The repository has {len(commits)} commits in a row; {workload.pulls_count} pulls need "
                f"{workload.pulls_count + 1}. Choose fewer pulls."
            )
        source = Source(git, folder, commits)
        source.move_to(0)
        yield source
    finally:
        shutil.rmtree(bench.scratch, ignore_errors=True)


def _synthetic(git: Git, folder: Path, workload: GitWorkload) -> str:
    """Imports the history that the core makes. Returns its last commit."""
    require_space(3 * FILE_BYTES * (workload.files_count + CHANGES_PER_COMMIT * workload.pulls_count))
    stream = folder.parent / "history"
    argv = ["--out", str(stream), "--seed", str(HISTORY_SEED)]
    argv += ["--commits", str(workload.pulls_count), "--files", str(workload.files_count)]
    git.bench.say("making the repository")
    run_core(HISTORY, argv, check=git.bench.check, inherit=(git.bench.lock,))
    git.run("fast-import", "--quiet", "--done", cwd=folder, stdin=stream)
    stream.unlink()
    return git.run("rev-parse", "refs/heads/main", cwd=folder).stdout.strip()


def _borrowed(git: Git, folder: Path, workload: GitWorkload) -> str:
    """Names the objects of the user's repository as the bare one's alternates. Returns the commit of its HEAD."""
    given = _allowed(workload.repository or "")
    for safe in (given, given / ".git"):  # of another owner; git looks for either
        git.run("config", "--file", str(git.config), "--add", "safe.directory", str(safe), cwd=folder)
    objects = next((path for path in (given / ".git" / "objects", given / "objects") if path.is_dir()), None)
    if objects is None:
        raise ProgramFailed(f"{given} is not a git repository, or its objects are elsewhere.")
    objects = _allowed(str(objects))
    size_bytes = _bytes_of_plain(objects)
    require_space(3 * size_bytes if workload.variant == "unaged" else 0)
    listed = git.run("ls-remote", str(given), "HEAD", cwd=folder).stdout.split()
    if not listed:
        raise ProgramFailed(f"The repository {given} has no commit.")
    (folder / "objects" / "info" / "alternates").write_text(f"{objects}\n", encoding="utf-8")
    return listed[0]


def _allowed(directory: str) -> Path:
    """Returns the directory with its links resolved, if a scan folder contains it. Raises ProgramFailed."""
    try:
        return Path(allowed(directory, what="a trial to read"))
    except ScanNotAllowed as error:
        raise ProgramFailed(error.message) from error


def _bytes_of_plain(objects: Path) -> int:
    """Returns the size of the objects. Raises ProgramFailed where a link, an alternate or a special file among them
    leads elsewhere."""
    size_bytes = 0
    for folder, folders, files in os.walk(objects):
        for name in (*folders, *files):
            path = os.path.join(folder, name)
            found = os.lstat(path)
            is_plain = stat.S_ISDIR(found.st_mode) or stat.S_ISREG(found.st_mode)
            if not is_plain or path.endswith("/info/alternates"):
                raise ProgramFailed(f"{path} leads out of the repository. Choose a repository with its own objects.")
            size_bytes += found.st_size
    return size_bytes


def require_space(needed_bytes: int) -> None:
    """Raises ScratchNoSpace if the scratch folder has less."""
    free_bytes = shutil.disk_usage(scratch.folder()).free
    if needed_bytes > free_bytes:
        raise ScratchNoSpace(
            f"The repository takes up to {in_bytes(needed_bytes)} below {scratch.folder()}; {in_bytes(free_bytes)} are "
            "free. Make room there, or choose a smaller one."
        )
