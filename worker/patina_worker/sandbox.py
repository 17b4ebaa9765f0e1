"""Sandbox devices: loop devices over sparse files of ours, on disk or in memory (tmpfs)."""

import os
from pathlib import Path

from patina.settings import settings
from patina_worker.failure import SandboxFailed
from patina_worker.tool import run_tool


def folders() -> tuple[Path, Path]:
    """Where backing files of ours lie, and nowhere else."""
    return settings().sandbox_dir, settings().memory_dir


def backing_file(*, stable_id: str, medium: str | None) -> Path:
    """The file behind a sandbox device, by its stable id."""
    in_file, in_memory = folders()
    return (in_memory if medium == "memory" else in_file) / f"{stable_id}.img"


def attached() -> dict[Path, str]:
    """Every loop device over a file of ours: backing file to path. A deleted file keeps its mark in the name."""
    found = {}
    for entry in Path("/sys/block").glob("loop*/loop/backing_file"):
        try:
            file = Path(entry.read_text(encoding="utf-8", errors="surrogateescape").rstrip("\n"))
        except OSError:  # detached meanwhile
            continue
        if file.parent in folders():
            found[file] = f"/dev/{entry.parts[3]}"
    return found


def attach(file: Path) -> str:
    """The path of the loop device over `file`; the one that is there already, if there is one."""
    existing = attached().get(file)
    if existing is not None:
        return existing
    done = run_tool(["losetup", "--find", "--show", str(file)])
    if done.returncode != 0:
        raise SandboxFailed(f"No loop device for {file}: {done.stderr.strip()}", log=done.output)
    path = done.stdout.strip()
    # A loop node keeps the read-only mark that somebody gave it for an earlier file.
    run_tool(["blockdev", "--setrw", path])
    return path


def make(*, stable_id: str, medium: str | None, size_bytes: int) -> str:
    """Make the sparse file and attach it: the loop device's path. Done twice, it gives the same device."""
    file = backing_file(stable_id=stable_id, medium=medium)
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            os.ftruncate(descriptor, size_bytes)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise SandboxFailed(f"The backing file {file} cannot be made: {error.strerror}.") from error
    return attach(file)


def detach(path: str) -> None:
    """Detach a loop device; SandboxFailed while somebody uses it."""
    done = run_tool(["losetup", "--detach", path])
    if done.returncode != 0:
        raise SandboxFailed(f"Loop device {path} cannot be detached: {done.stderr.strip()}", log=done.output)


def remove(*, stable_id: str, medium: str | None) -> None:
    """Detach the device and delete its file. Done twice, the second finds nothing to do."""
    file = backing_file(stable_id=stable_id, medium=medium)
    path = attached().get(file)
    if path is not None:
        detach(path)
    file.unlink(missing_ok=True)
