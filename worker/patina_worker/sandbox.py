"""Sandbox devices: loop devices over sparse files of ours, on disk or in memory (tmpfs)."""

import json
import os
from pathlib import Path

from patina.settings import settings
from patina_worker.failure import SandboxFailed
from patina_worker.tool import run_tool

_DELETED = " (deleted)"  # the kernel's mark


def folders() -> tuple[Path, Path]:
    """Where backing files of ours lie, and nowhere else."""
    return settings().sandbox_dir, settings().memory_dir


def backing_file(*, stable_id: str, medium: str | None) -> Path:
    """The file behind a sandbox device, by its stable id."""
    in_file, in_memory = folders()
    return (in_memory if medium == "memory" else in_file) / f"{stable_id}.img"


def attached() -> dict[Path, str]:
    """Every loop device over a file of ours: backing file to path. A deleted file keeps its mark in the name.

    A file is known by its inode: the kernel names it as the mount namespace saw it that attached it, and once that
    namespace is gone (a worker's, decision 6) the name lacks its mount point.
    """
    inodes = {(file.name, file.stat().st_ino): file for folder in folders() for file in folder.glob("*.img")}
    listed = run_tool(["losetup", "--list", "--json", "--output", "NAME,BACK-INO,BACK-FILE"])
    if listed.returncode != 0:
        raise SandboxFailed(f"The loop devices cannot be listed: {listed.stderr.strip()}", log=listed.output)
    found = {}
    for loop in json.loads(listed.stdout or '{"loopdevices": []}')["loopdevices"]:
        shown = Path(loop["back-file"] or "")
        file = inodes.get((shown.name, loop["back-ino"]))
        if file is None and shown.name.endswith(_DELETED):
            file = next((folder / shown.name for folder in folders() if _may_be(shown.parent, folder)), None)
        if file is not None:
            found[file] = loop["name"]
    return found


def _may_be(shown: Path, folder: Path) -> bool:
    """Whether the folder is what is shown. In memory its name is an installation's own, wherever it hangs."""
    return shown == folder or (folder == settings().memory_dir and shown.name == folder.name)


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
