"""Kept paths of an emulated disk: as written after each unmount, while other data is generated."""

import os
from pathlib import Path

import pytest

from fixture_types import MIB, MakeSandbox
from observe import device_of
from patina_worker.host import emulator, file_system, sandbox
from patina_worker.tools.run import run_tool

SIZE_BYTES = 512 * MIB
ASKED: dict[str, object] = {"available_bytes": 256 * MIB, "kept_paths": ["database/**", "etc/*.conf"]}


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs"])
def test_they_are_as_written_after_an_unmount(make_sandbox: MakeSandbox, tmp_path: Path, kind: str) -> None:
    device = device_of(make_sandbox(SIZE_BYTES, emulation=ASKED))
    path = device.path or ""
    folder = sandbox.backing_file(stable_id=device.stable_id, medium=device.medium)
    assert run_tool([f"mkfs.{kind}", path]).returncode == 0
    options = "nodatasum" if kind == "btrfs" else "noatime"
    written = {name: os.urandom(MIB) for name in ("database/deep/table", "etc/a.conf", "etc/a.txt", "other")}
    with file_system.mounted(kind, path, tmp_path / "mount", options=options) as mount:
        for name, data in written.items():
            (mount / name).parent.mkdir(parents=True, exist_ok=True)
            (mount / name).write_bytes(data)
    figures = emulator.status(folder)
    # Some of it may look like metadata, or like a part of a node of btrfs, and is kept without being chosen.
    assert 3 * MIB // 2 < figures.chosen_bytes < 3 * MIB
    assert figures.lost_held_bytes == 0
    assert run_tool(["blockdev", "--flushbufs", path]).returncode == 0
    with file_system.mounted(kind, path, tmp_path / "mount", options=options) as mount:
        found = {name: (mount / name).read_bytes() for name in written}
        (mount / "database/deep/table").unlink()
    assert {name for name in written if found[name] == written[name]} == {"database/deep/table", "etc/a.conf"}
    assert emulator.status(folder).chosen_bytes < 2 * MIB


def test_a_disk_without_them_holds_nothing(make_sandbox: MakeSandbox, tmp_path: Path) -> None:
    device = device_of(make_sandbox(SIZE_BYTES, emulation={"available_bytes": 256 * MIB}))
    path = device.path or ""
    assert run_tool(["mkfs.ext4", path]).returncode == 0
    with file_system.mounted("ext4", path, tmp_path / "mount", options="noatime") as mount:
        (mount / "data").write_bytes(os.urandom(MIB))
    figures = emulator.status(sandbox.backing_file(stable_id=device.stable_id, medium=device.medium))
    assert (figures.held_bytes, figures.chosen_bytes) == (0, 0)
