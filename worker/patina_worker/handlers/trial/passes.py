"""Passes over the files of an image itself: grep, find, du, rm."""

from patina_worker.handlers.trial.bench import Bench, Measured
from patina_worker.handlers.trial.device_traffic import between
from patina_worker.handlers.trial.programs import ProgramFailed, Ran

GIB = 2**30
# Matches nothing: the whole of every file is read.
_PATTERN = "patina-reads-every-byte-f3b1a6c09e"


def grep(bench: Bench, _: object) -> Measured:
    """Reads every file; then the blocks that they take are summed."""
    with bench.mounted() as mount:
        before = bench.traffic()
        ran = bench.run(["grep", "-r", "-F", "-e", _PATTERN, "."], "grep", cwd=mount, accepted=(0, 1))
        device = between(before, bench.traffic())
        used_bytes = _du_bytes(bench.run(["du", "--summarize", "--block-size=1", "."], "coreutils", cwd=mount))
    if used_bytes == 0:
        raise ProgramFailed("The file system has no files to read.")
    return Measured(
        value=ran.elapsed_s / (used_bytes / GIB),
        elapsed_s=ran.elapsed_s,
        device=device,
        figures={"used_bytes": used_bytes, "seconds": ran.elapsed_s},
    )


def _du_bytes(ran: Ran) -> int:
    return int(ran.stdout.split(maxsplit=1)[0])


def find(bench: Bench, _: object) -> Measured:
    """Visits every inode: no file has that many links, and each must be looked at."""
    return _pass(bench, ["find", ".", "-xdev", "-links", "+1000000"], "findutils")


def du(bench: Bench, _: object) -> Measured:
    return _pass(bench, ["du", "--summarize", "--block-size=1", "."], "coreutils")


def rm(bench: Bench, _: object) -> Measured:
    """Removes everything, and waits until it is durable."""
    with bench.mounted() as mount:
        entries = sorted(entry.name for entry in mount.iterdir() if entry.name != "lost+found")
        before = bench.traffic()
        ran = bench.run(["rm", "--recursive", "--force", "--", *entries], "coreutils", cwd=mount)
        device = between(before, bench.traffic())
    return Measured(value=ran.elapsed_s, elapsed_s=ran.elapsed_s, device=device)


def _pass(bench: Bench, argv: list[str], package: str) -> Measured:
    with bench.mounted() as mount:
        before = bench.traffic()
        ran = bench.run(argv, package, cwd=mount)
        device = between(before, bench.traffic())
    return Measured(value=ran.elapsed_s, elapsed_s=ran.elapsed_s, device=device)
