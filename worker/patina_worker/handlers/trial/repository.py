"""The repository that git aging pulls from: a bare one of the worker's own, whose branch is moved commit by commit.

The objects of a user's repository are read where they are; nothing of its configuration is.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree

from patina.core.contract.history import HISTORY
from patina.core.supervised import run_core
from patina.scan.service import ScanNotAllowed, require_allowed
from patina.settings import settings
from patina.trial.workload import GitWorkload
from patina_worker.handlers.trial.bench import Bench
from patina_worker.handlers.trial.programs import ProgramFailed, Ran

BRANCH = "patina"
HISTORY_SEED = 1
# One thread packs reproducibly. Collections of garbage would begin at moments of their own.
_CONFIG = """[safe]
directory = {safe}
[gc]
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

    @property
    def url(self) -> str:
        return f"file://{self.folder}"

    def move_to(self, pulls: int) -> None:
        """Sets the branch to the commit after so many pulls."""
        self.git.run("update-ref", f"refs/heads/{BRANCH}", self.commits[pulls], cwd=self.folder)

    def clone(self, folder: Path) -> None:
        self.git.run("clone", "--quiet", "--branch", BRANCH, self.url, str(folder), cwd=folder.parent)

    def pull(self, clone: Path, *, accepted: tuple[int, ...] = (0,)) -> Ran:
        return self.git.run("pull", "--quiet", cwd=clone, accepted=accepted)


@contextmanager
def opened(bench: Bench, workload: GitWorkload) -> Iterator[Source]:
    """Makes the repository in the trial's scratch folder. Raises ProgramFailed, and what the core fails with."""
    rmtree(bench.scratch, ignore_errors=True)
    bench.scratch.mkdir(parents=True, mode=0o700)
    try:
        folder, config = bench.scratch / "source.git", bench.scratch / "config"
        given = None if workload.repository is None else _allowed(workload.repository)
        config.write_text(_CONFIG.format(safe=given or folder), encoding="utf-8")
        git = Git(bench, config)
        git.run("init", "--quiet", "--bare", f"--initial-branch={BRANCH}", str(folder), cwd=bench.scratch)
        head = _synthetic(git, folder, workload) if given is None else _borrowed(git, folder, given)
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
        rmtree(bench.scratch, ignore_errors=True)


def _synthetic(git: Git, folder: Path, workload: GitWorkload) -> str:
    """Imports the history that the core makes. Returns its last commit."""
    stream = folder.parent / "history"
    argv = ["--out", str(stream), "--seed", str(HISTORY_SEED)]
    argv += ["--commits", str(workload.pulls_count), "--files", str(workload.files_count)]
    git.bench.say("making the repository")
    run_core(HISTORY, argv, check=git.bench.check, inherit=(git.bench.lock,))
    git.run("fast-import", "--quiet", "--done", cwd=folder, stdin=stream)
    stream.unlink()
    return git.run("rev-parse", "refs/heads/main", cwd=folder).stdout.strip()


def _borrowed(git: Git, folder: Path, given: Path) -> str:
    """Names the objects of the user's repository as the bare one's alternates. Returns the commit of its HEAD."""
    listed = git.run("ls-remote", f"file://{given}", "HEAD", cwd=folder).stdout.split()
    objects = next((path for path in (given / ".git" / "objects", given / "objects") if path.is_dir()), None)
    if not listed or objects is None:
        raise ProgramFailed(f"{given} is not a git repository with a commit, or its objects are elsewhere.")
    (folder / "objects" / "info" / "alternates").write_text(f"{_allowed(str(objects))}\n", encoding="utf-8")
    return listed[0]


def _allowed(directory: str) -> Path:
    """Returns the directory with its links resolved, if a scan folder contains it. Raises ProgramFailed."""
    folders = [str(Path(folder).resolve()) for folder in settings().scan_folders_list]
    place = str(Path(directory).resolve())
    try:
        require_allowed(directory=place, folders=folders, host_name=settings().host_name, what="a trial to read")
    except ScanNotAllowed as error:
        raise ProgramFailed(error.message) from error
    return Path(place)
