"""Options of mkfs and mount that a user adds: root passes them, so only those of the table are accepted."""

from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from patina.db import transaction
from patina.file_system.options import OptionsRefused, mkfs_command, mount_list
from patina.file_system.table import FileSystem, row_of
from patina.run.models import Run
from run_requests import run_body

Factory = Callable[..., int]
GIB = 2**30


@pytest.mark.parametrize(
    ("name", "added", "expected"),
    [
        ("ext4", "-i 8192 -J size=16", "-i 8192 ... -J size=16"),
        ("ext4", "-O ^metadata_csum,quota", "extra_isize,^metadata_csum,quota"),
        ("ext4", "-E stride=16", "nodiscard,stride=16"),
        ("xfs", "-m reflink=0 -d agcount=8", "uuid=UUID,reflink=0 -d noalign,agcount=8"),
        ("btrfs", "-d dup --csum xxhash -O ^no-holes", "-d dup ... --csum xxhash -O extref,skinny-metadata,^no-holes"),
        ("f2fs", "-o 5", "-o 5"),
    ],
)
def test_an_added_option_replaces_or_joins_the_one_of_the_row(name: str, added: str, expected: str) -> None:
    command = " ".join(mkfs_command(name, "UUID", GIB, added))
    at = [command.find(part) for part in expected.split(" ... ")]
    assert -1 not in at, command
    assert at == sorted(at)
    words = command.split()
    flags = [word for word in words if word.startswith("-")]
    assert len(flags) == len(set(flags)), "most mkfs refuse an option that comes twice"


@pytest.mark.parametrize("name", list(FileSystem))
def test_without_added_options_the_command_is_the_rows(name: FileSystem) -> None:
    row = row_of(name)
    assert mkfs_command(name, "UUID", GIB, "") == row.mkfs("UUID", GIB)
    assert mount_list(name, "") == []


@pytest.mark.parametrize(
    ("name", "added"),
    [
        ("ext4", "-d files"),  # copies a folder of the host into the file system
        ("ext4", "-l list"),  # reads a file
        ("ext4", "-z undo"),  # writes a file
        ("ext4", "-J device=sdb"),
        ("ext4", "-O journal_dev"),
        ("ext4", "-O ^journal_dev"),
        ("ext4", "-U random"),
        ("ext4", "-E root_owner=0:0"),
        ("ext4", "-n"),
        ("ext4", "-i"),
        ("ext4", "-i -1"),
        ("ext4", "sdb"),
        ("ext4", "-i 8192 sdb"),
        ("ext4", "-i 8192; reboot"),
        ("ext4", "-i $(id)"),
        ("ext4", "-i 8192 /dev/sdb"),
        ("ext4", "-i 8192\n-n"),
        ("xfs", "-l logdev=sdb"),
        ("xfs", "-d name=sdb"),
        ("xfs", "-p file"),
        ("xfs", "-m uuid=1"),
        ("btrfs", "--rootdir files"),
        ("btrfs", "--root files"),
        ("f2fs", "-c sdb"),
    ],
)
def test_an_option_of_mkfs_that_is_not_in_the_table_is_refused(name: str, added: str) -> None:
    with pytest.raises(OptionsRefused):
        mkfs_command(name, "UUID", GIB, added)


@pytest.mark.parametrize(
    ("name", "added"),
    [
        ("ext4", "journal_path=sdb"),
        ("ext4", "journal_dev=2049"),
        ("ext4", "errors=panic"),
        ("ext4", "exec"),
        ("ext4", "nodelalloc,suid"),
        ("ext4", "remount"),
        ("ext4", "discard"),
        ("xfs", "logdev=sdb"),
        ("xfs", "norecovery"),
        ("btrfs", "device=sdb"),
        ("btrfs", "subvol=etc"),
        ("f2fs", "test_dummy_encryption"),
    ],
)
def test_a_mount_option_that_is_not_in_the_table_is_refused(name: str, added: str) -> None:
    with pytest.raises(OptionsRefused):
        mount_list(name, added)


def test_added_mount_options_are_separated_by_commas_or_spaces() -> None:
    assert mount_list("ext4", "nodelalloc, stripe=16") == ["nodelalloc", "stripe=16"]
    assert mount_list("btrfs", "compress=zstd:3 lazytime") == ["compress=zstd:3", "lazytime"]


def _rows() -> list[Run]:
    with transaction() as session:
        return list(session.scalars(select(Run)))


def test_the_added_options_are_in_the_settings_of_the_run(client: TestClient, make_device: Factory) -> None:
    asked: dict[str, Any] = {"added_mkfs_options": "-i 8192", "added_mount_options": "nodelalloc"}
    run = client.post("/api/v1/runs", json=run_body(make_device(), **asked)).json()
    assert {name: run[name] for name in asked} == asked
    assert {name: _rows()[0].settings[name] for name in asked} == asked


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"added_mkfs_options": "-J device=sdb"}, "'device=sdb' is no value that Patina passes with -J to mkfs.ext4"),
        ({"added_mount_options": "exec"}, "'exec' is no option that Patina mounts ext4 with. Possible are"),
        ({"file_system": "xfs", "added_mkfs_options": "-O quota"}, "'-O' is no option that Patina passes to mkfs.xfs"),
    ],
)
def test_refused_options_start_no_run(
    client: TestClient, make_device: Factory, changes: dict[str, str], said: str
) -> None:
    refused = client.post("/api/v1/runs", json=run_body(make_device(), **changes))
    assert (refused.status_code, refused.json()["code"]) == (422, "options_refused")
    assert said in refused.json()["detail"]
    assert _rows() == []


def test_characters_of_a_path_or_a_shell_are_refused_with_the_field(client: TestClient, make_device: Factory) -> None:
    refused = client.post("/api/v1/runs", json=run_body(make_device(), added_mkfs_options="-d /etc"))
    assert (refused.status_code, refused.json()["code"]) == (422, "request_invalid")
    assert refused.json()["errors"][0]["field"] == "added_mkfs_options"
